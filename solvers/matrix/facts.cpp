#include "solvers/matrix/facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"

namespace weir {

std::vector<double> largest_in_rows(const BlockCsrData& A) {
  std::vector<double> largest(at(A.rows()));
  const std::int64_t BB = std::int64_t{A.block} * A.block;
  for (int i = 0; i < A.rows(); ++i)
    for (auto e = A.row_start[i] * BB; e < A.row_start[i + 1] * BB; ++e)
      largest[i] = std::max(largest[i], std::abs(A.value[e]));
  return largest;
}

bool is_symmetric(const BlockCsrData& A) {
  const int B = A.block;
  const std::vector<double> largest = largest_in_rows(A);
  std::vector<std::int64_t> next(A.row_start.begin(), A.row_start.end() - 1);  // of row j: its next block to meet
  for (int i = 0; i < A.rows(); ++i)
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
      const auto j = at(A.column[e]);
      const std::int64_t mirror = next[j]++;
      if (mirror == A.row_start[j + 1] || A.column[mirror] != i) return false;
      const double bound = symmetry_tolerance * std::max(largest[i], largest[j]);
      for (int u = 0; u < B; ++u)
        for (int v = 0; v < B; ++v)
          if (!(std::abs(A.value[(e * B + u) * B + v] - A.value[(mirror * B + v) * B + u]) <= bound)) return false;
    }
  return true;
}

bool has_positive_diagonal(const BlockCsrData& A) {
  const int B = A.block;
  for (int i = 0; i < A.rows(); ++i)
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e)
      for (int u = 0; u < B && A.column[e] == i; ++u)
        if (!(A.value[(e * B + u) * B + u] > 0)) return false;
  return true;
}

bool has_constant_null_space(const BlockCsrData& A) {
  if (A.block != 1) return false;
  const auto n = at(A.rows());
  std::vector<double> row(n), column(n), row_size(n), column_size(n);
  for (std::size_t i = 0; i < n; ++i)
    for (auto e = at(A.row_start[i]); e < at(A.row_start[i + 1]); ++e) {
      const auto j = at(A.column[e]);
      row[i] += A.value[e];
      column[j] += A.value[e];
      row_size[i] += std::abs(A.value[e]);
      column_size[j] += std::abs(A.value[e]);
    }
  constexpr double rounding = 1e-13;
  for (std::size_t i = 0; i < n; ++i) {
    if (row_size[i] == 0 || column_size[i] == 0) return false;  // more than the constants
    if (std::abs(row[i]) > rounding * row_size[i] || std::abs(column[i]) > rounding * column_size[i]) return false;
  }
  return true;
}

double rounding_of_residual(const BlockCsrData& A, std::span<const double> x) {
  const int B = A.block;
  double sum = 0;
  for (int row = 0; row < A.rows() * B; ++row) {
    double s = 0;
    for (auto e = A.row_start[row / B]; e < A.row_start[at(row / B) + 1]; ++e)
      for (int v = 0; v < B; ++v) s += std::abs(A.value[(e * B + row % B) * B + v] * x[A.column[e] * B + v]);
    sum += s * s;
  }
  return std::numeric_limits<double>::epsilon() * std::sqrt(sum);
}

}  // namespace weir
