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
  std::vector<std::int64_t> next(A.row_start.begin(), A.row_start.end() - 1);  // next block of row j to be matched
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

namespace {
constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;
}

void SumOfEntries::add(double a) {  // two-sum of Knuth
  if (a == 0) return;
  const double s = high + a, t = s - high;
  low += (high - (s - t)) + (a - t);
  high = s;
  size += std::abs(a);
  ++count;
}

ConstantVector SumOfEntries::says() const {
  const double sum = std::abs(high + low);
  // an empty row is not null
  if (!(size > 0) || !(sum <= rounding_of_sum(count, size))) return ConstantVector::not_null;
  const double of_sum = static_cast<double>(count) * unit_roundoff * unit_roundoff * size;
  return sum <= of_sum ? ConstantVector::null_exactly : ConstantVector::null_to_rounding;
}

// An entry that is minus the sum of the others has the rounding error of that sum, which normally grows as the square
// root of their number; the others have that of their own assembly.
double rounding_of_sum(std::int64_t count, double size) {
  return 4 * std::sqrt(static_cast<double>(count)) * unit_roundoff * size;
}

ConstantVector constant_vector(const BlockCsrData& A) {
  const int B = A.block;
  const auto n = at(A.rows()) * at(B);
  std::vector<SumOfEntries> column(n);
  ConstantVector least = ConstantVector::null_exactly;
  for (std::size_t row = 0; row < n; ++row) {
    const std::size_t i = row / at(B), u = row % at(B);
    SumOfEntries sum;
    for (auto e = at(A.row_start[i]); e < at(A.row_start[i + 1]); ++e)
      for (std::size_t v = 0; v < at(B); ++v) {
        const double a = A.value[(e * at(B) + u) * at(B) + v];
        sum.add(a);
        column[at(A.column[e]) * at(B) + v].add(a);
      }
    least = std::min(least, sum.says());
    if (least == ConstantVector::not_null) return least;
  }
  for (const SumOfEntries& sum : column) least = std::min(least, sum.says());
  return least;
}

double constant_part(std::span<const double> b) {
  double most = 0, sum = 0, squares = 0;
  for (const double v : b) most = std::max(most, std::abs(v));
  if (!(most > 0) || !std::isfinite(most)) return 0;
  for (const double v : b) {
    sum += v / most;
    squares += (v / most) * (v / most);
  }
  return std::abs(sum) / std::sqrt(static_cast<double>(b.size()) * squares);
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
