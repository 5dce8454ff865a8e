// Menter's SST point by point, against the equations as the Turbulence Modeling Resource prints SST-2003m.
#include "physics/sst.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "physics/dual.hpp"

namespace weir::test::sst_test {
namespace {

// rho, mu, k, omega, S^2, grad k . grad omega, d: sublayer, log layer, where the bound of the eddy viscosity acts, edge
// of the layer (cross-diffusion), limited production, free stream.
constexpr double points[][7] = {{1.1, 2e-5, 1e-5, 4e3, 2e6, -3e3, 3e-4}, {0.9, 2e-5, 6e-3, 80, 4e4, -60, 5e-3},
                                {1, 2e-5, 9e-3, 20, 3e4, -5, 1e-2},      {1.2, 2e-5, 1e-3, 10, 10, 0.4, 3e-2},
                                {1, 2e-5, 1e-4, 5, 1e6, 0.1, 2e-2},      {1, 2e-5, 1e-6, 5, 1e-8, 0, 1}};
// nu, F_1 and the sources, one line of the page after another.
struct Printed {
  double f1, mu_t, k, omega;
};
Printed printed(const double (&q)[7]) {
  const auto& [rho, mu, k, w, S2, cross, d] = q;
  const double nu = mu / rho, S = std::sqrt(S2), sw2 = 0.856, beta_star = 0.09, a1 = 0.31;
  const double CD = std::max(2 * rho * sw2 / w * cross, 1e-10), root = std::sqrt(k) / (beta_star * w * d);
  const double viscous = 500 * nu / (d * d * w);
  const double arg1 = std::min(std::max(root, viscous), 4 * rho * sw2 * k / (CD * d * d));
  const double F1 = std::tanh(std::pow(arg1, 4)), F2 = std::tanh(std::pow(std::max(2 * root, viscous), 2));
  const double mu_t = rho * a1 * k / std::max(a1 * w, S * F2), nu_t = mu_t / rho;
  const double gamma = F1 * 5 / 9 + (1 - F1) * 0.44, beta = F1 * 0.075 + (1 - F1) * 0.0828;
  const double P = std::min(mu_t * S2, 10 * beta_star * rho * w * k);
  return {F1, mu_t, P - beta_star * rho * w * k,
          gamma / nu_t * P - beta * rho * w * w + 2 * (1 - F1) * rho * sw2 / w * cross};
}

template <class T>
sst::Point<T> point(const T* q) {
  return {q[0], q[1], q[2], q[3], q[4], q[5]};
}

TEST(Sst, SourcesAndEddyViscosityAreThePrintedOnes) {
  for (const auto& q : points) {
    const Printed e = printed(q);
    const sst::Point<double> p = point(q);
    const sst::Sources<double> s = sst::sources(p, q[6]);
    const double sizes[2] = {p.rho * p.k * p.omega, p.rho * (p.strain2 + p.omega * p.omega)};
    // rounding: a few dozen operations, powers of up to four
    EXPECT_NEAR(sst::blend(p, q[6]), e.f1, 1e-13);
    EXPECT_NEAR(sst::eddy_viscosity(p.rho, p.k, p.omega, sst::bound(p, q[6])), e.mu_t, 1e-13 * e.mu_t);
    EXPECT_NEAR(s.k, e.k, 1e-13 * sizes[0]);
    EXPECT_NEAR(s.omega, e.omega, 1e-13 * sizes[1]);
  }
}

TEST(Sst, DualNumbersCarryTheDerivativesOfTheSources) {
  using D = Dual<double, 6>;
  for (const auto& q : points) {
    D varied[6];
    for (int k = 0; k < 6; ++k) varied[k] = D::variable(q[k], k);
    const sst::Sources<D> exact = sst::sources(point(varied), q[6]);
    for (int k = 0; k < 6; ++k) {
      const double h = 1e-5 * (std::abs(q[k]) + (k == 5 ? 1e-3 : 0));  // truncation and rounding: 1e-10 of value / h
      const auto at = [&](double x) {
        double moved[6];
        std::copy(q, q + 6, moved);
        moved[k] += x;
        return sst::sources(point(moved), q[6]);
      };
      const auto high = at(h), low = at(-h);
      const double of_k = (high.k - low.k) / (2 * h), of_omega = (high.omega - low.omega) / (2 * h);
      const double size = q[0] * q[2] * (q[3] + q[4] / q[3]) / (1e5 * h), omega_size = q[0] * (q[4] + q[3] * q[3]);
      EXPECT_NEAR(exact.k.d[k], of_k, 1e-6 * (std::abs(of_k) + size)) << q[6] << " " << k;
      EXPECT_NEAR(exact.omega.d[k], of_omega, 1e-6 * (std::abs(of_omega) + omega_size / (1e5 * h))) << q[6] << " " << k;
    }
  }
}

TEST(Sst, WithoutStrainTheDerivativesAreFinite) {
  using D = Dual<double, 1>;
  const sst::Point<D> still{D(1.0), D(1e-5), D(1e-4), D(10.0), D::variable(0.0, 0), D(0.0)};
  EXPECT_TRUE(std::isfinite(sst::bound(still, 1e-2).d[0]));
  EXPECT_TRUE(std::isfinite(sst::sources(still, 1e-2).k.d[0]));
}

// Far from the wall F_1 is 0, close to it 1; the exponential of tanh does not overflow.
TEST(Sst, TheBlendIsOneAtTheWallAndZeroFarFromIt) {
  const sst::Point<double> q{1, 2e-5, 1e-3, 50, 1e3, 0.1};
  EXPECT_EQ(sst::blend(q, 1e-9), 1);
  EXPECT_NEAR(sst::blend(q, 1e2), 0, 1e-15);
}

// Menter (1994): ten times the asymptote 6 nu / (beta_1 y^2).
TEST(Sst, OmegaAtTheWallIsTenTimesTheAsymptote) {
  EXPECT_NEAR(sst::omega_at_wall(2e-5, 1e-3), 10 * 6 * 2e-5 / (0.075 * 1e-6), 1e-9);
}

}  // namespace
}  // namespace weir::test::sst_test
