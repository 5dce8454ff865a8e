// Rows of a structured box on the host, shared by the stencil kernels: five pointers to the row and its neighbours S,
// N (j -+ 1) and B, T (k -+ 1), wrapped in periodic directions and clamped to the row itself at other ends, where the
// coefficient is zero.
#pragma once
#include <cstdint>
#include <type_traits>

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

template <class F>
void for_rows(Extents e, const F& row) {
  const int rows = e.ny * e.nz;
#pragma omp parallel for schedule(static) if (e.count() > parallel_grain)
  for (int q = 0; q < rows; ++q) row(q % e.ny, q / e.ny, static_cast<std::int64_t>(q) * e.nx);
}

// Adds up the return values of the rows; the order does not depend on the number of threads.
template <class F>
double sum_rows(Extents e, const F& row) {
  const int rows = e.ny * e.nz;
  double* part = detail::reduction_scratch(rows);
#pragma omp parallel for schedule(static) if (e.count() > parallel_grain)
  for (int q = 0; q < rows; ++q) part[q] = row(q % e.ny, q / e.ny, static_cast<std::int64_t>(q) * e.nx);
  return detail::tree_sum(part, rows);
}

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

// use(i, A x at cell i) for the cells of a row; adds up its return values, if any. Cell(i, west, east) gives A x at
// cell i; cell.low and cell.high are added to the diagonal at the ends of the row.
//
// The row is processed in groups of four from its start, so that all loads except west and east are aligned if the
// rows are: loads that cross cache lines cost twice, and loads limit this loop in cache.
template <class Cell, class Use>
double for_products(const Cell cell, int n, bool periodic, const double* x, const Use use) {
  constexpr int group = 4;
  constexpr bool sums = !std::is_void_v<decltype(use(0, 0.0))>;
  const double before = periodic ? x[n - 1] : x[0], after = periodic ? x[0] : x[n - 1];
  double s = 0;
  const auto pass_on = [&](int i, double Ax) {
    if constexpr (sums)
      s += use(i, Ax);
    else
      use(i, Ax);
  };
  const auto one = [&](int i) {
    const double Ax = cell(i, i > 0 ? x[i - 1] : before, i + 1 < n ? x[i + 1] : after);
    pass_on(i, Ax + ((i == 0 ? cell.low : 0) + (i == n - 1 ? cell.high : 0)) * x[i]);
  };
  if (n < 2 * group) {
    for (int i = 0; i < n; ++i) one(i);
    return s;
  }
  const auto end_group = [&](int first, const double* west, const double* east, double low, double high) {
    double Ax[group];
#pragma omp simd
    for (int l = 0; l < group; ++l) Ax[l] = cell(first + l, west[l], east[l]);
    Ax[0] += low * x[first];
    Ax[group - 1] += high * x[first + group - 1];
    for (int l = 0; l < group; ++l) pass_on(first + l, Ax[l]);
  };
  const double west[group] = {before, x[0], x[1], x[2]};
  end_group(0, west, x + 1, cell.low, 0);
  const int whole = n % group == 0 ? n - group : n - n % group;  // end of the inner groups
  double inner = 0;
#pragma omp simd reduction(+ : inner)
  for (int i = group; i < whole; ++i) {
    if constexpr (sums)
      inner += use(i, cell(i, x[i - 1], x[i + 1]));
    else
      use(i, cell(i, x[i - 1], x[i + 1]));
  }
  if (n % group == 0) {
    const double east[group] = {x[n - 3], x[n - 2], x[n - 1], after};
    end_group(whole, x + whole - 1, east, 0, cell.high);
  } else {
    for (int i = whole; i < n; ++i) one(i);
  }
  return s + inner;
}

// One row of y = A x or r = b - A x; returns x.y or r.r of the row if Dot.
template <bool Residual, bool Dot, class Cell>
double product_row(const Cell cell, int n, bool periodic, const double* x, const double* b, double* __restrict y) {
  const auto store = [=](int i, double Ax) { return y[i] = Residual ? b[i] - Ax : Ax; };
  if constexpr (Dot)
    return for_products(cell, n, periodic, x, [=](int i, double Ax) {
      const double v = store(i, Ax);
      return v * (Residual ? v : x[i]);
    });
  else
    return for_products(cell, n, periodic, x, [=](int i, double Ax) { store(i, Ax); });
}

}  // namespace weir
