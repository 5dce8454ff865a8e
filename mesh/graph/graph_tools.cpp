#include "mesh/graph/graph_tools.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include "base/buckets.hpp"
#include "mesh/graph/orderings.hpp"

namespace weir {

Graph graph_of_edges(int vertices, const std::vector<std::array<int, 2>>& edges) {
  const auto n = static_cast<std::size_t>(vertices);
  auto [start, neighbour] = into_buckets<int, std::int64_t>(n, [&](const auto& put) {
    for (const auto& [a, b] : edges)
      if (a != b) put(a, b), put(b, a);
  });
  Graph graph;
  graph.start.assign(n + 1, 0);
  auto out = neighbour.begin();
  for (std::size_t v = 0; v < n; ++v) {
    const auto begin = neighbour.begin() + start[v], end = neighbour.begin() + start[v + 1];
    std::sort(begin, end);
    out = std::copy(begin, std::unique(begin, end), out);  // writes at or before the read position
    graph.start[v + 1] = out - neighbour.begin();
  }
  neighbour.erase(out, neighbour.end());
  graph.neighbour = std::move(neighbour);
  return graph;
}

Order inverse(const Order& order) {
  Order position(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) position[order[p]] = static_cast<int>(p);
  return position;
}

int bandwidth(const Graph& graph, const Order& order) {
  const Order position = inverse(order);
  int width = 0;
  for (int v = 0; v < graph.vertices(); ++v)
    for (std::int64_t k = graph.start[v]; k < graph.start[v + 1]; ++k)
      width = std::max(width, std::abs(position[v] - position[graph.neighbour[k]]));
  return width;
}

std::int64_t profile(const Graph& graph, const Order& order) {
  const Order position = inverse(order);
  std::int64_t sum = 0;
  for (int v = 0; v < graph.vertices(); ++v) {
    int leftmost = position[v];
    for (std::int64_t k = graph.start[v]; k < graph.start[v + 1]; ++k)
      leftmost = std::min(leftmost, position[graph.neighbour[k]]);
    sum += position[v] - leftmost;
  }
  return sum;
}

WeightedGraph quotient(const Graph& graph, const std::vector<int>& group, int groups) {
  std::vector<int> starts;
  const Order members = sorted_by_class(natural_order(graph.vertices()), group, groups, &starts);
  WeightedGraph q;
  q.graph.start.assign(static_cast<std::size_t>(groups) + 1, 0);
  q.vertex_weight.resize(static_cast<std::size_t>(groups));
  // position of the edge from this group to another
  std::vector<std::int64_t> edge_to(static_cast<std::size_t>(groups), -1);
  std::vector<std::array<int, 2>> edges;  // of one group: the other group, weight
  for (int g = 0; g < groups; ++g) {
    edges.clear();
    for (int m = starts[g]; m < starts[g + 1]; ++m)
      for (std::int64_t k = graph.start[members[m]]; k < graph.start[members[m] + 1]; ++k) {
        const int other = group[graph.neighbour[k]];
        if (other == g) continue;
        if (edge_to[other] < 0) {
          edge_to[other] = static_cast<std::int64_t>(edges.size());
          edges.push_back({other, 0});
        }
        ++edges[edge_to[other]][1];
      }
    std::ranges::sort(edges);
    for (const auto& [other, weight] : edges) {
      edge_to[other] = -1;
      q.graph.neighbour.push_back(other);
      q.edge_weight.push_back(weight);
    }
    q.graph.start[g + 1] = static_cast<std::int64_t>(q.graph.neighbour.size());
    q.vertex_weight[g] = starts[g + 1] - starts[g];
  }
  return q;
}

std::vector<int> partition_strips(const WeightedGraph& g, int parts) {
  if (parts < 1) throw std::invalid_argument("partition_strips: at least one part");
  const auto total = std::accumulate(g.vertex_weight.begin(), g.vertex_weight.end(), std::int64_t{0});
  std::vector<int> part(g.vertex_weight.size());
  std::int64_t before = 0;
  for (int v : reverse_cuthill_mckee(g.graph)) {
    // a vertex goes to the part that contains its middle
    const std::int64_t twice_middle = 2 * before + g.vertex_weight[v];
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

Order sorted_by_class(const Order& order, const std::vector<int>& class_of, int classes, std::vector<int>* starts) {
  auto [start, sorted] = into_buckets<int>(static_cast<std::size_t>(classes), [&](const auto& put) {
    for (int v : order) put(class_of[v], v);
  });
  if (starts) *starts = std::move(start);
  return sorted;
}

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
