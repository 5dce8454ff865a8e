// Observations of one solve and of its block rows; see observatory.cpp. Over ranks all call, the numbers are those of
// the whole system on all ranks, and the rows are those of this rank.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "miniapps/study/observe/rows_of_ranks.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/stored_as.hpp"

namespace weir {

// Unknown: negative, or empty.
struct SolveObservation {
  double probe = -1;                          // |r - A M^-1 r| / |r|
  double fixed_point = -1;                    // |x - g(x)|_1 over all entries
  double dominance_L = -1, dominance_U = -1;  // of the worst row
  double median_dominance_L = -1, median_dominance_U = -1;
  double stale_reads = -1;       // mean per row
  double largest_residual = -1;  // of a block row, l2 norm
  int row_of_largest = -1;       // its global number
  double error = -1;             // |x* - x|, l2 norm
  // Number of block rows per storage of the preconditioner (StoredAs); bits per number of each row.
  std::array<int, storage_kinds> rows_stored{};
  std::vector<double> row_bits;
  FactorObservation factors;
  std::vector<double> row_residual, row_error;
};

// Constant while the pattern stays: per block row, in global order, on rank 0. Empty: unknown.
struct RowStructure {
  std::vector<double> level;   // of the lower triangle: rows of one level can be eliminated in parallel
  std::vector<double> colour;  // largest-degree-first colouring
  std::vector<double> line;    // -1: on no line
};
// Observes a solve of A x = b with the preconditioner M; the result goes to `seen`. A method alone (Traits) has no
// probe and no error.
template <class Space>
struct SolveObserver {
  const Matrix<Space>& A;
  const Preconditioner<Space>& M;
  const RowsOfRanks& rows;
  SolveObservation& seen;

  // Called before the solve. work: an array of twice the size of x.
  void preconditioner(View<const double> b, View<const double> x, View<double> r, View<double> work) const;
  // Called after the solve.
  void residual(View<const double> b, View<const double> x, View<double> r) const;
  void error(View<const double> b, View<const double> x, View<double> z) const;  // z becomes x*
  // by_rank: level and colour of each rank's own part, for preconditioners that act on it alone; otherwise of the whole
  // matrix, which is gathered on rank 0.
  static RowStructure structure(const Matrix<Space>& A, const RowsOfRanks& rows, bool by_rank);
};

}  // namespace weir
