#include "miniapps/compressible/exact/riemann.hpp"

#include <cmath>

#include "miniapps/compressible/exact/bisect.hpp"

namespace weir {
namespace {

double sound(const PrimitiveState& s, double gamma) { return std::sqrt(gamma * s[3] / s[0]); }

// Velocity jump across the wave between state K and the star region, f_K of (4.6).
double jump(const PrimitiveState& s, double gamma, double star) {
  const double p = s[3], A = 2 / ((gamma + 1) * s[0]), B = (gamma - 1) / (gamma + 1) * p;
  if (star > p) return (star - p) * std::sqrt(A / (star + B));
  return 2 * sound(s, gamma) / (gamma - 1) * (std::pow(star / p, (gamma - 1) / (2 * gamma)) - 1);
}

// Left of the contact: the left state, its wave, the star region.
PrimitiveState left_side(const PrimitiveState& s, const StarRegion& star, double gamma, double speed) {
  const double g = gamma, ratio = (g - 1) / (g + 1), c = sound(s, g), rise = star.p / s[3];
  if (star.p > s[3]) {
    const double shock = s[1] - c * std::sqrt((g + 1) / (2 * g) * rise + (g - 1) / (2 * g));
    if (speed < shock) return s;
    return {s[0] * (rise + ratio) / (ratio * rise + 1), star.u, s[2], star.p};
  }
  if (speed < s[1] - c) return s;
  if (speed < star.u - c * std::pow(rise, (g - 1) / (2 * g))) {  // inside the fan
    const double there = 2 / (g + 1) * c + ratio * (s[1] - speed);
    return {s[0] * std::pow(there / c, 2 / (g - 1)), 2 / (g + 1) * (c + 0.5 * (g - 1) * s[1] + speed), s[2],
            s[3] * std::pow(there / c, 2 * g / (g - 1))};
  }
  return {s[0] * std::pow(rise, 1 / g), star.u, s[2], star.p};
}

PrimitiveState mirrored(PrimitiveState s) {
  s[1] = -s[1];
  return s;
}

}  // namespace

bool makes_vacuum(const PrimitiveState& left, const PrimitiveState& right, double gamma) {
  return 2 / (gamma - 1) * (sound(left, gamma) + sound(right, gamma)) <= right[1] - left[1];
}

StarRegion star_region(const PrimitiveState& left, const PrimitiveState& right, double gamma) {
  const auto is_below = [&](double p) { return jump(left, gamma, p) + jump(right, gamma, p) + right[1] - left[1] < 0; };
  double high = left[3] > right[3] ? left[3] : right[3];
  while (is_below(high)) high *= 2;
  const double p = bisect(0, high, 100, is_below);
  return {p, 0.5 * (left[1] + right[1] + jump(right, gamma, p) - jump(left, gamma, p))};
}

PrimitiveState riemann_solution(const PrimitiveState& left, const PrimitiveState& right, double gamma, double speed) {
  const StarRegion star = star_region(left, right, gamma);
  if (speed < star.u) return left_side(left, star, gamma, speed);
  return mirrored(left_side(mirrored(right), {star.p, -star.u}, gamma, -speed));
}

}  // namespace weir
