#include "mesh/graph/orderings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace weir {
namespace {

constexpr int smallest = 64;  // pieces below this size gain nothing from a further cut

// The level that contains the component's median vertex: neither side has more than half of the component.
int median_level(const LevelStructure& levels) {
  const int middle = levels.size() / 2;
  return static_cast<int>(std::ranges::upper_bound(levels.start, middle) - levels.start.begin()) - 1;
}

// Places a component, its separator last; returns the separator's size. Small components are all separator.
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

Order natural_order(int vertices) {
  Order order(static_cast<std::size_t>(vertices));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Order random_order(int vertices, std::uint64_t seed) {
  Order order = natural_order(vertices);
  std::mt19937_64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i)  // std::shuffle differs between libraries
    std::swap(order[i - 1], order[random() % i]);
  return order;
}

namespace {

// Cuthill & McKee: a vertex's new neighbours follow by ascending degree.
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
  std::ranges::reverse(order);
  return order;
}

namespace {

// Separators of a component: the vertices of each chosen level with a neighbour in the next one, removed from the
// search. A component too shallow for two cuts is one separator.
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
  Order reversed;  // separators first; reversed at the end
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
  std::ranges::reverse(reversed);
  return reversed;
}

LevelSearch::LevelSearch(const Graph& graph) : graph_(graph), seen_(static_cast<std::size_t>(graph.vertices()), 0) {}

void LevelSearch::build(int root, LevelStructure& levels) {
  if (search_ == std::numeric_limits<int>::max()) {  // restart the counter
    for (int& s : seen_)
      if (s != out) s = 0;
    search_ = 0;
  }
  ++search_;
  levels.vertex.assign(1, root);
  levels.start.assign(1, 0);
  seen_[root] = search_;
  for (std::size_t begin = 0; begin < levels.vertex.size();) {
    const std::size_t end = levels.vertex.size();
    for (std::size_t i = begin; i < end; ++i) {
      const int v = levels.vertex[i];
      for (std::int64_t k = graph_.start[v]; k < graph_.start[v + 1]; ++k) {
        const int w = graph_.neighbour[k];
        if (seen_[w] == out || seen_[w] == search_) continue;
        seen_[w] = search_;
        levels.vertex.push_back(w);
      }
    }
    levels.start.push_back(static_cast<int>(end));
    begin = end;
  }
}

int LevelSearch::build_deepest(int root, LevelStructure& levels) {
  build(root, levels);
  for (;;) {
    int candidate = -1, least = std::numeric_limits<int>::max();
    for (int i = levels.start[levels.depth() - 1]; i < levels.size(); ++i) {
      const int v = levels.vertex[i];
      int degree = 0;  // in the remaining graph
      for (std::int64_t k = graph_.start[v]; k < graph_.start[v + 1]; ++k) degree += seen_[graph_.neighbour[k]] != out;
      if (degree < least) least = degree, candidate = v;
    }
    build(candidate, trial_);
    if (trial_.depth() <= levels.depth()) return levels.vertex[0];
    std::swap(levels, trial_);
  }
}

Order level_nested_dissection(const Graph& graph) {
  const int n = graph.vertices();
  Order order = natural_order(n), rest;
  LevelSearch search(graph);
  LevelStructure levels;
  std::vector<int> visited(order.size(), 0);  // the last range that was cut with this vertex in it
  int range = 0;
  std::vector<std::pair<int, int>> to_cut{{0, n}};  // ranges of `order` whose vertices are not numbered yet
  while (!to_cut.empty()) {
    const auto [first, last] = to_cut.back();
    to_cut.pop_back();
    ++range;
    // The range may have several components: each gets a range of its own, with its separator at the end.
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
