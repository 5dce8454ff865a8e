#include "mesh/body/distance/distance.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "mesh/body/distance/closest.hpp"
#include "mesh/body/motion/motion_laws.hpp"
#include "mesh/body/shapes.hpp"

namespace weir::distance_test {
namespace {

struct Points {
  std::vector<double> x, y, z;
  BodyDistance distance(double reach = 1.5) const { return {x, y, z, reach}; }
  Vec3 at(std::int64_t p) const {
    const auto nx = static_cast<std::int64_t>(x.size()), ny = static_cast<std::int64_t>(y.size());
    return {x[p % nx], y[p / nx % ny], z[p / nx / ny]};
  }
  std::int64_t count() const { return static_cast<std::int64_t>(x.size() * y.size() * z.size()); }
};

std::vector<double> line(int n, double low, double high, double stretch = 0) {
  std::vector<double> x;
  for (int i = 0; i < n; ++i) {
    const double s = (i + 0.37) / n;  // no point of symmetry
    x.push_back(low + (high - low) * (s + stretch * s * (1 - s) * (1 - 2 * s)));
  }
  return x;
}

Points cube(int n, double half = 2) { return {line(n, -half, half), line(n, -half, half), line(n, -half, half)}; }
Points sheet(int n, double half = 2, int planes = 1) {
  return {line(n, -half, half), line(n, -half, half), line(planes, 0, 1)};
}

Motion placed(const Vec3& position, double angle = 0) {
  Motion m;
  m.initial.position = position;
  m.initial.rotation = rotation_about({0, 0, 1}, angle);
  return m;
}

// The band and every side, against a distance that is known everywhere.
template <class Exact>
void expect_distance(const Body& body, const Points& points, double tolerance, Exact exact) {
  BodyDistance d = points.distance();
  d.update(body);
  ASSERT_GT(d.near().size(), 50u);
  std::int64_t inside = 0, in_band = 0;
  for (std::int64_t p = 0; p < points.count(); ++p) {
    const double wanted = exact(points.at(p));
    in_band += std::abs(wanted) < d.band();
    inside += wanted < 0;
    if (std::abs(wanted) > tolerance) {
      ASSERT_EQ(d.is_solid(p), wanted < 0) << p;
    }
    const auto c = d.code()[p];
    if (c < 0) {
      ASSERT_GT(std::abs(wanted), d.band() - tolerance);
      continue;
    }
    const auto& near = d.near()[c];
    ASSERT_EQ(near.index, p);
    ASSERT_NEAR(near.foot.distance, wanted, tolerance);
    ASSERT_NEAR(std::abs(near.foot.distance), length(points.at(p) - near.foot.point), 1e-14);
    ASSERT_NEAR(length(near.foot.normal), 1, 1e-13);
    ASSERT_NEAR(length(points.at(p) - near.foot.point - near.foot.distance * near.foot.normal), 0, 1e-9);
  }
  EXPECT_GT(inside, 0);
  EXPECT_GT(in_band, 0);
}

// Properties of the band, from all elements at each point; sides by the winding number (the solid angle).
double brute_force(const Surface& s, const Vec3& x) {
  double least = std::numeric_limits<double>::max(), turns = 0;
  for (const auto& e : s.element) {
    const Vec3 &a = s.node[e[0]], &b = s.node[e[1]], &c = s.node[e[2]];
    const Vec3 u = a - x, v = b - x, w = c - x;
    if (s.dimension == 2) {
      const ClosestPoint f = closest_on_segment(x, a, b);
      const Vec3 away = u + f.w1 * (b - a);
      least = std::min(least, std::hypot(away[0], away[1]));
      turns += std::atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]) / 2;
    } else {
      const ClosestPoint f = closest_on_triangle(x, a, b, c);
      least = std::min(least, length(u + f.w1 * (b - a) + f.w2 * (c - a)));
      const double lu = length(u), lv = length(v), lw = length(w);  // Van Oosterom & Strackee 1983
      turns += std::atan2(dot(u, cross(v, w)), lu * lv * lw + dot(u, v) * lw + dot(v, w) * lu + dot(w, u) * lv) / 2;
    }
  }
  return (turns > 1.5 ? -1 : 1) * least;  // pi inside, 0 outside
}

