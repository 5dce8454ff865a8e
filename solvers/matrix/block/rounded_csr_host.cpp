// OpenMP over chunks of block rows, vectors over the block; the sums of the chunks make one fixed tree.
#include <algorithm>

#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/block/block_product.hpp"
#include "solvers/matrix/block/rounded_csr.hpp"

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

// Row i of b - A x, or of -A x where there is no b.
template <class Block>
[[gnu::always_inline]] inline typename Block::Vector row_residual(Block block, const RoundedCsrView& A, const double* b,
                                                                  const double* x, std::int64_t i) {
  const std::int64_t n = block.size(), first = A.row_start[i];
  typename Block::Vector t = b ? typename Block::Vector(block, b + i * n) : typename Block::Vector(block);
  lanes::subtract_row(block, t, A.value.data() + first * n * n, A.column.data() + first, A.row_start[i + 1] - first, x);
  return t;
}

}  // namespace

void apply(Host, const RoundedCsrView& A, const double* x, double* y) {
  for_chunks(A, [=](auto block, std::int64_t lo, std::int64_t hi, int) {
    for (std::int64_t i = lo; i < hi; ++i) {
      auto t = row_residual(block, A, nullptr, x, i);
      t.negate();
      t.store(y + i * block.size());
    }
  });
}

Pair apply_dots(Host, const RoundedCsrView& A, const double* x, const double* w, double* y) {
  const int chunks = chunks_of(A);
  double* part = detail::reduction_scratch(2 * std::int64_t{chunks});
  for_chunks(A, [=](auto block, std::int64_t lo, std::int64_t hi, int c) {
    const std::int64_t n = block.size();
    Pair sums;
    for (std::int64_t i = lo; i < hi; ++i) {
      auto t = row_residual(block, A, nullptr, x, i);
      t.negate();
      t.store(y + i * n);
      sums.b += t.dot();
      for (std::int64_t e = i * n; e < (i + 1) * n; ++e) sums.a += y[e] * w[e];
    }
    part[c] = sums.a;
    part[chunks + c] = sums.b;
  });
  return {detail::tree_sum(part, chunks), detail::tree_sum(part + chunks, chunks)};
}

void residual(Host, const RoundedCsrView& A, const double* b, const double* x, double* r) {
  for_chunks(A, [=](auto block, std::int64_t lo, std::int64_t hi, int) {
    for (std::int64_t i = lo; i < hi; ++i) row_residual(block, A, b, x, i).store(r + i * block.size());
  });
}

double residual_dot(Host, const RoundedCsrView& A, const double* b, const double* x, double* r) {
  const int chunks = chunks_of(A);
  double* part = detail::reduction_scratch(chunks);
  for_chunks(A, [=](auto block, std::int64_t lo, std::int64_t hi, int c) {
    double s = 0;
    for (std::int64_t i = lo; i < hi; ++i) {
      const auto t = row_residual(block, A, b, x, i);
      t.store(r + i * block.size());
      s += t.dot();
    }
    part[c] = s;
  });
  return detail::tree_sum(part, chunks);
}

}  // namespace weir::csr_products
