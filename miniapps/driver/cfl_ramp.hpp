// A CFL number that follows the residual (Kashi & Nadarajah 2020, section 2):
//   cfl <- clamp(cfl growth ratio^r, least, most),   ratio = |R^n| / |R^{n+1}|,
//   r = exponent_down where the residual has fallen (ratio > 1), otherwise exponent_up
#pragma once
#include <algorithm>
#include <cmath>

namespace weir {

struct CflRamp {
  double exponent_up = 0, exponent_down = 0, least = 0, most = 0, growth = 1;

  double next(double cfl, double ratio) const {
    return std::clamp(cfl * growth * std::pow(ratio, ratio > 1 ? exponent_down : exponent_up), least, most);
  }
};

}  // namespace weir
