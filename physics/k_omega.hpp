// The k-omega turbulence model: Wilcox, AIAA J. 26 (1988) 1299, high-Reynolds-number form.
//   nu_t = k / omega                                                                                             (1)
//   Dk/Dt     = nu_t S^2 - beta* k omega       + div((nu + sigma* nu_t) grad k)                                  (2)
//   Domega/Dt = alpha S^2 - beta omega^2       + div((nu + sigma nu_t) grad omega),      S^2 = 2 S_ij S_ij       (3)
//   alpha = 5/9, beta = 3/40, beta* = 9/100, sigma = sigma* = 1/2
// At a smooth wall k = 0 and omega -> 6 nu / (beta y^2) as y -> 0 (4). The cells next to the wall use (4) instead of
// (3).
#pragma once
#include "solvers/device/space.hpp"

namespace weir::k_omega {

inline constexpr double alpha = 5.0 / 9.0, beta = 3.0 / 40.0, beta_star = 9.0 / 100.0, sigma = 0.5, sigma_star = 0.5;

WEIR_HD inline double eddy_viscosity(double k, double omega) { return k / omega; }

WEIR_HD inline double omega_near_wall(double viscosity, double y) { return 6 * viscosity / (beta * y * y); }

// Sources of (2) and (3).
struct Sources {
  double k, omega;
};
WEIR_HD inline Sources sources(double k, double omega, double S2) {
  return {(S2 / omega - beta_star * omega) * k, alpha * S2 - beta * omega * omega};
}

// Derivatives of minus the sources: those of the destruction terms, which increase the diagonal. Production would
// decrease it and is taken from the previous iterate.
struct SourceJacobian {
  double k_by_k, k_by_omega, omega_by_omega;
};
WEIR_HD inline SourceJacobian destruction_jacobian(double k, double omega) {
  return {beta_star * omega, beta_star * k, 2 * beta * omega};
}

}  // namespace weir::k_omega
