// Properties of a matrix determined from its values, each in one pass.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// Tolerance of |a_ij - a_ji| relative to the largest entry of rows i and j.
// Entries that are sums of the same terms, added in a different order, differ by about 1e-15.
constexpr double symmetry_tolerance = 1e-12;
// Symmetric pattern, and symmetric values within the tolerance. Columns ascend.
bool is_symmetric(const BlockCsrData& A);
std::vector<double> largest_in_rows(const BlockCsrData& A);  // per block row: largest |entry|

// Necessary for cg. (A negative definite matrix would need both sides negated.)
bool has_positive_diagonal(const BlockCsrData& A);

// Whether the constant vector is in the null spaces of A and its transpose, from the row and column sums in twice the
// precision of a double. (It spans them if the matrix is connected.) If the sums are no larger than the rounding
// error of the entries, the values alone do not decide whether A is singular.
enum class ConstantVector { not_null, null_to_rounding, null_exactly };
ConstantVector constant_vector(const BlockCsrData& A);
struct SumOfEntries {  // of a row or column
  double high = 0, low = 0, size = 0;
  std::int64_t count = 0;
  void add(double entry);
  ConstantVector says() const;
};
// At least to rounding: a guess.
inline bool has_constant_null_space(const BlockCsrData& A) { return constant_vector(A) != ConstantVector::not_null; }
// Largest sum that rounding alone can leave of `count` entries with sum of magnitudes `size`.
double rounding_of_sum(std::int64_t count, double size);
// The constant part of b, relative to |b|: 0 if b sums to zero.
double constant_part(std::span<const double> b);

// Rounding error of |b - A x|, in the l2 norm: eps | |A| |x| |.
// No x stored in double has a residual below it, except by chance.
double rounding_of_residual(const BlockCsrData& A, std::span<const double> x);

}  // namespace weir
