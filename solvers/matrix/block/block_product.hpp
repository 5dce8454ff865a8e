// Included by .cpp files only (nvcc lacks the pragmas). Products with dense row-major B x B blocks on the host.
#pragma once
#include <type_traits>

#include "solvers/matrix/block/block_lanes.hpp"
#include "solvers/matrix/block/prefetch.hpp"

namespace weir::block_host {

// y += a x for a block size known at run time.
inline void add_product(int B, const double* a, const double* x, double* y) {
  for (int r = 0; r < B; ++r) {
    double t = 0;
#pragma omp simd reduction(+ : t)
    for (int c = 0; c < B; ++c) t += a[r * B + c] * x[c];
    y[r] += t;
  }
}

// Calls f(std::integral_constant<int, B>) for B = 1..Largest, with 0 otherwise.
template <int Largest = WEIR_FIXED_BLOCKS, class F>
auto with_block(int B, const F& f) {
  return lanes::with_block<Largest>(
      B, [&](auto block) { return f(std::integral_constant<int, decltype(block)::fixed>()); });
}

}  // namespace weir::block_host

namespace weir::lanes {

// Product shared by rows of block CSR and of triangular factors: y -= sum of the row's blocks times their x, blocks
// column-major. Even and odd columns are summed separately over the whole row, because an addition has a latency of
// four cycles and a row has three to five blocks.
template <int N, class T>
[[gnu::always_inline]] inline void subtract_row(FixedBlock<N>, typename FixedBlock<N>::Vector& y, const T* A,
                                                const int* column, std::int64_t blocks, const double* x) {
  if constexpr (N == 1) {
    prefetch::fetch_scalars_ahead(A, blocks);
    for (std::int64_t e = 0; e < blocks; ++e) y.a.subtract(A + e, x[column[e]]);
  } else {
    Lanes<N> odd;
    odd.clear();
    for (std::int64_t e = 0; e < blocks; ++e) {
      const T* a = A + e * N * N;
      prefetch::fetch_ahead(a, N * N);
      const double* xc = x + std::int64_t{column[e]} * N;
      unroll<N>([&](auto v) __attribute__((always_inline)) { (v % 2 ? odd : y.a).subtract(a + v * N, xc[v]); });
    }
    y.a.add(odd, 1);
  }
}

template <class T>
void subtract_row(RuntimeBlock block, RuntimeBlock::Vector& y, const T* A, const int* column, std::int64_t blocks,
                  const double* x) {
  const std::int64_t n = block.size();
  for (std::int64_t e = 0; e < blocks; ++e) y.subtract_product(A + e * n * n, x + column[e] * n);
}

}  // namespace weir::lanes
