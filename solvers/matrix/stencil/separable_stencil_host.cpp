// One pass over the rows for every product; each input row is read from memory once.
#include "solvers/matrix/host_rows.hpp"
#include "solvers/matrix/stencil/pass_sweep.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"

namespace weir::separable_products {

// One row of the separable stencil on the host: its neighbours, its coefficients and the product at a cell.

inline RowPointers rows_around(const StencilView& v, const double* x, int j, int k) {
  const Extents e = v.extents();
  RowPointers p = row_pointers(e, v.Y.periodic, v.Z.periodic, x, j, k);
  const PlanesBeyond& beyond = v.beyond;
  const std::int64_t nx = e.nx;
  if (j == 0 && beyond.south) p.S = beyond.south + k * nx;
  if (j + 1 == e.ny && beyond.north) p.N = beyond.north + k * nx;
  if (k == 0 && beyond.below) p.B = beyond.below + j * nx;
  if (k + 1 == e.nz && beyond.above) p.T = beyond.above + j * nx;
  return p;
}

struct RowCoefficients {
  double c0, cs, cn, cb, ct, cx;
};

inline RowCoefficients row_coefficients(const StencilView& v, int j, int k) {
  const StencilAxis &Y = v.Y, &Z = v.Z;
  const double my = Y.mass[j], mz = Z.mass[k], s = v.scale;
  return {v.shift * my * mz + s * (mz * Y.diagonal[j] + my * Z.diagonal[k]),
          s * mz * Y.lower[j],
          s * mz * Y.upper[j],
          s * my * Z.lower[k],
          s * my * Z.upper[k],
          s * my * mz};
}

// A x at cell i, given its neighbours along the row. Arguments by value, otherwise gcc does not vectorise.
inline double product_at(const RowCoefficients c, const StencilAxis X, const RowPointers p, int i, double west,
                         double east) {
  return X.mass[i] * (c.c0 * p.x[i] - c.cs * p.S[i] - c.cn * p.N[i] - c.cb * p.B[i] - c.ct * p.T[i]) +
         c.cx * (X.diagonal[i] * p.x[i] - X.lower[i] * west - X.upper[i] * east);
}

namespace {

struct Row {
  const double *mass, *lower, *upper, *diagonal;
  RowPointers p;
  RowCoefficients c;
  static constexpr double low = 0, high = 0;  // the 1D diagonal includes the ends

