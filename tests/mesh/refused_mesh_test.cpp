// Descriptions that are no mesh: each is refused in words that tell what is wrong and where.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/mesh/meshes.hpp"

namespace weir::test::refused_mesh_test {
namespace {

// Two by two cells on lines 10 .. 13, eight edges on lines 20 .. 27.
MeshDescription described() {
  MeshDescription d = box_description(2, 2);
  d.source = "m.su2";
  for (int c = 0; c < d.cells(); ++c) d.cell_line.push_back(10 + c);
  for (int e = 0; e < d.edges(); ++e) d.edge_line.push_back(20 + e);
  return d;
}

void expect_refused(const MeshDescription& d, const std::string& message) {
  try {
    build_mesh(d);
    FAIL() << "accepted; expected: " << message;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::usage);
    EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what() << "\nexpected: " << message;
  }
}

void remove_edge(MeshDescription& d, int e) {
  d.edge.erase(d.edge.begin() + e);
  d.edge_marker.erase(d.edge_marker.begin() + e);
  d.edge_line.erase(d.edge_line.begin() + e);
}

TEST(RefusedMesh, ANodeOutOfRange) {
  MeshDescription d = described();
  d.cell_node[5] = 9;
  expect_refused(d, "m.su2:11: node 9 is out of range: there are 9 nodes");
  d.cell_node[5] = -1;
  expect_refused(d, "m.su2:11: node -1 is out of range");
  d = described();
  d.edge[3][0] = 12;
  expect_refused(d, "m.su2:23: node 12 is out of range");
}

TEST(RefusedMesh, ACellWithoutArea) {
  MeshDescription d = described();
  d.node[4] = {0, 0};  // cell 0 becomes the flat (0,0) (0.5,0) (0,0) (0,0.5)
  expect_refused(d, "m.su2:10: zero-area cell at (0, 0)");
  d = described();
  d.cell_node[2] = d.cell_node[1];
  expect_refused(d, "m.su2:10: zero-area corner: the cell names its node at (0.5, 0) twice");
  d = described();
  d.node[4] = {1e200, 1e200};
  d.node[8] = {1e300, -1e300};
  expect_refused(d, "not finite");
}

TEST(RefusedMesh, AQuadrilateralThatCrossesItself) {
  MeshDescription d = described();
  std::swap(d.cell_node[1], d.cell_node[2]);
  expect_refused(d, "m.su2:10: the quadrilateral at (0, 0) crosses itself");
}

TEST(RefusedMesh, AnInvertedCell) {
  MeshDescription d;
  d.source = "m.su2";
  d.node = {{0, 0}, {1, 0}, {0, 1}, {0.2, 0.2}};  // the second triangle belongs beyond the diagonal
  d.add_cell(0, 1, 2);
  d.add_cell(1, 3, 2);
  d.cell_line = {10, 11};
  expect_refused(d, "m.su2:11: inverted cell: it lies on the same side of the face from (1, 0) to (0, 1)");
  d.cell_node = {0, 1, 2, 2, 0, 1};
  expect_refused(d, "m.su2:11: the cell is repeated (line 10)");
}

TEST(RefusedMesh, AFaceUsedTwice) {
  MeshDescription d = described();
  d.node.push_back({1, 0.9});
  d.add_cell(1, 9, 4);
  d.cell_line.push_back(14);
  expect_refused(d,
                 "m.su2:14: the face from (0.5, 0) to (0.5, 0.5) belongs to 3 cells, among them the cells (line 10)");
  d = described();
  d.add_edge(1, 0, 2);
  d.edge_line.push_back(28);
  expect_refused(d, "m.su2:28: the face from (0, 0) to (0.5, 0) is marked twice (line 20)");
  d = described();
  d.add_edge(1, 4, 2);
  d.edge_line.push_back(28);
  expect_refused(d, "m.su2:28: marker 'top' names the face from (0.5, 0) to (0.5, 0.5), which lies between two cells");
  d.may_lie_inside = {0, 0, 1, 0};
  MeshRepairs repairs;
  EXPECT_EQ(build_mesh(d, &repairs).faces(), 12);
  EXPECT_EQ(repairs.ignored_edges, 1);
}

TEST(RefusedMesh, AHangingFaceOrNode) {
  MeshDescription d = described();
  d.edge[2] = {0, 8};
  expect_refused(d, "m.su2:22: marker 'bottom' names the face from (0, 0) to (1, 1), which belongs to no cell");
  d = described();
  d.node.push_back({0.5, 0.25});  // the cell right of it is split, the left one is not
  d.node.push_back({1, 0.25});
  d.cell_node = {0, 1, 4, 3, 1, 2, 10, 9, 3, 4, 7, 6, 4, 5, 8, 7, 9, 10, 5, 4};
  d.cell_start.push_back(20);
  d.cell_line.push_back(14);
  d.edge[4] = {2, 10};
  d.add_edge(10, 5, 1);
  expect_refused(d, "m.su2:10: hanging node at (0.5, 0.25), in the middle of the face from (0.5, 0) to (0.5, 0.5)");
  d = described();
  d.node.push_back(d.node[4]);
  d.node.push_back(d.node[1]);
  d.cell_node[4] = 10;
  d.cell_node[7] = 9;
  d.edge[2] = {10, 2};
  expect_refused(d, "m.su2:10: two cells meet at the face from (0.5, 0) to (0.5, 0.5) (line 11) with different nodes");
}

TEST(RefusedMesh, AnUnmarkedBoundary) {
  MeshDescription d = described();
  remove_edge(d, 0);
  expect_refused(d, "m.su2:10: unmarked boundary: the face from (0, 0) to (0.5, 0) has a cell on one side only");
  d.edge.clear();
  d.edge_marker.clear();
  expect_refused(d, "(the first of 8 such faces)");
}

TEST(RefusedMesh, PeriodicMarkersThatDoNotMatch) {
  MeshDescription d = described();
  d.periodic = {{"left", "rigth", {}}};
  expect_refused(d, "there is no marker 'rigth' for a periodic pair; did you mean 'right'?");
  d.periodic = {{"left", "right", std::array{1.0, 0.1}}};
  expect_refused(d, "meets no face of 'right'");
  d.periodic = {{"left", "left", {}}};
  expect_refused(d, "cannot be periodic with itself");
  MeshDescription thin = box_description(1, 2);
  thin.periodic = {{"left", "right", {}}};
  expect_refused(thin, "mesh: periodic markers 'left' and 'right' bound the same cell");
  MeshDescription uneven = described();
  uneven.periodic = {{"left", "right", {}}};
  uneven.edge_marker[4] = 0;
  expect_refused(uneven, "faces; they must match one by one");
}

TEST(RefusedMesh, AMeshWithoutCells) {
  MeshDescription d;
  expect_refused(d, "mesh: there are no cells");
}

}  // namespace
}  // namespace weir::test::refused_mesh_test
