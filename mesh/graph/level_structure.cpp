#include "mesh/graph/level_structure.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace weir {

LevelSearch::LevelSearch(const Graph& graph) : graph_(graph), seen_(static_cast<std::size_t>(graph.vertices()), 0) {}

void LevelSearch::build(int root, LevelStructure& levels) {
  if (search_ == std::numeric_limits<int>::max()) {  // start counting again
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
      int degree = 0;  // in what is left of the graph
      for (std::int64_t k = graph_.start[v]; k < graph_.start[v + 1]; ++k) degree += seen_[graph_.neighbour[k]] != out;
      if (degree < least) least = degree, candidate = v;
    }
    build(candidate, trial_);
    if (trial_.depth() <= levels.depth()) return levels.vertex[0];
    std::swap(levels, trial_);
  }
}

}  // namespace weir
