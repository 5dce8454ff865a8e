#include "mesh/generate/triangulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "mesh/generate/size_field.hpp"
#include "mesh/generate/spacing.hpp"
#include "mesh/generate/triangles.hpp"

namespace weir::triangulation_test {
namespace {

using std::numbers::pi;

double area_of(const Triangulation& mesh) {
  double sum = 0;
  for (const Triangle& t : mesh.triangle) {
    const Point &a = mesh.node[t.node[0]], &b = mesh.node[t.node[1]], &c = mesh.node[t.node[2]];
    const double area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
    EXPECT_GT(area, 0);
    sum += area;
  }
  return sum;
}

bool is_delaunay(const Triangulation& mesh) {
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const Triangle& T = mesh.triangle[t];
      if (T.across[k] < 0 || T.is_fixed(k)) continue;
      const Triangle& U = mesh.triangle[T.across[k]];
      for (int m = 0; m < 3; ++m)
        if (U.across[m] == static_cast<int>(t) &&
            in_circle(mesh.node[T.node[0]], mesh.node[T.node[1]], mesh.node[T.node[2]], mesh.node[U.node[m]]) > 0)
          return false;
    }
  return true;
}

std::vector<std::array<int, 2>> polygon(int first, int count) {
  std::vector<std::array<int, 2>> edges;
  for (int i = 0; i < count; ++i) edges.push_back({first + i, first + (i + 1) % count});
  return edges;
}

TEST(Predicates, AreRightWhereDoublesAreNot) {
  // One unit in the last place off the line y = x, seen from far away.
  const double ulp = std::ldexp(1.0, -53);
  const Point a{12, 12}, b{24, 24};
  EXPECT_EQ(orientation(a, b, {0.5, 0.5}), 0);
  EXPECT_GT(orientation(a, b, {0.5, 0.5 + 2 * ulp}), 0);
  EXPECT_LT(orientation(a, b, {0.5 + 2 * ulp, 0.5}), 0);
  // Lattice points on a circle of radius 5, and the neighbours of one of them.
  const Point p{5, 0}, q{3, 4}, r{-4, 3};
  EXPECT_EQ(in_circle(p, q, r, {-3, -4}), 0);
  EXPECT_GT(in_circle(p, q, r, {-3, std::nextafter(-4, 0)}), 0);
  EXPECT_LT(in_circle(p, q, r, {-3, std::nextafter(-4, -5)}), 0);
}

TEST(Triangulation, FillsASquareWithAHole) {
  std::vector<Point> nodes{{0, 0}, {3, 0}, {3, 3}, {0, 3}, {1, 1}, {1, 2}, {2, 2}, {2, 1}};
  auto edges = polygon(0, 4);
  for (const auto& e : polygon(4, 4)) edges.push_back(e);  // clockwise: the domain on its left
  const Triangulation mesh(nodes, edges);
  EXPECT_EQ(mesh.triangle.size(), 8u);
  EXPECT_NEAR(area_of(mesh), 8, 1e-14);
  EXPECT_TRUE(is_delaunay(mesh));
}

TEST(Triangulation, RecoversEdgesThatAreNotDelaunay) {
  // A comb with long thin teeth: many of its edges have nodes of the next tooth in their circles.
  std::vector<Point> nodes;
  const int teeth = 7;
  for (int i = 0; i < teeth; ++i) {
    nodes.push_back({i + 0.0, 0});
    nodes.push_back({i + 0.1, 10});
    nodes.push_back({i + 0.2, 0});
  }
  nodes.push_back({teeth - 0.7, -0.1});
  nodes.push_back({-0.1, -0.1});
  std::vector<Point> reversed(nodes.rbegin(), nodes.rend());
  const Triangulation mesh(reversed, polygon(0, static_cast<int>(nodes.size())));
  double exact = 0;
  for (std::size_t i = 0; i < reversed.size(); ++i) {
    const Point &a = reversed[i], &b = reversed[(i + 1) % reversed.size()];
    exact += 0.5 * (a[0] * b[1] - a[1] * b[0]);
  }
  EXPECT_NEAR(area_of(mesh), exact, 1e-13);
  EXPECT_EQ(mesh.triangle.size(), nodes.size() - 2);
}

TEST(Triangulation, RefusesPolygonsThatCross) {
  EXPECT_THROW(Triangulation({{0, 0}, {2, 2}, {2, 0}, {0, 2}}, polygon(0, 4)), std::runtime_error);
}

TEST(Triangulation, IsDelaunayAfterManyInsertions) {
  Triangulation mesh({{0, 0}, {1, 0}, {1, 1}, {0, 1}}, polygon(0, 4));
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0.001, 0.999);
  for (int i = 0; i < 2000; ++i) {
    // Every second one on a lattice: many nodes on common circles and lines.
    Point x{uniform(random), uniform(random)};
    if (i % 2) x = {std::round(x[0] * 32) / 32, std::round(x[1] * 32) / 32};
    if (const int in = mesh.find(x, static_cast<int>(mesh.triangle.size()) - 1); in >= 0) mesh.insert(x, in, 1e-9);
  }
  EXPECT_GT(mesh.node.size(), 1500u);
  EXPECT_EQ(mesh.triangle.size(), 2 * mesh.node.size() - 2 - 4);
  EXPECT_NEAR(area_of(mesh), 1, 1e-12);
  EXPECT_TRUE(is_delaunay(mesh));
}

