#include <algorithm>

#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block/block_product.hpp"
#include "solvers/preconditioner/aggregation/aggregates.hpp"

namespace weir::aggregation_host {
namespace {

using aggregation::aggregates_a_chunk;
using aggregation::Sums;

// Adds row i of A to the row of its aggregate. B: the block size, or 0: n.
template <int B, class V, class T>
void add_row(const Sums<V, T>& s, int n, int i) {
  const int size = B > 0 ? B : n, nn = size * size;
  T* const row = s.coarse + s.coarse_start[s.of_row[i]] * nn;
  for (std::int64_t e = s.row_start[i]; e < s.row_start[i + 1]; ++e) {
    const V* from = s.A + e * nn;
    T* to = row + std::int64_t{s.into[e]} * nn;
    if constexpr (std::is_same_v<V, T>) {
#pragma omp simd
      for (int q = 0; q < nn; ++q) to[q] += from[q];
    } else {  // floats column by column, doubles row by row
      for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c) to[r * size + c] += static_cast<T>(from[c * size + r]);
    }
  }
}

}  // namespace

template <class V, class T>
void sum_blocks(int n, const Sums<V, T>& sums) {
  const Sums<V, T> s = sums;
  const int chunks = (s.aggregates + aggregates_a_chunk - 1) / aggregates_a_chunk;
  block_host::with_block(n, [&](auto B) {
#pragma omp parallel for schedule(static) if (s.coarse_start[s.aggregates] * n * n > parallel_grain)
    for (int c = 0; c < chunks; ++c) {
      const int first = c * aggregates_a_chunk, last = std::min(s.aggregates, first + aggregates_a_chunk);
      std::fill(s.coarse + s.coarse_start[first] * n * n, s.coarse + s.coarse_start[last] * n * n, T(0));
      for (int m = s.start[first]; m < s.start[last]; ++m) add_row<B.value>(s, n, s.member[m]);
    }
  });
}
template void sum_blocks(int, const Sums<double, double>&);
template void sum_blocks(int, const Sums<double, float>&);
template void sum_blocks(int, const Sums<float, double>&);
template void sum_blocks(int, const Sums<float, float>&);

}  // namespace weir::aggregation_host
