// For parilu's kernels: where a column stands in a row, and values that others may store meanwhile.
#pragma once
#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/parilu/parilu_factors.hpp"

namespace weir::parilu {

// Where column j stands among the ascending columns from .. to - 1, or -1.
__device__ inline std::int64_t find(const int* column, std::int64_t from, std::int64_t to, int j) {
  std::int64_t beyond = to;
  while (from < beyond) {
    const std::int64_t middle = (from + beyond) / 2;
    if (column[middle] < j)
      from = middle + 1;
    else
      beyond = middle;
  }
  return from < to && column[from] == j ? from : -1;
}

// n > 8: parilu_device_large.cu.
void sweep_large(const BlockCsrView& A, const FactorsView& in, const FactorsView& out);
void residual_large(const BlockCsrView& A, const FactorsView& f, const RowsView& lower, const RowsView& upper);

}  // namespace weir::parilu
