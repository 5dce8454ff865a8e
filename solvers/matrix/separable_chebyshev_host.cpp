// The passes of the Chebyshev method on the host: a row at a time, neighbours from cache.
#include "solvers/matrix/separable_rows.hpp"

namespace weir::separable_host {
namespace {

enum class Pass { start, step, square };

// y is read where it is written and nowhere else, so it may hold the iterate before x.
template <Pass pass>
Pair chebyshev_row(const RowCoefficients c, const StencilAxis X, const RowPointers p, const double alpha,
                   const double omega, const double* b, double* __restrict y) {
  const int n = X.n;
  double rr = 0, bb = 0;
  const auto end = [&](int i) {
    const int w = i > 0 ? i - 1 : (X.periodic ? n - 1 : 0), e = i + 1 < n ? i + 1 : (X.periodic ? 0 : i);
    const double r = b[i] - product_at(c, X, p, i, w, e);
    if (pass == Pass::start) y[i] = p.x[i] + omega / X.mass[i] * r;
    if (pass == Pass::step) y[i] = p.x[i] + alpha * (p.x[i] - y[i]) + omega / X.mass[i] * r;
    rr += r * r;
    bb += b[i] * b[i];
  };
  end(0);
  double inner_rr = 0, inner_bb = 0;
#pragma omp simd reduction(+ : inner_rr, inner_bb)
  for (int i = 1; i < n - 1; ++i) {
    const double r = b[i] - product_at(c, X, p, i, i - 1, i + 1);
    if (pass == Pass::start) y[i] = p.x[i] + omega / X.mass[i] * r;
    if (pass == Pass::step) y[i] = p.x[i] + alpha * (p.x[i] - y[i]) + omega / X.mass[i] * r;
    if (pass != Pass::step) inner_rr += r * r;
    if (pass == Pass::start) inner_bb += b[i] * b[i];
  }
  if (n > 1) end(n - 1);
  return {rr + inner_rr, bb + inner_bb};
}

template <Pass pass>
auto chebyshev_rows(const StencilView& v, double alpha, double omega, const double* b, const double* x, double* y) {
  const Extents e = v.extents();
  return [=](int j, int k, std::int64_t offset) {
    const RowPointers p = row_pointers(e, v.Y.periodic, v.Z.periodic, x, j, k);
    return chebyshev_row<pass>(row_coefficients(v, j, k), v.X, p, alpha, omega / (v.Y.mass[j] * v.Z.mass[k]),
                               b + offset, pass == Pass::square ? nullptr : y + offset);
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
