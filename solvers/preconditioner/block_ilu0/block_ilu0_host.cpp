// block_ilu0 on the host: vectors over the block, threads over layers of the grid (wavefront.hpp). Every cell sums its
// neighbours in the same order whatever the threads: factors and solutions are the sequential ones bit for bit. Bytes
// per cell: factorisation 7 n^2 values of A read and d written; solve 3 n^2 of A and n^2 of d per sweep.
#include <atomic>

#include "solvers/matrix/algorithms/triangular.hpp"
#include "solvers/matrix/block/block_dense.hpp"
#include "solvers/matrix/stencil/stencil_links.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_csr.hpp"
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

// Cells c, c + step, ... of a row, `Cells` of them: first the products with neighbours in other rows, slot by slot,
// then cell by cell the product with the previous neighbour (the last link) and d^-1.
template <bool Forward, int Links, int Cells, class Block, class T>
[[gnu::always_inline]] inline void sweep_group(Block block, std::int64_t c, const StencilLinks& links,
                                               const T* inverted, const double* r, double* z) {
  using Vector = typename Block::Vector;
  const std::int64_t n = block.size(), nn = n * n, step = Forward ? 1 : -1;
  // Forward y = d^-1 (r - sum), backward y + d^-1 (0 - sum).
  auto rest = lanes::generate<Cells>([&](auto q) __attribute__((always_inline)) {
    return Forward ? Vector(block, r + (c + q * step) * n) : Vector(block);
  });
  const auto subtract = [&](auto q, const StencilLinks::Link& link) __attribute__((always_inline)) {
    const std::int64_t to = c + q * step;
    rest[q].subtract_product(link.blocks + to * nn, z + (to + link.step) * n);
  };
  if constexpr (Links == 0)
    for (const auto& link : links) subtract(std::integral_constant<int, 0>{}, link);
  else
    lanes::unroll<Links - 1>([&](auto l) __attribute__((always_inline)) {
      lanes::unroll<Cells>([&](auto q) __attribute__((always_inline)) { subtract(q, links.link[l]); });
    });
  lanes::unroll<Cells>([&](auto q) __attribute__((always_inline)) {
    const std::int64_t to = c + q * step;
    if constexpr (Links > 0) subtract(q, links.link[Links - 1]);
    Vector y = Forward ? Vector(block) : Vector(block, z + to * n);
    y.add_product(inverted + to * nn, rest[q]);
    y.store(z + to * n);
  });
}

template <bool Forward, int Links, class Block, class T>
void sweep_cells(Block block, int from, int to, const StencilLinks& links, const T* inverted, const double* r,
                 double* z) {
  constexpr int together = Links > 0 ? cells_at_once<6, Block>() : 1;
  const int step = Forward ? 1 : -1;
  int left = to - from, c = Forward ? from : to - 1;
  for (; left >= together; left -= together, c += together * step)
    sweep_group<Forward, Links, together>(block, c, links, inverted, r, z);
  for (; left > 0; --left, c += step) sweep_group<Forward, Links, 1>(block, c, links, inverted, r, z);
}

// Factorisation of block CSR: one row at a time in a work space that stays in the first cache. Reads A once and each F
// once per dependent row, writes the factors once: bound by memory for n <= 4, by arithmetic for larger blocks.
using block_ilu0::CsrFactors;

// Column by column: blocks of RoundedCsr are stored so, those of BlockCsr are not.
template <class Block>
void load_columns(Block block, const double* a, double* w) {
  const int n = block.size();
  for (int v = 0; v < n; ++v)
    for (int u = 0; u < n; ++u) w[v * n + u] = a[u * n + v];
}
template <class Block>
void load_columns(Block block, const float* a, double* w) {
  std::copy_n(a, block.size() * block.size(), w);
}

// stored = d w
template <class Block, class T>
void store_scaled(Block block, const double* d, const double* w, double* product, T* stored) {
  lanes::product<false>(block, product, d, w);
  std::copy_n(product, block.size() * block.size(), stored);
}

