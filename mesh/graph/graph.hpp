// An undirected graph: the neighbours of vertex v are neighbour[start[v]] .. neighbour[start[v + 1] - 1], ascending;
// each edge is stored at both ends; no loops.
#pragma once
#include <cstdint>
#include <vector>

namespace weir {

struct Graph {
  std::vector<std::int64_t> start{0};
  std::vector<int> neighbour;

  int vertices() const { return static_cast<int>(start.size()) - 1; }
  int degree(int v) const { return static_cast<int>(start[v + 1] - start[v]); }
};

// order[position] = vertex; inverse(order)[vertex] = position.
using Order = std::vector<int>;

}  // namespace weir
