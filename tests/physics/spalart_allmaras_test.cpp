// The Spalart-Allmaras model point by point, against the equations as ICCFD7-1902 prints them.
#include "physics/spalart_allmaras.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "physics/dual.hpp"

namespace weir::test::spalart_allmaras_test {
namespace {

using namespace spalart_allmaras;

// nu, nu~, vorticity, distance: sublayer, log layer, where S would be negative, r at its limit, free stream, negative.
constexpr double points[][4] = {{1e-3, 2e-4, 5, 0.01},   {1e-3, 0.08, 30, 0.1}, {1e-3, 5e-3, 0.1, 0.01},
                                {1e-3, 0.5, 1e-3, 0.05}, {1e-3, 3e-3, 1, 10},   {1e-3, -2e-3, 4, 0.2}};

// Equations (1) to (16) of the paper in its order, without a thought about anything else.
double printed(double nu, double n, double W, double d) {
  const double chi = n / nu, fv1 = std::pow(chi, 3) / (std::pow(chi, 3) + std::pow(7.1, 3));
  const double kappa = 0.41, cb1 = 0.1355, cb2 = 0.622, s = 2.0 / 3, cw1 = cb1 / std::pow(kappa, 2) + (1 + cb2) / s;
  if (n < 0) return cb1 * (1 - 1.2) * W * n + cw1 * std::pow(n / d, 2);
  const double fv2 = 1 - chi / (1 + chi * fv1), bar = n / std::pow(kappa * d, 2) * fv2;
  const double S = bar >= -0.7 * W ? W + bar : W + W * (0.49 * W + 0.9 * bar) / ((0.9 - 1.4) * W - bar);
  const double r = std::min(n / (S * std::pow(kappa * d, 2)), 10.0), g = r + 0.3 * (std::pow(r, 6) - r);
  const double fw = g * std::pow((1 + 64) / (std::pow(g, 6) + 64), 1.0 / 6), ft2 = 1.2 * std::exp(-0.5 * chi * chi);
  return cb1 * (1 - ft2) * S * n - (cw1 * fw - cb1 / std::pow(kappa, 2) * ft2) * std::pow(n / d, 2);
}

TEST(SpalartAllmaras, SourcesAreThePrintedOnes) {
  for (const auto& [nu, n, W, d] : points) {
    const double expected = printed(nu, n, W, d);  // rounding: a few dozen operations, powers of up to six
    EXPECT_NEAR(production_less_destruction(nu, n, W, d), expected, 1e-12 * (std::abs(expected) + n * n / (d * d)));
  }
}

TEST(SpalartAllmaras, DualNumbersCarryTheDerivativesOfTheSources) {
  using D = Dual<double, 3>;
  for (const auto& [nu, n, W, d] : points) {
    const double values[3] = {nu, n, W};
    const D exact = production_less_destruction(D::variable(nu, 0), D::variable(n, 1), D::variable(W, 2), double{d});
    for (int k = 0; k < 3; ++k) {
      double at[3] = {nu, n, W};
      const double h = 1e-5 * std::abs(values[k]);  // truncation and rounding: about 1e-10 of value / h
      at[k] = values[k] + h;
      const double high = production_less_destruction(at[0], at[1], at[2], d);
      at[k] = values[k] - h;
      const double low = production_less_destruction(at[0], at[1], at[2], d);
      const double scale = std::abs(exact.v / values[k]) + std::abs(exact.d[k]) + n * n / (d * d) / std::abs(values[k]);
      EXPECT_NEAR(exact.d[k], (high - low) / (2 * h), 1e-7 * scale) << n << " " << k;
    }
  }
}

TEST(SpalartAllmaras, EddyViscosityAndDiffusionAreThoseOfTheNegativeModelToo) {
  const double mu = 2e-3, unit = std::numeric_limits<double>::epsilon();
  for (const double chi : {0.0, 0.5, 3.0, 100.0}) {
    const double fv1 = std::pow(chi, 3) / (std::pow(chi, 3) + 357.911);
    EXPECT_NEAR(eddy_viscosity(mu, chi * mu), chi * mu * fv1, 8 * unit * chi * mu);
    EXPECT_NEAR(diffusivity(mu, chi * mu), 1.5 * (1 + chi) * mu, 8 * unit * (1 + chi) * mu);
  }
  for (const double chi : {-0.5, -1.4, -20.0}) {
    const double fn = (16 + std::pow(chi, 3)) / (16 - std::pow(chi, 3));
    EXPECT_EQ(eddy_viscosity(mu, chi * mu), 0);
    EXPECT_NEAR(diffusivity(mu, chi * mu), 1.5 * (1 + chi * fn) * mu, 16 * unit * (1 - chi) * mu);
    EXPECT_GT(diffusivity(mu, chi * mu), 0);
  }
}

// TMR: nu~ = 3 nu in the free stream is nu_t / nu = 0.210438.
TEST(SpalartAllmaras, TheUsualFreeStreamHasTheUsualEddyViscosity) {
  EXPECT_NEAR(eddy_viscosity(1.0, 3.0), 0.210438, 5e-7);
}

}  // namespace
}  // namespace weir::test::spalart_allmaras_test