  double operator()(int i, double west, double east) const {
    return mass[i] * (c.c0 * p.x[i] - c.cs * p.S[i] - c.cn * p.N[i] - c.cb * p.B[i] - c.ct * p.T[i]) +
           c.cx * (diagonal[i] * p.x[i] - lower[i] * west - upper[i] * east);
  }
};

template <bool Residual, bool Dot>
double product(const StencilView& v, const double* b, const double* x, double* y) {
  const StencilAxis& X = v.X;
  const auto row = [&](int j, int k, std::int64_t offset) {
    const Row r{X.mass, X.lower, X.upper, X.diagonal, rows_around(v, x, j, k), row_coefficients(v, j, k)};
    return product_row<Residual, Dot>(r, X.n, X.periodic, x + offset, Residual ? b + offset : nullptr, y + offset);
  };
  if constexpr (Dot) return sum_rows(v.extents(), row);
  for_rows(v.extents(), row);
  return 0;
}

// Chebyshev passes on the host: row by row with neighbours from cache, several passes per sweep.
enum class Pass { start, step, square };

// y is read only where it is written, so it may hold the iterate before x. Arguments by value and the loop alone in
// its function, otherwise gcc does not vectorise it.
template <Pass pass>
inline double cell(const RowCoefficients c, const StencilAxis X, const RowPointers p, double alpha, double omega,
                   const double* b, double* y, int i, double west, double east) {
  const double r = b[i] - product_at(c, X, p, i, west, east);
  if (pass == Pass::start) y[i] = p.x[i] + omega * X.inverse_mass[i] * r;
  if (pass == Pass::step) y[i] = p.x[i] + alpha * (p.x[i] - y[i]) + omega * X.inverse_mass[i] * r;
  return r * r;
}

// Cells [first, last) of a row; the values beyond them must be readable.
template <Pass pass>
Pair inner_cells(const RowCoefficients c, const StencilAxis X, const RowPointers p, const double alpha,
                 const double omega, const double* b, double* y, const int first, const int last) {
  double rr = 0, bb = 0;
#pragma omp simd reduction(+ : rr, bb)
  for (int i = first; i < last; ++i) {
    const double square = cell<pass>(c, X, p, alpha, omega, b, y, i, p.x[i - 1], p.x[i + 1]);
    if (pass != Pass::step) rr += square;
    if (pass == Pass::start) bb += b[i] * b[i];
  }
  return {rr, bb};
}

// Four cells from `first` on, with neighbours west[0..3] and east[0..3].
constexpr int group = 4;
template <Pass pass>
void end_cells(const RowCoefficients c, const StencilAxis X, const RowPointers p, const double alpha,
               const double omega, const double* b, double* y, const int first, const double* west,
               const double* east) {
#pragma omp simd
  for (int l = 0; l < group; ++l) cell<pass>(c, X, p, alpha, omega, b, y, first + l, west[l], east[l]);
}

// lies_within: the rows before and after this one in memory are readable. Beyond an end of the row the coupling is
// zero, so the value read there is irrelevant and the loop covers the whole row. Otherwise the row is processed in
// groups of four, as in product_row of host_rows.hpp.
template <Pass pass>
Pair chebyshev_row(const RowCoefficients c, const StencilAxis X, const RowPointers p, const double alpha,
                   const double omega, const double* b, double* y, const bool lies_within) {
  const int n = X.n;
  if (lies_within && !X.periodic && n % group == 0) return inner_cells<pass>(c, X, p, alpha, omega, b, y, 0, n);
  const double* x = p.x;
  const double before = X.periodic ? x[n - 1] : x[0], after = X.periodic ? x[0] : x[n - 1];
  Pair sums{0, 0};
  const auto add = [&](Pair more) { sums = {sums.a + more.a, sums.b + more.b}; };
  const auto one = [&](int i) {
    add({cell<pass>(c, X, p, alpha, omega, b, y, i, i > 0 ? x[i - 1] : before, i + 1 < n ? x[i + 1] : after),
         b[i] * b[i]});
  };
  if (pass != Pass::step || n < 2 * group) {  // for short rows, sums by groups cost more than aligned loads save
    one(0);
    if (n == 1) return sums;
    add(inner_cells<pass>(c, X, p, alpha, omega, b, y, 1, n - 1));
    one(n - 1);
    return sums;
  }
  const double west[group] = {before, x[0], x[1], x[2]};
  end_cells<pass>(c, X, p, alpha, omega, b, y, 0, west, x + 1);
  const int whole = n % group == 0 ? n - group : n - n % group;
  inner_cells<pass>(c, X, p, alpha, omega, b, y, group, whole);
  if (n % group == 0) {
    const double east[group] = {x[n - 3], x[n - 2], x[n - 1], after};
    end_cells<pass>(c, X, p, alpha, omega, b, y, whole, x + whole - 1, east);
  } else {
    for (int i = whole; i < n; ++i) one(i);
  }
  return sums;
}

template <Pass pass>
auto chebyshev_rows(const StencilView& v, double alpha, double omega, const double* b, const double* x, double* y) {
  const Extents e = v.extents();
  return [=](int j, int k, std::int64_t offset) {
    const RowPointers p = rows_around(v, x, j, k);
    return chebyshev_row<pass>(row_coefficients(v, j, k), v.X, p, alpha,
                               omega * (v.Y.inverse_mass[j] * v.Z.inverse_mass[k]), b + offset,
                               pass == Pass::square ? nullptr : y + offset, j > 0 && j + 1 < e.ny);
  };
}

}  // namespace

Pair product(Host, const StencilView& s, Product p, const double* b, const double* x, double* y) {
  return with_product(p, [&](auto form) { return Pair{product<is_residual(form), has_sums(form)>(s, b, x, y), 0}; });
}

Pair chebyshev_start(Host, const StencilView& s, double omega, const double* b, const double* x, double* y) {
  return sum2_rows(s.extents(), chebyshev_rows<Pass::start>(s, 0, omega, b, x, y));
}
double chebyshev_steps(Host, const StencilView& s, const ChebyshevSteps& steps, const double* b, double* x, double* y) {
  const Extents e = s.extents();
  const int rows = e.ny * e.nz;
  double* part = steps.residual ? detail::reduction_scratch(rows) : nullptr;
  const PassSweep sweep(e, (e.ny > 1 && s.Y.periodic) || (e.nz > 1 && s.Z.periodic), 3 * sizeof(double));
  sweep(steps.count + (steps.residual ? 1 : 0), [=, &steps](int p, int j, int k) {
    const double* from = p % 2 == 0 ? x : y;
    const std::int64_t q = static_cast<std::int64_t>(k) * e.ny + j;
    if (p < steps.count)
      chebyshev_rows<Pass::step>(s, steps.alpha[p], steps.omega[p], b, from, p % 2 == 0 ? y : x)(j, k, q * e.nx);
    else
      part[q] = chebyshev_rows<Pass::square>(s, 0, 0, b, from, nullptr)(j, k, q * e.nx).a;
  });
  return steps.residual ? detail::tree_sum(part, rows) : 0;
}

}  // namespace weir::separable_products
