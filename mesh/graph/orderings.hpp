// Vertex orderings of a graph, which may be disconnected or empty. Reproducible on all machines.
#pragma once
#include <cstdint>
#include <vector>

#include "mesh/graph/graph.hpp"

namespace weir {

// Original numbering; a random shuffle by seed.
Order natural_order(int vertices);
Order random_order(int vertices, std::uint64_t seed);

// Reverse Cuthill-McKee (Cuthill & McKee 1969; George 1971), each component from a pseudo-peripheral vertex.
Order reverse_cuthill_mckee(const Graph& graph);

// One-way dissection (George 1980): each component is cut by parallel separators, levels of its level structure about
// sqrt((3 w + 13) / 2) apart, w being the mean width of a level. The pieces come first, then the separators.
Order one_way_dissection(const Graph& graph);

// Nested dissection by METIS, or without it by level structures: see nested_dissection_method().
Order nested_dissection(const Graph& graph);
const char* nested_dissection_method();  // "METIS" | "level structures"

// Nested dissection by level structures (George & Liu 1978): the separator is the level with the component's median
// vertex; pieces first, separator last, recursively.
Order level_nested_dissection(const Graph& graph);

// Rooted level structures (breadth-first search) of the remaining part of a graph, and pseudo-peripheral vertices.
// The work of a call is proportional to the visited component.

// Level l is vertex[start[l]] .. vertex[start[l + 1] - 1].
struct LevelStructure {
  std::vector<int> vertex;
  std::vector<int> start;
  int depth() const { return static_cast<int>(start.size()) - 1; }
  int size() const { return static_cast<int>(vertex.size()); }
};

class LevelSearch {
 public:
  explicit LevelSearch(const Graph& graph);

  // Later searches skip removed vertices.
  bool is_out(int v) const { return seen_[v] == out; }
  void take_out(int v) { seen_[v] = out; }

  void build(int root, LevelStructure& levels);

  // Level structure from a pseudo-peripheral vertex of the root's component (George & Liu 1979): move to a vertex of
  // least degree in the last level as long as that deepens the structure. Returns the vertex.
  int build_deepest(int root, LevelStructure& levels);

 private:
  static constexpr int out = -1;
  const Graph& graph_;
  std::vector<int> seen_;  // number of the last search that visited the vertex, or `out`
  int search_ = 0;
  LevelStructure trial_;
};

}  // namespace weir
