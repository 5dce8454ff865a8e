#include "miniapps/structured/initial.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "miniapps/structured/sides/patch_values.hpp"
#include "physics/k_omega.hpp"

namespace weir {
namespace {

double taylor_green(const IncompressibleCase& c, int component, const double (&x)[3], double t) {
  const double *U = c.initial_velocity, X = x[0] - U[0] * t, Y = x[1] - U[1] * t,
               decay = std::exp(-2 * c.viscosity * t);
  if (component == 0) return U[0] + std::sin(X) * std::cos(Y) * decay;
  if (component == 1) return U[1] - std::cos(X) * std::sin(Y) * decay;
  return U[2];
}

double poiseuille(const IncompressibleCase& c, double y) {
  const GridLine& line = c.grid.line[1];
  return c.body_force[0] * c.force_modulation.mean / (2 * c.viscosity) * (y - line.faces.front()) *
         (line.faces.back() - y);
}

// cosh(a)/cosh(b) overflows for large Womersley numbers: written with decaying exponentials.
double womersley(const IncompressibleCase& c, double y, double t) {
  using Complex = std::complex<double>;
  const GridLine& line = c.grid.line[1];
  const Modulation& f = c.force_modulation;
  const double h = 0.5 * line.length(), omega = f.angular_frequency, eta = (y - line.faces.front()) / h - 1;
  const Complex s = std::sqrt(Complex(0, 1)) * (h * std::sqrt(omega / c.viscosity));
  const Complex ratio = (std::exp(s * (eta - 1)) + std::exp(-s * (eta + 1))) / (1.0 + std::exp(-2.0 * s));
  const Complex wave = Complex(0, -1) * std::exp(Complex(0, omega * t + f.phase)) * (1.0 - ratio);
  return c.body_force[0] * f.amplitude / omega * wave.real();
}

// Profile of the initial flow of a turbulent channel.
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

// Velocity of a stream function along z (2D), or of rolls that vary along x: v = a sin(pi Y) cos(X) cos(Z) and the
// corresponding u.
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

double turbulent_channel_velocity(const IncompressibleCase& c, int component, const double (&x)[3]) {
  const Channel at(c, x);
  const double perturbation = c.initial_perturbation * at.u_tau * wave(c, component, x);
  if (component != 0) return perturbation;
  const double y = at.y_plus;
  const double u = std::log(1 + 0.4 * y) / 0.4 + 7.8 * (1 - std::exp(-y / 11) - y / 11 * std::exp(-0.33 * y));
  return std::copysign(at.u_tau, c.body_force[0]) * u + perturbation;
}

struct Norms {
  double max = 0, square = 0;  // square: integral of the square
};

// Over the faces of a component that lie in the box, weighted by their control volumes (the faces on a side by half).
Norms velocity_error(const IncompressibleCase& c, const WholeFlow& flow, int component, double time) {
  const Layout& l = flow.layout;
  const WholeField u = flow.component(component);
  std::array<std::vector<double>, 3> at;
  for (std::size_t d = 0; d < 3; ++d)
    at[d] = coordinates(c.grid.line[d], l.staggered && component == static_cast<int>(d));
  const auto width = [&](int d, int i) {
    const auto& h = c.grid.line[d].width;
    const auto s = static_cast<std::size_t>(i);
    if (d != component || !l.staggered) return h[s];
    return 0.5 * ((i > 0 ? h[s - 1] : l.periodic[d] ? h.back() : 0) + h[s]);
  };
  Norms e;
  l.for_cells([&](int i, int j, int k) {
    const double x[3] = {at[0][i + 1], at[1][j + 1], at[2][k + 1]};
    const double d = u(i, j, k) - solution_velocity(c, c.exact, component, x, time);
    const double volume = width(0, i) * width(1, j) * width(2, k);
    e.max = std::max(e.max, std::abs(d));
    e.square += volume * d * d;
  });
  return e;
}

double exact_pressure(const IncompressibleCase& c, const double (&x)[3], double t) {
  if (c.exact == Initial::exact_formula) return c.exact_pressure.at(x, t) / c.density;
  const double *U = c.initial_velocity, decay = std::exp(-4 * c.viscosity * t);
  return 0.25 * (std::cos(2 * (x[0] - U[0] * t)) + std::cos(2 * (x[1] - U[1] * t))) * decay;
}

double pressure_error(const IncompressibleCase& c, const WholeFlow& flow, double t) {
  const Layout& l = flow.layout;
  const WholeField p = flow.pressure();
  double mean = 0, square = 0, volume = 0;
  l.for_cells([&](int i, int j, int k) {
    const double x[3] = {c.grid.line[0].centre[i], c.grid.line[1].centre[j], c.grid.line[2].centre[k]};
    const double d = p(i, j, k) - exact_pressure(c, x, t);
    const double v = c.grid.line[0].width[i] * c.grid.line[1].width[j] * c.grid.line[2].width[k];
    mean += v * d;
    square += v * d * d;
    volume += v;
  });
  return std::sqrt(std::max(0.0, square / volume - (mean / volume) * (mean / volume)));
}

}  // namespace

KOmega turbulent_channel_k_omega(const IncompressibleCase& c, const double (&x)[3]) {
  const Channel at(c, x);
  const double root = std::sqrt(k_omega::beta_star);
  const double wall = k_omega::omega_near_wall(c.viscosity, at.y), layer = at.u_tau / (root * 0.41 * at.y);
  return {at.u_tau * at.u_tau / root * (1 - std::exp(-at.y_plus / 10)) * (1 - 0.8 * at.y / at.half),
          std::hypot(wall, layer)};
}

double solution_velocity(const IncompressibleCase& c, Initial kind, int component, const double (&x)[3], double t) {
  switch (kind) {
    case Initial::rest:
      return 0;
    case Initial::uniform:
      return c.initial_velocity[component];
    case Initial::taylor_green_2d:
      return taylor_green(c, component, x, t);
    case Initial::taylor_green_3d:
      if (component == 0) return std::sin(x[0]) * std::cos(x[1]) * std::cos(x[2]);
      return component == 1 ? -std::cos(x[0]) * std::sin(x[1]) * std::cos(x[2]) : 0;
    case Initial::poiseuille:
      return component == 0 ? poiseuille(c, x[1]) : 0;
    case Initial::womersley:
      return component == 0 ? womersley(c, x[1], t) : 0;
    case Initial::turbulent_channel:
      return turbulent_channel_velocity(c, component, x);
    case Initial::formula:
      return c.initial_formula[static_cast<std::size_t>(component)].at(x, 0);
    case Initial::exact_formula:
      return c.exact_velocity[static_cast<std::size_t>(component)].at(x, t);
  }
  return 0;
}

template <class Space>
void set_initial_velocity(const IncompressibleCase& c, Flow<Space>& flow) {
  const Layout& l = flow.layout;
  std::vector<double> values(static_cast<std::size_t>(l.padded_count()));
  for (int component = 0; component < l.dim; ++component) {
    std::array<std::vector<double>, 3> at;
    for (std::size_t d = 0; d < 3; ++d) at[d] = coordinates(c.grid.line[d], component == static_cast<int>(d));
    std::size_t q = 0;
    l.for_padded([&](int i, int j, int k) {
      const double x[3] = {at[0][i + 1 + l.low[0]], at[1][j + 1 + l.low[1]], at[2][k + 1 + l.low[2]]};
      values[q++] = solution_velocity(c, c.initial, component, x, 0);
    });
    flow.velocity[component].upload(values);
  }
}

std::map<std::string, double> solution_errors(const IncompressibleCase& c, const WholeFlow& flow, double time,
                                              double dt) {
  std::map<std::string, double> errors;
  if (!c.has_exact()) return errors;
  Norms all;
  double volume = 1;
  for (const GridLine& line : c.grid.line) volume *= line.length();
  for (int d = 0; d < flow.layout.dim; ++d) {
    const Norms e = velocity_error(c, flow, d, time);
    all.max = std::max(all.max, e.max);
    all.square += e.square;
  }
  errors["error_velocity_max"] = all.max;
  errors["error_velocity_l2"] = std::sqrt(all.square / volume);
  if (c.has_exact_pressure())
    errors["error_pressure_l2"] = pressure_error(c, flow, flow.layout.staggered ? time - dt / 2 : time);
  return errors;
}

template void set_initial_velocity<Host>(const IncompressibleCase&, Flow<Host>&);
template void set_initial_velocity<Device>(const IncompressibleCase&, Flow<Device>&);

}  // namespace weir
