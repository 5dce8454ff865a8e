#include "mesh/ordering/colouring.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mesh/ordering/orderings.hpp"
#include "tests/support/graphs.hpp"

namespace weir::test {
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

}  // namespace
}  // namespace weir::test
