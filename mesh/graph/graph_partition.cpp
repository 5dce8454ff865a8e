#include "mesh/graph/graph_partition.hpp"

#include <numeric>
#include <stdexcept>

#include "mesh/graph/orderings.hpp"

namespace weir {

std::vector<int> partition_strips(const WeightedGraph& g, int parts) {
  if (parts < 1) throw std::invalid_argument("partition_strips: at least one part");
  const auto total = std::accumulate(g.vertex_weight.begin(), g.vertex_weight.end(), std::int64_t{0});
  std::vector<int> part(g.vertex_weight.size());
  std::int64_t before = 0;
  for (int v : reverse_cuthill_mckee(g.graph)) {
    const std::int64_t twice_middle = 2 * before + g.vertex_weight[v];  // a vertex goes where its middle lies
    part[v] = static_cast<int>(twice_middle * parts / (2 * total));
    before += g.vertex_weight[v];
  }
  return part;
}

std::int64_t edge_cut(const Graph& graph, const std::vector<int>& part) {
  std::int64_t ends = 0;
  for (int v = 0; v < graph.vertices(); ++v)
    for (std::int64_t k = graph.start[v]; k < graph.start[v + 1]; ++k) ends += part[graph.neighbour[k]] != part[v];
  return ends / 2;
}

}  // namespace weir
