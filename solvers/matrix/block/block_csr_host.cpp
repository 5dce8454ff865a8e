// OpenMP over chunks of block rows; the chunk sums are added in a fixed tree.
#include <algorithm>

#include "base/at.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/block/block_product.hpp"
#include "solvers/matrix/block/entry_sums.hpp"
#include "solvers/matrix/block/many_products.hpp"
#include "solvers/matrix/block/prefetch.hpp"

namespace weir::csr_products {
namespace {

// t = row i of A x.
template <int B>
[[gnu::always_inline]] inline void row_product(const BlockCsrView& A, const double* x, int i, double* t) {
  const std::int64_t lo = A.row_start[i], hi = A.row_start[i + 1];
  const double* value = A.value.data();
  const int* column = A.column.data();
  if constexpr (B == 1) {
    prefetch::fetch_scalars_ahead(value + lo, hi - lo);
    prefetch::fetch_scalars_ahead(column + lo, hi - lo);
  }
  if constexpr (B > 0) {
    lanes::EntrySums<B, lanes::EntryOrder::by_rows> sum;
    for (std::int64_t e = lo; e < hi; ++e) {
      if constexpr (B > 1) prefetch::fetch_ahead(value + e * B * B, B * B);
      sum.add(value + e * B * B, x + std::int64_t{column[e]} * B);
    }
    sum.store(t);
  } else {
    const int n = A.block;
    std::fill(t, t + n, 0.0);
    for (std::int64_t e = lo; e < hi; ++e)
      block_host::add_product(n, value + e * n * n, x + std::int64_t{column[e]} * n, t);
  }
}

template <int B, bool Residual, bool Dot>
double rows_product(const BlockCsrView& A, const double* b, const double* x, double* y, int lo, int hi) {
  const int n = B > 0 ? B : A.block;
  double s = 0, t[B > 0 ? B : largest_block];
  for (int i = lo; i < hi; ++i) {
    row_product<B>(A, x, i, t);
    const std::int64_t at = std::int64_t{i} * n;
    for (int r = 0; r < n; ++r) {
      const double v = Residual ? b[at + r] - t[r] : t[r];
      y[at + r] = v;
      if (Dot) s += v * (Residual ? v : x[at + r]);
    }
  }
  return s;
}

template <bool Residual, bool Dot>
double product(const BlockCsrView& A, const double* b, const double* x, double* y) {
  const int chunks = (A.rows + rows_in_cache - 1) / rows_in_cache;
  double* part = Dot ? detail::reduction_scratch(chunks) : nullptr;
  return block_host::with_block(A.block, [&](auto B) {
#pragma omp parallel for schedule(static) if (A.column.size() * A.block * A.block > parallel_grain)
    for (int c = 0; c < chunks; ++c) {
      const int lo = c * rows_in_cache, hi = std::min(A.rows, lo + rows_in_cache);
      const double s = rows_product<B.value, Residual, Dot>(A, b, x, y, lo, hi);
      if (Dot) part[c] = s;
    }
    return Dot ? detail::tree_sum(part, chunks) : 0.0;
  });
}

template <int B>
double rows_of(const BlockCsrView& A, const OneProduct& p, int lo, int hi) {
  return with_product(
      p.form, [&](auto form) { return rows_product<B, is_residual(form), has_sums(form)>(A, p.b, p.x, p.y, lo, hi); });
}

}  // namespace

void products(const BlockCsrView& A, std::span<OneProduct> of) {
  const int chunks = (A.rows + rows_in_cache - 1) / rows_in_cache;
  double* part = detail::reduction_scratch(chunks * static_cast<std::int64_t>(of.size()));
  block_host::with_block(A.block, [&](auto B) {
#pragma omp parallel for schedule(static) if (A.column.size() * A.block * A.block > parallel_grain)
    for (int c = 0; c < chunks; ++c)
      for (std::size_t k = 0; k < of.size(); ++k)
        part[k * at(chunks) + at(c)] =
            rows_of<B.value>(A, of[k], c * rows_in_cache, std::min(A.rows, (c + 1) * rows_in_cache));
    return 0.0;
  });
  for (std::size_t k = 0; k < of.size(); ++k) of[k].sum = detail::tree_sum(part + k * at(chunks), chunks);
}

Pair product(Host, const BlockCsrView& A, Product p, const double* b, const double* x, double* y) {
  return with_product(p, [&](auto form) { return Pair{product<is_residual(form), has_sums(form)>(A, b, x, y), 0}; });
}

}  // namespace weir::csr_products
