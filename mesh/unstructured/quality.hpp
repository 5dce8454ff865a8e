// How good the cells of a mesh are.
#pragma once
#include <vector>

#include "mesh/unstructured/unstructured.hpp"

namespace weir {

// Of each cell: (longest side)^2 over the area, scaled so that squares and equilateral triangles have 1.
std::vector<double> aspect_ratios(const UnstructuredMesh& mesh);
// Of each cell: its least corner angle, in degrees.
std::vector<double> least_angles(const UnstructuredMesh& mesh);

}  // namespace weir
