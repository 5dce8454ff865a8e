#include "mesh/graph/orderings.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "mesh/graph/graph_tools.hpp"
#include "tests/support/systems/graphs.hpp"

namespace weir::test::orderings_test {
namespace {

using Method = std::pair<std::string, std::function<Order(const Graph&)>>;

std::vector<Method> methods() {
  return {{"natural", [](const Graph& g) { return natural_order(g.vertices()); }},
          {"random", [](const Graph& g) { return random_order(g.vertices(), 7); }},
          {"rcm", reverse_cuthill_mckee},
          {"1wd", one_way_dissection},
          {"nd", nested_dissection},
          {"nd by level structures", level_nested_dissection}};
}

std::vector<Graph> graphs() {
  return {Graph{},
          box_graph(1, 1),
          graph_of_edges(5, {}),
          path_graph(2),
          path_graph(300),
          star_graph(200),
          box_graph(31, 17),
          box_graph(9, 8, 7),
          random_graph(400, 700, 1),
          random_graph(100, 3000, 2),
          side_by_side({path_graph(70), box_graph(12, 12), graph_of_edges(3, {}), star_graph(80), path_graph(2)})};
}

TEST(Orderings, EveryMethodNumbersEveryVertexOnce) {
  for (const auto& [name, method] : methods())
    for (const Graph& g : graphs()) EXPECT_TRUE(is_permutation(method(g), g.vertices())) << name << ' ' << g.vertices();
}

TEST(Orderings, RepeatThemselves) {
  const Graph g = random_graph(500, 1200, 3);
  for (const auto& [name, method] : methods()) EXPECT_EQ(method(g), method(g)) << name;
}

TEST(Orderings, RandomOrdersDifferBySeed) {
  EXPECT_EQ(random_order(100, 5), random_order(100, 5));
  EXPECT_NE(random_order(100, 5), random_order(100, 6));
}

TEST(ReverseCuthillMckee, FindsThePathInAShuffledPath) {
  const Graph g = renamed(path_graph(100), random_order(100, 1));
  const Order order = reverse_cuthill_mckee(g);
  EXPECT_EQ(bandwidth(g, order), 1);
  EXPECT_EQ(profile(g, order), 99);
}

// A rectangle's best bandwidth is its shorter side (Chvatalova 1975); level sets from a corner are one wider at most.
TEST(ReverseCuthillMckee, ReachesTheBandwidthOfARectangle) {
  for (const auto& [nx, ny] : {std::pair{40, 6}, {25, 10}, {12, 12}}) {
    const Graph g = renamed(box_graph(nx, ny), random_order(nx * ny, 2));
    EXPECT_LE(bandwidth(g, reverse_cuthill_mckee(g)), std::min(nx, ny) + 1);
    EXPECT_LT(profile(g, reverse_cuthill_mckee(g)), profile(g, natural_order(nx * ny)) / 4);
  }
}

// Reversing never widens the profile of a Cuthill-McKee order (Liu & Sherman 1976).
TEST(ReverseCuthillMckee, HasASmallerProfileThanCuthillMckee) {
  for (const Graph& g : graphs()) {
    Order reversed = reverse_cuthill_mckee(g), forward(reversed.rbegin(), reversed.rend());
    EXPECT_LE(profile(g, reversed), profile(g, forward));
  }
}

TEST(LevelSearch, FindsAnEndOfAPath) {
  const Graph g = path_graph(50);
  LevelSearch search(g);
  LevelStructure levels;
  const int end = search.build_deepest(20, levels);
  EXPECT_TRUE(end == 0 || end == 49);
  EXPECT_EQ(levels.depth(), 50);
  search.take_out(25);
  search.build_deepest(20, levels);
  EXPECT_EQ(levels.size(), 25);
}

// The pieces between the separators are independent, so the triangular factors' level sets are those of one piece and
// the separators: on a long strip few, where RCM runs through all of it.
TEST(OneWayDissection, HasFewLevelsOnALongStrip) {
  const Graph g = box_graph(400, 8);
  const int dissected = level_sets(g, one_way_dissection(g)).levels,
            rcm = level_sets(g, reverse_cuthill_mckee(g)).levels;
  EXPECT_GE(rcm, 400);
  EXPECT_LT(dissected, 40);
}

TEST(OneWayDissection, PutsSeparatorsLast) {
  const Graph g = path_graph(100);  // width 1: spacing 1 + sqrt(8) = 3.8, separators at levels 3, 7, 10, ..
  const Order order = one_way_dissection(g);
  const int separators = 26;
  for (int i = 0; i + 1 < separators; ++i) {  // no two are neighbours
    const int v = order[100 - separators + i], w = order[100 - separators + i + 1];
    EXPECT_GE(std::abs(v - w), 3);
  }
  EXPECT_LE(level_sets(g, order).levels, 5);  // pieces of four vertices at most, and a separator
}

TEST(NestedDissection, HasLogarithmicallyManyLevelsOnAPath) {
  const Graph g = path_graph(4096);  // leaves of at most 64 vertices below six cuts
  EXPECT_LE(level_sets(g, level_nested_dissection(g)).levels, 64 + 7);
  EXPECT_LE(level_sets(g, nested_dissection(g)).levels, 300);
}

// Fill-in of the Cholesky factor, by elimination on the graph.
std::size_t fill(const Graph& graph, const Order& order) {
  const Order position = inverse(order);
  std::vector<std::vector<int>> later(order.size());  // of each position
  std::size_t count = 0;
  for (std::size_t p = 0; p < order.size(); ++p) {
    auto& mine = later[p];
    for (auto k = graph.start[order[p]]; k < graph.start[order[p] + 1]; ++k)
      if (position[graph.neighbour[k]] > static_cast<int>(p)) mine.push_back(position[graph.neighbour[k]]);
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    count += mine.size();
    if (mine.empty()) continue;
    auto& parent = later[static_cast<std::size_t>(mine.front())];
    parent.insert(parent.end(), mine.begin() + 1, mine.end());
  }
  return count;
}

TEST(NestedDissection, FillsInLessThanReverseCuthillMckee) {
  const Graph g = box_graph(40, 40);
  EXPECT_LT(fill(g, nested_dissection(g)), 0.7 * fill(g, reverse_cuthill_mckee(g)));
  EXPECT_LT(fill(g, level_nested_dissection(g)), 0.9 * fill(g, reverse_cuthill_mckee(g)));
}

TEST(LevelSets, OfANaturallyOrderedBoxAreHyperplanes) {
  const LevelSets sets = level_sets(box_graph(5, 4, 3), natural_order(60));
  EXPECT_EQ(sets.levels, 10);
  for (int q = 0; q < 60; ++q) EXPECT_EQ(sets.level[q], q % 5 + q / 5 % 4 + q / 20);
  EXPECT_EQ(level_sets(Graph{}, {}).levels, 0);
}

TEST(LevelSets, SortedByLevelGiveTheSameLevels) {
  const Graph g = random_graph(300, 600, 4);
  const LevelSets sets = level_sets(g, random_order(300, 1));
  const Order by_level = sorted_by_class(random_order(300, 1), sets.level, sets.levels);
  EXPECT_EQ(level_sets(g, by_level).level, sets.level);
}

TEST(Quotient, CountsWhatItMerges) {
  const Graph g = box_graph(4, 2);  // columns of two as one vertex: a path with doubled edges
  const WeightedGraph q = quotient(g, {0, 1, 2, 3, 0, 1, 2, 3}, 4);
  EXPECT_EQ(q.graph.neighbour, path_graph(4).neighbour);
  EXPECT_EQ(q.vertex_weight, std::vector<int>(4, 2));
  EXPECT_EQ(q.edge_weight, std::vector<int>(6, 2));
}

TEST(GraphOfEdges, DropsLoopsAndRepeatedEdges) {
  const Graph g = graph_of_edges(3, {{0, 1}, {1, 0}, {2, 2}, {0, 1}, {2, 1}});
  EXPECT_EQ(g.start, (std::vector<std::int64_t>{0, 1, 3, 4}));
  EXPECT_EQ(g.neighbour, (std::vector<int>{1, 0, 2, 1}));
}

}  // namespace
}  // namespace weir::test::orderings_test
