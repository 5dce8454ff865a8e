#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "physics/flux_jacobian.hpp"
#include "physics/viscous.hpp"
#include "tests/physics/states.hpp"
#include "tests/support/complex_step.hpp"

namespace weir::flux_test {
namespace {

using test::Complex;
constexpr double eps = std::numeric_limits<double>::epsilon();

template <class Scheme>
Scheme make() {
  return {1.4};
}
template <>
Roe make<Roe>() {
  return {1.4, 0.1};
}
struct RoeWithoutFix : Roe {};
template <>
RoeWithoutFix make<RoeWithoutFix>() {
  return {{1.4, 0.0}};
}

template <class Scheme>
class FluxTest : public ::testing::Test {
 protected:
  Gas gas = test::test_gas();
  Scheme scheme = make<Scheme>();
};
using Schemes = ::testing::Types<Roe, RoeWithoutFix, Hllc, AusmPlus, VanLeer, Rusanov>;
TYPED_TEST_SUITE(FluxTest, Schemes);

// As its users see it: Roe's derivatives by hand are chosen by its type.
template <class Scheme>
const Scheme& plain(const Scheme& s) {
  return s;
}
const Roe& plain(const RoeWithoutFix& s) { return s; }

std::array<double, 4> numbers(const Flux<double>& f) { return {f.mass, f.normal, f.tangent, f.energy}; }
double size(const std::array<double, 4>& f) {
  double s = 1;
  for (double x : f) s = std::max(s, std::abs(x));
  return s;
}

TYPED_TEST(FluxTest, IsConsistent) {
  for (const auto& s : test::face_states(200)) {
    const Side<double> k = make_side(this->gas, s.l, s.nx, s.ny);
    const auto f = numbers(this->scheme(k, k)), exact = numbers(exact_flux(k));
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(f[c], exact[c], 50 * eps * size(exact));
  }
}

TYPED_TEST(FluxTest, DoesNotKnowLeftFromRight) {
  for (const auto& s : test::face_states(200)) {
    const auto there =
        numbers(this->scheme(make_side(this->gas, s.l, s.nx, s.ny), make_side(this->gas, s.r, s.nx, s.ny)));
    const auto back =
        numbers(this->scheme(make_side(this->gas, s.r, -s.nx, -s.ny), make_side(this->gas, s.l, -s.nx, -s.ny)));
    // Mass and energy turn round; momentum along the turned axes is the same number.
    const double sign[4] = {-1, 1, 1, -1};
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(back[c], sign[c] * there[c], 100 * eps * size(there));
  }
}

TYPED_TEST(FluxTest, TurnsWithTheFrame) {
  const double c = std::cos(0.7), s = std::sin(0.7);
  const auto turned = [&](const Primitive<double>& w) {
    return Primitive<double>{w.p, c * w.u - s * w.v, s * w.u + c * w.v, w.t};
  };
  for (const auto& k : test::face_states(50)) {
    const double nx = c * k.nx - s * k.ny, ny = s * k.nx + c * k.ny;
    const auto f = numbers(this->scheme(make_side(this->gas, k.l, k.nx, k.ny), make_side(this->gas, k.r, k.nx, k.ny)));
    const auto g =
        numbers(this->scheme(make_side(this->gas, turned(k.l), nx, ny), make_side(this->gas, turned(k.r), nx, ny)));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(f[i], g[i], 200 * eps * size(f));
  }
}

TYPED_TEST(FluxTest, SupersonicStreamsBringTheFluxOfTheirOwnSide) {
  if constexpr (std::is_same_v<TypeParam, Rusanov>) GTEST_SKIP() << "its dissipation is that of the fastest wave";
  for (const auto& s : test::face_states(500)) {
    const Side<double> l = make_side(this->gas, s.l, s.nx, s.ny), r = make_side(this->gas, s.r, s.nx, s.ny);
    if (l.un < 1.5 * std::sqrt(l.a2) || r.un < 1.5 * std::sqrt(r.a2)) continue;
    const auto f = numbers(this->scheme(l, r)), exact = numbers(exact_flux(l));
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(f[c], exact[c], 200 * eps * size(exact));
  }
}

// A contact at rest keeps its pressure and moves nothing: Roe, HLLC and AUSM+ resolve it, the others smear it.
TEST(FluxTest, RoeHllcAndAusmHoldAContactAtRest) {
  const Gas gas = test::test_gas();
  const Side<double> l = make_side(gas, Primitive<double>{1, 0, 0.3, 1}, 1.0, 0.0);
  const Side<double> r = make_side(gas, Primitive<double>{1, 0, -0.2, 1.5}, 1.0, 0.0);
  for (const auto& f : {numbers(make<Roe>()(l, r)), numbers(make<Hllc>()(l, r)), numbers(make<AusmPlus>()(l, r))}) {
    EXPECT_NEAR(f[0], 0, 4 * eps);
    EXPECT_NEAR(f[1], 1, 4 * eps);
    EXPECT_NEAR(f[2], 0, 4 * eps);
    EXPECT_NEAR(f[3], 0, 40 * eps);
  }
}

// Both sides' derivatives with respect to (rho, u_n, u_t, p), against the complex step.
TYPED_TEST(FluxTest, DerivativesEqualTheComplexStep) {
  for (const auto& s : test::face_states(300)) {
    const Side<double> l = make_side(this->gas, s.l, s.nx, s.ny), r = make_side(this->gas, s.r, s.nx, s.ny);
    double a[2][4][4];
    flux_derivatives(plain(this->scheme), l, r, a[0], a[1]);
    for (int side = 0; side < 2; ++side)
      for (int k = 0; k < 4; ++k) {
        const auto varied = [&](const Side<double>& q, bool vary) {
          const double x[4] = {q.rho, q.un, q.ut, q.p};
          Complex z[4];
          for (int i = 0; i < 4; ++i) z[i] = vary && i == k ? test::stepped(x[i]) : Complex(x[i]);
          return make_side(1.4, z[0], z[1], z[2], z[3]);
        };
        const Flux<Complex> f = this->scheme(varied(l, side == 0), varied(r, side == 1));
        const double exact[4] = {test::slope(f.mass), test::slope(f.normal), test::slope(f.tangent),
                                 test::slope(f.energy)};
        for (int c = 0; c < 4; ++c) EXPECT_NEAR(a[side][c][k], exact[c], 1000 * eps * (10 + std::abs(exact[c])));
      }
  }
}

// The change to conserved variables and to x and y, and the thin-layer part, on one flux.
TEST(FluxTest, ThinLayerJacobianInConservedVariablesEqualsTheComplexStep) {
  const Gas gas = test::test_gas();
  const Rusanov scheme{1.4};
  const double area = 0.3, inverse = 7;
  for (const auto& s : test::face_states(100)) {
    double u[2][4];
    const Primitive<double> w[2] = {s.l, s.r};
    for (int k = 0; k < 2; ++k) {
      const double rho = gas.gamma_m2 * w[k].p / w[k].t;
      u[k][0] = rho, u[k][1] = rho * w[k].u, u[k][2] = rho * w[k].v;
      u[k][3] = w[k].p / 0.4 + 0.5 * rho * (w[k].u * w[k].u + w[k].v * w[k].v);
    }
    const Side<double> l = make_side(gas, s.l, s.nx, s.ny), r = make_side(gas, s.r, s.nx, s.ny);
    double a[2][4][4];
    flux_derivatives(scheme, l, r, a[0], a[1]);
    subtract_thin_layer_derivatives(gas, l, r, s.l.t, s.r.t, inverse, a[0], a[1]);
    to_conserved(1.4, l, s.nx, s.ny, area, a[0]);
    to_conserved(1.4, r, s.nx, s.ny, area, a[1]);
    for (int j = 0; j < 8; ++j) {
      Complex z[8];
      for (int i = 0; i < 8; ++i) z[i] = i == j ? test::stepped(u[i / 4][i % 4]) : Complex(u[i / 4][i % 4]);
      const auto p = primitive(gas, z[0], z[1], z[2], z[3]), q = primitive(gas, z[4], z[5], z[6], z[7]);
      const Complex nx(s.nx), ny(s.ny), n[2] = {nx, ny}, zero(0.0), d[2] = {zero, zero};
      const Flux<Complex> F = scheme(make_side(gas, p, nx, ny), make_side(gas, q, nx, ny));
      ViscousGradient<Complex> g;
      compact_gradient(zero, zero, q.u - p.u, d, n, Complex(inverse), g.ux, g.uy);
      compact_gradient(zero, zero, q.v - p.v, d, n, Complex(inverse), g.vx, g.vy);
      compact_gradient(zero, zero, q.t - p.t, d, n, Complex(inverse), g.tx, g.ty);
      const auto t = viscous_flux(gas, viscosity(gas, 0.5 * (p.t + q.t)), g, 0.5 * (p.u + q.u), 0.5 * (p.v + q.v), n);
      const Complex out[4] = {F.mass, F.normal * nx - F.tangent * ny - t.x, F.normal * ny + F.tangent * nx - t.y,
                              F.energy - t.energy};
      for (int c = 0; c < 4; ++c) {
        const double exact = area * test::slope(out[c]);
        EXPECT_NEAR(a[j / 4][c][j % 4], exact, 1000 * eps * (10 + std::abs(exact)));
      }
    }
  }
}

}  // namespace
}  // namespace weir::flux_test
