#include "mesh/ordering/lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mesh/generate/generators.hpp"
#include "mesh/graph/graph_tools.hpp"
#include "mesh/graph/orderings.hpp"
#include "mesh/ordering/make_ordering.hpp"
#include "mesh/unstructured/build_mesh.hpp"
#include "tests/support/systems/graphs.hpp"

namespace weir::test::lines_test {
namespace {

constexpr int nx = 12, ny = 30;

// Cells 1 wide; heights from 0.01, growing by 1.25 each: as high as wide at layer 20.
UnstructuredMesh boundary_layer() { return box_mesh(even(nx, nx), stretched(ny, 0.01, 1.25)); }

bool are_neighbours(const Graph& g, int a, int b) {
  return std::binary_search(g.neighbour.begin() + g.start[a], g.neighbour.begin() + g.start[a + 1], b);
}

TEST(Lines, StandOnTheWallAndCoverTheBoundaryLayer) {
  const UnstructuredMesh mesh = boundary_layer();
  const CellLines lines = find_lines(mesh, 10);
  ASSERT_EQ(lines.count(), nx);
  // Layer j is h = 0.01 * 1.25^j high and its centre 1.125 h below the next one's, which is 1.25 h high: the face
  // between them is strong in both where 1 / (1.125 h) > 100 * 1.25 h, up to j = 9.
  for (int l = 0; l < nx; ++l) {
    ASSERT_EQ(lines.lines[l].count, 11);
    for (int j = 0; j < 11; ++j) EXPECT_EQ(lines.cell[lines.lines[l].first + j], l + nx * j);
  }
}

TEST(Lines, GetLongerAsTheThresholdFalls) {
  const UnstructuredMesh mesh = boundary_layer();
  std::size_t before = 0;
  for (double threshold : {1000.0, 50.0, 20.0, 10.0, 5.0, 2.0}) {
    const std::size_t cells = find_lines(mesh, threshold).cell.size();
    EXPECT_GE(cells, before);
    before = cells;
  }
  EXPECT_GT(before, 0u);
}

TEST(Lines, AreNotFoundWhereCellsAreIsotropic) {
  const UnstructuredMesh mesh = box_mesh(even(8, 8), even(8, 8));
  EXPECT_EQ(find_lines(mesh, 2).count(), 0);
}

TEST(Lines, DoNotStartAtBoundariesAcrossTheStrongDirection) {
  const UnstructuredMesh mesh = boundary_layer();
  const CellLines lines = find_lines(mesh, 10);
  for (const CellRange& l : lines.lines) EXPECT_LT(lines.cell[l.first], nx);
}

TEST(Lines, OfAChannelReachFromBothWallsAndShareNoCell) {
  auto y = stretched(12, 0.01, 1.4);
  const double half = y.back();
  for (int j = 11; j >= 0; --j) y.push_back(2 * half - y[j]);
  const UnstructuredMesh mesh = box_mesh(even(6, 6), y);
  const CellLines lines = find_lines(mesh, 4);
  EXPECT_EQ(lines.count(), 12);
  EXPECT_EQ(std::set<int>(lines.cell.begin(), lines.cell.end()).size(), lines.cell.size());
}

TEST(Lines, GoThroughAWholeStripThatIsAnisotropicEverywhere) {
  const UnstructuredMesh mesh = box_mesh(even(5, 500), even(9, 9));
  const CellLines lines = find_lines(mesh, 10);
  ASSERT_EQ(lines.count(), 5);
  for (const CellRange& l : lines.lines) EXPECT_EQ(l.count, 9);
}

// Two triangles in the place of each quadrilateral, diagonals this way and that way: their centres are far apart.
TEST(Lines, ZigzagThroughLayersOfTriangles) {
  const std::vector<double> x = even(nx, nx), y = stretched(ny, 0.01, 1.25);
  Sheet sheet(nx, ny, CellShape::triangles);
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) sheet.at(i, j) = {x[i], y[j]};
  const UnstructuredMesh mesh = build_mesh(describe(
      sheet, {{SheetSide::left, "w"}, {SheetSide::right, "w"}, {SheetSide::bottom, "w"}, {SheetSide::top, "w"}}));
  const CellLines lines = find_lines(mesh, 10);
  ASSERT_EQ(lines.count(), nx);
  const Graph graph = cell_graph(mesh);
  for (const CellRange& l : lines.lines) {
    EXPECT_GE(l.count, 2 * 9);
    EXPECT_LE(l.count, 2 * 12);
    for (int i = l.first + 1; i < l.first + l.count; ++i) {
      EXPECT_TRUE(are_neighbours(graph, lines.cell[i - 1], lines.cell[i]));
      EXPECT_GE(mesh.centre[lines.cell[i]][1], mesh.centre[lines.cell[i - 1]][1]);  // outwards
    }
  }
}

TEST(MakeOrdering, EveryTypeIsAPermutationAndKeepsLinesContiguous) {
  const UnstructuredMesh mesh = boundary_layer();
  const Graph graph = cell_graph(mesh);
  for (const char* type : {"natural", "random", "rcm", "1wd", "nd", "line", "line_rcm", "line_1wd", "line_nd"}) {
    OrderingOptions options;
    options.type = type;
    const Ordering o = make_ordering(mesh, options);
    EXPECT_EQ(o.name, type);
    EXPECT_TRUE(is_permutation(o.order, mesh.cells())) << type;
    EXPECT_EQ(o.order, make_ordering(mesh, options).order) << type;
    EXPECT_EQ(o.lines.size(), options.has_lines() ? nx : 0u) << type;
    int end = 0;
    for (const CellRange& l : o.lines) {
      EXPECT_GE(l.first, end);  // in the order of the cells
      end = l.first + l.count;
      EXPECT_LT(o.order[l.first], nx) << "starts at the wall";
      for (int i = l.first; i + 1 < end; ++i) EXPECT_TRUE(are_neighbours(graph, o.order[i], o.order[i + 1]));
    }
  }
}

TEST(MakeOrdering, LineTypesOnAnIsotropicMeshAreTheirTopologicalPart) {
  const UnstructuredMesh mesh = box_mesh(even(9, 9), even(7, 7));
  const Graph graph = cell_graph(mesh);
  EXPECT_EQ(make_ordering(mesh, {"line", 10, 1}).order, natural_order(63));
  EXPECT_EQ(make_ordering(mesh, {"line_rcm", 10, 1}).order, reverse_cuthill_mckee(graph));
  EXPECT_EQ(make_ordering(mesh, {"line_1wd", 10, 1}).order, one_way_dissection(graph));
}

TEST(MakeOrdering, OfAMeshWithoutCellsIsEmpty) {
  for (const char* type : {"rcm", "1wd", "nd", "line_1wd"})
    EXPECT_TRUE(make_ordering(UnstructuredMesh{}, {type, 10, 1}).order.empty());
}

TEST(Partition, NeverCutsALine) {
  const UnstructuredMesh mesh = boundary_layer();
  const Graph graph = cell_graph(mesh);
  const CellLines lines = find_lines(mesh, 10);
  for (int parts : {1, 2, 3, 5}) {
    const std::vector<int> part = partition_cells(graph, lines, parts);
    std::vector<int> size(static_cast<std::size_t>(parts), 0);
    for (int p : part) {
      ASSERT_TRUE(p >= 0 && p < parts);
      ++size[p];
    }
    for (const CellRange& l : lines.lines)
      for (int i = 1; i < l.count; ++i) EXPECT_EQ(part[lines.cell[l.first + i]], part[lines.cell[l.first]]);
    // A part's size is known to a line, and METIS asks for 3 % balance.
    for (int s : size) EXPECT_NEAR(s, mesh.cells() / parts, 11 + 0.03 * mesh.cells() / parts);
    EXPECT_EQ(part, partition_cells(graph, lines, parts));
  }
}

TEST(Partition, CutsASquareAtAboutItsSide) {
  const WeightedGraph g = quotient(box_graph(32, 32), natural_order(1024), 1024);
  EXPECT_LE(edge_cut(g.graph, partition_graph(g, 2)), 64);
  EXPECT_LE(edge_cut(g.graph, partition_strips(g, 2)), 64);  // along a diagonal
}

TEST(Partition, LeavesPartsEmptyWhereThereAreMoreThanCells) {
  const WeightedGraph g = quotient(path_graph(3), natural_order(3), 3);
  for (int p : partition_graph(g, 10)) EXPECT_TRUE(p >= 0 && p < 10);
  EXPECT_TRUE(partition_graph(quotient(Graph{}, {}, 0), 4).empty());
}

}  // namespace
}  // namespace weir::test::lines_test
