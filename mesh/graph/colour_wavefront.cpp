#include "mesh/graph/colour_wavefront.hpp"

#include <algorithm>
#include <numeric>

#include "mesh/graph/graph_tools.hpp"
#include "mesh/graph/level_structure.hpp"

namespace weir {
namespace {

// Levels of two searches: one from end to end, one from a vertex half-way that is far from others there. Components lie
// one behind the other.
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

ColourWavefront colour_wavefront(const Graph& graph, const Colouring& colouring, int tile) {
  const int n = graph.vertices(), colours = colouring.colours;
  Order natural(static_cast<std::size_t>(n));
  std::iota(natural.begin(), natural.end(), 0);
  ColourWavefront wave;
  if (tile <= 0 || n == 0) {
    wave.order = sorted_by_class(natural, colouring.colour, colours, &wave.start);
    wave.colour.resize(static_cast<std::size_t>(colours));
    std::iota(wave.colour.begin(), wave.colour.end(), 0);
    return wave;
  }

  const Levels levels = levels_of(graph);
  const double level = static_cast<double>(n) / levels.depth;
  const int thickness = std::max(1, static_cast<int>(tile / level)), narrowest = colours;  // or strips overlap too much
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
