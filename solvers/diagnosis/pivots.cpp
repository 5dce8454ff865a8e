#include "solvers/diagnosis/pivots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"

namespace weir {
namespace {

// Row i of L U in the pattern of A (Saad, Iterative Methods, algorithm 10.4). place: of each column in row i, else -1.
// Returns the size of the largest number that the pivot was made of.
double eliminate_row(BlockCsrData& A, int i, const std::vector<std::int64_t>& pivot, std::vector<std::int64_t>& place) {
  const auto from = A.row_start[at(i)], to = A.row_start[at(i) + 1];
  for (auto e = from; e < to; ++e) place[at(A.column[at(e)])] = e;
  double largest = pivot[at(i)] >= 0 ? std::abs(A.value[at(pivot[at(i)])]) : 0;
  for (auto e = from; e < to && A.column[at(e)] < i; ++e) {
    const int k = A.column[at(e)];
    const double factor = A.value[at(e)] / A.value[at(pivot[at(k)])];
    A.value[at(e)] = factor;
    for (auto u = pivot[at(k)] + 1; u < A.row_start[at(k) + 1]; ++u) {
      const auto here = place[at(A.column[at(u)])];
      if (here < 0) continue;
      A.value[at(here)] -= factor * A.value[at(u)];
      if (here == pivot[at(i)]) largest = std::max(largest, std::abs(factor * A.value[at(u)]));
    }
  }
  for (auto e = from; e < to; ++e) place[at(A.column[at(e)])] = -1;
  return largest;
}

double largest_of_row(const BlockCsrData& A, int i) {
  double largest = 0;
  for (auto e = A.row_start[at(i)]; e < A.row_start[at(i) + 1]; ++e)
    largest = std::max(largest, std::abs(A.value[at(e)]));
  return largest;
}

}  // namespace

Pivots ilu0_pivots(BlockCsrData A) {
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  Pivots found;
  std::vector<std::int64_t> pivot(at(A.rows()), -1), place(at(A.rows()), -1);
  for (int i = 0; i < A.rows(); ++i)
    for (auto e = A.row_start[at(i)]; e < A.row_start[at(i) + 1]; ++e)
      if (A.column[at(e)] == i) pivot[at(i)] = e;
  for (int i = 0; i < A.rows(); ++i) {
    const auto d = pivot[at(i)];
    const double before = d >= 0 ? A.value[at(d)] : 0, row = largest_of_row(A, i);
    const double made_of = eliminate_row(A, i, pivot, place);
    const double value = d >= 0 ? A.value[at(d)] : 0;
    if (!(std::abs(value) > rounding * made_of) || !std::isfinite(value)) {
      found.bad_row = i;
      found.bad_value = value;
      found.diagonal = before;
      return found;
    }
    if (const double ratio = std::abs(value) / row; ratio < found.least_ratio) {
      found.least_ratio = ratio;
      found.least_row = i;
    }
  }
  return found;
}

}  // namespace weir
