#include "mesh/graph/orderings.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "mesh/graph/level_structure.hpp"

namespace weir {

Order natural_order(int vertices) {
  Order order(static_cast<std::size_t>(vertices));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Order random_order(int vertices, std::uint64_t seed) {
  Order order = natural_order(vertices);
  std::mt19937_64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i)  // not std::shuffle: libraries differ in how they draw
    std::swap(order[i - 1], order[random() % i]);
  return order;
}

namespace {

// Cuthill & McKee: a vertex's new neighbours follow it by rising degree.
void cuthill_mckee(const Graph& graph, int root, std::vector<char>& numbered, Order& order) {
  std::size_t head = order.size();
  order.push_back(root);
  numbered[root] = 1;
  const auto by_degree = [&graph](int a, int b) {
    return graph.degree(a) != graph.degree(b) ? graph.degree(a) < graph.degree(b) : a < b;
  };
  for (; head < order.size(); ++head) {
    const int v = order[head];
    const auto begin = static_cast<std::ptrdiff_t>(order.size());
    for (std::int64_t k = graph.start[v]; k < graph.start[v + 1]; ++k) {
      const int w = graph.neighbour[k];
      if (numbered[w]) continue;
      numbered[w] = 1;
      order.push_back(w);
    }
    std::sort(order.begin() + begin, order.end(), by_degree);
  }
}

}  // namespace

Order reverse_cuthill_mckee(const Graph& graph) {
  const int n = graph.vertices();
  Order order;
  order.reserve(static_cast<std::size_t>(n));
  std::vector<char> numbered(static_cast<std::size_t>(n), 0);
  LevelSearch search(graph);
  LevelStructure levels;
  for (int v = 0; v < n; ++v)
    if (!numbered[v]) cuthill_mckee(graph, search.build_deepest(v, levels), numbered, order);
  std::reverse(order.begin(), order.end());
  return order;
}

namespace {

// Separators of one component: of each chosen level the vertices with a neighbour in the next one, taken out of the
// search. A component too shallow to be cut twice becomes a separator as a whole.
void take_separators(const Graph& graph, const LevelStructure& levels, std::vector<int>& level_of, LevelSearch& search,
                     Order& reversed) {
  const auto take = [&](int v) {
    search.take_out(v);
    reversed.push_back(v);
  };
  const int depth = levels.depth();
  const double mean_width = static_cast<double>(levels.size()) / depth;
  const double spacing = 1 + std::sqrt((3 * mean_width + 13) / 2);  // George 1980, eq. (4.3) with his safeguard
  if (depth < 3 || spacing >= 0.5 * depth) {
    for (int v : levels.vertex) take(v);
    return;
  }
  for (int l = 0; l < depth; ++l)
    for (int i = levels.start[l]; i < levels.start[l + 1]; ++i) level_of[levels.vertex[i]] = l;
  for (int s = 1;; ++s) {
    const int l = static_cast<int>(s * spacing + 0.5) - 1;
    if (l + 1 >= depth) return;
    for (int i = levels.start[l]; i < levels.start[l + 1]; ++i) {
      const int v = levels.vertex[i];
      const auto is_next = [&](int w) { return !search.is_out(w) && level_of[w] == l + 1; };
      if (std::any_of(graph.neighbour.begin() + graph.start[v], graph.neighbour.begin() + graph.start[v + 1], is_next))
        take(v);
    }
  }
}

}  // namespace

Order one_way_dissection(const Graph& graph) {
  const int n = graph.vertices();
  Order reversed;  // separators first; turned round at the end
  reversed.reserve(static_cast<std::size_t>(n));
  std::vector<int> level_of(static_cast<std::size_t>(n), -1);
  LevelSearch search(graph);
  LevelStructure levels, piece;
  for (int v = 0; v < n; ++v) {
    if (search.is_out(v)) continue;
    search.build_deepest(v, levels);
    take_separators(graph, levels, level_of, search, reversed);
    for (int root : levels.vertex) {
      if (search.is_out(root)) continue;
      search.build(root, piece);
      for (int w : piece.vertex) {
        search.take_out(w);
        reversed.push_back(w);
      }
    }
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

}  // namespace weir
