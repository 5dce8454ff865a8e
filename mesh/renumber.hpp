// The cells in another order, and the graph that orderings work on.
#pragma once
#include "mesh/ordering/graph.hpp"
#include "mesh/unstructured.hpp"

namespace weir {

// Cells are vertices, shared faces (periodic ones too) edges; two cells that share two faces are one edge.
Graph cell_graph(const UnstructuredMesh& mesh);

// Cell p of the result is cell order[p] of the mesh. Faces are sorted anew, nodes and patches stay. Throws
// std::invalid_argument where the order is not a permutation of the cells.
UnstructuredMesh renumber_cells(const UnstructuredMesh& mesh, const Order& order);

}  // namespace weir
