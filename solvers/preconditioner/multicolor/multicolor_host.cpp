// The sweeps on the host: threads share a colour, the block's unknowns lie in vector registers.
#include <algorithm>

#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block/block_dense.hpp"
#include "solvers/matrix/block/block_lanes.hpp"
#include "solvers/preconditioner/multicolor/multicolor.hpp"

namespace weir::lanes {

// Included by .cpp files only. Products of one row's blocks with their x, summed entry by entry and added up over the
// columns once, at the end: all vectors are full whatever n is, where columns of 5 would be a quad and a single each.
template <int N>
class EntrySums {
 public:
  EntrySums() {
    unroll<quads>([&](auto i) __attribute__((always_inline)) { q_[i] = Quad{}; });
    unroll<rest>([&](auto r) __attribute__((always_inline)) { s_[r] = 0; });
  }
  template <class T>
  [[gnu::always_inline]] void add(const T* A, const double* x) {
    unroll<quads>([&](auto i)
                      __attribute__((always_inline)) { q_[i] += load_quad(A + 4 * i) * factors<4 * i.value>(x); });
    unroll<rest>([&](auto r) __attribute__((always_inline)) {
      constexpr int e = 4 * quads + r.value;
      s_[r] += static_cast<double>(A[e]) * x[e / N];
    });
  }
  [[gnu::always_inline]] void store(double* y) const {
    double t[N * N];
    unroll<quads>([&](auto i) __attribute__((always_inline)) { *reinterpret_cast<Quad*>(t + 4 * i) = q_[i]; });
    unroll<rest>([&](auto r) __attribute__((always_inline)) { t[4 * quads + r] = s_[r]; });
    unroll<N>([&](auto u) __attribute__((always_inline)) {
      double sum = t[u];
      unroll<N - 1>([&](auto v) __attribute__((always_inline)) { sum += t[(v + 1) * N + u]; });
      y[u] = sum;
    });
  }

 private:
  static constexpr int quads = N * N / 4, rest = N * N % 4;

  // What the entries E .. E + 3 of a block are multiplied with.
  template <int E>
  [[gnu::always_inline]] static Quad factors(const double* x) {
    constexpr int a = E / N, b = (E + 1) / N, c = (E + 2) / N, d = (E + 3) / N;
    if constexpr (a == d || N < 4) {
      return Quad{x[a], x[b], x[c], x[d]};
    } else {
      constexpr int from = a < N - 4 ? a : N - 4;  // nothing beyond the vector is read
      const Quad q = load_quad(x + from);
      return __builtin_shufflevector(q, q, a - from, b - from, c - from, d - from);
    }
  }

  Quad q_[quads + 1];
  double s_[rest + 1];
};

}  // namespace weir::lanes

namespace weir::multicolor::host {
namespace {

// What the hardware does not foresee is fetched by hand: x of the blocks about a row ahead, and D, b of the rows ahead, into
// the first-level cache; O, which streams from memory in two pieces a row, far ahead and into the second-level cache alone,
// as the few misses that the first level may have under way are wanted for x (n = 5, float, 968 k rows: 1.55 times the bound
// with O fetched a kilobyte ahead into the first level, 1.24 as it is, beside builds).
constexpr std::int64_t blocks_ahead = 14;
constexpr int rows_ahead = 3, bytes_ahead = 8192, line = 64, most_lines = 8;
constexpr int first_level = 3, second_level = 2;

// So many bytes of a stream; of a vector that lies anywhere, its last line too.
template <int level>
[[gnu::always_inline]] inline void fetch(const void* from, std::int64_t bytes) {
  const std::int64_t end = std::min<std::int64_t>(bytes, most_lines * line);
  for (std::int64_t k = 0; k < end; k += line) __builtin_prefetch(static_cast<const char*>(from) + k, 0, level);
}
[[gnu::always_inline]] inline void fetch_vector(const double* x, std::int64_t n) {
  fetch<first_level>(x, 8 * n);
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
requires(N > 1 && N % 4 != 0) struct OffDiagonal<lanes::FixedBlock<N>> : lanes::EntrySums<N> {
  explicit OffDiagonal(lanes::FixedBlock<N>) {}
};

// x_i = D_i^-1 (b_i - O_i x) for the row at position p.
template <class Block, class T>
[[gnu::always_inline]] inline void update_row(Block block, const MulticolorView<T>& m, int p, bool first,
                                              const double* b, double* x) {
  using Vector = typename Block::Vector;
  const std::int64_t n = block.size(), nn = n * n, row = m.row[p] * n, last = m.later[m.rows] - 1;
  const int soon = std::min(p + rows_ahead, m.rows - 1);
  fetch<first_level>(m.diagonal + soon * nn, 8 * nn);
  fetch_vector(b + m.row[soon] * n, n);
  OffDiagonal<Block> sum(block);
  const auto add = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t e = from; e < to; ++e) {
      fetch_vector(x + m.column[std::min(e + blocks_ahead, last)] * n, n);
      fetch<second_level>(reinterpret_cast<const char*>(m.off + e * nn) + bytes_ahead, nn * sizeof(T));
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
