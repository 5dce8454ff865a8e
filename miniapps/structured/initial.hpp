// Initial fields and exact solutions, evaluated on the host and never within a step.
//   taylor_green_2d  u = U + sin X cos Y e^{-2 nu t}, v = V - cos X sin Y e^{-2 nu t}, X = x - U t, Y = y - V t, and
//                    p = (cos 2X + cos 2Y)/4 e^{-4 nu t}: exact on periods of 2 pi, and between slip walls at multiples
//                    of pi where U = V = 0                                                   (Taylor & Green 1937)
//   taylor_green_3d  u = sin x cos y cos z, v = -cos x sin y cos z, w = 0: no exact solution for t > 0
//   poiseuille       u = f/(2 nu) (y - y0)(y1 - y): driven by the body force f along x, walls in y
//   womersley        the same with f cos(omega t): u = f/omega Re{ -i e^{i omega t} [1 - cosh(s y/h) / cosh(s)] },
//                    s = sqrt(i) Wo, Wo = h sqrt(omega/nu), y from the middle, h half the height (Womersley 1955)
//   turbulent_channel  a first guess: walls in y, driven along x by the body force f, so that u_tau^2 = f h, h half the
//                    height; u+ = ln(1 + 0.4 y+)/0.4 + 7.8 (1 - e^{-y+/11} - y+/11 e^{-0.33 y+})  (Reichardt, ZAMM 31
//                    (1951) 208), k+ = (1 - e^{-y+/10}) (1 - 0.8 y/h) / sqrt(beta*), omega: root sum square of wall and
//                    log-layer value; `initial_perturbation` times u_tau adds waves along x and z, free of divergence,
//                    which decay towards the walls
//   formula          formulas of the case file (initial_velocity, exact_velocity)
#pragma once
#include <map>
#include <string>

#include "miniapps/structured/case.hpp"
#include "miniapps/structured/whole/whole_flow.hpp"

namespace weir {

// Velocity component of the given solution at a point and time; `initial` "uniform" and "rest" are constants.
double solution_velocity(const IncompressibleCase& c, Initial kind, int component, const double (&x)[3], double t);

struct KOmega {
  double k, omega;
};
KOmega turbulent_channel_k_omega(const IncompressibleCase& c, const double (&x)[3]);

// Sets every face of the padded field at time 0.
template <class Space>
void set_initial_velocity(const IncompressibleCase& c, Flow<Space>& flow);

// error_velocity_max, error_velocity_l2 (root mean square over the box) and, if the exact pressure is known,
// error_pressure_l2 (without its mean; on staggered grids at its half level time - dt/2). Empty without an exact
// solution.
std::map<std::string, double> solution_errors(const IncompressibleCase& c, const WholeFlow& flow, double time,
                                              double dt);

}  // namespace weir