// Row i of (1) and (2) at position p of the lower triangle; work: longest + 1 blocks. False: d_i cannot be inverted.
template <class Block, class T, class V>
bool factorise_row(Block block, const CsrFactors<T, V>& f, int p, double* work) {
  const std::int64_t nn = block.size() * block.size(), i = f.lower.order[p];
  const int q = f.upper_position[i];
  const std::int64_t diagonal = f.A.diagonal[i], first = diagonal - (f.lower.start[p + 1] - f.lower.start[p]),
                     end = diagonal + 1 + (f.upper.start[q + 1] - f.upper.start[q]);
  double *d = work + (diagonal - first) * nn, *product = work + (end - first) * nn;
  for (std::int64_t e = first; e < end; ++e) load_columns(block, f.A.value.data() + e * nn, work + (e - first) * nn);
  for (std::int64_t e = first; e < diagonal; ++e) {
    const std::int64_t l = f.lower_first[i] + e - first;
    for (std::int64_t m = f.match_start[l]; m < f.match_start[l + 1]; ++m)
      lanes::product<true>(block, work + f.match[m].slot * nn, work + (e - first) * nn,
                           f.upper.value + f.match[m].upper * nn);
  }
  const bool usable = f.pivoting ? lanes::invert_pivoting(block.size(), d) : lanes::invert(block, d);
  std::copy_n(d, nn, f.inverted + p * nn);
  T* L = f.lower.value + f.lower.start[p] * nn;
  for (double* E = work; E < d; E += nn, L += nn) store_scaled(block, d, E, product, L);
  T* F = f.upper.value + f.upper.start[q] * nn;
  for (double* A = d + nn; A < work + (end - first) * nn; A += nn, F += nn) store_scaled(block, d, A, product, F);
  return usable;
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
    constexpr int inner = decltype(block)::fixed > 0 ? 3 : 0;  // links of a cell inside the grid
    wavefront_.sweep(parallel_, false, [&](int j, int k, int i0, int i1) {
      for_stretches(A, j, k, i0, i1, Part::lower, [&](int from, int to, const StencilLinks& lower) {
        lower.count == inner ? sweep_cells<true, inner>(block, from, to, lower, d_.data(), r, z)
                             : sweep_cells<true, 0>(block, from, to, lower, d_.data(), r, z);
      });
    });
    wavefront_.sweep(parallel_, true, [&](int j, int k, int i0, int i1) {
      for_stretches(A, j, k, i0, i1, Part::upper, [&](int from, int to, const StencilLinks& upper) {
        upper.count == inner ? sweep_cells<false, inner>(block, from, to, upper, d_.data(), r, z)
                             : sweep_cells<false, 0>(block, from, to, upper, d_.data(), r, z);
      });
    });
  });
}

template class BlockIluFactors<Host, double>;
template class BlockIluFactors<Host, float>;

template <class Space, class T>
template <class V>
FailedCell CsrIlu0<Space, T>::factorise(const CsrFactors<T, V>& f) {
  const std::int64_t work_size = work_.size() / threads_;
  std::atomic<int> failed{rows_};
  lanes::with_block(block_, [&](auto block) {
    lower_.plan().run([&](int from, int to, int thread) {
      for (int p = from; p < to; ++p) {
        if (factorise_row(block, f, p, work_.data() + thread * work_size)) continue;
        const int row = f.lower.order[p];
        for (int seen = failed; row < seen && !failed.compare_exchange_weak(seen, row);) {
        }
      }
    });
  });
  return failed == rows_ ? -1 : failed.load();
}

template <class Space, class T>
void CsrIlu0<Space, T>::solve(const double* r, double* z) {
  lower_.solve(inverted_.data(), r, z);
  upper_.solve(nullptr, z, z);
}

template FailedCell CsrIlu0<Host, double>::factorise(const CsrFactors<double, double>&);
template FailedCell CsrIlu0<Host, double>::factorise(const CsrFactors<double, float>&);
template FailedCell CsrIlu0<Host, float>::factorise(const CsrFactors<float, double>&);
template FailedCell CsrIlu0<Host, float>::factorise(const CsrFactors<float, float>&);
template void CsrIlu0<Host, double>::solve(const double*, double*);
template void CsrIlu0<Host, float>::solve(const double*, double*);

}  // namespace weir
