// Exact solution of the Riemann problem of the ideal gas: Toro, Riemann Solvers and Numerical Methods for Fluid
// Dynamics (3rd edition, 2009), chapter 4.
#pragma once
#include <array>

namespace weir {

using PrimitiveState = std::array<double, 4>;  // rho, u, v, p

// Whether a vacuum forms between the two sides (4.40); riemann_solution is not valid then.
bool makes_vacuum(const PrimitiveState& left, const PrimitiveState& right, double gamma);

struct StarRegion {
  double p, u;
};
StarRegion star_region(const PrimitiveState& left, const PrimitiveState& right, double gamma);

// State along the ray x / t = speed.
PrimitiveState riemann_solution(const PrimitiveState& left, const PrimitiveState& right, double gamma, double speed);

}  // namespace weir
