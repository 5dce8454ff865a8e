// What can be told of a matrix from its entries alone, before anything is solved: each look is near-linear in their number.
#pragma once
#include <cstdint>

#include "solvers/matrix/facts.hpp"

namespace weir {

// How many rows (or columns), and the first of them; -1 where there is none.
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
  RowTally empty_rows, empty_columns;     // of zeros alone count as well

  RowTally missing_diagonal, zero_diagonal, negative_diagonal;
  RowTally positive_off_diagonal;  // rows that have one: none, and a positive diagonal, is an M-matrix's sign pattern
  RowTally zero_row_sums, zero_column_sums;  // to rounding (facts.hpp)
  RowTally not_dominant, strictly_dominant;  // |d| below, above the sum of the others' sizes
  double worst_dominance = 0;                // the largest sum of |off-diagonal| / |d|
  int worst_row = -1;

  double mirrored = 0;   // the part of the off-diagonal entries whose mirror is stored too
  double asymmetry = 0;  // max of |a_ij - a_ji| relative to the largest entry of rows i and j
  double skewness = 0;   // max |a_ij + a_ji| / max |a|, off the diagonal

  Range entry, row_size, column_size, diagonal;  // magnitudes of what is not zero; sizes are maximum norms

  int lower_bandwidth = 0, upper_bandwidth = 0, rcm_bandwidth = 0;
  int components = 0;          // of A + A^T: systems that have nothing to do with each other
  int irreducible_blocks = 0;  // strongly connected: solved one after the other, had one their order
  int largest_irreducible = 0;
  int block = 1;  // of full blocks, detected

  bool is_symmetric() const { return asymmetry <= symmetry_tolerance; }
  bool has_constant_null_space() const { return zero_row_sums.count == rows && zero_column_sums.count == rows; }
  bool is_definite_for_sure() const;  // symmetric, positive diagonal, dominant and somewhere strictly so in one piece
};

// scalar: of blocks of 1, rows in ascending columns.
Diagnosis diagnose(const BlockCsrData& scalar);

// Rows and columns exchanged.
BlockCsrData transposed(const BlockCsrData& scalar);

}  // namespace weir
