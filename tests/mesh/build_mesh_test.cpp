// From a description to faces: geometry, order, repairs, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "mesh/ordering/make_ordering.hpp"
#include "mesh/unstructured/renumber.hpp"
#include "tests/mesh/check_mesh.hpp"
#include "tests/mesh/meshes.hpp"

namespace weir::test::build_mesh_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

void expect_sound(const UnstructuredMesh& m, double volume) {
  const MeshCheck check = check_mesh(m);
  EXPECT_LE(check.closure, 8 * eps);                       // four faces, each rounded once
  EXPECT_NEAR(check.volume, volume, 4 * eps * m.cells());  // a sum of cells() numbers
  EXPECT_LE(check.volume_error, 4 * eps * m.cells());
  const int plain = m.interior_faces() - m.periodic_faces;
  for (int f = 0; f < m.interior_faces(); ++f) {
    EXPECT_LT(m.owner[f], m.neighbour[f]);
    if (f > 0 && f != plain) {
      EXPECT_LE((std::array{m.owner[f - 1], m.neighbour[f - 1]}), (std::array{m.owner[f], m.neighbour[f]}));
    }
    std::array<double, 2> to = m.centre[m.neighbour[f]];
    if (f >= plain)
      for (int e = 0; e < 2; ++e) to[e] += m.shift[f - plain][e];
    const auto& from = m.centre[m.owner[f]];
    EXPECT_GT((to[0] - from[0]) * m.normal[f][0] + (to[1] - from[1]) * m.normal[f][1], 0);
  }
  int next = m.interior_faces();
  for (const Patch& p : m.patches) {
    EXPECT_EQ(p.first, next);
    next += p.count;
    EXPECT_TRUE(std::is_sorted(m.owner.begin() + p.first, m.owner.begin() + next));
  }
  EXPECT_EQ(next, m.faces());
}

TEST(BuildMesh, AUnitSquareOfQuadrilaterals) {
  const UnstructuredMesh m = build_mesh(box_description(3, 2));
  EXPECT_EQ(m.cells(), 6);
  EXPECT_EQ(m.interior_faces(), 7);
  EXPECT_EQ(m.faces(), 17);
  ASSERT_TRUE(m.patch("right"));
  EXPECT_EQ(m.patch("right")->count, 2);
  const int f = m.patch("right")->first;
  EXPECT_EQ(m.normal[f], (std::array{1.0, 0.0}));
  EXPECT_EQ(m.owner[f], 2);
  EXPECT_NEAR(m.face_centre[f][1], 0.25, eps);
  EXPECT_NEAR(m.centre[4][0], 0.5, eps);
  EXPECT_NEAR(m.centre[4][1], 0.75, eps);
  EXPECT_FALSE(m.patch("lid"));
  expect_sound(m, 1);
}

TEST(BuildMesh, ShakenTrianglesAndQuadrilateralsClose) {
  expect_sound(build_mesh(box_description(9, 7, true, 0.2)), 1);
  expect_sound(build_mesh(box_description(9, 7, false, 0.2)), 1);
}

TEST(BuildMesh, TheCentroidOfATrapezium) {
  MeshDescription d;
  d.node = {{100, 50}, {103, 50}, {102, 51}, {100, 51}};
  d.add_cell(0, 1, 2, 3);
  d.add_marker("all");
  for (int k = 0; k < 4; ++k) d.add_edge(k, (k + 1) % 4, 0);
  const UnstructuredMesh m = build_mesh(d);
  EXPECT_NEAR(m.volume[0], 2.5, 100 * eps);
  // Unit square and triangle: x = (2 * 1 + 0.5 * (2 + 1/3)) / 2.5, y = (2 * 0.5 + 0.5 / 3) / 2.5
  EXPECT_NEAR(m.centre[0][0], 100 + (2 + 0.5 * 7 / 3) / 2.5, 400 * eps);
  EXPECT_NEAR(m.centre[0][1], 50 + (1 + 0.5 / 3) / 2.5, 400 * eps);
}

TEST(BuildMesh, ClockwiseCellsAreTurnedAndCounted) {
  MeshDescription d = box_description(4, 3, true, 0.2);
  const UnstructuredMesh straight = build_mesh(d);
  for (int c : {0, 7, 11})
    std::reverse(d.cell_node.begin() + d.cell_start[c], d.cell_node.begin() + d.cell_start[c + 1]);
  std::swap(d.edge[2][0], d.edge[2][1]);  // a marked edge has no direction
  MeshRepairs repairs;
  const UnstructuredMesh m = build_mesh(d, &repairs);
  EXPECT_EQ(repairs.turned, 3);
  EXPECT_EQ(m.face_node, straight.face_node);
  EXPECT_EQ(m.owner, straight.owner);
  expect_sound(m, 1);
}

