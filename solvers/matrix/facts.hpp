// What the numbers of a matrix say at once, whatever its file claims: each one pass over the entries.
#pragma once
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

// Sums of rows and of columns are rounding: the constant vector spans the null spaces of a scalar matrix that is connected.
bool has_constant_null_space(const BlockCsrData& A);

// What rounding alone leaves of |b - A x|: eps | |A| |x| |, in the l2 norm. An x held in double has no smaller one but by
// chance, however exactly it was computed.
double rounding_of_residual(const BlockCsrData& A, std::span<const double> x);

}  // namespace weir
