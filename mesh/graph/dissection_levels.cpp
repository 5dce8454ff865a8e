// Nested dissection and partitioning without METIS.
#include "mesh/graph/graph_tools.hpp"
#include "mesh/graph/orderings.hpp"

namespace weir {

const char* nested_dissection_method() { return "level structures"; }

Order nested_dissection(const Graph& graph) { return level_nested_dissection(graph); }

std::vector<int> partition_graph(const WeightedGraph& graph, int parts) { return partition_strips(graph, parts); }

}  // namespace weir
