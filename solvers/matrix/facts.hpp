// What the numbers of a matrix say at once, whatever its file claims: each one pass over the entries.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// |a_ij - a_ji| of a matrix that is symmetric but for rounding, relative to the largest entry of rows i and j. Entries that
// were assembled in another order differ by some 1e-15.
constexpr double symmetry_tolerance = 1e-12;
// Symmetric pattern, and values within that tolerance. Columns ascend.
bool is_symmetric(const BlockCsrData& A);
std::vector<double> largest_in_rows(const BlockCsrData& A);  // of each block row: largest |entry|

// What cg needs at least. A negative definite matrix would do with both sides negated.
bool has_positive_diagonal(const BlockCsrData& A);

// What the sums of the scalar rows and columns of A say of the constant vector, which spans both null spaces of a
// connected matrix where it is in them. Sums are taken to twice the precision of a double. Those of an assembled
// matrix are what rounding has left in its entries: where they are no larger, the numbers alone do not tell whether A
// is singular.
enum class ConstantVector { not_null, null_to_rounding, null_exactly };
ConstantVector constant_vector(const BlockCsrData& A);
struct SumOfEntries {  // of one row or column
  double high = 0, low = 0, size = 0;
  std::int64_t count = 0;
  void add(double entry);
  ConstantVector says() const;
};
// To rounding at least: a guess.
inline bool has_constant_null_space(const BlockCsrData& A) { return constant_vector(A) != ConstantVector::not_null; }
// A sum of `count` entries whose sizes add up to `size` may be as large by rounding alone.
double rounding_of_sum(std::int64_t count, double size);
// The part of b along the constant vector, relative to |b|: 0 where b sums to zero.
double constant_part(std::span<const double> b);

// What rounding alone leaves of |b - A x|: eps | |A| |x| |, in the l2 norm. An x held in double has no smaller one but by
// chance, however exactly it was computed.
double rounding_of_residual(const BlockCsrData& A, std::span<const double> x);

}  // namespace weir
