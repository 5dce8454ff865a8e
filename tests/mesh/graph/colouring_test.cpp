#include "mesh/graph/colouring.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mesh/graph/orderings.hpp"
#include "tests/support/systems/graphs.hpp"

namespace weir::test::colouring_test {
namespace {

bool is_proper(const Graph& g, const Colouring& c) {
  if (static_cast<int>(c.colour.size()) != g.vertices()) return false;
  for (int v = 0; v < g.vertices(); ++v) {
    if (c.colour[v] < 0 || c.colour[v] >= c.colours) return false;
    for (auto k = g.start[v]; k < g.start[v + 1]; ++k)
      if (c.colour[g.neighbour[k]] == c.colour[v]) return false;
  }
  return true;
}

int largest_degree(const Graph& g) {
  int most = 0;
  for (int v = 0; v < g.vertices(); ++v) most = std::max(most, g.degree(v));
  return most;
}

std::vector<int> sizes(const Colouring& c) {
  std::vector<int> size(static_cast<std::size_t>(c.colours), 0);
  for (int k : c.colour) ++size[k];
  return size;
}

std::vector<Graph> graphs() {
  return {Graph{},
          box_graph(1, 1),
          graph_of_edges(9, {}),
          path_graph(2),
          star_graph(50),
          box_graph(20, 13),
          box_graph(6, 6, 6),
          random_graph(300, 900, 1),
          random_graph(60, 2500, 2),
          side_by_side({path_graph(9), star_graph(9), box_graph(1, 1)})};
}

TEST(Colouring, IsProperAndNeedsNoMoreThanTheLargestDegreePlusOne) {
  for (const Graph& g : graphs())
    for (const Colouring& c : {colour_largest_first(g), colour_balanced(g), colour_jones_plassmann(g, 3)}) {
      EXPECT_TRUE(is_proper(g, c));
      EXPECT_LE(c.colours, g.vertices() == 0 ? 0 : largest_degree(g) + 1);
    }
}

TEST(Colouring, BalancedKeepsTheNumberOfColoursAndEvensTheirSizes) {
  const Graph g = renamed(box_graph(60, 50), random_order(3000, 1));
  const Colouring greedy = colour_largest_first(g), balanced = colour_balanced(g);
  EXPECT_EQ(balanced.colours, greedy.colours);
  const auto ratio = [](const std::vector<int>& s) {
    return static_cast<double>(*std::max_element(s.begin(), s.end())) / *std::min_element(s.begin(), s.end());
  };
  EXPECT_GT(ratio(sizes(greedy)), 2);
  EXPECT_LT(ratio(sizes(balanced)), 1.1);
}

// The parallel algorithm, word for word: rounds in which every vertex above its uncoloured neighbours takes a colour.
TEST(Colouring, JonesPlassmannIsItsOwnParallelRounds) {
  const Graph g = random_graph(200, 500, 5);
  const Colouring found = colour_jones_plassmann(g, 11);
  EXPECT_EQ(found.colour, colour_jones_plassmann(g, 11).colour);
  EXPECT_NE(found.colour, colour_jones_plassmann(g, 12).colour);
  // Each vertex has a neighbour of every smaller colour: first fit, in whatever order.
  for (int v = 0; v < g.vertices(); ++v)
    for (int c = 0; c < found.colour[v]; ++c) {
      const auto has_colour = [&](int w) { return found.colour[w] == c; };
      EXPECT_TRUE(std::any_of(g.neighbour.begin() + g.start[v], g.neighbour.begin() + g.start[v + 1], has_colour));
    }
}

// Properties that a sweep needs of its order; pieces have one colour each.
void expect_order_of_a_sweep(const Graph& g, const Colouring& c, const ColourWavefront& wave) {
  ASSERT_TRUE(is_permutation(wave.order, g.vertices()));
  ASSERT_EQ(wave.start.size(), wave.colour.size() + 1);
  ASSERT_EQ(wave.start.back(), g.vertices());
  std::vector<int> position = inverse(wave.order);
  for (int q = 0; q < wave.pieces(); ++q)
    for (int p = wave.start[q]; p < wave.start[q + 1]; ++p) ASSERT_EQ(c.colour[wave.order[p]], wave.colour[q]);
  for (int v = 0; v < g.vertices(); ++v)
    for (auto k = g.start[v]; k < g.start[v + 1]; ++k) {
      const int w = g.neighbour[k];
      if (c.colour[w] < c.colour[v]) {
        ASSERT_LT(position[w], position[v]);
      }
    }
}

TEST(ColourWavefront, KeepsNeighboursInTheOrderOfTheirColours) {
  std::vector<Graph> all = graphs();
  all.push_back(renamed(box_graph(30, 5, 4), random_order(600, 1)));
  all.push_back(side_by_side({box_graph(40, 3), path_graph(200), graph_of_edges(50, {})}));
  for (const Graph& g : all)
    for (const Colouring& c : {colour_largest_first(g), colour_jones_plassmann(g, 3)})
      for (const int tile : {0, 1, 7, 40, 100000}) expect_order_of_a_sweep(g, c, colour_wavefront(g, c, tile));
}

// Between a vertex's turn and that of its last neighbour lie the steps in flight, not all vertices of a colour.
TEST(ColourWavefront, LetsNeighboursFollowEachOther) {
  const Graph g = box_graph(20, 20, 60);
  const Colouring c = colour_largest_first(g);
  const auto farthest = [&](int tile) {
    const Order position = inverse(colour_wavefront(g, c, tile).order);
    std::vector<int> far;
    for (int v = 0; v < g.vertices(); ++v)
      for (auto k = g.start[v]; k < g.start[v + 1]; ++k)
        far.push_back(std::abs(position[g.neighbour[k]] - position[v]));
    std::nth_element(far.begin(), far.begin() + static_cast<std::ptrdiff_t>(9 * far.size() / 10), far.end());
    return far[9 * far.size() / 10];
  };
  EXPECT_GT(farthest(0), g.vertices() / 3);
  EXPECT_LT(farthest(200), g.vertices() / 20);
}

}  // namespace
}  // namespace weir::test::colouring_test
