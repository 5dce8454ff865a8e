// One pass over the rows for every product. A row of the output is written once; of the input, a row is read from
// memory once and found in cache as the neighbour of four other rows.
#include "solvers/matrix/host_rows.hpp"
#include "solvers/matrix/separable_stencil.hpp"

namespace weir::separable_host {
namespace {

struct RowCoefficients {
  double c0, cs, cn, cb, ct, cx;
};

RowCoefficients row_coefficients(const StencilView& v, int j, int k) {
  const StencilAxis &Y = v.Y, &Z = v.Z;
  const double my = Y.mass[j], mz = Z.mass[k], s = v.scale;
  return {v.shift * my * mz + s * (mz * Y.diagonal[j] + my * Z.diagonal[k]),
          s * mz * Y.lower[j],
          s * mz * Y.upper[j],
          s * my * Z.lower[k],
          s * my * Z.upper[k],
          s * my * mz};
}

// y = A x on a row, or r = b - A x; returns x.y or r.r of the row where wanted.
template <bool Residual, bool Dot>
double row_product(const RowCoefficients& c, const StencilAxis& X, const RowPointers& p, const double* b, double* out) {
  const double* __restrict x = p.x, *S = p.S, *N = p.N, *B = p.B, *T = p.T;
  const double *mass = X.mass, *lower = X.lower, *upper = X.upper, *diagonal = X.diagonal;
  double* __restrict y = out;
  const int n = X.n;
  const auto cell = [=](int i, int w, int e) {
    const double Ax = mass[i] * (c.c0 * x[i] - c.cs * S[i] - c.cn * N[i] - c.cb * B[i] - c.ct * T[i]) +
                      c.cx * (diagonal[i] * x[i] - lower[i] * x[w] - upper[i] * x[e]);
    return Residual ? b[i] - Ax : Ax;
  };
  const auto end = [=](int i) {
    const int w = i > 0 ? i - 1 : (X.periodic ? n - 1 : 0), e = i + 1 < n ? i + 1 : (X.periodic ? 0 : i);
    y[i] = cell(i, w, e);
    return y[i] * (Residual ? y[i] : x[i]);
  };
  double s = end(0);
#pragma omp simd reduction(+ : s)
  for (int i = 1; i < n - 1; ++i) {
    const double v = cell(i, i - 1, i + 1);
    y[i] = v;
    if (Dot) s += v * (Residual ? v : x[i]);
  }
  if (n > 1) s += end(n - 1);
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
