// One pass over the rows for every product. A row of the output is written once; of the input, a row is read from
// memory once and found in cache as the neighbour of four other rows.
#include "solvers/matrix/stencil/separable_rows.hpp"

namespace weir::separable_products {
namespace {

// Row (j, k) of the matrix as product_row wants it.
struct Row {
  const double *mass, *lower, *upper, *diagonal;
  RowPointers p;
  RowCoefficients c;
  static constexpr double low = 0, high = 0;  // the 1D diagonal has the ends in it

  double operator()(int i, double west, double east) const {
    return mass[i] * (c.c0 * p.x[i] - c.cs * p.S[i] - c.cn * p.N[i] - c.cb * p.B[i] - c.ct * p.T[i]) +
           c.cx * (diagonal[i] * p.x[i] - lower[i] * west - upper[i] * east);
  }
};

template <bool Residual, bool Dot>
double product(const StencilView& v, const double* b, const double* x, double* y) {
  const StencilAxis& X = v.X;
  const auto row = [&](int j, int k, std::int64_t offset) {
    const Row r{X.mass,
                X.lower,
                X.upper,
                X.diagonal,
                row_pointers(v.extents(), v.Y.periodic, v.Z.periodic, x, j, k),
                row_coefficients(v, j, k)};
    return product_row<Residual, Dot>(r, X.n, X.periodic, x + offset, Residual ? b + offset : nullptr, y + offset);
  };
  if constexpr (Dot) return sum_rows(v.extents(), row);
  for_rows(v.extents(), row);
  return 0;
}

}  // namespace

void apply(Host, const StencilView& s, const double* x, double* y) { product<false, false>(s, nullptr, x, y); }
double apply_dot(Host, const StencilView& s, const double* x, double* y) {
  return product<false, true>(s, nullptr, x, y);
}
void residual(Host, const StencilView& s, const double* b, const double* x, double* r) {
  product<true, false>(s, b, x, r);
}
double residual_dot(Host, const StencilView& s, const double* b, const double* x, double* r) {
  return product<true, true>(s, b, x, r);
}

}  // namespace weir::separable_products
