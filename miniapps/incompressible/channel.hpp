// A turbulent channel's first guess: walls in y, driven along x by the body force f, so that u_tau^2 = f h, h half the
// height.
//   u+ = ln(1 + 0.4 y+)/0.4 + 7.8 (1 - e^{-y+/11} - y+/11 e^{-0.33 y+})       (Reichardt, Z. Angew. Math. Mech. 31 (1951) 208)
//   k+ = (1 - e^{-y+/10}) (1 - 0.8 y/h) / sqrt(beta*),   omega: root sum square of wall and log-layer value
// `initial_perturbation` times u_tau adds waves along x and z, free of divergence, which fall off towards the walls.
#pragma once
#include "miniapps/structured/case.hpp"

namespace weir {

double turbulent_channel_velocity(const IncompressibleCase& c, int component, const double (&x)[3]);

struct KOmega {
  double k, omega;
};
KOmega turbulent_channel_k_omega(const IncompressibleCase& c, const double (&x)[3]);

}  // namespace weir
