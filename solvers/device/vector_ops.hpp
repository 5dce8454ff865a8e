// Operations on vectors, each one pass over its operands, with the reduction that follows it fused in. Included by .cu
// files only. `static`: nvcc keeps what it needs to call a WEIR_HD lambda on the host in each object separately, so a
// function that contains such a lambda must not be shared by objects (tests/gpu/check_lambdas.py).
#pragma once
#include <cmath>

#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"

namespace weir {

// Of one length in each call, in memory of the space.
using ConstVector = View<const double>;
using Vector = View<double>;

template <class Space>
static double dot(ConstVector x, ConstVector y) {
  return sum<Space>(x.size(), [=] WEIR_HD(int i) { return x[i] * y[i]; });
}
// {x.y, x.z}
template <class Space>
static Pair dot2(ConstVector x, ConstVector y, ConstVector z) {
  return sum2<Space>(x.size(), [=] WEIR_HD(int i) { return Pair{x[i] * y[i], x[i] * z[i]}; });
}
// {x.y, x.x}
template <class Space>
static Pair dot_and_square(ConstVector x, ConstVector y) {
  return sum2<Space>(x.size(), [=] WEIR_HD(int i) { return Pair{x[i] * y[i], x[i] * x[i]}; });
}
template <class Space>
static double max_norm(ConstVector x) {
  return max_abs<Space>(x.size(), [=] WEIR_HD(int i) { return x[i]; });
}
// {sum of x, x.x}
template <class Space>
static Pair sum_and_square(ConstVector x) {
  return sum2<Space>(x.size(), [=] WEIR_HD(int i) { return Pair{x[i], x[i] * x[i]}; });
}
// |x - c|^2
template <class Space>
static double square_about(ConstVector x, double c) {
  return sum<Space>(x.size(), [=] WEIR_HD(int i) { return (x[i] - c) * (x[i] - c); });
}

template <class Space>
static void fill(double value, Vector x) {
  for_each<Space>(x.size(), [=] WEIR_HD(int i) { x[i] = value; });
}
template <class Space>
static void assign(ConstVector x, Vector y) {  // y = x
  for_each<Space>(x.size(), [=] WEIR_HD(int i) { y[i] = x[i]; });
}
// y = x; {sum of x, x.x}
template <class Space>
static Pair assign_sums(ConstVector x, Vector y) {
  return sum2<Space>(x.size(), [=] WEIR_HD(int i) {
    y[i] = x[i];
    return Pair{x[i], x[i] * x[i]};
  });
}
template <class Space>
static void scaled(double a, ConstVector x, Vector y) {  // y = a x
  for_each<Space>(x.size(), [=] WEIR_HD(int i) { y[i] = a * x[i]; });
}
template <class Space>
static void axpy(double a, ConstVector x, Vector y) {  // y += a x
  for_each<Space>(x.size(), [=] WEIR_HD(int i) { y[i] += a * x[i]; });
}
// y += a x; returns y.y
template <class Space>
static double axpy_square(double a, ConstVector x, Vector y) {
  return sum<Space>(x.size(), [=] WEIR_HD(int i) {
    const double v = y[i] + a * x[i];
    y[i] = v;
    return v * v;
  });
}
// x -= c; returns x.x
template <class Space>
static double shift_square(double c, Vector x) {
  return sum<Space>(x.size(), [=] WEIR_HD(int i) {
    const double v = x[i] - c;
    x[i] = v;
    return v * v;
  });
}
template <class Space>
static void shift(double c, Vector x) {  // x -= c
  for_each<Space>(x.size(), [=] WEIR_HD(int i) { x[i] -= c; });
}

}  // namespace weir
