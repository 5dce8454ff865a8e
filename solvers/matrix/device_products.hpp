// Device products from row(i) = (A x)_i: one thread per row, sums by reduce.hpp. Included by .cu files only.
#pragma once
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/fused_products.hpp"

namespace weir {

template <class Row>
static Pair device_product(Product p, int n, const Row row, const double* b, const double* x, double* y) {
  switch (p) {
    case Product::apply:
      for_each<Device>(n, [=] WEIR_HD(int i) { y[i] = row(i); });
      return {};
    case Product::apply_dot:
      return {sum<Device>(n,
                          [=] WEIR_HD(int i) {
                            const double v = row(i);
                            y[i] = v;
                            return v * x[i];
                          }),
              0};
    case Product::apply_dots:
      return sum2<Device>(n, [=] WEIR_HD(int i) {
        const double v = row(i);
        y[i] = v;
        return Pair{v * b[i], v * v};
      });
    case Product::residual:
      for_each<Device>(n, [=] WEIR_HD(int i) { y[i] = b[i] - row(i); });
      return {};
    default:
      return {sum<Device>(n,
                          [=] WEIR_HD(int i) {
                            const double v = b[i] - row(i);
                            y[i] = v;
                            return v * v;
                          }),
              0};
  }
}

}  // namespace weir
