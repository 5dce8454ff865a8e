// z = D^-1 r on the host: OpenMP over chunks of block rows, blocks of compile-time size up to 8.
#include <algorithm>
#include <cstdint>

#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block/block_product.hpp"
#include "solvers/preconditioner/jacobi/block_jacobi.hpp"

namespace weir::block_jacobi_host {
namespace {

template <int B>
void apply_rows(const double* inverse, int n, const double* r, double* z, int lo, int hi) {
  for (int i = lo; i < hi; ++i) {
    if constexpr (B > 0) {
      block_host::RowSum<B> sum;
      sum.add(inverse + std::int64_t{i} * B * B, r + std::int64_t{i} * B);
      sum.total(z + std::int64_t{i} * B);
    } else {
      double* zi = z + std::int64_t{i} * n;
      for (int c = 0; c < n; ++c) zi[c] = 0;
      block_host::add_product(n, inverse + std::int64_t{i} * n * n, r + std::int64_t{i} * n, zi);
    }
  }
}
}  // namespace

void apply(const double* inverse, int rows, int n, const double* r, double* z) {
  block_host::with_block(n, [&](auto B) {
    constexpr int chunk = 512;
#pragma omp parallel for schedule(static) if (std::int64_t{rows} * n * n > parallel_grain)
    for (int lo = 0; lo < rows; lo += chunk) apply_rows<B.value>(inverse, n, r, z, lo, std::min(rows, lo + chunk));
    return 0;
  });
}

}  // namespace weir::block_jacobi_host
