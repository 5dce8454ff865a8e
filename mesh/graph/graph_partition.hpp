// Parts of about equal weight with few edges between them: by METIS, or by strips of the reverse Cuthill-McKee order where
// Weir was built without it.
#pragma once
#include <cstdint>
#include <vector>

#include "mesh/graph/graph_tools.hpp"

namespace weir {

// Of each vertex: its part, 0 .. parts - 1. Fewer vertices than parts leave parts empty.
std::vector<int> partition_graph(const WeightedGraph& graph, int parts);
std::vector<int> partition_strips(const WeightedGraph& graph, int parts);

// Edges between vertices of different parts.
std::int64_t edge_cut(const Graph& graph, const std::vector<int>& part);

}  // namespace weir
