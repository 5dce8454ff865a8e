#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "physics/boundary_state.hpp"
#include "tests/physics/states.hpp"

namespace weir::boundary_state_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

double invariant(const Gas& gas, const Primitive<double>& w, double nx, double ny, double sign) {
  return w.u * nx + w.v * ny + sign * 2 / (gas.gamma - 1) * std::sqrt(gas.gamma / gas.gamma_m2 * w.t);
}
double entropy(const Gas& gas, const Primitive<double>& w) { return w.p / std::pow(w.p / w.t, gas.gamma); }

TEST(FarfieldState, KeepsAStreamThatIsTheSameInsideAndOutside) {
  const Gas gas = test::test_gas();
  for (const auto& s : test::face_states(200)) {
    const Primitive<double> b = farfield_state(gas, s.l, s.l, s.nx, s.ny);
    EXPECT_NEAR(b.p, s.l.p, 100 * eps);
    EXPECT_NEAR(b.u, s.l.u, 100 * eps);
    EXPECT_NEAR(b.v, s.l.v, 100 * eps);
    EXPECT_NEAR(b.t, s.l.t, 100 * eps);
  }
}

TEST(FarfieldState, TakesTheOutgoingInvariantFromInsideAndTheIncomingOneFromOutside) {
  const Gas gas = test::test_gas();
  int subsonic = 0;
  for (const auto& s : test::face_states(300)) {
    const double un = s.l.u * s.nx + s.l.v * s.ny, a = std::sqrt(gas.gamma / gas.gamma_m2 * s.l.t);
    const Primitive<double> b = farfield_state(gas, s.l, s.r, s.nx, s.ny);
    if (std::abs(un) > a) {
      EXPECT_EQ(b.p, un > 0 ? s.l.p : s.r.p);
      continue;
    }
    ++subsonic;
    EXPECT_NEAR(invariant(gas, b, s.nx, s.ny, 1), invariant(gas, s.l, s.nx, s.ny, 1), 200 * eps);
    EXPECT_NEAR(invariant(gas, b, s.nx, s.ny, -1), invariant(gas, s.r, s.nx, s.ny, -1), 200 * eps);
    const double speed = std::hypot(s.r.u, s.r.v, 0.01 * std::sqrt(gas.gamma / gas.gamma_m2 * s.r.t));
    if (std::abs(b.u * s.nx + b.v * s.ny) < 0.05 * speed) continue;  // tangential: of both
    const Primitive<double>& from = b.u * s.nx + b.v * s.ny < 0 ? s.r : s.l;
    EXPECT_NEAR(entropy(gas, b), entropy(gas, from), 200 * eps * entropy(gas, from));
    EXPECT_NEAR(b.v * s.nx - b.u * s.ny, from.v * s.nx - from.u * s.ny, 100 * eps);
  }
  EXPECT_GT(subsonic, 100);
}

// The stream inside turns through the tangent while that outside is parallel to the face: no part of the state may
// jump.
TEST(FarfieldState, IsContinuousWhereTheStreamIsTangential) {
  const Gas gas = test::test_gas();
  const Primitive<double> outside{1.0, 1.0, 0.0, 1.0};
  constexpr double step = 1e-4;
  Primitive<double> before{};
  for (int k = -3000; k <= 3000; ++k) {
    const Primitive<double> inside{1.1, 0.8, k * step, 1.05};
    const Primitive<double> b = farfield_state(gas, inside, outside, 0.0, 1.0);
    if (k > -3000) {
      EXPECT_NEAR(b.p, before.p, 20 * step) << k;
      EXPECT_NEAR(b.u, before.u, 20 * step) << k;
      EXPECT_NEAR(b.t, before.t, 20 * step) << k;
    }
    before = b;
  }
}

TEST(PressureOutletState, TakesItsPressureAndTheRestFromInside) {
  const Gas gas = test::test_gas();
  int subsonic = 0;
  for (const auto& s : test::face_states(300)) {
    const double un = s.l.u * s.nx + s.l.v * s.ny, a = std::sqrt(gas.gamma / gas.gamma_m2 * s.l.t);
    const Primitive<double> b = pressure_outlet_state(gas, s.l, s.r.p, s.nx, s.ny);
    if (un >= a) {
      EXPECT_EQ(b.p, s.l.p);
      continue;
    }
    ++subsonic;
    EXPECT_EQ(b.p, s.r.p);
    EXPECT_NEAR(invariant(gas, b, s.nx, s.ny, 1), invariant(gas, s.l, s.nx, s.ny, 1), 200 * eps);
    EXPECT_NEAR(entropy(gas, b), entropy(gas, s.l), 200 * eps * entropy(gas, s.l));
    EXPECT_NEAR(b.v * s.nx - b.u * s.ny, s.l.v * s.nx - s.l.u * s.ny, 100 * eps);
  }
  EXPECT_GT(subsonic, 100);
}

TEST(SlipState, HasNoVelocityThroughTheWall) {
  for (const auto& s : test::face_states(50)) {
    const Primitive<double> b = slip_state(s.l, s.nx, s.ny);
    EXPECT_NEAR(b.u * s.nx + b.v * s.ny, 0, 20 * eps);
    EXPECT_NEAR(b.v * s.nx - b.u * s.ny, s.l.v * s.nx - s.l.u * s.ny, 20 * eps);
  }
}

}  // namespace
}  // namespace weir::boundary_state_test