TEST(Triangles, HaveTheWantedSizeAndGoodShapes) {
  std::vector<Point> nodes;
  const int n = 64;
  for (int i = 0; i < n; ++i) nodes.push_back({std::cos(2 * pi * i / n), std::sin(2 * pi * i / n)});
  const double h = 2 * std::sin(pi / n);
  const Triangulation mesh = fill_with_triangles(nodes, polygon(0, n), [=](const Point&) { return h; });
  double worst = 1;
  for (const Triangle& t : mesh.triangle)
    worst = std::min(worst, triangle_quality(mesh.node[t.node[0]], mesh.node[t.node[1]], mesh.node[t.node[2]]));
  EXPECT_GT(worst, 0.6);
  const double expected = 0.5 * n * std::sin(2 * pi / n) / (std::sqrt(3) / 4 * h * h);
  EXPECT_NEAR(static_cast<double>(mesh.triangle.size()), expected, 0.15 * expected);
}

TEST(SizeField, IsTheLeastOfItsSources) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<SizeField::Source> sources;
  for (int i = 0; i < 300; ++i) sources.push_back({{uniform(random), uniform(random)}, 0.1 * uniform(random)});
  const SizeField size(sources, 0.1, 0.3);
  for (int i = 0; i < 100; ++i) {
    const Point x{4 * uniform(random) - 2, 4 * uniform(random) - 2};
    double least = 1e9;
    for (const auto& s : sources) {
      const double d = std::hypot(x[0] - s.at[0], x[1] - s.at[1]);
      least = std::min(least, s.size + 0.1 * d + 0.2 * d * d / (1 + d));
    }
    EXPECT_NEAR(size(x), least, 1e-14);
  }
}

TEST(Spacing, MeetsItsEndsAndIsMonotone) {
  for (const auto& [first, last] :
       {std::pair{0.0, 0.0}, {0.001, 0.0}, {0.0, 0.2}, {0.001, 0.05}, {0.1, 0.1}, {0.02, 0.02}}) {
    const auto s = two_sided_spacing(40, 2, first, last);
    ASSERT_EQ(s.size(), 41u);
    EXPECT_EQ(s.front(), 0);
    EXPECT_EQ(s.back(), 2);
    for (std::size_t i = 1; i < s.size(); ++i) EXPECT_GT(s[i], s[i - 1]);
    // The formula gives the slope at the ends; over one cell of 40 the spacing may have changed by a fifth.
    EXPECT_TRUE(first == 0 || std::abs(s[1] - first) < 0.2 * first) << s[1];
    EXPECT_TRUE(last == 0 || std::abs(2 - s[39] - last) < 0.2 * last) << 2 - s[39];
  }
  const double growth = growth_to_fill(20, 0.01, 3);
  EXPECT_NEAR(geometric_spacing(20, 0.01, growth).back(), 3, 1e-12);
}

}  // namespace
}  // namespace weir::triangulation_test