TEST(Distance, OfACircleIsExact) {
  const Vec3 c{0.1, -0.2, 0};
  const Body body(make_ellipse({1, 1, 0}, 0.1), placed(c), exact_ellipse({1, 1, 0}));
  expect_distance(body, sheet(61), 1e-14, [&](const Vec3& x) { return std::hypot(x[0] - c[0], x[1] - c[1]) - 1; });
}

TEST(Distance, OfASphereIsExactOnAStretchedGrid) {
  const Vec3 c{0.1, -0.2, 0.3};
  const Body body(make_ellipsoid({1, 1, 1}, 0.3), placed(c), exact_ellipsoid({1, 1, 1}));
  const Points points{line(30, -2, 2, 0.6), line(34, -2, 2, -0.5), line(25, -2, 2)};
  expect_distance(body, points, 1e-14, [&](const Vec3& x) { return length(x - c) - 1; });
}

TEST(Distance, OfAnEllipsoidIsThatOfItsFineTriangulation) {
  const Vec3 r{1.2, 0.5, 0.8};
  const Body body(make_ellipsoid(r, 0.3), placed({0, 0, 0}, 0.7), exact_ellipsoid(r));
  const Body fine(make_ellipsoid(r, 0.16), placed({0, 0, 0}, 0.7));
  const Points points = cube(14, 1.5);
  // Triangles of edge h miss the surface by h^2 / 8 times the curvature 1.2 / 0.25.
  expect_distance(body, points, 0.16 * 0.16 / 8 * 4.8, [&](const Vec3& x) { return brute_force(fine.surface(), x); });
}

TEST(Distance, OfAnEllipseHoldsOnItsAxesAndItsCentre) {
  const Ellipsoid e = exact_ellipse({2, 1, 0});
  EXPECT_NEAR(e.project({0, 0, 0}).distance, -1, 1e-15);
  EXPECT_NEAR(e.project({3, 0, 0}).distance, 1, 1e-15);
  EXPECT_NEAR(e.project({0, -3, 0}).distance, 2, 1e-15);
  EXPECT_NEAR(e.project({1.9, 0, 0}).distance, -0.1, 1e-15);
  // Between the foci the foot leaves the axis: x = a^2 y / (a^2 - b^2) = 4 / 3, height sqrt(1 - 4 / 9).
  const auto off = e.project({1, 0, 0});
  EXPECT_NEAR(off.point[0], 4.0 / 3, 1e-14);
  EXPECT_NEAR(std::abs(off.point[1]), std::sqrt(5.0) / 3, 1e-14);
  EXPECT_LT(off.distance, 0);
  for (const double tiny : {1e-300, 1e-160, 1e-20, 1e-9})
    EXPECT_NEAR(e.project({1, tiny, 0}).distance, off.distance, 1e-8) << tiny;
}

TEST(Distance, OfABoxIsExactWithItsEdgesAndCorners) {
  const Body body(make_box({1, 2, 1.5}, 0.4), placed({0, 0, 0}));
  expect_distance(body, cube(24), 1e-14, [&](const Vec3& x) {
    const Vec3 q{std::abs(x[0]) - 0.5, std::abs(x[1]) - 1, std::abs(x[2]) - 0.75};
    const Vec3 out{std::max(q[0], 0.0), std::max(q[1], 0.0), std::max(q[2], 0.0)};
    return length(out) + std::min(std::max({q[0], q[1], q[2]}), 0.0);
  });
}

TEST(Distance, OfATurnedAerofoilHasTheRightSideBesideTheSharpEdge) {
  const Body body(make_aerofoil("4412", 2, 0.25, 0.02), placed({0, 0, 0}, -0.3));
  expect_distance(body, sheet(57), 1e-13, [&](const Vec3& x) { return brute_force(body.surface(), x); });
}

