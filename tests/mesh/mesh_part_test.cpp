// Parts of a mesh with their ghosts: mathematical properties, on meshes of every kind, for parts in strips and at
// random.
#include "mesh/unstructured/mesh_part.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mesh/graph/graph_tools.hpp"
#include "mesh/ordering/make_ordering.hpp"
#include "tests/support/systems/box_mesh.hpp"

namespace weir::mesh_part_test {
namespace {

constexpr int parts = 4;

std::vector<int> cut(const UnstructuredMesh& mesh, bool scattered) {
  std::vector<int> part;
  for (int i = 0; i < mesh.cells(); ++i) part.push_back(scattered ? i * 7 / 3 % parts : i * parts / mesh.cells());
  return part;
}

template <class F>
void for_every_part(const F& check) {
  for (const test::CellKind kind : {test::CellKind::quads, test::CellKind::triangles, test::CellKind::mixed})
    for (const bool periodic : {false, true})
      for (const bool scattered : {false, true}) {
        test::BoxMesh box{.nx = 8, .ny = 7, .kind = kind};
        box.periodic_x = periodic;
        const UnstructuredMesh whole = box_mesh(box);
        const std::vector<int> part = cut(whole, scattered);
        for (int p = 0; p < parts; ++p) check(whole, part, p, part_of_mesh(whole, part, p));
      }
}

// Faces lost, doubled or turned the wrong way would leave a cell open.
TEST(MeshPart, OwnAndNearCellsAreClosed) {
  for_every_part([](const UnstructuredMesh&, const std::vector<int>&, int, const MeshPart& p) {
    const auto reach = static_cast<std::size_t>(p.own + p.near);
    std::vector<double> x(p.cell.size()), y(p.cell.size());
    for (std::size_t f = 0; f < p.mesh.owner.size(); ++f)
      for (const bool owner : {true, false}) {
        if (!owner && f >= p.mesh.neighbour.size()) continue;
        const auto cell = static_cast<std::size_t>(owner ? p.mesh.owner[f] : p.mesh.neighbour[f]);
        x[cell] += (owner ? 1 : -1) * p.mesh.area[f] * p.mesh.normal[f][0];
        y[cell] += (owner ? 1 : -1) * p.mesh.area[f] * p.mesh.normal[f][1];
      }
    for (std::size_t i = 0; i < reach; ++i) EXPECT_LE(std::hypot(x[i], y[i]), 1e-15) << i;  // sides of about 0.1
  });
}

// Through a periodic face too, seen from either side: the neighbour lies beyond the face, the face between the two.
TEST(MeshPart, NormalsPointFromTheOwnerThroughTheFaceToTheNeighbour) {
  for_every_part([](const UnstructuredMesh&, const std::vector<int>&, int, const MeshPart& p) {
    const int first_periodic = p.mesh.interior_faces() - p.mesh.periodic_faces;
    for (int f = 0; f < p.mesh.interior_faces(); ++f) {
      const auto& from = p.mesh.centre[static_cast<std::size_t>(p.mesh.owner[static_cast<std::size_t>(f)])];
      auto to = p.mesh.centre[static_cast<std::size_t>(p.mesh.neighbour[static_cast<std::size_t>(f)])];
      if (f >= first_periodic)
        for (std::size_t d = 0; d < 2; ++d) to[d] += p.mesh.shift[static_cast<std::size_t>(f - first_periodic)][d];
      const auto& n = p.mesh.normal[static_cast<std::size_t>(f)];
      const auto& m = p.mesh.face_centre[static_cast<std::size_t>(f)];
      EXPECT_GT((m[0] - from[0]) * n[0] + (m[1] - from[1]) * n[1], 0);
      EXPECT_GT((to[0] - m[0]) * n[0] + (to[1] - m[1]) * n[1], 0);
    }
  });
}

TEST(MeshPart, GhostsAreTheNeighboursAndTheirNeighboursAndKnowTheirOwners) {
  for_every_part([](const UnstructuredMesh& whole, const std::vector<int>& part, int mine, const MeshPart& p) {
    const Graph graph = cell_graph(whole);
    std::vector<int> distance(part.size(), 3);
    for (std::size_t i = 0; i < part.size(); ++i)
      if (part[i] == mine) distance[i] = 0;
    for (const int layer : {1, 2})
      for (int i = 0; i < whole.cells(); ++i)
        for (auto k = graph.start[static_cast<std::size_t>(i)]; k < graph.start[static_cast<std::size_t>(i) + 1]; ++k) {
          int& there = distance[static_cast<std::size_t>(graph.neighbour[static_cast<std::size_t>(k)])];
          if (distance[static_cast<std::size_t>(i)] == layer - 1) there = std::min(there, layer);
        }
    EXPECT_EQ(p.own, std::count(distance.begin(), distance.end(), 0));
    EXPECT_EQ(p.near, std::count(distance.begin(), distance.end(), 1));
    EXPECT_EQ(static_cast<std::ptrdiff_t>(p.cell.size()),
              whole.cells() - std::count(distance.begin(), distance.end(), 3));
    for (std::size_t k = 0; k < p.ghost.size(); ++k) {
      const int cell = p.cell[static_cast<std::size_t>(p.own) + k], owner = p.ghost[k].part;
      EXPECT_EQ(distance[static_cast<std::size_t>(cell)], static_cast<int>(k) < p.near ? 1 : 2);
      EXPECT_EQ(part[static_cast<std::size_t>(cell)], owner);
      EXPECT_EQ(std::count(part.begin(), part.begin() + cell, owner), p.ghost[k].index);
    }
  });
}

TEST(MeshPart, PatchesKeepTheirPlacesAndTogetherHaveEveryFace) {
  for_every_part([](const UnstructuredMesh& whole, const std::vector<int>&, int, const MeshPart& p) {
    ASSERT_EQ(p.mesh.patches.size(), whole.patches.size());
    for (std::size_t i = 0; i < whole.patches.size(); ++i) {
      EXPECT_EQ(p.mesh.patches[i].name, whole.patches[i].name);
      for (int k = 0; k < p.own_in_patch[i]; ++k) {
        const auto local = static_cast<std::size_t>(p.mesh.patches[i].first + k);
        const auto there =
            static_cast<std::size_t>(whole.patches[i].first + p.place_in_patch[i][static_cast<std::size_t>(k)]);
        EXPECT_EQ(p.mesh.face_centre[local], whole.face_centre[there]);
        EXPECT_LT(p.mesh.owner[local], p.own);
      }
    }
  });
}

}  // namespace
}  // namespace weir::mesh_part_test