TEST(BuildMesh, UnusedNodesAreDropped) {
  MeshDescription d = box_description(2, 2);
  d.node.insert(d.node.begin(), {7, 7});
  for (int& n : d.cell_node) ++n;
  for (auto& e : d.edge) e = {e[0] + 1, e[1] + 1};
  MeshRepairs repairs;
  const UnstructuredMesh m = build_mesh(d, &repairs);
  EXPECT_EQ(repairs.unused_nodes, 1);
  EXPECT_EQ(m.nodes(), 9);
  expect_sound(m, 1);
}

TEST(BuildMesh, AReentrantQuadrilateralIsKeptAndCounted) {
  MeshDescription d;
  d.node = {{0, 0}, {2, 0}, {0.5, 0.5}, {0, 2}};
  d.add_cell(0, 1, 2, 3);
  d.add_marker("all");
  for (int k = 0; k < 4; ++k) d.add_edge(k, (k + 1) % 4, 0);
  MeshRepairs repairs;
  expect_sound(build_mesh(d, &repairs), 1);
  EXPECT_EQ(repairs.not_convex, 1);
}

TEST(BuildMesh, PeriodicMarkersBecomeInteriorFaces) {
  MeshDescription d = box_description(4, 3);
  d.periodic = {{"left", "right", std::array{1.0, 0.0}}, {"top", "bottom", {}}};
  const UnstructuredMesh m = build_mesh(d);
  EXPECT_EQ(m.periodic_faces, 7);
  EXPECT_EQ(m.faces(), 24);
  EXPECT_TRUE(m.patches.empty());
  expect_sound(m, 1);
  const Graph g = cell_graph(m);
  for (int c = 0; c < m.cells(); ++c) EXPECT_EQ(g.degree(c), 4);
}

TEST(BuildMesh, APeriodicMeshTwoCellsWideHasTwoFacesAndOneEdge) {
  MeshDescription d = box_description(2, 1);
  d.periodic = {{"left", "right", {}}};
  const UnstructuredMesh m = build_mesh(d);
  EXPECT_EQ(m.interior_faces(), 2);
  EXPECT_EQ(cell_graph(m).neighbour, (std::vector<int>{1, 0}));
  expect_sound(m, 1);
}

TEST(BuildMesh, TheNodesOfPeriodicMarkersAreMadeToAgree) {
  MeshDescription d = box_description(4, 4);
  for (auto& x : d.node)
    if (x[0] == 1) x[1] *= 1 + 1e-6;
  d.periodic = {{"left", "right", std::array{1.0, 0.0}}};
  EXPECT_LE(check_mesh(build_mesh(d)).closure, 8 * eps);
}

TEST(Renumber, AShuffledMeshIsTheSameMesh) {
  MeshDescription d = box_description(6, 5, true, 0.2);
  d.periodic = {{"left", "right", {}}};
  const UnstructuredMesh m = build_mesh(d);
  Order order(m.cells());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  const UnstructuredMesh r = renumber_cells(m, order);
  expect_sound(r, 1);
  EXPECT_EQ(r.periodic_faces, 5);
  EXPECT_EQ(r.patch("top")->count, 6);
  const Graph g = cell_graph(m), h = cell_graph(r);
  for (int p = 0; p < r.cells(); ++p) {
    EXPECT_EQ(r.centre[p], m.centre[order[p]]);
    std::vector<int> mine(h.neighbour.begin() + h.start[p], h.neighbour.begin() + h.start[p + 1]);
    for (int& n : mine) n = order[n];
    std::sort(mine.begin(), mine.end());
    EXPECT_EQ(mine,
              std::vector<int>(g.neighbour.begin() + g.start[order[p]], g.neighbour.begin() + g.start[order[p] + 1]));
  }
  Order back(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) back[order[p]] = static_cast<int>(p);
  const UnstructuredMesh again = renumber_cells(r, back);
  EXPECT_EQ(again.owner, m.owner);
  EXPECT_EQ(again.face_node, m.face_node);
  EXPECT_EQ(again.normal, m.normal);
  EXPECT_EQ(again.shift, m.shift);
}

TEST(Renumber, AnOrderThatIsNoPermutationIsRefused) {
  const UnstructuredMesh m = build_mesh(box_description(2, 1));
  EXPECT_THROW(renumber_cells(m, {0}), std::invalid_argument);
  EXPECT_THROW(renumber_cells(m, {0, 0}), std::invalid_argument);
  EXPECT_THROW(renumber_cells(m, {0, 2}), std::invalid_argument);
}

}  // namespace
}  // namespace weir::test::build_mesh_test
