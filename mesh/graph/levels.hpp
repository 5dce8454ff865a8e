// Level sets: which rows of a triangular factor may be eliminated side by side. Vertex v depends on its neighbours that
// come before it; its level is one more than the highest of theirs, 0 without any.
#pragma once
#include <vector>

#include "mesh/graph/graph.hpp"

namespace weir {

struct LevelSets {
  int levels = 0;
  std::vector<int> level;  // of each vertex
};

LevelSets level_sets(const Graph& graph, const Order& order);

}  // namespace weir
