// One pass over the rows for every product. A clamped neighbour pointer is the Neumann ghost; a Dirichlet one adds 2 c
// to the diagonal of the row.
#include "solvers/matrix/constant_stencil.hpp"
#include "solvers/matrix/host_rows.hpp"

namespace weir::constant_host {
namespace {

// What the ends of direction d add to c0 at index i: the clamped pointer stands for a ghost of +x where fold x is meant.
double end_diagonal(const ConstantView& v, int d, int i, int n) {
  if (v.periodic[d]) return 0;
  return v.c[d] * ((i == 0 ? 1 - v.fold[d][0] : 0) + (i == n - 1 ? 1 - v.fold[d][1] : 0));
}

template <bool Residual, bool Dot>
double row_product(const ConstantView& v, double c0, const RowPointers& p, const double* b, double* out) {
  const double* __restrict x = p.x, *S = p.S, *N = p.N, *B = p.B, *T = p.T;
  double* __restrict y = out;
  const int n = v.extents.nx;
  const double cx = v.c[0], cy = v.c[1], cz = v.c[2];
  const auto cell = [=](int i, int w, int e, double diagonal) {
    const double Ax = diagonal * x[i] - cx * (x[w] + x[e]) - cy * (S[i] + N[i]) - cz * (B[i] + T[i]);
    return Residual ? b[i] - Ax : Ax;
  };
  const auto end = [&](int i) {
    const int w = i > 0 ? i - 1 : (v.periodic[0] ? n - 1 : 0), e = i + 1 < n ? i + 1 : (v.periodic[0] ? 0 : i);
    y[i] = cell(i, w, e, c0 + end_diagonal(v, 0, i, n));
    return y[i] * (Residual ? y[i] : x[i]);
  };
  double s = end(0);
#pragma omp simd reduction(+ : s)
  for (int i = 1; i < n - 1; ++i) {
    const double value = cell(i, i - 1, i + 1, c0);
    y[i] = value;
    if (Dot) s += value * (Residual ? value : x[i]);
  }
  if (n > 1) s += end(n - 1);
  return s;
}

template <bool Residual, bool Dot>
double product(const ConstantView& v, const double* b, const double* x, double* y) {
  const Extents e = v.extents;
  const auto row = [&](int j, int k, std::int64_t offset) {
    const double c0 = v.c0 + end_diagonal(v, 1, j, e.ny) + end_diagonal(v, 2, k, e.nz);
    const RowPointers p = row_pointers(e, v.periodic[1], v.periodic[2], x, j, k);
    return row_product<Residual, Dot>(v, c0, p, Residual ? b + offset : nullptr, y + offset);
  };
  if constexpr (Dot) return sum_rows(e, row);
  for_rows(e, row);
  return 0;
}

}  // namespace

void apply(const ConstantView& s, const double* x, double* y) { product<false, false>(s, nullptr, x, y); }
double apply_dot(const ConstantView& s, const double* x, double* y) { return product<false, true>(s, nullptr, x, y); }
void residual(const ConstantView& s, const double* b, const double* x, double* r) { product<true, false>(s, b, x, r); }
double residual_dot(const ConstantView& s, const double* b, const double* x, double* r) {
  return product<true, true>(s, b, x, r);
}

}  // namespace weir::constant_host
