// Device products from row(i) = (A x)_i: one thread per row, sums by reduce.hpp. Included by .cu files only.
#pragma once
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/fused_products.hpp"

namespace weir {

struct RowPass {
  int n;
  template <class F>
  void all(const F& f) const {
    for_each<Device>(n, f);
  }
  template <class T, class F>
  T sum(const F& f) const {
    return sum_as<T, Device>(n, f);
  }
};

template <Product p, class Row>
static Pair device_product_of(int n, const Row row, const double* b, const double* x, double* y) {
  const StoreRow<p> store{b, x, y};
  return run_product<p>(RowPass{n}, [=] WEIR_HD(int i) { return store(i, row(i)); });
}
template <class Row>
static Pair device_product(Product p, int n, const Row row, const double* b, const double* x, double* y) {
  return with_product(p, [&](auto kind) { return device_product_of<kind.value>(n, row, b, x, y); });
}

}  // namespace weir
