// Rows of a structured box on the host: what the stencil kernels share. A row's five pointers are the row itself and
// its neighbours S, N (j -+ 1) and B, T (k -+ 1), wrapped where the direction is periodic and clamped to the row itself
// at other ends, where the kernel's coefficient makes up for it.
#pragma once
#include <cstdint>

#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/device/space.hpp"

namespace weir {

struct RowPointers {
  const double *x, *S, *N, *B, *T;
};

inline RowPointers row_pointers(Extents e, bool periodic_y, bool periodic_z, const double* x, int j, int k) {
  const auto row = [&](int jj, int kk) { return x + (static_cast<std::int64_t>(kk) * e.ny + jj) * e.nx; };
  const int south = j > 0 ? j - 1 : (periodic_y ? e.ny - 1 : 0), north = j + 1 < e.ny ? j + 1 : (periodic_y ? 0 : j);
  const int below = k > 0 ? k - 1 : (periodic_z ? e.nz - 1 : 0), above = k + 1 < e.nz ? k + 1 : (periodic_z ? 0 : k);
  return {row(j, k), row(south, k), row(north, k), row(j, below), row(j, above)};
}

// Calls row(j, k, offset) for every row.
template <class F>
void for_rows(Extents e, const F& row) {
  const int rows = e.ny * e.nz;
#pragma omp parallel for schedule(static) if (e.count() > parallel_grain)
  for (int q = 0; q < rows; ++q) row(q % e.ny, q / e.ny, static_cast<std::int64_t>(q) * e.nx);
}

// The same, adding up what the rows return; the order does not depend on the number of threads.
template <class F>
double sum_rows(Extents e, const F& row) {
  const int rows = e.ny * e.nz;
  double* part = detail::reduction_scratch(rows);
#pragma omp parallel for schedule(static) if (e.count() > parallel_grain)
  for (int q = 0; q < rows; ++q) part[q] = row(q % e.ny, q / e.ny, static_cast<std::int64_t>(q) * e.nx);
  return detail::tree_sum(part, rows);
}

// Two sums at once.
template <class F>
Pair sum2_rows(Extents e, const F& row) {
  const int rows = e.ny * e.nz;
  double* part = detail::reduction_scratch(2 * static_cast<std::int64_t>(rows));
#pragma omp parallel for schedule(static) if (e.count() > parallel_grain)
  for (int q = 0; q < rows; ++q) {
    const Pair p = row(q % e.ny, q / e.ny, static_cast<std::int64_t>(q) * e.nx);
    part[q] = p.a;
    part[rows + q] = p.b;
  }
  return {detail::tree_sum(part, rows), detail::tree_sum(part + rows, rows)};
}

}  // namespace weir
