// Operations on double that point functions need besides + - * / and comparison. Other scalars (Dual, the packs of
// solvers/device/pack.hpp) have their own overloads, so one function serves values, derivatives and several faces at
// once. Branches are written as select(): a pack evaluates both sides.
#pragma once
#include <cmath>

#include "solvers/device/space.hpp"

namespace weir {

WEIR_HD inline double square_root(double x) { return std::sqrt(x); }
WEIR_HD inline double absolute(double x) { return std::fabs(x); }
WEIR_HD inline double power(double x, double exponent) { return std::pow(x, exponent); }
WEIR_HD inline double exponential(double x) { return std::exp(x); }
WEIR_HD inline double select(bool which, double yes, double no) { return which ? yes : no; }

WEIR_HD inline bool any_negative(double x) { return x < 0; }

template <class T>
WEIR_HD inline T larger_of(const T& a, const T& b) {
  return select(a < b, b, a);
}
template <class T>
WEIR_HD inline T smaller_of(const T& a, const T& b) {
  return select(b < a, b, a);
}
template <class T>
WEIR_HD inline T square(const T& a) {
  return a * a;
}

}  // namespace weir
