// The sweeps on the host: threads share a colour, the block's unknowns lie in vector registers.
#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block_dense.hpp"
#include "solvers/preconditioner/multicolor.hpp"

namespace weir::multicolor::host {
namespace {

// x_i = D_i^-1 (b_i - O_i x) for the row at position p.
template <class Block, class T>
[[gnu::always_inline]] inline void update_row(Block block, const MulticolorView<T>& m, int p, bool first,
                                              const double* b, double* x) {
  using Vector = typename Block::Vector;
  const std::int64_t n = block.size(), nn = n * n, row = m.row[p] * n;
  Vector sum(block);
  const auto add = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t e = from; e < to; ++e) sum.add_product(m.off + e * nn, Vector(block, x + m.column[e] * n));
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
