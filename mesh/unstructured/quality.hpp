// Quality measures of cells.
#pragma once
#include <vector>

#include "mesh/unstructured/unstructured.hpp"

namespace weir {

// Per cell: (longest side)^2 / area, scaled to 1 for squares and equilateral triangles.
std::vector<double> aspect_ratios(const UnstructuredMesh& mesh);
// Per cell: the smallest corner angle, in degrees.
std::vector<double> least_angles(const UnstructuredMesh& mesh);

}  // namespace weir
