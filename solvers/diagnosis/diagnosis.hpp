// Properties of a matrix from its entries, before any solve, each in nearly linear time.
#pragma once
#include <cstdint>

#include "solvers/matrix/facts.hpp"

namespace weir {

// Number of rows (or columns), and the first of them; -1: none.
struct RowTally {
  std::int64_t count = 0;
  int first = -1;
  void add(int row) {
    if (count++ == 0) first = row;
  }
};

struct Range {
  double least = 0, most = 0;
  double ratio() const { return least > 0 ? most / least : 0; }
};

struct Diagnosis {
  int rows = 0;
  std::int64_t entries = 0, stored_zeros = 0, not_finite = 0;
  int shortest_row = 0, longest_row = 0;  // entries
  RowTally empty_rows, empty_columns;     // rows of zeros count as empty

  RowTally missing_diagonal, zero_diagonal, negative_diagonal;
  RowTally positive_off_diagonal;  // rows with one; none and a positive diagonal: the sign pattern of an M-matrix
  RowTally zero_row_sums, zero_column_sums;  // to rounding (facts.hpp)
  RowTally not_dominant, strictly_dominant;  // |d| below or above the sum of the others' magnitudes
  double worst_dominance = 0;                // the largest sum of |off-diagonal| / |d|
  int worst_row = -1;

  double mirrored = 0;   // fraction of the off-diagonal entries whose mirror is stored too
  double asymmetry = 0;  // max of |a_ij - a_ji| relative to the largest entry of rows i and j
  double skewness = 0;   // max |a_ij + a_ji| / max |a|, off the diagonal

  Range entry, row_size, column_size, diagonal;  // magnitudes of the nonzeros; sizes are maximum norms

  int lower_bandwidth = 0, upper_bandwidth = 0, rcm_bandwidth = 0;
  int components = 0;          // of A + A^T: independent systems
  int irreducible_blocks = 0;  // strongly connected: could be solved one after the other
  int largest_irreducible = 0;
  int block = 1;  // size of full blocks, detected

  bool is_symmetric() const { return asymmetry <= symmetry_tolerance; }
  bool has_constant_null_space() const { return zero_row_sums.count == rows && zero_column_sums.count == rows; }
  // symmetric, positive diagonal, irreducible and dominant, strictly in at least one row
  bool is_definite_for_sure() const;
};

// scalar: block size 1, columns ascending.
Diagnosis diagnose(const BlockCsrData& scalar);

// Rows and columns exchanged.
BlockCsrData transposed(const BlockCsrData& scalar);

}  // namespace weir
