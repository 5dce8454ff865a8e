// block_ilu0 on the host: vectors over the block, threads over layers of the grid (wavefront.hpp), each in memory
// order. Every cell adds up its neighbours in the same order whatever the threads, so factors and solutions are the
// sequential ones bit for bit. Bytes a cell: factorisation 7 n^2 values of A and d written; solve 3 n^2 of A and n^2 of
// d a sweep.
#include "solvers/matrix/block/block_dense.hpp"
#include "solvers/matrix/stencil/stencil_links.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_factors.hpp"

namespace weir {
namespace {

// Below this many values of the matrix a second thread costs more than it saves.
constexpr std::int64_t parallel_values = 1 << 16;

// The cells [from, to) of eq. (1). Returns the first that failed, or `none`.
template <class Block, class T>
int factorise_cells(Block block, const double* delta, int from, int to, const StencilLinks& lower, bool pivoting,
                    T* inverted, int none) {
  const std::int64_t n = block.size(), nn = n * n;
  alignas(64) double s[lanes::max_block * lanes::max_block], d[lanes::max_block * lanes::max_block];
  int failed = none;
  for (std::int64_t c = from; c < to; ++c) {
    std::copy(delta + c * nn, delta + (c + 1) * nn, d);
    for (const auto& link : lower) {
      const std::int64_t q = c + link.step;
      lanes::product<false>(block, s, link.blocks + c * nn, inverted + q * nn);
      lanes::product<true>(block, d, s, link.back + q * nn);
    }
    const bool usable = pivoting ? lanes::invert_pivoting(block.size(), d) : lanes::invert(block, d);
    if (!usable && failed == none) failed = static_cast<int>(c);
    std::copy(d, d + nn, inverted + c * nn);
  }
  return failed;
}

template <bool Forward, class Block, class T>
void sweep_cells(Block block, int from, int to, const StencilLinks& links, const T* inverted, const double* r,
                 double* z) {
  using Vector = typename Block::Vector;
  const std::int64_t n = block.size(), nn = n * n, step = Forward ? 1 : -1;
  for (std::int64_t c = Forward ? from : to - 1; Forward ? c < to : c >= from; c += step) {
    // Forward y = d^-1 (r - sum), backward y + d^-1 (0 - sum).
    Vector rest = Forward ? Vector(block, r + c * n) : Vector(block),
           y = Forward ? Vector(block) : Vector(block, z + c * n);
    for (const auto& link : links) rest.subtract_product(link.blocks + c * nn, z + (c + link.step) * n);
    y.add_product(inverted + c * nn, rest);
    y.store(z + c * n);
  }
}

}  // namespace

template <class T>
BlockIluFactors<Host, T>::BlockIluFactors(const BlockStencil<Host>& A, const BlockIluOptions& options)
    : d_(std::int64_t{A.rows()} * A.block() * A.block()),
      wavefront_(A.cells()),
      pivoting_(options.pivoting),
      parallel_(A.values().size() > parallel_values),
      levels_(A.cells().nx + A.cells().ny + A.cells().nz - 2) {}

template <class T>
FailedCell BlockIluFactors<Host, T>::factorise(const BlockStencilView& A) {
  const int none = A.cells.count();
  std::atomic<int> failed{none};
  lanes::with_block(A.n, [&](auto block) {
    wavefront_.sweep(parallel_, false, [&](int j, int k, int i0, int i1) {
      for_stretches(A, j, k, i0, i1, Part::lower, [&](int from, int to, const StencilLinks& lower) {
        const int cell =
            factorise_cells(block, A.slot_blocks(slot::delta), from, to, lower, pivoting_, d_.data(), none);
        for (int seen = failed; cell < seen && !failed.compare_exchange_weak(seen, cell);) {
        }
      });
    });
  });
  return failed == none ? -1 : failed.load();
}

template <class T>
void BlockIluFactors<Host, T>::solve(const BlockStencilView& A, const double* r, double* z) {
  lanes::with_block(A.n, [&](auto block) {
    wavefront_.sweep(parallel_, false, [&](int j, int k, int i0, int i1) {
      for_stretches(A, j, k, i0, i1, Part::lower, [&](int from, int to, const StencilLinks& lower) {
        sweep_cells<true>(block, from, to, lower, d_.data(), r, z);
      });
    });
    wavefront_.sweep(parallel_, true, [&](int j, int k, int i0, int i1) {
      for_stretches(A, j, k, i0, i1, Part::upper, [&](int from, int to, const StencilLinks& upper) {
        sweep_cells<false>(block, from, to, upper, d_.data(), r, z);
      });
    });
  });
}

template class BlockIluFactors<Host, double>;
template class BlockIluFactors<Host, float>;

}  // namespace weir
