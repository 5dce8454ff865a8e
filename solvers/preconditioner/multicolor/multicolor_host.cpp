// Host sweeps: threads share a colour; the unknowns of a block lie in vector registers.
#include <algorithm>

#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block/block_dense.hpp"
#include "solvers/matrix/block/block_lanes.hpp"
#include "solvers/matrix/block/entry_sums.hpp"
#include "solvers/matrix/block/prefetch.hpp"
#include "solvers/preconditioner/multicolor/multicolor.hpp"

namespace weir::multicolor::host {
namespace {

// Prefetches that the hardware does not make: x of the blocks about a row ahead, D and b of the rows ahead, into the
// first-level cache; O, which streams from memory, far ahead and into the second-level cache alone, because the few
// outstanding misses of the first level are needed for x (n = 5, float, 968 k rows: 1.24 times the bound by bytes; 1.55
// with O fetched into the first level).
constexpr std::int64_t blocks_ahead = 14;
constexpr int rows_ahead = 3;

// A vector may straddle lines: its last line is fetched too.
[[gnu::always_inline]] inline void fetch_vector(const double* x, std::int64_t n) {
  prefetch::fetch(x, 8 * n);
  __builtin_prefetch(x + n - 1);
}

// O_i x: a column of the block at a time, or entry by entry where columns do not fill vectors.
template <class Block>
struct OffDiagonal {
  Block block;
  typename Block::Vector sum{block};
  explicit OffDiagonal(Block b) : block(b) {}
  template <class T>
  [[gnu::always_inline]] void add(const T* A, const double* x) {
    sum.add_product(A, typename Block::Vector(block, x));
  }
  [[gnu::always_inline]] void store(double* y) const { sum.store(y); }
};
template <int N>
requires(N > 1 && N % 4 != 0) struct OffDiagonal<lanes::FixedBlock<N>>
    : lanes::EntrySums<N, lanes::EntryOrder::by_columns> {
  explicit OffDiagonal(lanes::FixedBlock<N>) {}
};

// x_i = D_i^-1 (b_i - O_i x) for the row at position p.
template <class Block, class T>
[[gnu::always_inline]] inline void update_row(Block block, const MulticolorView<T>& m, int p, bool first,
                                              const double* b, double* x) {
  using Vector = typename Block::Vector;
  const std::int64_t n = block.size(), nn = n * n, row = m.row[p] * n, last = m.later[m.rows] - 1;
  const int soon = std::min(p + rows_ahead, m.rows - 1);
  prefetch::fetch(m.diagonal + soon * nn, 8 * nn);
  fetch_vector(b + m.row[soon] * n, n);
  OffDiagonal<Block> sum(block);
  const auto add = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t e = from; e < to; ++e) {
      fetch_vector(x + m.column[std::min(e + blocks_ahead, last)] * n, n);
      prefetch::fetch_ahead<prefetch::second_level>(m.off + e * nn, nn);
      sum.add(m.off + e * nn, x + m.column[e] * n);
    }
  };
  add(m.start[p], m.start[p + 1]);
  if (!first) add(m.later[p], m.later[p + 1]);
  alignas(64) double q[lanes::max_block];
  sum.store(q);
  const double scale = m.scale ? m.scale[p] : 1;
  for (int u = 0; u < n; ++u) q[u] = b[row + u] - scale * q[u];
  Vector result(block);
  result.add_product(m.diagonal + p * nn, Vector(block, q));
  result.store(x + row);
}

}  // namespace

template <class T>
void run(const MulticolorView<T>& m, const std::vector<ColourPass>& passes, const double* b, double* x) {
  lanes::with_block(m.n, [&](auto block) {
#pragma omp parallel if (std::int64_t{m.rows} * m.n * m.n > parallel_grain)
    for (const ColourPass& pass : passes) {
#pragma omp for schedule(static)
      for (int p = pass.from; p < pass.to; ++p) update_row(block, m, p, pass.first, b, x);
    }
    return 0;
  });
}

int invert_diagonals(int rows, int n, const int* row, double* diagonal) {
  int bad = rows;
  lanes::with_block(n, [&](auto block) {
#pragma omp parallel for schedule(static) reduction(min : bad) if (std::int64_t{rows} * n * n > parallel_grain)
    for (int p = 0; p < rows; ++p)
      if (!lanes::invert(block, diagonal + std::int64_t{p} * n * n) && row[p] < bad) bad = row[p];
    return 0;
  });
  return bad;
}

template void run(const MulticolorView<double>&, const std::vector<ColourPass>&, const double*, double*);
template void run(const MulticolorView<float>&, const std::vector<ColourPass>&, const double*, double*);
template void run(const MulticolorView<Bfloat16>&, const std::vector<ColourPass>&, const double*, double*);

}  // namespace weir::multicolor::host
