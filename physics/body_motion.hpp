// Prescribed motions of bodies as functions of time, with their rates.
#pragma once
#include <cmath>
#include <numbers>

namespace weir {

struct ValueAndRate {
  double value, rate;
};

// a sin(2 pi f t + phase)
inline ValueAndRate harmonic(double amplitude, double frequency, double phase, double t) {
  const double omega = 2 * std::numbers::pi * frequency, at = omega * t + phase;
  return {amplitude * std::sin(at), amplitude * omega * std::cos(at)};
}

// A smooth pulse of unit integral on 0 <= tau <= 1, 2 sin^2(pi tau), and its integral tau - sin(2 pi tau) / (2 pi).
// It starts and ends with rate zero. Used for the flow waves of the heart (E, A and systole).
inline ValueAndRate flow_wave(double tau) {
  if (tau <= 0) return {0, 0};
  if (tau >= 1) return {1, 0};
  const double s = std::sin(std::numbers::pi * tau);
  return {tau - std::sin(2 * std::numbers::pi * tau) / (2 * std::numbers::pi), 2 * s * s};
}

// Piece of a spline: the cubic on 0 <= x <= h with values y0, y1 and second derivatives m0, m1 at its ends.
inline ValueAndRate spline_piece(double h, double x, double y0, double y1, double m0, double m1) {
  const double a = (h - x) / h, b = x / h;
  return {a * y0 + b * y1 + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * h * h / 6,
          (y1 - y0) / h + ((3 * b * b - 1) * m1 - (3 * a * a - 1) * m0) * h / 6};
}

}  // namespace weir
