// Checksum of a list of coordinates that depends on their order. Rounding changes it no more than the coordinates.
#pragma once
#include <cmath>
#include <cstddef>

namespace weir {

// at(i): coordinate of point i of n.
template <class F>
double place_sum(std::size_t n, const F& at) {
  constexpr double golden = 0.6180339887498949;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double turn = golden * static_cast<double>(i + 1);
    sum += (turn - std::floor(turn) - 0.5) * at(i);
  }
  return sum;
}

// size: largest magnitude of the coordinates.
inline bool is_same_place_sum(double a, double b, std::size_t n, double size) {
  return std::abs(a - b) <= 1e-9 * size * std::sqrt(static_cast<double>(n) + 1);
}

}  // namespace weir
