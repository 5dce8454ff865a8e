// The products of a matrix on the device, from row(i) = (A x)_i: one thread a row, and the sum that follows it by the fixed
// tree of reduce.hpp. Included by .cu files only.
#pragma once
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"

namespace weir::device_products {

template <class Row>
void apply(int n, const Row row, double* y) {
  for_each<Device>(n, [=] WEIR_HD(int i) { y[i] = row(i); });
}
template <class Row>
double apply_dot(int n, const Row row, const double* x, double* y) {
  return sum<Device>(n, [=] WEIR_HD(int i) {
    const double v = row(i);
    y[i] = v;
    return v * x[i];
  });
}
template <class Row>
Pair apply_dots(int n, const Row row, const double* w, double* y) {
  return sum2<Device>(n, [=] WEIR_HD(int i) {
    const double v = row(i);
    y[i] = v;
    return Pair{v * w[i], v * v};
  });
}
template <class Row>
void residual(int n, const Row row, const double* b, double* r) {
  for_each<Device>(n, [=] WEIR_HD(int i) { r[i] = b[i] - row(i); });
}
template <class Row>
double residual_dot(int n, const Row row, const double* b, double* r) {
  return sum<Device>(n, [=] WEIR_HD(int i) {
    const double v = b[i] - row(i);
    r[i] = v;
    return v * v;
  });
}

}  // namespace weir::device_products
