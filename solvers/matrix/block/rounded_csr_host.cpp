// OpenMP over chunks of block rows, vectors over the block; the chunk sums are added in a fixed tree.
#include <algorithm>

#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/block/block_product.hpp"

namespace weir::csr_products {
namespace {

constexpr int rows_a_chunk = 256;

int chunks_of(const RoundedCsrView& A) { return (A.rows + rows_a_chunk - 1) / rows_a_chunk; }

// f(block, lo, hi, chunk) for chunks of rows.
template <class F>
void for_chunks(const RoundedCsrView& A, const F& f) {
  const int chunks = chunks_of(A);
  lanes::with_block(A.block, [&](auto block) {
#pragma omp parallel for schedule(static) if (A.value.size() > parallel_grain)
    for (int c = 0; c < chunks; ++c) f(block, c * rows_a_chunk, std::min(A.rows, (c + 1) * rows_a_chunk), c);
  });
}

// Row i of b - A x, or of -A x without b.
template <class Block>
[[gnu::always_inline]] inline typename Block::Vector row_residual(Block block, const RoundedCsrView& A, const double* b,
                                                                  const double* x, std::int64_t i) {
  const std::int64_t n = block.size(), first = A.row_start[i];
  typename Block::Vector t = b ? typename Block::Vector(block, b + i * n) : typename Block::Vector(block);
  lanes::subtract_row(block, t, A.value.data() + first * n * n, A.column.data() + first, A.row_start[i + 1] - first, x);
  return t;
}

template <Product form>
Pair product(const RoundedCsrView& A, const double* b, const double* x, double* y) {
  const int chunks = chunks_of(A);
  double* part = has_sums(form) ? detail::reduction_scratch(2 * std::int64_t{chunks}) : nullptr;
  for_chunks(A, [=](auto block, std::int64_t lo, std::int64_t hi, int c) {
    const std::int64_t n = block.size();
    Pair sums;
    for (std::int64_t i = lo; i < hi; ++i) {
      auto t = row_residual(block, A, is_residual(form) ? b : nullptr, x, i);
      if constexpr (!is_residual(form)) t.negate();
      t.store(y + i * n);
      if constexpr (form == Product::residual_dot) sums.a += t.dot();
      if constexpr (form != Product::apply_dots) continue;
      sums.b += t.dot();
      for (std::int64_t e = i * n; e < (i + 1) * n; ++e) sums.a += y[e] * b[e];
    }
    if constexpr (!has_sums(form)) return;
    part[c] = sums.a;
    part[chunks + c] = sums.b;
  });
  if constexpr (!has_sums(form)) return {};
  return {detail::tree_sum(part, chunks), detail::tree_sum(part + chunks, chunks)};
}

}  // namespace

Pair product(Host, const RoundedCsrView& A, Product p, const double* b, const double* x, double* y) {
  if (p == Product::apply) return product<Product::apply>(A, b, x, y);
  if (p == Product::apply_dots) return product<Product::apply_dots>(A, b, x, y);
  if (p == Product::residual) return product<Product::residual>(A, b, x, y);
  return product<Product::residual_dot>(A, b, x, y);
}

}  // namespace weir::csr_products
