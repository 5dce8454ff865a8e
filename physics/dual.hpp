// Forward-mode differentiation: a value and its derivatives in N directions (Griewank & Walther 2008, chapter 3). T
// is double or a pack of doubles. Comparisons use the values. select takes value and derivatives of one side, which
// is exact away from the corners of a piecewise function.
#pragma once
#include <type_traits>

#include "physics/scalar.hpp"

namespace weir {

template <class T, int N>
struct Dual {
  T v;
  T d[N];

  WEIR_HD Dual() = default;
  WEIR_HD Dual(const T& value) : v(value) {
    for (int k = 0; k < N; ++k) d[k] = T(0.0);
  }
  WEIR_HD static Dual variable(const T& value, int direction) {
    Dual x(value);
    x.d[direction] = T(1.0);
    return x;
  }
};

template <class T, int N>
WEIR_HD inline Dual<T, N> operator+(Dual<T, N> a, const Dual<T, N>& b) {
  a.v = a.v + b.v;
  for (int k = 0; k < N; ++k) a.d[k] = a.d[k] + b.d[k];
  return a;
}
template <class T, int N>
WEIR_HD inline Dual<T, N> operator-(Dual<T, N> a, const Dual<T, N>& b) {
  a.v = a.v - b.v;
  for (int k = 0; k < N; ++k) a.d[k] = a.d[k] - b.d[k];
  return a;
}
template <class T, int N>
WEIR_HD inline Dual<T, N> operator-(Dual<T, N> a) {
  a.v = -a.v;
  for (int k = 0; k < N; ++k) a.d[k] = -a.d[k];
  return a;
}
template <class T, int N>
WEIR_HD inline Dual<T, N> operator*(const Dual<T, N>& a, const Dual<T, N>& b) {
  Dual<T, N> r;
  r.v = a.v * b.v;
  for (int k = 0; k < N; ++k) r.d[k] = a.v * b.d[k] + a.d[k] * b.v;
  return r;
}
template <class T, int N>
WEIR_HD inline Dual<T, N> operator/(const Dual<T, N>& a, const Dual<T, N>& b) {
  Dual<T, N> r;
  const T inverse = 1.0 / b.v;
  r.v = a.v * inverse;
  for (int k = 0; k < N; ++k) r.d[k] = (a.d[k] - r.v * b.d[k]) * inverse;
  return r;
}

// Operations with constants.
template <class T, int N>
WEIR_HD inline Dual<T, N> operator+(Dual<T, N> a, double b) {
  a.v = a.v + b;
  return a;
}
template <class T, int N>
WEIR_HD inline Dual<T, N> operator+(double a, const Dual<T, N>& b) {
  return b + a;
}
template <class T, int N>
WEIR_HD inline Dual<T, N> operator-(const Dual<T, N>& a, double b) {
  return a + -b;
}
template <class T, int N>
WEIR_HD inline Dual<T, N> operator-(double a, const Dual<T, N>& b) {
  return -b + a;
}
template <class T, int N>
WEIR_HD inline Dual<T, N> operator*(Dual<T, N> a, double b) {
  a.v = a.v * b;
  for (int k = 0; k < N; ++k) a.d[k] = a.d[k] * b;
  return a;
}
template <class T, int N>
WEIR_HD inline Dual<T, N> operator*(double a, const Dual<T, N>& b) {
  return b * a;
}
template <class T, int N>
WEIR_HD inline Dual<T, N> operator/(double a, const Dual<T, N>& b) {
  Dual<T, N> r;
  const T inverse = 1.0 / b.v;
  r.v = a * inverse;
  for (int k = 0; k < N; ++k) r.d[k] = -r.v * b.d[k] * inverse;
  return r;
}

// Operations with constants that are packs.
template <class T, int N>
requires(!std::is_same_v<T, double>) WEIR_HD inline Dual<T, N> operator*(Dual<T, N> a, const T& b) {
  a.v = a.v * b;
  for (int k = 0; k < N; ++k) a.d[k] = a.d[k] * b;
  return a;
}

template <class T, int N>
WEIR_HD inline auto operator<(const Dual<T, N>& a, const Dual<T, N>& b) {
  return a.v < b.v;
}
template <class T, int N>
WEIR_HD inline auto operator<(const Dual<T, N>& a, double b) {
  return a.v < b;
}
template <class Mask, class T, int N>
WEIR_HD inline Dual<T, N> select(const Mask& which, const Dual<T, N>& yes, const Dual<T, N>& no) {
  Dual<T, N> r;
  r.v = select(which, yes.v, no.v);
  for (int k = 0; k < N; ++k) r.d[k] = select(which, yes.d[k], no.d[k]);
  return r;
}
template <class T, int N>
WEIR_HD inline bool any_negative(const Dual<T, N>& a) {
  return any_negative(a.v);
}
template <class T, int N>
WEIR_HD inline Dual<T, N> absolute(const Dual<T, N>& a) {
  return select(a.v < 0.0, -a, a);
}
template <class T, int N>
WEIR_HD inline Dual<T, N> square_root(const Dual<T, N>& a) {
  Dual<T, N> r;
  r.v = square_root(a.v);
  const T half = 0.5 / r.v;
  for (int k = 0; k < N; ++k) r.d[k] = half * a.d[k];
  return r;
}
template <class T, int N>
WEIR_HD inline Dual<T, N> power(const Dual<T, N>& a, double exponent) {
  Dual<T, N> r;
  r.v = power(a.v, exponent);
  const T slope = exponent * r.v / a.v;
  for (int k = 0; k < N; ++k) r.d[k] = slope * a.d[k];
  return r;
}
template <class T, int N>
WEIR_HD inline Dual<T, N> exponential(const Dual<T, N>& a) {
  Dual<T, N> r;
  r.v = exponential(a.v);
  for (int k = 0; k < N; ++k) r.d[k] = r.v * a.d[k];
  return r;
}

}  // namespace weir
