// The initial guess, the symmetric scaling, and what is measured of the factors, in either space.
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu_rows.hpp"

namespace weir::async_ilu {
namespace {

// Memory that nobody writes meanwhile; stores add up |stored - new| instead.
struct Compare {
  const double *L, *U, *inverse;
  int n;
  double* sum;

  WEIR_HD void copy(const double* from, double* to) const {
    for (int e = 0; e < n * n; ++e) to[e] = from[e];
  }
  WEIR_HD void compare(const double* stored, const double* fresh) const {
    for (int e = 0; e < n * n; ++e) *sum += fabs(stored[e] - fresh[e]);
  }
  WEIR_HD void load_L(std::int64_t e, double* block) const { copy(L + e * n * n, block); }
  WEIR_HD void load_U(std::int64_t e, int, double* block) const { copy(U + e * n * n, block); }
  WEIR_HD void load_inverse(std::int64_t j, double* block) const { copy(inverse + j * n * n, block); }
};

// |x - g(x)|_1 over the entries of row i. U_ii is stored inverted: it is inverted once more.
template <int Cap>
WEIR_HD double residual_of_row(const AsyncView& f, int i) {
  double sum = 0, block[Cap * Cap], other[Cap * Cap], product[Cap * Cap];
  const int nn = f.n * f.n;
  const Compare at{f.L, f.U, f.inverse, f.n, &sum};
  for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e) {
    form_target<Cap>(f, at, f.lower, e, i, f.lower.column[e], block);
    at.load_inverse(f.lower.column[e], other);
    multiply(f.n, product, block, other);
    at.compare(f.L + e * nn, product);
  }
  form_target<Cap>(f, at, f.diagonal, i, i, i, block);
  at.load_inverse(i, other);
  invert_or_replace(f.n, other);
  at.compare(other, block);
  for (std::int64_t e = f.upper.start[i]; e < f.upper.start[i + 1]; ++e) {
    form_target<Cap>(f, at, f.upper, e, i, f.upper.column[e], block);
    at.compare(f.U + e * nn, block);
  }
  return sum;
}

WEIR_HD inline void guess_row(const AsyncView& f, int i) {
  const int nn = f.n * f.n;
  for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e)
    load_entry(f, f.lower.source[e], i, f.lower.column[e], f.L + e * nn);
  double* d = f.inverse + std::int64_t{i} * nn;
  load_entry(f, f.diagonal.source[i], i, i, d);
  invert_or_replace(f.n, d);
  for (std::int64_t e = f.upper.start[i]; e < f.upper.start[i + 1]; ++e)
    load_entry(f, f.upper.source[e], i, f.upper.column[e], f.U + e * nn);
}

// Of unknown u of row i: sum over the row of |T_ij|, or of |U_ii^-1 T_ij|.
WEIR_HD inline double row_sum(const AsyncView& f, const Entries& entries, const double* T, const double* inverse, int i,
                              int u) {
  const int n = f.n, nn = n * n;
  double sum = 0;
  for (std::int64_t e = entries.start[i]; e < entries.start[i + 1]; ++e)
    for (int v = 0; v < n; ++v) {
      double t = 0;
      if (inverse)
        for (int w = 0; w < n; ++w) t = fma(inverse[std::int64_t{i} * nn + w * n + u], T[e * nn + v * n + w], t);
      else
        t = T[e * nn + v * n + u];
      sum += fabs(t);
    }
  return sum;
}

}  // namespace

template <class Space>
void guess(const AsyncView& f) {
  for_each<Space>(f.rows, [=] WEIR_HD(int i) { guess_row(f, i); });
}

template <class Space>
void copy_blocks(const double* from, double* to, std::int64_t count) {
  for_each<Space>(static_cast<int>(count), [=] WEIR_HD(int e) { to[e] = from[e]; });
}
template <class Space>
void copy_factors(const AsyncView& from, const AsyncView& to, std::int64_t lowers, std::int64_t uppers) {
  const std::int64_t nn = std::int64_t{from.n} * from.n;
  copy_blocks<Space>(from.L, to.L, lowers * nn);
  copy_blocks<Space>(from.U, to.U, uppers * nn);
  copy_blocks<Space>(from.inverse, to.inverse, from.rows * nn);
}

// s_i = |a_ii|^-1/2; 1 where a_ii is 0.
template <class Space>
void find_scale(const AsyncView& f, double* scale) {
  for_each<Space>(f.rows * f.n, [=] WEIR_HD(int q) {
    const int i = q / f.n, u = q % f.n;
    const double a = fabs(f.A[f.diagonal.source[i] + u * f.n + u]);
    scale[q] = a > 0 ? 1 / sqrt(a) : 1;
  });
}

template <class Space>
double fixed_point_residual(const AsyncView& f) {
  return sum<Space>(f.rows, [=] WEIR_HD(int i) {
    return f.n == 1 ? residual_of_row<1>(f, i) : residual_of_row<largest_block>(f, i);
  });
}

template <class Space>
double dominance_of_L(const AsyncView& f) {
  return max_abs<Space>(f.rows * f.n,
                        [=] WEIR_HD(int q) { return row_sum(f, f.lower, f.L, nullptr, q / f.n, q % f.n); });
}
template <class Space>
double dominance_of_U(const AsyncView& f) {
  return max_abs<Space>(f.rows * f.n,
                        [=] WEIR_HD(int q) { return row_sum(f, f.upper, f.U, f.inverse, q / f.n, q % f.n); });
}

template <class Space>
void measure_rows(const AsyncView& f, double* fixed_point, double* dominance_L, double* dominance_U) {
  for_each<Space>(f.rows, [=] WEIR_HD(int i) {
    fixed_point[i] = f.n == 1 ? residual_of_row<1>(f, i) : residual_of_row<largest_block>(f, i);
    double L = 0, U = 0;
    for (int u = 0; u < f.n; ++u) {
      L = fmax(L, row_sum(f, f.lower, f.L, nullptr, i, u));
      U = fmax(U, row_sum(f, f.upper, f.U, f.inverse, i, u));
    }
    dominance_L[i] = L;
    dominance_U[i] = U;
  });
}

template <class Space>
int count_replaced(const AsyncView& f) {
  return static_cast<int>(sum<Space>(f.rows, [=] WEIR_HD(int i) { return static_cast<double>(f.replaced[i]); }));
}

template void guess<Host>(const AsyncView&);
template void guess<Device>(const AsyncView&);
template void copy_factors<Host>(const AsyncView&, const AsyncView&, std::int64_t, std::int64_t);
template void copy_factors<Device>(const AsyncView&, const AsyncView&, std::int64_t, std::int64_t);
template void find_scale<Host>(const AsyncView&, double*);
template void find_scale<Device>(const AsyncView&, double*);
template double fixed_point_residual<Host>(const AsyncView&);
template double fixed_point_residual<Device>(const AsyncView&);
template double dominance_of_L<Host>(const AsyncView&);
template double dominance_of_L<Device>(const AsyncView&);
template double dominance_of_U<Host>(const AsyncView&);
template double dominance_of_U<Device>(const AsyncView&);
template void measure_rows<Device>(const AsyncView&, double*, double*, double*);
template int count_replaced<Host>(const AsyncView&);
template int count_replaced<Device>(const AsyncView&);

}  // namespace weir::async_ilu
