// What is seen of one solve, and of each block row; see `observatory.cpp`. Over ranks all call, the numbers are those of the whole
// system, the same on all ranks, and the rows are this rank's.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "miniapps/study/observe/rows_of_ranks.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/stored_as.hpp"

namespace weir {

// Not known: negative, or empty.
struct SolveObservation {
  double probe = -1;                          // |r - A M^-1 r| / |r|
  double fixed_point = -1;                    // |x - g(x)|_1 of all entries
  double dominance_L = -1, dominance_U = -1;  // the largest row's
  double median_dominance_L = -1, median_dominance_U = -1;
  double stale_reads = -1;       // the mean row's
  double largest_residual = -1;  // of a block row, in the l2 norm ...
  int row_of_largest = -1;       // in the whole
  double error = -1;             // |x* - x| in the l2 norm
  // Block rows whose preconditioner is stored as that (StoredAs), and the bits a number of each row has.
  std::array<int, storage_kinds> rows_stored{};
  std::vector<double> row_bits;
  FactorObservation factors;
  std::vector<double> row_residual, row_error;
};

// What does not change while the pattern stays: of each block row, in the order of the whole, on rank 0. Empty where it has
// none.
struct RowStructure {
  std::vector<double> level;   // of the lower triangle: which rows can be eliminated side by side
  std::vector<double> colour;  // largest degree first
  std::vector<double> line;    // -1: on none
};
// A solve of A x = b with the preconditioner M, looked at into `seen`.
template <class Space>
struct SolveObserver {
  const Matrix<Space>& A;
  const Preconditioner<Space>& M;
  const RowsOfRanks& rows;
  SolveObservation& seen;

  // Before it. work: twice the size of x.
  void preconditioner(View<const double> b, View<const double> x, View<double> r, View<double> work) const;
  // After it.
  void residual(View<const double> b, View<const double> x, View<double> r) const;
  void error(View<const double> b, View<const double> x, View<double> z) const;  // z becomes x*
  // by_rank: level and colour are those of each rank's own part of the matrix, as a preconditioner of its own rows has them;
  // else the whole is put together on rank 0.
  static RowStructure structure(const Matrix<Space>& A, const RowsOfRanks& rows, bool by_rank);
};

}  // namespace weir
