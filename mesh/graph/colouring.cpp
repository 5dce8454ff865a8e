#include "mesh/graph/colouring.hpp"

#include <algorithm>

#include "mesh/graph/graph_tools.hpp"
#include "mesh/graph/orderings.hpp"

namespace weir {
namespace {

// Set of the colours of one vertex's neighbours that is cleared in constant time.
class ColoursNearby {
 public:
  void collect(const Graph& graph, int v, const std::vector<int>& colour) {
    ++stamp_;
    for (std::int64_t k = graph.start[v]; k < graph.start[v + 1]; ++k) {
      const int c = colour[graph.neighbour[k]];
      if (c < 0) continue;
      if (c >= static_cast<int>(seen_.size())) seen_.resize(static_cast<std::size_t>(c) + 1, 0);
      seen_[c] = stamp_;
    }
  }
  bool has(int c) const { return c < static_cast<int>(seen_.size()) && seen_[c] == stamp_; }

 private:
  std::vector<std::int64_t> seen_;
  std::int64_t stamp_ = 0;
};

// Each vertex in turn takes the first colour that no neighbour has.
Colouring first_fit(const Graph& graph, const Order& order) {
  Colouring result;
  result.colour.assign(static_cast<std::size_t>(graph.vertices()), -1);
  ColoursNearby nearby;
  for (int v : order) {
    nearby.collect(graph, v, result.colour);
    int c = 0;
    while (nearby.has(c)) ++c;
    result.colour[v] = c;
    result.colours = std::max(result.colours, c + 1);
  }
  return result;
}

// A random 64-bit number for each vertex (splitmix64).
std::uint64_t random_weight(std::uint64_t seed, int v) {
  std::uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(v) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Levels of two searches: one from end to end, one from a vertex half-way that is far from the other vertices there.
// Components are consecutive.
struct Levels {
  std::vector<int> along, across;
  int depth = 0, width = 0;
};

Levels levels_of(const Graph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertices());
  Levels levels{std::vector<int>(n, -1), std::vector<int>(n, -1)};
  LevelSearch search(graph);
  LevelStructure found;
  const auto number = [&](std::vector<int>& level, int first) {
    for (int l = 0; l < found.depth(); ++l)
      for (int i = found.start[l]; i < found.start[l + 1]; ++i) level[found.vertex[i]] = first + l;
    return found.depth();
  };
  for (int v = graph.vertices() - 1; v >= 0; --v) {
    if (levels.along[v] >= 0) continue;
    search.build(v, found);
    const auto half = found.vertex.begin() + found.start[found.depth() / 2];
    const int side = *std::min_element(half, found.vertex.begin() + found.start[found.depth() / 2 + 1]);
    levels.depth += number(levels.along, levels.depth);
    search.build(side, found);
    levels.width = std::max(levels.width, number(levels.across, 0));
  }
  return levels;
}

}  // namespace

Colouring colour_largest_first(const Graph& graph) {
  const int n = graph.vertices();
  int largest = 0;
  for (int v = 0; v < n; ++v) largest = std::max(largest, graph.degree(v));
  std::vector<int> fewer(static_cast<std::size_t>(n));  // 0 for the largest degree
  for (int v = 0; v < n; ++v) fewer[v] = largest - graph.degree(v);
  return first_fit(graph, sorted_by_class(natural_order(n), fewer, largest + 1));
}

Colouring colour_balanced(const Graph& graph) {
  Colouring result = colour_largest_first(graph);
  const int n = graph.vertices(), colours = result.colours;
  std::vector<int> size(static_cast<std::size_t>(colours), 0);
  for (int c : result.colour) ++size[c];
  ColoursNearby nearby;
  for (int pass = 0; pass < 8; ++pass) {  // a move frees a colour for the neighbours: a few passes suffice
    bool has_moved = false;
    for (int v = 0; v < n; ++v) {
      const int mine = result.colour[v];
      if (std::int64_t{1} * size[mine] * colours <= n) continue;  // not over-full
      nearby.collect(graph, v, result.colour);
      int best = mine;
      for (int c = 0; c < colours; ++c)
        if (!nearby.has(c) && size[c] + 1 < size[best]) best = c;
      if (best == mine) continue;
      --size[mine], ++size[best];
      result.colour[v] = best;
      has_moved = true;
    }
    if (!has_moved) break;
  }
  return result;
}

Colouring colour_jones_plassmann(const Graph& graph, std::uint64_t seed) {
  // In each round of the method the vertices whose weight exceeds that of all uncoloured neighbours take the first
  // free colour; then exactly the neighbours of larger weight are coloured. Visiting by descending weight gives the
  // same result.
  const int n = graph.vertices();
  std::vector<std::uint64_t> weight(static_cast<std::size_t>(n));
  for (int v = 0; v < n; ++v) weight[v] = random_weight(seed, v);
  Order order = natural_order(n);
  std::ranges::sort(order, [&](int a, int b) { return weight[a] != weight[b] ? weight[a] > weight[b] : a < b; });
  return first_fit(graph, order);
}

ColourWavefront colour_wavefront(const Graph& graph, const Colouring& colouring, int tile) {
  const int n = graph.vertices(), colours = colouring.colours;
  const Order natural = natural_order(n);
  ColourWavefront wave;
  if (tile <= 0 || n == 0) {
    wave.order = sorted_by_class(natural, colouring.colour, colours, &wave.start);
    wave.colour = natural_order(colours);
    return wave;
  }

  const Levels levels = levels_of(graph);
  const double level = static_cast<double>(n) / levels.depth;
  // limits the overlap of strips
  const int thickness = std::max(1, static_cast<int>(tile / level)), narrowest = colours;
  const int width = std::max(narrowest, static_cast<int>(std::min(1.0, tile / level) * levels.width));
  const int steps = (levels.depth - 1) / thickness + colours, strips = (levels.width + colours - 2) / width + 1;
  std::vector<int> piece(static_cast<std::size_t>(n)), starts;
  for (int v = 0; v < n; ++v) {
    const int k = colouring.colour[v], strip = (levels.across[v] + k) / width, step = levels.along[v] / thickness + k;
    piece[v] = (strip * steps + step) * colours + k;
  }
  const int most = strips * steps * colours;
  wave.order = sorted_by_class(natural, piece, most, &starts);
  for (int q = 0; q < most; ++q) {
    if (starts[q] == starts[q + 1]) continue;
    wave.start.push_back(starts[q + 1]);
    wave.colour.push_back(q % colours);
  }
  return wave;
}

}  // namespace weir
