#include <algorithm>

#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block_product.hpp"
#include "solvers/preconditioner/multigrid/aggregation_sums.hpp"

namespace weir::aggregation_host {
namespace {

using aggregation::aggregates_a_chunk;
using aggregation::Sums;

template <class T>
void store(int n, const double* block, T* stored) {
  if constexpr (std::is_same_v<T, float>) {
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < n; ++r) stored[c * n + r] = static_cast<float>(block[r * n + c]);
  } else {
    std::copy_n(block, n * n, stored);
  }
}

// Row i of A P, which is also added to that of its aggregate. B: the block size, 0: n.
template <int B, class T>
void sum_row(const Sums<T>& s, int n, int i) {
  const int nn = B > 0 ? B * B : n * n;
  alignas(64) double sum[B > 0 ? B * B : 64 * 64];
  const std::int64_t begin = s.row_start[i], row = s.coarse_start[s.of_row[i]];
  int e = 0;
  for (std::int64_t k = s.product_start[i]; k < s.product_start[i + 1]; ++k) {
    const double* from = s.A + (begin + s.source[begin + e]) * nn;
#pragma omp simd
    for (int q = 0; q < nn; ++q) sum[q] = from[q];
    while (++e < s.end[k]) {
      from = s.A + (begin + s.source[begin + e]) * nn;
#pragma omp simd
      for (int q = 0; q < nn; ++q) sum[q] += from[q];
    }
    store(B > 0 ? B : n, sum, s.product + k * nn);
    double* coarse = s.coarse + (row + s.into[k]) * nn;
#pragma omp simd
    for (int q = 0; q < nn; ++q) coarse[q] += sum[q];
  }
}

}  // namespace

template <class T>
void sum_blocks(int n, const Sums<T>& sums) {
  const Sums<T> s = sums;
  const int chunks = (s.aggregates + aggregates_a_chunk - 1) / aggregates_a_chunk;
  block_host::with_block(n, [&](auto B) {
#pragma omp parallel for schedule(static) if (s.coarse_start[s.aggregates] * n * n > parallel_grain)
    for (int c = 0; c < chunks; ++c) {
      const int first = c * aggregates_a_chunk, last = std::min(s.aggregates, first + aggregates_a_chunk);
      std::fill(s.coarse + s.coarse_start[first] * n * n, s.coarse + s.coarse_start[last] * n * n, 0.0);
      for (int m = s.start[first]; m < s.start[last]; ++m) sum_row<B.value>(s, n, s.member[m]);
    }
  });
}
template void sum_blocks<float>(int, const Sums<float>&);
template void sum_blocks<double>(int, const Sums<double>&);

}  // namespace weir::aggregation_host
