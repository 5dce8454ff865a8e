#include "mesh/graph/levels.hpp"

#include <algorithm>

namespace weir {

LevelSets level_sets(const Graph& graph, const Order& order) {
  LevelSets result;
  result.level.assign(order.size(), -1);  // -1: comes later
  for (int v : order) {
    int highest = -1;
    for (std::int64_t k = graph.start[v]; k < graph.start[v + 1]; ++k)
      highest = std::max(highest, result.level[graph.neighbour[k]]);
    result.level[v] = highest + 1;
    result.levels = std::max(result.levels, highest + 2);
  }
  return result;
}

}  // namespace weir
