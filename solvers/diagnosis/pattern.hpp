// The pattern of a matrix as a graph, and what follows from it.
#pragma once
#include <vector>

#include "mesh/graph/graph.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// Of A + A^T without its diagonal; T: A transposed.
Graph graph_of_pattern(const BlockCsrData& A, const BlockCsrData& T);

// Which piece each vertex belongs to, from 0: pieces have no edge between them.
std::vector<int> pieces_of(const Graph& graph);

// Rows and columns of scalar rows in a new order: row i of the result is row order[i].
BlockCsrData permuted(const BlockCsrData& scalar, const Order& order);

}  // namespace weir