// A star of long thin spikes: most closest points lie on edges and corners, with sharp convex and concave angles.
Surface star(int spikes) {
  Surface s = make_ellipsoid({1, 1, 1}, 0.6);
  for (int i = 0; i < s.nodes(); ++i) s.node[i] = (i % spikes == 0 ? 1.6 : 0.35) * s.node[i];
  return s;
}

TEST(Distance, OfASpikyStarHasTheRightSideEverywhere) {
  const Body body(star(5), placed({0.01, 0.02, 0.03}));
  expect_distance(body, cube(22), 1e-13, [&](const Vec3& x) { return brute_force(body.surface(), x); });
}

TEST(Distance, OfASheetThinnerThanACellHasNoHoles) {
  const Body body(make_box({2, 0.02, 2}, 0.7), placed({0, 0, 0}, 0.5));
  expect_distance(body, cube(24), 1e-13, [&](const Vec3& x) { return brute_force(body.surface(), x); });
}

TEST(Distance, OfACavityIsSolidOutside) {
  Surface s = make_ellipsoid({1, 1, 1}, 0.3);
  reverse(s);
  s.is_cavity = true;
  const Body body(s, placed({0.1, 0, 0}));
  const Body exact(s, placed({0.1, 0, 0}), exact_ellipsoid({1, 1, 1}));
  const Points points = cube(20);
  expect_distance(exact, points, 1e-14, [&](const Vec3& x) { return 1 - length(x - Vec3{0.1, 0, 0}); });
  expect_distance(body, points, 1e-13, [&](const Vec3& x) {
    Surface solid = body.surface();
    reverse(solid);
    return -brute_force(solid, x);
  });
}

TEST(Distance, OfA2dBodyIsTheSameOnEveryPlane) {
  const Body body(make_ellipse({1, 1, 0}, 0.1), placed({0, 0, 0}), exact_ellipse({1, 1, 0}));
  expect_distance(body, sheet(31, 2, 5), 1e-14, [&](const Vec3& x) { return std::hypot(x[0], x[1]) - 1; });
}

void expect_equal(const BodyDistance& a, const BodyDistance& b) {
  ASSERT_TRUE(std::ranges::equal(a.code(), b.code()));
  ASSERT_EQ(a.near().size(), b.near().size());
  for (std::size_t i = 0; i < a.near().size(); ++i) {
    ASSERT_EQ(a.near()[i].index, b.near()[i].index);
    ASSERT_EQ(a.near()[i].foot.distance, b.near()[i].foot.distance);
    ASSERT_EQ(a.near()[i].foot.element, b.near()[i].foot.element);
    ASSERT_EQ(a.near()[i].foot.normal, b.near()[i].foot.normal);
  }
}

TEST(Distance, AnUpdateOfAMovedBodyEqualsAFreshOne) {
  const Points points = cube(21);
  const Body first(star(5), placed({0.1, 0, 0})), second(star(7), placed({-0.2, 0.1, 0.1}));
  BodyDistance updated = points.distance(), fresh = points.distance();
  updated.update(first);
  updated.update(second);
  fresh.update(second);
  expect_equal(updated, fresh);
}

// A body that shifts, turns and swells by small steps, rests and jumps at times: whatever is kept from update to
// update, the bits are those of a first update.
void expect_the_same_after_small_steps(Surface surface, const Vec3& axis, const Points& points, BandOptions options) {
  Motion motion = placed({0.1, 0, 0});
  motion.laws = {deformation({{0.3, 0.2, axis[1] > 0 ? 0.1 : 0}, 0.5, 0}), rotation({.axis = axis, .rate = 1}),
                 translation({0.5, -0.3, axis[1] > 0 ? 0.2 : 0})};
  Body body(std::move(surface), std::move(motion));
  const auto distance = [&] { return BodyDistance(points.x, points.y, points.z, options); };
  BodyDistance updated = distance();
  const int threads = omp_get_max_threads();
  for (int step = 0; step < 40; ++step) {
    body.move(1e-3 * std::min(step, step < 20 ? 12 : step) + 0.02 * (step / 16));
    omp_set_num_threads(1 + step % 3);
    updated.update(body);
    if (step % 5 != 4) continue;
    BodyDistance fresh = distance();
    fresh.update(body);
    expect_equal(updated, fresh);
  }
  omp_set_num_threads(threads);
}

