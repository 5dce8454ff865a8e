// Values carried from one mesh to points of the same domain.
#include "mesh/unstructured/carry_over.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/systems/box_mesh.hpp"

namespace weir::carry_over_test {
namespace {

constexpr test::CellKind kinds[] = {test::CellKind::quads, test::CellKind::triangles, test::CellKind::mixed};

bool all_are_allowed(std::span<const double>) { return true; }

std::vector<Point> points(int count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Point> x;
  for (int i = 0; i < count; ++i) {
    const double first = uniform(random);
    x.push_back({first, uniform(random)});
  }
  return x;
}

double linear(const Point& x, int k) { return 1 + k + (2 - k) * x[0] - 3 * x[1]; }

std::vector<double> linear_values(const UnstructuredMesh& mesh) {
  std::vector<double> values;
  for (const Point& x : mesh.centre)
    for (int k = 0; k < 2; ++k) values.push_back(linear(x, k));
  return values;
}

// The plain way: every cell is looked at.
int nearest_cell(const UnstructuredMesh& mesh, const Point& x) {
  const auto square = [&](int i) {
    const double dx = mesh.centre[i][0] - x[0], dy = mesh.centre[i][1] - x[1];
    return dx * dx + dy * dy;
  };
  int nearest = 0;
  for (int i = 1; i < mesh.cells(); ++i)
    if (square(i) < square(nearest)) nearest = i;
  return nearest;
}

// Corner triangles have one neighbour or two, and so no gradient: points whose nearest cell is one of them are left
// out.
TEST(CarryOver, LinearValuesAreCarriedExactly) {
  for (const test::CellKind kind : kinds) {
    const UnstructuredMesh mesh = test::box_mesh({.nx = 9, .ny = 8, .kind = kind});
    std::vector<int> neighbours(static_cast<std::size_t>(mesh.cells()), 0);
    for (int f = 0; f < mesh.interior_faces(); ++f)
      for (const int i : {mesh.owner[f], mesh.neighbour[f]}) ++neighbours[i];
    const std::vector<Point> to = points(200);
    const std::vector<double> carried = carried_over(mesh, linear_values(mesh), 2, to, all_are_allowed);
    ASSERT_EQ(carried.size(), 2 * to.size());
    int exact = 0;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (neighbours[nearest_cell(mesh, to[i])] < 3) continue;
      ++exact;
      for (int k = 0; k < 2; ++k) EXPECT_NEAR(carried[2 * i + static_cast<std::size_t>(k)], linear(to[i], k), 1e-12);
    }
    EXPECT_GT(exact, 100);
  }
}

TEST(CarryOver, AValueThatIsNotAllowedGivesWayToThatOfTheNearestCell) {
  const UnstructuredMesh mesh = test::box_mesh({.nx = 7, .ny = 6});
  const std::vector<double> values = linear_values(mesh);
  const std::vector<Point> to = points(100);
  const std::vector<double> carried = carried_over(mesh, values, 2, to, [](std::span<const double>) { return false; });
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto near = static_cast<std::size_t>(nearest_cell(mesh, to[i]));
    EXPECT_EQ(carried[2 * i], values[2 * near]);
    EXPECT_EQ(carried[2 * i + 1], values[2 * near + 1]);
  }
}

TEST(CarryOver, OneCellGivesItsOwnValuesEverywhere) {
  const UnstructuredMesh mesh = test::box_mesh({.nx = 1, .ny = 1, .kind = test::CellKind::quads});
  const std::vector<double> values{4, 5};
  const std::vector<Point> to = points(3);
  EXPECT_EQ(carried_over(mesh, values, 2, to, all_are_allowed), (std::vector<double>{4, 5, 4, 5, 4, 5}));
}

}  // namespace
}  // namespace weir::carry_over_test
