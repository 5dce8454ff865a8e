#include "miniapps/compressible/exact/exact_flow.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "miniapps/compressible/exact/bisect.hpp"

namespace weir {
namespace {

constexpr double pi = std::numbers::pi;

// The smallest distance among the images of a periodic box.
double nearest_image(double distance, double period) {
  return period > 0 ? distance - period * std::round(distance / period) : distance;
}

PrimitiveState vortex(const ExactFlow& f, double x, double y, double t) {
  const double dx = nearest_image(x - f.centre[0] - f.direction[0] * t, f.period[0]);
  const double dy = nearest_image(y - f.centre[1] - f.direction[1] * t, f.period[1]);
  const double b = f.strength / (2 * pi), e = std::exp(0.5 * (1 - dx * dx - dy * dy));
  const double T = 1 - 0.5 * (f.gamma - 1) * f.mach * f.mach * b * b * e * e;
  const double rho = std::pow(T, 1 / (f.gamma - 1));
  return {rho, f.direction[0] - b * dy * e, f.direction[1] + b * dx * e, rho * T / (f.gamma * f.mach * f.mach)};
}

// Speed q and streamline k at a point. All points with the same speed are on a circle:
//   (x + J/2)^2 + y^2 = 1 / (4 rho^2 q^4)
PrimitiveState ringleb(const ExactFlow& f, double x, double y) {
  const double g = f.gamma;
  struct Speed {
    double rho, a, J;
  };
  const auto of = [g](double q) {
    const double a = std::sqrt(1 - 0.5 * (g - 1) * q * q);
    const double J = 1 / a + 1 / (3 * a * a * a) + 1 / (5 * std::pow(a, 5)) - 0.5 * std::log((1 + a) / (1 - a));
    return Speed{std::pow(a, 2 / (g - 1)), a, J};
  };
  const auto outside = [&](double q) {  // positive: the point is outside the circle of speed q
    const Speed s = of(q);
    const double centre = x + 0.5 * s.J, radius = 1 / (2 * s.rho * q * q);
    return centre * centre + y * y - radius * radius;
  };
  // The circles of small speeds enclose the whole field.
  const double q = bisect(0.05, 2, 100, [&](double speed) { return outside(speed) < 0; });
  const Speed s = of(q);
  const double sine2 = std::clamp(0.5 * (1 + 2 * s.rho * q * q * (x + 0.5 * s.J)), 0.0, 1.0);  // (q / k)^2
  const double sine = std::sqrt(sine2), cosine = std::sqrt(1 - sine2);
  return {s.rho, y >= 0 ? q * cosine : -q * cosine, -q * sine, s.rho * s.a * s.a / g};
}

// The stream downstream of the shock that starts at `centre`.
PrimitiveState oblique_shock(const ExactFlow& f, double x, double y) {
  const double g = f.gamma, p = 1 / (g * f.mach * f.mach);
  const double dx = x - f.centre[0], dy = y - f.centre[1];
  if (dx <= 0 || dy > dx * std::tan(f.shock_angle)) return {1, 1, 0, p};
  const double normal = f.mach * std::sin(f.shock_angle), n2 = normal * normal;
  const double rho = (g + 1) * n2 / ((g - 1) * n2 + 2);
  const double p2 = p * (1 + 2 * g / (g + 1) * (n2 - 1));
  // the tangential component is unchanged
  const double speed = std::cos(f.shock_angle) / std::cos(f.shock_angle - f.wedge_angle);
  return {rho, speed * std::cos(f.wedge_angle), speed * std::sin(f.wedge_angle), p2};
}

}  // namespace

double weak_shock_angle(double mach, double wedge_angle, double gamma) {
  const auto turn = [&](double beta) {
    const double s = mach * std::sin(beta);
    return std::atan(2 / std::tan(beta) * (s * s - 1) / (mach * mach * (gamma + std::cos(2 * beta)) + 2));
  };
  double low = std::asin(1 / mach), high = low;  // the deflection grows from zero at the Mach angle to its maximum
  while (high < 0.5 * pi && turn(high) < wedge_angle) high += 1e-3;
  if (high >= 0.5 * pi) return 0;
  return bisect(low, high, 60, [&](double beta) { return turn(beta) < wedge_angle; });
}

void ExactFlow::prepare() {
  if (kind == FlowKind::oblique_shock) shock_angle = weak_shock_angle(mach, wedge_angle, gamma);
}

PrimitiveState ExactFlow::at(double x, double y, double t) const {
  switch (kind) {
    case FlowKind::isentropic_vortex:
      return vortex(*this, x, y, t);
    case FlowKind::sod:
    case FlowKind::riemann: {
      const double along = x - centre[0];
      if (t <= 0) return along < 0 ? left : right;
      return riemann_solution(left, right, gamma, along / t);
    }
    case FlowKind::ringleb:
      return ringleb(*this, x, y);
    case FlowKind::oblique_shock:
      return oblique_shock(*this, x, y);
    case FlowKind::formula: {
      const double place[3] = {x, y, 0};
      return {formula[0].at(place, t), formula[1].at(place, t), formula[2].at(place, t), formula[3].at(place, t)};
    }
    case FlowKind::freestream:
      break;
  }
  return {1, direction[0], direction[1], 1 / (gamma * mach * mach)};
}

std::array<double, 4> to_conserved(const PrimitiveState& s, double gamma) {
  return {s[0], s[0] * s[1], s[0] * s[2], s[3] / (gamma - 1) + 0.5 * s[0] * (s[1] * s[1] + s[2] * s[2])};
}

PrimitiveState to_primitive(const std::array<double, 4>& U, double gamma) {
  const double u = U[1] / U[0], v = U[2] / U[0];
  return {U[0], u, v, (gamma - 1) * (U[3] - 0.5 * (U[1] * u + U[2] * v))};
}

}  // namespace weir