// A star's spikes: their edges and corners are the nearest points of several elements at once.
TEST(Distance, OfABodyThatMovesBySmallStepsIsThatOfAFirstUpdate) {
  const Points whole = cube(21);
  expect_the_same_after_small_steps(star(5), {0, 0.6, 0.8}, whole, {});
  Points part = whole;
  part.y.resize(11);
  expect_the_same_after_small_steps(star(5), {0, 0.6, 0.8}, part, {.band = 0.4, .is_part = true});
  expect_the_same_after_small_steps(make_aerofoil("0012", 2, 0.25, 0.02), {0, 0, 1}, sheet(41, 2, 3), {});
}

TEST(Distance, IsTheSameOnAnyNumberOfThreads) {
  const Points points = cube(21), plane = sheet(41);
  const Body body(star(5), placed({0.1, 0, 0})), flat(make_aerofoil("0012", 2, 0.25, 0.02), placed({0, 0, 0}, 0.1));
  const int threads = omp_get_max_threads();
  BodyDistance one = points.distance(), three = points.distance(), flat_one = plane.distance(),
               flat_three = plane.distance();
  omp_set_num_threads(1);
  one.update(body);
  flat_one.update(flat);
  omp_set_num_threads(3);
  three.update(body);
  flat_three.update(flat);
  omp_set_num_threads(threads);
  expect_equal(one, three);
  expect_equal(flat_one, flat_three);
}

// Ranks hold parts of the grid: all of x, some of y and z.
TEST(Distance, OfAPartOfTheGridIsThatOfTheWhole) {
  const Points whole = cube(21);
  const Body body(star(5), placed({0.1, 0, 0}));
  BodyDistance all = whole.distance();
  all.update(body);
  for (const auto& [y0, y1, z0, z1] : {std::array{0, 21, 0, 9}, {0, 10, 8, 15}, {10, 21, 14, 21}, {0, 2, 0, 21}}) {
    const std::vector<double> y(whole.y.begin() + y0, whole.y.begin() + y1),
        z(whole.z.begin() + z0, whole.z.begin() + z1);
    BodyDistance part(whole.x, y, z, BandOptions{.band = all.band(), .is_part = true});
    part.update(body);
    std::size_t near = 0;
    for (int k = z0; k < z1; ++k)
      for (int j = y0; j < y1; ++j)
        for (int i = 0; i < 21; ++i) {
          const std::int64_t p = i + 21 * (j + 21 * k), q = i + 21 * (j - y0 + (y1 - y0) * (k - z0));
          const auto a = all.code()[p], b = part.code()[q];
          ASSERT_EQ(a < 0 ? a : 0, b < 0 ? b : 0);
          if (a < 0) continue;
          ASSERT_EQ(all.near()[a].foot.distance, part.near()[b].foot.distance);
          ++near;
        }
    EXPECT_EQ(near, part.near().size());
  }
}

TEST(Distance, RefusesABodyThatLeavesTheGridOrADimension) {
  BodyDistance d = cube(10).distance();
  const Body outside(make_box({1, 1, 1}, 1), placed({1.8, 0, 0})), solid(make_box({1, 1, 1}, 1), placed({0, 0, 0}));
  try {
    d.update(outside);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("along x it reaches from 1.3"), std::string::npos) << e.what();
  }
  BodyDistance flat = sheet(10).distance();
  EXPECT_THROW(flat.update(solid), Error);
}

}  // namespace
}  // namespace weir::distance_test
