// Renumbering of cells.
#pragma once
#include "mesh/graph/graph_tools.hpp"
#include "mesh/unstructured/unstructured.hpp"

namespace weir {

// Cell p of the result is cell order[p] of the mesh. Faces are sorted again, nodes and patches stay. Throws
// std::invalid_argument if the order is not a permutation.
UnstructuredMesh renumber_cells(const UnstructuredMesh& mesh, const Order& order);

}  // namespace weir
