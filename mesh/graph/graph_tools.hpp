// Graph utilities for orderings, colourings and partitions, all near-linear in vertices + edges.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "mesh/graph/graph.hpp"

namespace weir {

// Each pair is an edge, in any order; loops and repeated edges are dropped.
Graph graph_of_edges(int vertices, const std::vector<std::array<int, 2>>& edges);

Order inverse(const Order& order);

// For the matrix with this pattern: max |i - j|, and the sum over rows of i - (leftmost column of row i).
int bandwidth(const Graph& graph, const Order& order);
std::int64_t profile(const Graph& graph, const Order& order);

// Quotient graph with one vertex per group. Weights are the numbers of merged vertices and edges.
struct WeightedGraph {
  Graph graph;
  std::vector<int> vertex_weight;  // vertices per group
  std::vector<int> edge_weight;    // edges between two groups, parallel to graph.neighbour
};
WeightedGraph quotient(const Graph& graph, const std::vector<int>& group, int groups);

// Part of each vertex, 0 .. parts - 1, with about equal weights and few edges between parts: by METIS, or without it
// by strips of the reverse Cuthill-McKee order. With fewer vertices than parts some are empty.
std::vector<int> partition_graph(const WeightedGraph& graph, int parts);
std::vector<int> partition_strips(const WeightedGraph& graph, int parts);
std::int64_t edge_cut(const Graph& graph, const std::vector<int>& part);

// Vertices sorted by class (colour, level, group), stable. starts: classes + 1 entries, first positions.
Order sorted_by_class(const Order& order, const std::vector<int>& class_of, int classes,
                      std::vector<int>* starts = nullptr);

// Level sets of a triangular factor: rows that can be eliminated in parallel. Vertex v depends on its neighbours
// before it; its level is one more than the highest of theirs, or 0.
struct LevelSets {
  int levels = 0;
  std::vector<int> level;  // per vertex
};

LevelSets level_sets(const Graph& graph, const Order& order);

}  // namespace weir
