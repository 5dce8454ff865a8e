#include "miniapps/incompressible/channel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "physics/k_omega.hpp"

namespace weir {
namespace {

struct Channel {
  double half, y, u_tau, y_plus;  // y: from the nearer wall

  Channel(const IncompressibleCase& c, const double (&x)[3]) {
    const GridLine& line = c.grid.line[1];
    half = 0.5 * line.length();
    y = std::max(0.0, std::min(x[1] - line.faces.front(), line.faces.back() - x[1]));
    u_tau = std::sqrt(std::abs(c.body_force[0] * c.force_modulation.mean) * half);
    y_plus = y * u_tau / c.viscosity;
  }
};

// Of a stream function along z (2D), or of rolls that differ along x: v = a sin(pi Y) cos(X) cos(Z) and its partner in u.
double wave(const IncompressibleCase& c, int component, const double (&x)[3]) {
  double phase[3] = {}, rate[3] = {};
  for (int d = 0; d < c.dim(); ++d) {
    const GridLine& line = c.grid.line[d];
    rate[d] = (d == 1 ? 1 : 2) * std::numbers::pi / line.length();
    phase[d] = rate[d] * (x[d] - line.faces.front());
  }
  const double across = c.dim() == 3 ? std::cos(phase[2]) : 1, s = std::sin(phase[1]);
  if (component == 1) return s * s * std::cos(phase[0]) * across;
  if (component == 0) return -2 * s * std::cos(phase[1]) * rate[1] / rate[0] * std::sin(phase[0]) * across;
  return 0;
}

}  // namespace

double turbulent_channel_velocity(const IncompressibleCase& c, int component, const double (&x)[3]) {
  const Channel at(c, x);
  const double perturbation = c.initial_perturbation * at.u_tau * wave(c, component, x);
  if (component != 0) return perturbation;
  const double y = at.y_plus;
  const double u = std::log(1 + 0.4 * y) / 0.4 + 7.8 * (1 - std::exp(-y / 11) - y / 11 * std::exp(-0.33 * y));
  return std::copysign(at.u_tau, c.body_force[0]) * u + perturbation;
}

KOmega turbulent_channel_k_omega(const IncompressibleCase& c, const double (&x)[3]) {
  const Channel at(c, x);
  const double root = std::sqrt(k_omega::beta_star);
  const double wall = k_omega::omega_near_wall(c.viscosity, at.y), layer = at.u_tau / (root * 0.41 * at.y);
  return {at.u_tau * at.u_tau / root * (1 - std::exp(-at.y_plus / 10)) * (1 - 0.8 * at.y / at.half),
          std::hypot(wall, layer)};
}

}  // namespace weir
