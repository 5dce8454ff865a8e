// The exact distance of each cell's centre to the nearest face of the walls (straight segments), by a tree of boxes around
// them: n log n.
#pragma once
#include <vector>

#include "mesh/unstructured/unstructured.hpp"

namespace weir {

// is_wall: of each patch. Infinite where there is none. Periodic images of walls do not count.
std::vector<double> wall_distance(const UnstructuredMesh& mesh, const std::vector<bool>& is_wall);

}  // namespace weir
