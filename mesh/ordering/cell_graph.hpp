// The cells of a mesh as a plain graph.
#pragma once
#include "mesh/graph/graph.hpp"
#include "mesh/unstructured/unstructured.hpp"

namespace weir {

// Cells are joined where they share a face (a periodic one too); two cells that share two faces are one edge.
Graph cell_graph(const UnstructuredMesh& mesh);

}  // namespace weir
