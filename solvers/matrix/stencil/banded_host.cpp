// Products of Banded on the host: one pass over the grid rows, threads over rows, vectors along a row. Rows beyond
// the grid are read from a row of zeros. Remainder rows are added while their grid row is in cache.
#include "solvers/matrix/host_rows.hpp"
#include "solvers/matrix/stencil/banded.hpp"

namespace weir::banded_products {
namespace {

// Grid row (j, k): its seven bands and their factors. W and E are offsets in the row itself.
struct BandRow {
  const double *B, *S, *W, *D, *E, *N, *T;
  const double *xB, *xS, *x, *xN, *xT;
  double before, after;  // x beyond the ends of the row

  double operator()(int i, double west, double east) const {
    return ((B[i] * xB[i] + S[i] * xS[i]) + (W[i] * west + E[i] * east)) +
           (D[i] * x[i] + (N[i] * xN[i] + T[i] * xT[i]));
  }
};

BandRow band_row(const BandedView& A, const double* x, int j, int k) {
  const BlockStencilView& S = A.bands;
  const int row = S.cells.index(0, j, k), last = S.cells.nx - 1;
  BandRow r;
  r.x = x + row;
  // beyond: the plane of other ranks on that side, `at` its row.
  const auto across = [&](int s, const double* beyond, int at, const double*& band, const double*& to_row) {
    band = to_row = A.zeros;
    const bool stored = s >= S.first && s < S.first + S.slots;
    const int to = stored ? S.neighbour(row, s) : -1;
    if (to >= 0) {
      band = A.upper_only && s < slot::delta ? S.slot_blocks(6 - s) + to : S.slot_blocks(s) + row;
      to_row = x + to;
    } else if (beyond) {
      band = S.slot_blocks(s) + row;
      to_row = beyond + std::int64_t{at} * S.cells.nx;
    }
  };
  across(slot::alpha, A.beyond.below, j, r.B, r.xB);
  across(slot::beta, A.beyond.south, k, r.S, r.xS);
  across(slot::zeta, A.beyond.north, k, r.N, r.xN);
  across(slot::eta, A.beyond.above, j, r.T, r.xT);
  r.D = S.slot_blocks(slot::delta) + row;
  r.E = S.slot_blocks(slot::epsilon) + row;
  r.W = A.upper_only && !S.periodic.x ? r.E - 1 : S.slot_blocks(slot::gamma) + row;
  const bool wraps = S.periodic.x && last > 0;
  r.before = wraps ? r.x[last] : 0;
  r.after = wraps ? r.x[0] : 0;
  return r;
}

// b: the right-hand side of a residual, or w of apply_dots.
template <Product form>
Pair row_product(const BandRow& r, int n, const double* b, double* __restrict y) {
  double a = 0, c = 0;
  const auto one = [&](int i) {
    const double Ax = r(i, i > 0 ? r.x[i - 1] : r.before, i + 1 < n ? r.x[i + 1] : r.after);
    const double v = is_residual(form) ? b[i] - Ax : Ax;
    y[i] = v;
    if constexpr (form == Product::apply_dot) a += v * r.x[i];
    if constexpr (form == Product::apply_dots) a += v * b[i], c += v * v;
    if constexpr (form == Product::residual_dot) a += v * v;
  };
  one(0);
  double inner_a = 0, inner_c = 0;
  const BandRow q = r;
#pragma omp simd reduction(+ : inner_a, inner_c)
  for (int i = 1; i < n - 1; ++i) {
    const double Ax = q(i, q.x[i - 1], q.x[i + 1]);
    const double v = is_residual(form) ? b[i] - Ax : Ax;
    y[i] = v;
    if constexpr (form == Product::apply_dot) inner_a += v * q.x[i];
    if constexpr (form == Product::apply_dots) inner_a += v * b[i], inner_c += v * v;
    if constexpr (form == Product::residual_dot) inner_a += v * v;
  }
  if (n > 1) one(n - 1);
  return {a + inner_a, c + inner_c};
}

// Adds (or subtracts) the remainder of grid row g to y; x and y are whole vectors.
void add_remainder(const RemainderView& R, int g, double factor, const double* x, int cells, double* y) {
  for (int q = R.first[g]; q < R.first[g + 1]; ++q) {
    double s = 0;
    for (int e = R.start[q]; e < R.start[q + 1]; ++e) {
      const int c = R.column[e];
      s += R.value[e] * (R.beyond && c >= cells ? R.beyond[c - cells] : x[c]);
    }
    y[R.row[q]] += factor * s;
  }
}

template <Product form>
Pair dots_of(int n, const double* x, const double* w, const double* y) {
  double a = 0, c = 0;
#pragma omp simd reduction(+ : a, c)
  for (int i = 0; i < n; ++i) {
    if constexpr (form == Product::apply_dot) a += y[i] * x[i];
    if constexpr (form == Product::apply_dots) a += y[i] * w[i], c += y[i] * y[i];
    if constexpr (form == Product::residual_dot) a += y[i] * y[i];
  }
  return {a, c};
}

template <Product form>
Pair product(const BandedView& A, const double* b, const double* x, double* y) {
  constexpr Product plain = is_residual(form) ? Product::residual : Product::apply;
  const Extents e = A.bands.cells;
  const RemainderView R = A.remainder;
  const auto row = [&](int j, int k, std::int64_t offset) {
    const BandRow r = band_row(A, x, j, k);
    const int g = k * e.ny + j;
    if (R.rows == 0 || R.first[g] == R.first[g + 1])
      return row_product<form>(r, e.nx, b ? b + offset : nullptr, y + offset);
    row_product<plain>(r, e.nx, b ? b + offset : nullptr, y + offset);
    add_remainder(R, g, is_residual(form) ? -1 : 1, x, e.count(), y);
    return dots_of<form>(e.nx, x + offset, b ? b + offset : nullptr, y + offset);
  };
  if constexpr (form == plain) {
    for_rows(e, row);
    return {};
  } else {
    return sum2_rows(e, row);
  }
}

}  // namespace

Pair product(Host, const BandedView& A, Product p, const double* b, const double* x, double* y) {
  return with_product(p, [&](auto form) { return product<form>(A, b, x, y); });
}

}  // namespace weir::banded_products
