// The factorisation on the host: one row at a time in a work space that stays in the first cache, vectors over the
// block, threads as in the forward sweep. Reads A once and every F as often as its row is needed (about the number of
// lower blocks of a row), writes the factors once: bound by memory for n <= 4, by arithmetic beyond.
#include <atomic>

#include "solvers/matrix/algorithms/triangular_run.hpp"
#include "solvers/matrix/block/block_dense.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_csr.hpp"

namespace weir {
namespace {

using block_ilu0::CsrFactors;

// Column by column, as those of RoundedCsr are and those of BlockCsr are not.
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
