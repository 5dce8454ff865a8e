// One pass over the rows for every product. A row of the output is written once; of the input, a row is read from
// memory once and found in cache as the neighbour of four other rows.
#include "solvers/matrix/separable_rows.hpp"

namespace weir::separable_host {
namespace {

// y = A x on a row, or r = b - A x; returns x.y or r.r of the row where wanted.
template <bool Residual, bool Dot>
double row_product(const RowCoefficients c, const StencilAxis X, const RowPointers p, const double* b,
                   double* __restrict y) {
  const int n = X.n;
  double s = 0;
  const auto end = [&](int i) {
    const int w = i > 0 ? i - 1 : (X.periodic ? n - 1 : 0), e = i + 1 < n ? i + 1 : (X.periodic ? 0 : i);
    const double Ax = product_at(c, X, p, i, w, e);
    y[i] = Residual ? b[i] - Ax : Ax;
    if (Dot) s += y[i] * (Residual ? y[i] : p.x[i]);
  };
  end(0);
  double inner = 0;
#pragma omp simd reduction(+ : inner)
  for (int i = 1; i < n - 1; ++i) {
    const double Ax = product_at(c, X, p, i, i - 1, i + 1), v = Residual ? b[i] - Ax : Ax;
    y[i] = v;
    if (Dot) inner += v * (Residual ? v : p.x[i]);
  }
  s += inner;
  if (n > 1) end(n - 1);
  return s;
}

template <bool Residual, bool Dot>
double product(const StencilView& v, const double* b, const double* x, double* y) {
  const Extents e = v.extents();
  const auto row = [&](int j, int k, std::int64_t offset) {
    const RowPointers p = row_pointers(e, v.Y.periodic, v.Z.periodic, x, j, k);
    return row_product<Residual, Dot>(row_coefficients(v, j, k), v.X, p, Residual ? b + offset : nullptr, y + offset);
  };
  if constexpr (Dot) return sum_rows(e, row);
  for_rows(e, row);
  return 0;
}

}  // namespace

void apply(const StencilView& s, const double* x, double* y) { product<false, false>(s, nullptr, x, y); }
double apply_dot(const StencilView& s, const double* x, double* y) { return product<false, true>(s, nullptr, x, y); }
void residual(const StencilView& s, const double* b, const double* x, double* r) { product<true, false>(s, b, x, r); }
double residual_dot(const StencilView& s, const double* b, const double* x, double* r) {
  return product<true, true>(s, b, x, r);
}

}  // namespace weir::separable_host
