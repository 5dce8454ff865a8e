// Patterns of parilu and parilut, one thread per row in either space: guess, add, remove. Each moves every entry of the
// pattern in and out once (12 bytes per scalar, 4 + 8 n^2 per block).
#include <type_traits>

#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"

namespace weir::parilu {
namespace {

WEIR_HD inline void copy_block(int nn, const double* from, double* to) {
  for (int q = 0; q < nn; ++q) to[q] = from[q];
}
WEIR_HD inline void load_transposed(int n, const double* a, double* block) {
  for (int v = 0; v < n; ++v)
    for (int u = 0; u < n; ++u) block[v * n + u] = a[u * n + v];
}
WEIR_HD inline double square_sum(int nn, const double* block) {
  double s = 0;
  for (int q = 0; q < nn; ++q) s = fma(block[q], block[q], s);
  return s;
}

// C = A B, A row by row
WEIR_HD inline void multiply_rows(int n, double* C, const double* A, const double* B) {
  for (int v = 0; v < n; ++v)
    for (int u = 0; u < n; ++u) {
      double s = 0;
      for (int w = 0; w < n; ++w) s = fma(A[u * n + w], B[v * n + w], s);
      C[v * n + u] = s;
    }
}

// to = block scale
WEIR_HD inline void scaled(int n, const double* block, const double* scale, double* to) {
  if (scale)
    async_ilu::multiply(n, to, block, scale);
  else
    copy_block(n * n, block, to);
}

template <class Space>
void fill_starts(int rows, const RowsView& a, const RowsView& b, std::int64_t* start) {
  for_each<Space>(rows + 1, [=] WEIR_HD(int i) { start[i] = a.start[i] + b.start[i]; });
}

// Merges row i of two sorted patterns without common columns.
WEIR_HD inline void merge_row(int n, const RowsView& s, const RowsView& F, const double* scale, const RowsView& out,
                              int i) {
  const std::int64_t nn = std::int64_t{n} * n, s1 = s.start[i + 1], F1 = F.start[i + 1];
  std::int64_t a = s.start[i], b = F.start[i];
  for (std::int64_t to = out.start[i]; to < out.start[i + 1]; ++to) {
    const bool mine = b == F1 || (a < s1 && s.column[a] < F.column[b]);
    const int j = mine ? s.column[a] : F.column[b];
    out.column[to] = j;
    if (mine)
      copy_block(n * n, s.value + a++ * nn, out.value + to * nn);
    else
      scaled(n, F.value + b++ * nn, scale ? scale + j * nn : nullptr, out.value + to * nn);
  }
}

// The same for n = 1 on the host, branch-free. scale is not null.
WEIR_HD inline void merge_scalar_row(const RowsView& s, const RowsView& F, const double* scale, bool scales,
                                     const RowsView& out, int i) {
  constexpr int beyond = 0x7fffffff;
  const std::int64_t s1 = s.start[i + 1], F1 = F.start[i + 1];
  std::int64_t a = s.start[i], b = F.start[i];
  for (std::int64_t to = out.start[i]; to < out.start[i + 1]; ++to) {
    const int p = s.column[a], q = F.column[b];  // beyond its end a row reads an unused value
    const int mine = (a < s1 ? p : beyond) < (b < F1 ? q : beyond), j = mine ? p : q;
    const double *from = mine ? s.value + a : F.value + b, factor = scale[scales ? j : 0];
    out.column[to] = j;
    out.value[to] = mine || !scales ? *from : *from * factor;
    a += mine;
    b += 1 - mine;
  }
}

}  // namespace

template <class Space>
void guess(const BlockCsrView& A, const FactorsView& f) {
  for_each<Space>(f.rows, [=] WEIR_HD(int i) {
    const std::int64_t nn = std::int64_t{f.n} * f.n, d = A.diagonal[i], after = d + 1 - f.upper.start[i];
    load_transposed(f.n, &A.value[d * nn], f.inverse + i * nn);
    f.replaced[i] = async_ilu::invert_or_replace(f.n, f.inverse + i * nn) ? 0 : 1;
    for (std::int64_t e = f.upper.start[i]; e < f.upper.start[i + 1]; ++e)
      load_transposed(f.n, &A.value[(after + e) * nn], f.upper.value + e * nn);
  });
  for_each<Space>(f.rows, [=] WEIR_HD(int i) {
    const std::int64_t nn = std::int64_t{f.n} * f.n, before = A.row_start[i] - f.lower.start[i];
    for (std::int64_t e = f.lower.start[i]; e < f.lower.start[i + 1]; ++e)
      multiply_rows(f.n, f.lower.value + e * nn, &A.value[(before + e) * nn], f.inverse + f.lower.column[e] * nn);
  });
}

template <class Space>
void copy_pattern(int rows, const Rows<Space>& from, int n, Rows<Space>& to) {
  to.start.reserve(rows + 1);
  to.reserve(from.count, n);
  const RowsView a = from.view(), b = to.view();
  for_each<Space>(rows, [=] WEIR_HD(int i) {
    b.start[i] = a.start[i];
    if (i == rows - 1) b.start[rows] = a.start[rows];
    for (std::int64_t e = a.start[i]; e < a.start[i + 1]; ++e) b.column[e] = a.column[e];
  });
}

template <class Space>
double norm_of_rows(int rows, int n, const RowsView& lower, const RowsView& upper) {
  const int nn = n * n;
  return std::sqrt(sum<Space>(rows, [=] WEIR_HD(int i) {
    const std::int64_t l0 = lower.start[i], l1 = lower.start[i + 1], u0 = upper.start[i], u1 = upper.start[i + 1];
    return square_sum(static_cast<int>(l1 - l0) * nn, lower.value + l0 * nn) +
           square_sum(static_cast<int>(u1 - u0) * nn, upper.value + u0 * nn);
  }));
}

template <class Space>
double norm_of_matrix(const BlockCsrView& A) {
  return std::sqrt(sum<Space>(A.rows, [=] WEIR_HD(int i) {
    const std::int64_t nn = std::int64_t{A.block} * A.block, from = A.row_start[i], to = A.row_start[i + 1];
    return square_sum(static_cast<int>((to - from) * nn), A.value.data() + from * nn);
  }));
}

template <class Space>
void add(int rows, int n, const RowsView& s, const RowsView& F, const double* scale, Rows<Space>& out) {
  fill_starts<Space>(rows, s, F, out.start.reserve(rows + 1));
  const RowsView to = out.view();
  const double* factors = scale ? scale : F.value;  // not used if there is none
  if (n == 1 && std::is_same_v<Space, Host>)
    for_each<Space>(rows, [=] WEIR_HD(int i) { merge_scalar_row(s, F, factors, scale != nullptr, to, i); });
  else
    for_each<Space>(rows, [=] WEIR_HD(int i) { merge_row(n, s, F, scale, to, i); });
}

template <class Space>
void norms(const RowsView& s, std::int64_t count, int n, double* norm) {
  const double* value = s.value;
  if (n == 1)
    for_each<Space>(count, [=] WEIR_HD(int e) { norm[e] = fabs(value[e]); });
  else
    for_each<Space>(count, [=] WEIR_HD(int e) { norm[e] = sqrt(square_sum(n * n, value + std::int64_t{e} * n * n)); });
}

template <class Space>
std::int64_t count_up_to(double bound, const double* norm, std::int64_t count) {
  return std::llround(sum<Space>(count, [=] WEIR_HD(int e) { return norm[e] <= bound ? 1.0 : 0.0; }));
}

template <class Space>
void count_kept(int rows, const RowsView& s, const double* norm, double threshold, int* count) {
  for_each<Space>(rows, [=] WEIR_HD(int i) {
    int kept = 0;
    for (std::int64_t e = s.start[i]; e < s.start[i + 1]; ++e) kept += norm[e] >= threshold;
    count[i] = kept;
  });
}

template <class Space>
void copy_kept(int rows, int n, const RowsView& s, const double* norm, double threshold, const RowsView& out) {
  for_each<Space>(rows, [=] WEIR_HD(int i) {
    // Every entry is written to the place of the next kept one: no branch on what is kept.
    const std::int64_t nn = std::int64_t{n} * n, end = out.start[i + 1];
    std::int64_t to = out.start[i];
    for (std::int64_t e = s.start[i]; to < end; ++e) {
      out.column[to] = s.column[e];
      copy_block(n * n, s.value + e * nn, out.value + to * nn);
      to += norm[e] >= threshold;
    }
  });
}

template <class Space>
void remove(int rows, int n, const RowsView& s, const double* norm, double threshold, Rows<Space>& out,
            Work<Space>& work) {
  int* count = work.lower_count.reserve(rows);
  count_kept<Space>(rows, s, norm, threshold, count);
  out.reserve(work.prefix_sum(count, rows, out.start.reserve(rows + 1)), n);
  copy_kept<Space>(rows, n, s, norm, threshold, out.view());
}

template <class Space>
int count_replaced(const FactorsView& f) {
  return static_cast<int>(sum<Space>(f.rows, [=] WEIR_HD(int i) { return static_cast<double>(f.replaced[i]); }));
}

template <class Space>
void fill_triangle(const RowsView& s, const double* inverse, const TriangleView<double>& t, double* scale) {
  for_each<Space>(t.rows, [=] WEIR_HD(int p) {
    const int i = t.order[p], n = t.block;
    const std::int64_t nn = std::int64_t{n} * n;
    double* to = t.value + t.start[p] * nn;
    if (n == 1) {
      const double factor = inverse ? inverse[i] : 1;
      for (std::int64_t e = s.start[i]; e < s.start[i + 1]; ++e) *to++ = factor * s.value[e];
      if (inverse) scale[p] = factor;
      return;
    }
    for (std::int64_t e = s.start[i]; e < s.start[i + 1]; ++e, to += nn) {
      if (inverse)
        async_ilu::multiply(n, to, inverse + i * nn, s.value + e * nn);
      else
        copy_block(n * n, s.value + e * nn, to);
    }
    if (inverse) copy_block(n * n, inverse + i * nn, scale + p * nn);
  });
}

#define WEIR_INSTANTIATE(Space)                                                                              \
  template void guess<Space>(const BlockCsrView&, const FactorsView&);                                       \
  template void copy_pattern<Space>(int, const Rows<Space>&, int, Rows<Space>&);                             \
  template double norm_of_rows<Space>(int, int, const RowsView&, const RowsView&);                           \
  template double norm_of_matrix<Space>(const BlockCsrView&);                                                \
  template void add<Space>(int, int, const RowsView&, const RowsView&, const double*, Rows<Space>&);         \
  template void norms<Space>(const RowsView&, std::int64_t, int, double*);                                   \
  template std::int64_t count_up_to<Space>(double, const double*, std::int64_t);                             \
  template void remove<Space>(int, int, const RowsView&, const double*, double, Rows<Space>&, Work<Space>&); \
  template int count_replaced<Space>(const FactorsView&);                                                    \
  template void fill_triangle<Space>(const RowsView&, const double*, const TriangleView<double>&, double*)
WEIR_INSTANTIATE(Host);
WEIR_INSTANTIATE(Device);

}  // namespace weir::parilu
