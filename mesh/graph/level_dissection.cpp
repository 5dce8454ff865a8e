// Nested dissection by level structures: no library needed.
#include <algorithm>
#include <numeric>
#include <utility>

#include "mesh/graph/level_structure.hpp"
#include "mesh/graph/orderings.hpp"

namespace weir {
namespace {

constexpr int smallest = 64;  // pieces below this size gain nothing from a further cut

// The level that holds the component's median vertex: neither side is larger than half of the component.
int median_level(const LevelStructure& levels) {
  const int middle = levels.size() / 2;
  return static_cast<int>(std::upper_bound(levels.start.begin(), levels.start.end(), middle) - levels.start.begin()) -
         1;
}

// Writes a component, its separator last; returns the separator's size. What is too small to cut is all separator.
int place_component(const LevelStructure& levels, Order::iterator at) {
  const auto begin = levels.vertex.begin(), end = levels.vertex.end();
  if (levels.size() <= smallest || levels.depth() < 3) {
    std::reverse_copy(begin, end, at);
    return levels.size();
  }
  const int cut = std::clamp(median_level(levels), 1, levels.depth() - 2);
  const auto from = begin + levels.start[cut], to = begin + levels.start[cut + 1];
  at = std::copy(begin, from, at);
  at = std::copy(to, end, at);
  std::copy(from, to, at);
  return static_cast<int>(to - from);
}

}  // namespace

Order level_nested_dissection(const Graph& graph) {
  const int n = graph.vertices();
  Order order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  LevelSearch search(graph);
  LevelStructure levels;
  Order rest;
  std::vector<int> visited(order.size(), 0);  // the last range that was cut with this vertex in it
  int range = 0;
  std::vector<std::pair<int, int>> to_cut{{0, n}};  // ranges of `order` whose vertices are still to be numbered
  while (!to_cut.empty()) {
    const auto [first, last] = to_cut.back();
    to_cut.pop_back();
    ++range;
    // The range may hold several components: each gets a range of its own, with its separator at the end.
    rest.assign(order.begin() + first, order.begin() + last);
    int begin = first;
    for (int root : rest) {
      if (visited[root] == range) continue;
      search.build_deepest(root, levels);
      for (int v : levels.vertex) visited[v] = range;
      const int separator = place_component(levels, order.begin() + begin);
      const int end = begin + levels.size(), pieces_end = end - separator;
      for (int i = pieces_end; i < end; ++i) search.take_out(order[i]);
      if (pieces_end > begin) to_cut.emplace_back(begin, pieces_end);
      begin = end;
    }
  }
  return order;
}

}  // namespace weir
