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

LevelSets hyperplanes(int nx, int ny, int nz) {
  LevelSets result;
  if (nx < 1 || ny < 1 || nz < 1) return result;
  result.levels = nx + ny + nz - 2;
  result.level.reserve(static_cast<std::size_t>(nx) * ny * nz);
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) result.level.push_back(i + j + k);
  return result;
}

}  // namespace weir
