// Textbook solution of the k-omega model in a fully developed channel, in wall units of its half height: u_tau = h = 1,
// nu = 1 / Re_tau, 0 <= y <= 1. One dimension, nodes on a fine stretched grid, Picard iterations with tridiagonal
// solves:
//   (nu + nu_t) u' = 1 - y,   ((nu + sigma* nu_t) k')' + nu_t u'^2 - beta* k omega = 0,
//   ((nu + sigma nu_t) omega')' + alpha u'^2 - beta omega^2 = 0,   k(0) = 0, k'(1) = omega'(1) = 0,
//   omega = 6 nu / (beta y^2) where y+ < 2.5 (Wilcox 1988)
#pragma once
#include <vector>

namespace weir::test {

struct KOmegaChannel {
  std::vector<double> y, u, k, omega;
  int iterations = 0;
  double change = 0;  // the last iteration's largest change of u

  double velocity_at(double y) const;  // linear between nodes
  double bulk_velocity() const;
};

KOmegaChannel solve_k_omega_channel(double Re_tau, int nodes = 400);

}  // namespace weir::test
