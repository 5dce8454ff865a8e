// Rooted level structures (breadth-first search) of the part of a graph that is still there, and pseudo-peripheral
// vertices. The work of each call is proportional to the component it visits, not to the graph.
#pragma once
#include <vector>

#include "mesh/graph/graph.hpp"

namespace weir {

// Level l holds vertex[start[l]] .. vertex[start[l + 1] - 1].
struct LevelStructure {
  std::vector<int> vertex;
  std::vector<int> start;
  int depth() const { return static_cast<int>(start.size()) - 1; }
  int size() const { return static_cast<int>(vertex.size()); }
};

class LevelSearch {
 public:
  explicit LevelSearch(const Graph& graph);

  // A vertex that is taken out is seen by no later search.
  bool is_out(int v) const { return seen_[v] == out; }
  void take_out(int v) { seen_[v] = out; }

  // The level structure of the root's component.
  void build(int root, LevelStructure& levels);

  // The same from a pseudo-peripheral vertex of the root's component (George & Liu 1979): go to a vertex of least degree
  // in the last level as long as that makes the structure deeper. Returns the vertex.
  int build_deepest(int root, LevelStructure& levels);

 private:
  static constexpr int out = -1;
  const Graph& graph_;
  std::vector<int> seen_;  // the number of the last search that met the vertex, or `out`
  int search_ = 0;
  LevelStructure trial_;
};

}  // namespace weir
