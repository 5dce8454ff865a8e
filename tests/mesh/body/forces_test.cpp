#include "mesh/body/forces.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "inputs/case.hpp"
#include "mesh/body/read_body.hpp"

namespace weir {
namespace {

using std::numbers::pi;

Body body_of(const std::string& keys, double spacing) {
  return read_body(read_case_text("[body]\n" + keys, "c").table("body"), spacing);
}

// Stokes flow past a sphere of radius 1 at speed 1, viscosity 1:  p = -(3 / 2) x / r^3, uniform traction (3 / 2) e_x; drag 6 pi,
// of which pressure has a third.
double stokes_drag(double spacing, SurfaceForce& f) {
  const Body body = body_of("type = \"sphere\"\ndiameter = 2\nposition = [1, 2, 3]", spacing);
  std::vector<SurfacePoint> points;
  surface_points(body, points);
  std::vector<double> p;
  std::vector<Vec3> shear;
  for (const SurfacePoint& s : points) {
    const Vec3 n = s.point - Vec3{1, 2, 3};
    EXPECT_NEAR(length(n), 1, 1e-14);
    EXPECT_NEAR(length(n - s.normal), 0, 1e-14);
    p.push_back(-1.5 * n[0]);
    shear.push_back(1.5 * (Vec3{1, 0, 0} - n[0] * n));
  }
  f = integrate(body, points, p, shear, {1, 2, 3});
  return f.total()[0];
}

TEST(Forces, TheStokesDragConvergesWithSecondOrder) {
  SurfaceForce coarse, fine;
  const double error_coarse = 6 * pi - stokes_drag(0.3, coarse), error_fine = 6 * pi - stokes_drag(0.15, fine);
  EXPECT_NEAR(std::log2(error_coarse / error_fine), 2, 0.1);
  EXPECT_NEAR(fine.pressure[0] / (2 * pi), 1, 0.01);
  EXPECT_NEAR(fine.shear[0] / (4 * pi), 1, 0.01);
  EXPECT_LT(length(fine.moment), 1e-12);
  EXPECT_EQ(fine.power, 0);
}

TEST(Forces, AConstantPressureExertsNone) {
  for (const char* keys :
       {"type = \"cylinder\"", "type = \"sphere\"", "type = \"aerofoil\"\nnaca = \"4412\"\nangle = -5",
        "type = \"left_ventricle\"\nradius = 0.5\nlength = 1\nbase_height = 0.3"}) {
    const Body body = body_of(keys, 0.1);
    std::vector<SurfacePoint> points;
    surface_points(body, points);
    const std::vector<double> p(points.size(), 1e3);
    const std::vector<Vec3> none(points.size(), Vec3{});
    EXPECT_LT(length(integrate(body, points, p, none, {}).total()), 1e-12 * 1e3 * area(body.surface())) << keys;
  }
}

TEST(Forces, TheTorqueOfARotatingCylinderDoesWork) {
  Body body = body_of("diameter = 2\nmotion = { type = \"rotation\", rate = 90 }", 0.01);
  std::vector<SurfacePoint> points;
  surface_points(body, points);
  const std::vector<double> p(points.size(), 0);
  std::vector<Vec3> shear;
  for (const SurfacePoint& s : points) shear.push_back(cross({0, 0, -1}, s.normal));  // brakes with 1 on each length
  const SurfaceForce f = integrate(body, points, p, shear, {});
  const double slack = 0.01 * 0.01;  // polygons
  EXPECT_NEAR(f.moment[2], -2 * pi, slack);
  EXPECT_NEAR(f.power, -2 * pi * pi / 2, slack);
}

}  // namespace
}  // namespace weir
