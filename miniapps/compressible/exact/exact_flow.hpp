// Initial states and exact solutions, evaluated on the host; during a run only for moving outside states.
//   freestream         the uniform stream
//   isentropic_vortex  du = -b y e^{(1 - r^2)/2}, dv = b x e^{(1 - r^2)/2}, b = strength / (2 pi),
//                      T = 1 - (gamma - 1) M^2 b^2 / 2 e^{1 - r^2}, p / rho^gamma constant, advected by the stream
//                      (Shu, NASA/CR-97-206253, section 5.1, in units of the free stream)
//   sod                rho, u, p = 1, 0, 1 left of `centre`, 0.125, 0, 0.1 right of it; mach = 1 / sqrt(gamma) makes
//                      the unit of pressure one (Sod, J. Comput. Phys. 27 (1978) 1; exact: Toro, chapter 4)
//   ringleb            the hodograph solution of Ringleb (1940); mach = 1: units of the stagnation state
//   riemann            states `left` and `right` of `centre` (riemann.hpp)
//   formula            formulas of x, y, t in the case file
//   oblique_shock      the stream of Mach number `mach` deflected by `wedge_angle` at `centre` (theta-beta-M relation)
#pragma once
#include <array>

#include "inputs/formula.hpp"
#include "miniapps/compressible/exact/riemann.hpp"

namespace weir {

enum class FlowKind { freestream, isentropic_vortex, sod, ringleb, oblique_shock, riemann, formula };

struct ExactFlow {
  FlowKind kind = FlowKind::freestream;
  double gamma = 1.4, mach = 0.5;
  double direction[2] = {1, 0};
  double strength = 5;  // strength of the vortex, relative to the speed of the stream
  double centre[2] = {0, 0};
  PrimitiveState left = {1, 0, 0, 1}, right = {0.125, 0, 0, 0.1};  // for riemann; default: Sod's
  double period[2] = {0, 0};                                       // lengths of a periodic box; 0: none
  double wedge_angle = 0;                                          // radians
  double shock_angle = 0;                                          // radians; set by prepare()
  std::array<Formula, 4> formula{};                                // density, velocity, pressure

  void prepare();  // call after setting the members above
  PrimitiveState at(double x, double y, double t) const;
};

// Weak solution of tan(theta) = 2 cot(beta) (M^2 sin^2 beta - 1) / (M^2 (gamma + cos 2 beta) + 2); 0: detached.
double weak_shock_angle(double mach, double wedge_angle, double gamma);

std::array<double, 4> to_conserved(const PrimitiveState& s, double gamma);
PrimitiveState to_primitive(const std::array<double, 4>& U, double gamma);

}  // namespace weir
