// The k-omega model point by point, and the textbook channel that flow codes are held to.
#include "physics/k_omega.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/k_omega_channel.hpp"

namespace weir::test::k_omega_test {
namespace {

using namespace k_omega;

constexpr double points[][3] = {{1.5, 20, 900}, {0.01, 3000, 4e4}, {3, 0.7, 2}, {1e-6, 1e5, 1e6}};  // k, omega, S^2

TEST(KOmega, JacobianIsThatOfTheDestructionByFiniteDifferences) {
  for (const auto& [k, omega, S2] : points) {
    const SourceJacobian j = destruction_jacobian(k, omega);
    const auto destruction = [](double at_k, double at_omega) {
      const Sources s = sources(at_k, at_omega, 0);
      return Sources{-s.k, -s.omega};
    };
    // Quadratic in (k, omega): central differences are exact but for rounding, eps |f| / h.
    const double hk = 1e-3 * k, ho = 1e-3 * omega, rounding = 1e-12;
    const auto by_k = (destruction(k + hk, omega).k - destruction(k - hk, omega).k) / (2 * hk);
    const auto k_by_omega = (destruction(k, omega + ho).k - destruction(k, omega - ho).k) / (2 * ho);
    const auto by_omega = (destruction(k, omega + ho).omega - destruction(k, omega - ho).omega) / (2 * ho);
    EXPECT_NEAR(by_k, j.k_by_k, rounding * j.k_by_k);
    EXPECT_NEAR(k_by_omega, j.k_by_omega, rounding * j.k_by_omega);
    EXPECT_NEAR(by_omega, j.omega_by_omega, rounding * j.omega_by_omega);
    EXPECT_GT(j.k_by_k, 0);
    EXPECT_GT(j.omega_by_omega, 0);
  }
}

TEST(KOmega, ProductionIsEddyViscosityTimesSquaredStrain) {
  for (const auto& [k, omega, S2] : points) {
    const Sources with = sources(k, omega, S2), without = sources(k, omega, 0);
    EXPECT_NEAR(with.k - without.k, eddy_viscosity(k, omega) * S2, 1e-12 * (std::abs(with.k) + std::abs(without.k)));
    EXPECT_NEAR(with.omega - without.omega, alpha * S2, 1e-12 * (std::abs(with.omega) + std::abs(without.omega)));
  }
}

// nu omega'' = beta omega^2, what is left of (3) where y -> 0.
TEST(KOmega, WallFormulaSolvesTheSublayer) {
  const double nu = 1e-3, y = 0.02;
  const double omega = omega_near_wall(nu, y), second = 6 * omega / (y * y);  // of 1 / y^2
  EXPECT_NEAR(nu * second, -sources(0, omega, 0).omega, 1e-12 * nu * second);
}

// kappa^2 = (beta / beta* - alpha) sqrt(beta*) / sigma = 0.41^2: Wilcox's choice of alpha.
TEST(KOmega, ConstantsGiveKarmansConstant) {
  EXPECT_NEAR(std::sqrt((beta / beta_star - alpha) * std::sqrt(beta_star) / sigma), 0.41, 0.005);
}

TEST(KOmegaChannelTextbook, FollowsTheLawOfTheWall) {
  const double Re = 4000;  // so that there is a layer where both the wall and the centre are far
  const KOmegaChannel c = solve_k_omega_channel(Re, 200);
  EXPECT_NEAR(c.velocity_at(3 / Re), 3, 0.05);  // u+ = y+
  const double slope = (c.velocity_at(600 / Re) - c.velocity_at(150 / Re)) / std::log(600.0 / 150);
  EXPECT_NEAR(1 / slope, 0.41, 0.03);
  EXPECT_NEAR(c.velocity_at(100 / Re), std::log(100.0) / 0.41 + 5.0, 0.3);
}

TEST(KOmegaChannelTextbook, DoesNotDependOnItsGrid) {
  const KOmegaChannel coarse = solve_k_omega_channel(180, 80), fine = solve_k_omega_channel(180, 160);
  EXPECT_NEAR(coarse.u.back(), fine.u.back(), 5e-3 * fine.u.back());
  EXPECT_NEAR(coarse.bulk_velocity(), fine.bulk_velocity(), 5e-3 * fine.bulk_velocity());
}

}  // namespace
}  // namespace weir::test::k_omega_test
