#include "mesh/body/surface.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "mesh/body/extend.hpp"
#include "mesh/body/shapes.hpp"

namespace weir::surface_test {
namespace {

using std::numbers::pi;

double order(double coarse, double fine) { return std::log2(coarse / fine); }

TEST(Surface, TheSphereConvergesWithSecondOrderInVolumeAndArea) {
  const Surface coarse = make_ellipsoid({1, 1, 1}, 0.14), fine = make_ellipsoid({1, 1, 1}, 0.07);
  ASSERT_EQ(fine.elements(), 4 * coarse.elements());
  EXPECT_NEAR(order(4 * pi / 3 - volume(coarse), 4 * pi / 3 - volume(fine)), 2, 0.05);
  EXPECT_NEAR(order(4 * pi - area(coarse), 4 * pi - area(fine)), 2, 0.05);
}

TEST(Surface, TheCircleConvergesWithSecondOrderInAreaAndPerimeter) {
  const Surface coarse = make_ellipse({1, 1, 0}, 0.1), fine = make_ellipse({1, 1, 0}, 0.05);
  EXPECT_NEAR(order(pi - volume(coarse), pi - volume(fine)), 2, 0.05);
  EXPECT_NEAR(order(2 * pi - area(coarse), 2 * pi - area(fine)), 2, 0.05);
}

TEST(Surface, ABoxHasItsVolumeAreaAndCentre) {
  Surface box = make_box({1, 2, 3}, 0.6);
  for (Vec3& x : box.node) x += Vec3{1e3, -5, 2};
  EXPECT_NEAR(volume(box), 6, 1e-12 * 1e3);  // moments are about the box's middle: rounding of its coordinates alone
  EXPECT_NEAR(area(box), 22, 1e-12 * 1e3);
  EXPECT_NEAR(length(centroid(box) - Vec3{1e3, -5, 2}), 0, 1e-12 * 1e3);
}

// Also where corners, edges and faces lie on the plane, or near it: no triangle without an area, which has no normal.
TEST(Surface, ABodyIsExtendedBeyondTheSidesThatItTouches) {
  constexpr double tie = 1e-6, step = 2;
  for (const double at : {0.5, 0.5 - 1e-9, 0.5 + 1e-9, 0.4, 0.25}) {
    std::optional<Surface> box = extended_beyond(make_box({1, 1, 1}, 0.5), 1, 1, at, tie, step);
    ASSERT_TRUE(box) << at;
    EXPECT_NEAR(volume(*box), 1 + step, 1e-5) << at;
    box = extended_beyond(*box, 2, -1, -at, tie, step);
    ASSERT_TRUE(box) << at;
    EXPECT_NEAR(volume(*box), (1 + step) * (1 + step), 1e-5) << at;
    Vec3 sum{};
    for (int e = 0; e < box->elements(); ++e) {
      EXPECT_GT(length(area_vector(*box, e)), 1e-12) << at << " " << e;
      sum += area_vector(*box, e);
    }
    EXPECT_NEAR(length(sum), 0, 1e-12);
  }
}

TEST(Surface, EveryShapeIsClosedAndPointsOutwards) {
  for (const Surface& s :
       {make_ellipse({2, 1, 0}, 0.1), make_ellipsoid({1, 2, 0.5}, 0.2), make_rectangle({2, 1, 0}, 0.3),
        make_box({1, 2, 3}, 0.5), make_aerofoil("0012", 1, 0.25, 0.01), make_aerofoil("4412", 2, 0.25, 0.01)}) {
    Vec3 sum{};
    for (int e = 0; e < s.elements(); ++e) sum += area_vector(s, e);
    EXPECT_LT(length(sum), 1e-13 * area(s));
    EXPECT_GT(volume(s), 0);
    if (s.dimension == 2) continue;
    EXPECT_EQ(2 * find_edges(s).count, 3 * s.elements());
    EXPECT_EQ(s.nodes() - find_edges(s).count + s.elements(), 2);  // Euler
  }
}

}  // namespace
}  // namespace weir::surface_test
