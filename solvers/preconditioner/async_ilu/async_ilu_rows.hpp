// One row of (18) and of algorithm 5 by one thread of either space. What is read of other rows and where results go is
// the Access's business: what the others have stored by now, what a schedule prescribes, or just memory.
//
// A block is formed in registers and stored once, when it is complete. Adding up in place would show other threads
// partial sums, which are not old values of the iteration but no values of it at all: the paper saw much slower
// convergence (end of section 3.3), and the theory of asynchronous iterations does not cover it.
//
// Every multiplication is part of an explicit fma, so that both spaces round alike.
#pragma once
#include <cmath>

#include "solvers/matrix/block/block_small.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu_factors.hpp"

namespace weir::async_ilu {

inline constexpr int largest_block = 8;

// C -= A B
WEIR_HD inline void subtract(int n, double* C, const double* A, const double* B) {
  for (int v = 0; v < n; ++v)
    for (int u = 0; u < n; ++u) {
      double s = C[v * n + u];
      for (int w = 0; w < n; ++w) s = fma(-A[w * n + u], B[v * n + w], s);
      C[v * n + u] = s;
    }
}
// C = A B
WEIR_HD inline void multiply(int n, double* C, const double* A, const double* B) {
  for (int v = 0; v < n; ++v)
    for (int u = 0; u < n; ++u) {
      double s = 0;
      for (int w = 0; w < n; ++w) s = fma(A[w * n + u], B[v * n + w], s);
      C[v * n + u] = s;
    }
}

// d <- d^-1 without pivoting, or to a multiple of the identity where that cannot be done: the modified iteration.
// False where it had to be replaced.
WEIR_HD inline bool invert_or_replace(int n, double* d) {
  double size = 0;
  for (int e = 0; e < n * n; ++e) size = fmax(size, fabs(d[e]));
  bool usable = true;
  for (int r = 0; r < n; ++r) {
    const double pivot = d[r * n + r], inverse = 1 / pivot;
    usable = usable && pivot != 0 && inverse - inverse == 0 && pivot - pivot == 0;
    d[r * n + r] = 1;
    for (int v = 0; v < n; ++v) d[v * n + r] = d[v * n + r] * inverse;
    for (int u = 0; u < n; ++u) {
      if (u == r) continue;
      const double factor = d[r * n + u];
      d[r * n + u] = 0;
      for (int v = 0; v < n; ++v) d[v * n + u] = fma(-factor, d[v * n + r], d[v * n + u]);
    }
  }
  const double one = size > 0 && size - size == 0 ? 1 / size : 1;
  for (int e = 0; e < n * n && !usable; ++e) d[e] = e % (n + 1) == 0 ? one : 0;
  return usable;
}

// A block of A, column by column, scaled where wanted.
WEIR_HD inline void load_entry(const AsyncView& f, std::int64_t source, int i, int j, double* block) {
  const int n = f.n;
  for (int v = 0; v < n; ++v)
    for (int u = 0; u < n; ++u) {
      const double a = f.A[source + u * n + v];
      block[v * n + u] = f.scale ? a * f.scale[i * n + u] * f.scale[j * n + v] : a;
    }
}

// target e of a row = A_ij - sum of products
template <int Cap, class Access>
WEIR_HD void form_target(const AsyncView& f, const Access& at, const Entries& entries, std::int64_t e, int i, int j,
                         double* block) {
  double l[Cap * Cap], u[Cap * Cap];
  load_entry(f, entries.source[e], i, j, block);
  for (std::int64_t p = entries.products[e]; p < entries.products[e + 1]; ++p) {
    at.load_L(f.product[p].lower, l);
    at.load_U(f.product[p].upper, f.lower.column[f.product[p].lower], u);
    subtract(f.n, block, l, u);
  }
}

template <int Cap, class Access>
WEIR_HD void sweep_row(const AsyncView& f, const Access& at, int i) {
  double block[Cap * Cap], inverse[Cap * Cap], product[Cap * Cap];
  for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e) {
    const int j = f.lower.column[e];
    form_target<Cap>(f, at, f.lower, e, i, j, block);
    at.load_inverse(j, inverse);
    multiply(f.n, product, block, inverse);
    at.store_L(e, product);
  }
  form_target<Cap>(f, at, f.diagonal, i, i, i, block);
  f.replaced[i] = invert_or_replace(f.n, block) ? 0 : 1;
  at.store_inverse(i, block);
  for (std::int64_t e = f.upper.start[i]; e < f.upper.start[i + 1]; ++e) {
    form_target<Cap>(f, at, f.upper, e, i, f.upper.column[e], block);
    at.store_U(e, block);
  }
}

// sum = sum - sum_j T_ij x_j
template <int Cap, class Access>
WEIR_HD void subtract_row(const AsyncView& f, const Access& at, const Entries& entries, const double* T, int i,
                          double* sum) {
  const int n = f.n;
  double x[Cap];
  for (std::int64_t e = entries.start[i]; e < entries.start[i + 1]; ++e) {
    at.load_vector(entries.column[e], x);
    for (int v = 0; v < n; ++v)
      for (int u = 0; u < n; ++u) sum[u] = fma(-T[e * n * n + v * n + u], x[v], sum[u]);
  }
}

template <int Cap, class Access>
WEIR_HD void forward_row(const AsyncView& f, const Access& at, int i, const double* r) {
  double sum[Cap];
  for (int u = 0; u < f.n; ++u) sum[u] = f.scale ? r[i * f.n + u] * f.scale[i * f.n + u] : r[i * f.n + u];
  subtract_row<Cap>(f, at, f.lower, f.L, i, sum);
  at.store_vector(i, sum);
}

template <int Cap, class Access>
WEIR_HD void backward_row(const AsyncView& f, const Access& at, int i, const double* y) {
  const int n = f.n;
  double sum[Cap], z[Cap];
  for (int u = 0; u < n; ++u) sum[u] = y[i * n + u];
  subtract_row<Cap>(f, at, f.upper, f.U, i, sum);
  for (int u = 0; u < n; ++u) {
    z[u] = 0;
    for (int v = 0; v < n; ++v) z[u] = fma(f.inverse[(std::int64_t{i} * n + v) * n + u], sum[v], z[u]);
  }
  at.store_vector(i, z);
}

}  // namespace weir::async_ilu
