// Exact distance of each cell centre to the nearest wall face (straight segments), by a tree of boxes: n log n.
#pragma once
#include <vector>

#include "mesh/unstructured/unstructured.hpp"

namespace weir {

// is_wall: per patch. Infinite without walls. Periodic images of walls are not considered.
std::vector<double> wall_distance(const UnstructuredMesh& mesh, const std::vector<bool>& is_wall);

}  // namespace weir
