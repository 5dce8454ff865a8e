// Small tools on plain graphs that orderings, colourings and partitions share. All near-linear in vertices + edges.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "mesh/graph/graph.hpp"

namespace weir {

// Each pair is an edge, in any order; loops and repeated edges are dropped.
Graph graph_of_edges(int vertices, const std::vector<std::array<int, 2>>& edges);

Order inverse(const Order& order);

// Of the matrix with the graph's pattern: max |i - j|, and the sum over rows of i - (the leftmost column of row i).
int bandwidth(const Graph& graph, const Order& order);
std::int64_t profile(const Graph& graph, const Order& order);

// Groups of vertices as one vertex each: the quotient graph. Weights count what was merged.
struct WeightedGraph {
  Graph graph;
  std::vector<int> vertex_weight;  // vertices of the group
  std::vector<int> edge_weight;    // edges between two groups; beside graph.neighbour
};
WeightedGraph quotient(const Graph& graph, const std::vector<int>& group, int groups);

// Of each vertex its part, 0 .. parts - 1: parts of about equal weight with few edges between them, by METIS, or by strips of
// the reverse Cuthill-McKee order where Weir was built without it. Fewer vertices than parts leave parts empty.
std::vector<int> partition_graph(const WeightedGraph& graph, int parts);
std::vector<int> partition_strips(const WeightedGraph& graph, int parts);
// Edges between vertices of different parts.
std::int64_t edge_cut(const Graph& graph, const std::vector<int>& part);

// Vertices sorted by their class (colour, level, group), in the given order within a class.
// starts: classes + 1 entries, the first position of each class.
Order sorted_by_class(const Order& order, const std::vector<int>& class_of, int classes,
                      std::vector<int>* starts = nullptr);

// Level sets: which rows of a triangular factor may be eliminated side by side. Vertex v depends on its neighbours that
// come before it; its level is one more than the highest of theirs, 0 without any.
struct LevelSets {
  int levels = 0;
  std::vector<int> level;  // of each vertex
};

LevelSets level_sets(const Graph& graph, const Order& order);

}  // namespace weir
