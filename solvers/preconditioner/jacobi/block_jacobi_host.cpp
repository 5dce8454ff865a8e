// block_jacobi on the host: threads take chunks of block rows; blocks up to 8 x 8 have compile-time size.
#include <algorithm>
#include <cstdint>

#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block/block_lanes.hpp"
#include "solvers/matrix/block/block_product.hpp"
#include "solvers/matrix/block/entry_sums.hpp"
#include "solvers/preconditioner/jacobi/block_jacobi.hpp"

namespace weir::block_jacobi {
namespace {

constexpr int chunk = 512;  // block rows

template <int N>
[[gnu::always_inline]] inline void product(lanes::FixedBlock<N> block, const float* a, const double* r, double* z) {
  using Vector = typename lanes::FixedBlock<N>::Vector;
  Vector sum(block);
  sum.add_product(a, Vector(block, r));
  sum.store(z);
}
inline void product(lanes::RuntimeBlock block, const float* a, const double* r, double* z) {
  const int n = block.n;
  for (int u = 0; u < n; ++u) z[u] = 0;
  for (int c = 0; c < n; ++c) {
    const double x = r[c];
    const float* column = a + c * n;
#pragma omp simd
    for (int u = 0; u < n; ++u) z[u] += static_cast<double>(column[u]) * x;
  }
}

template <int B>
void apply_rows(const double* inverse, int n, const double* r, double* z, int lo, int hi) {
  for (int i = lo; i < hi; ++i) {
    if constexpr (B > 0) {
      lanes::EntrySums<B, lanes::EntryOrder::by_rows> sum;
      sum.add(inverse + std::int64_t{i} * B * B, r + std::int64_t{i} * B);
      sum.store(z + std::int64_t{i} * B);
    } else {
      double* zi = z + std::int64_t{i} * n;
      for (int c = 0; c < n; ++c) zi[c] = 0;
      block_host::add_product(n, inverse + std::int64_t{i} * n * n, r + std::int64_t{i} * n, zi);
    }
  }
}

}  // namespace

void apply(Host, View<const float> inverse, int n, View<const double> r, View<double> z) {
  const int rows = static_cast<int>(r.size()) / n;
  lanes::with_block(n, [&](auto block) {
#pragma omp parallel for schedule(static) if (std::int64_t{rows} * n * n > parallel_grain)
    for (int lo = 0; lo < rows; lo += chunk)
      for (std::int64_t i = lo; i < std::min(rows, lo + chunk); ++i)
        product(block, inverse.data() + i * n * n, r.data() + i * n, z.data() + i * n);
  });
}

void apply(Host, View<const double> inverse, int n, View<const double> r, View<double> z) {
  const int rows = static_cast<int>(r.size()) / n;
  block_host::with_block(n, [&](auto B) {
#pragma omp parallel for schedule(static) if (std::int64_t{rows} * n * n > parallel_grain)
    for (int lo = 0; lo < rows; lo += chunk)
      apply_rows<B.value>(inverse.data(), n, r.data(), z.data(), lo, std::min(rows, lo + chunk));
    return 0;
  });
}

}  // namespace weir::block_jacobi
