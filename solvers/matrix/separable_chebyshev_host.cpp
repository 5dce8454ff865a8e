// The passes of the Chebyshev method on the host: a row at a time, neighbours from cache.
#include "solvers/matrix/separable_rows.hpp"

namespace weir::separable_host {
namespace {

enum class Pass { start, step, square };

// y is read where it is written and nowhere else, so it may hold the iterate before x. Everything by value, and the
// loop alone in its function: gcc vectorises it only then.
template <Pass pass>
inline double cell(const RowCoefficients c, const StencilAxis X, const RowPointers p, double alpha, double omega,
                   const double* b, double* y, int i, int w, int e) {
  const double r = b[i] - product_at(c, X, p, i, w, e);
  if (pass == Pass::start) y[i] = p.x[i] + omega * X.inverse_mass[i] * r;
  if (pass == Pass::step) y[i] = p.x[i] + alpha * (p.x[i] - y[i]) + omega * X.inverse_mass[i] * r;
  return r * r;
}

template <Pass pass>
Pair inner_cells(const RowCoefficients c, const StencilAxis X, const RowPointers p, const double alpha,
                 const double omega, const double* b, double* y) {
  double rr = 0, bb = 0;
  const int last = X.n - 1;
#pragma omp simd reduction(+ : rr, bb)
  for (int i = 1; i < last; ++i) {
    const double square = cell<pass>(c, X, p, alpha, omega, b, y, i, i - 1, i + 1);
    if (pass != Pass::step) rr += square;
    if (pass == Pass::start) bb += b[i] * b[i];
  }
  return {rr, bb};
}

template <Pass pass>
Pair chebyshev_row(const RowCoefficients c, const StencilAxis X, const RowPointers p, const double alpha,
                   const double omega, const double* b, double* y) {
  const int last = X.n - 1;
  Pair sums = inner_cells<pass>(c, X, p, alpha, omega, b, y);
  sums.a += cell<pass>(c, X, p, alpha, omega, b, y, 0, X.periodic ? last : 0, last > 0 ? 1 : 0);
  sums.b += b[0] * b[0];
  if (last == 0) return sums;
  sums.a += cell<pass>(c, X, p, alpha, omega, b, y, last, last - 1, X.periodic ? 0 : last);
  sums.b += b[last] * b[last];
  return sums;
}

template <Pass pass>
auto chebyshev_rows(const StencilView& v, double alpha, double omega, const double* b, const double* x, double* y) {
  const Extents e = v.extents();
  return [=](int j, int k, std::int64_t offset) {
    const RowPointers p = row_pointers(e, v.Y.periodic, v.Z.periodic, x, j, k);
    return chebyshev_row<pass>(row_coefficients(v, j, k), v.X, p, alpha,
                               omega * (v.Y.inverse_mass[j] * v.Z.inverse_mass[k]), b + offset,
                               pass == Pass::square ? nullptr : y + offset);
  };
}

}  // namespace

Pair chebyshev_start(const StencilView& s, double omega, const double* b, const double* x, double* y) {
  return sum2_rows(s.extents(), chebyshev_rows<Pass::start>(s, 0, omega, b, x, y));
}
void chebyshev_step(const StencilView& s, double alpha, double omega, const double* b, const double* x, double* y) {
  for_rows(s.extents(), chebyshev_rows<Pass::step>(s, alpha, omega, b, x, y));
}
double residual_square(const StencilView& s, const double* b, const double* x) {
  return sum2_rows(s.extents(), chebyshev_rows<Pass::square>(s, 0, 0, b, x, nullptr)).a;
}

}  // namespace weir::separable_host
