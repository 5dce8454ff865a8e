// Why a solve failed. The rules examine the numbers of the system first, then try: a cause is reported only if the
// same system is solved with the one change that the verdict recommends, so that a suspicious but irrelevant property
// is not reported.
//   failed_solve.cpp        the rules in their order
//   rules_of_numbers.cpp    values that are not finite, pivots, null spaces, floats
//   rules_of_methods.cpp    method and preconditioner against the matrix
//   rules_of_limits.cpp     tolerance, iterations, restart, scaling, ordering, condition
// Costs a few solves and a copy of the matrix in rows, only after a failure.
#pragma once
#include <functional>
#include <string>

#include "solvers/diagnosis/finding.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

// The settings of [linear.SYSTEM].
struct SolverSettings {
  std::string table;  // "linear.pressure"; empty: no case file
  std::string method, preconditioner;
  KrylovOptions krylov;
  Table preconditioner_options;
};
// As LinearSolver reads them.
SolverSettings read_solver_settings(const std::string& table, const Table& options, const std::string& default_method,
                                    const std::string& default_preconditioner, const KrylovOptions& defaults);

template <class Space>
struct FailedSolve {
  const Matrix<Space>* A = nullptr;
  const Matrix<Space>* prepared_from = nullptr;  // matrix at the preconditioner's set-up; null: A
  View<const double> b, x;                       // x: the final iterate
  SolveResult result;
  SolverSettings settings;
  const Preconditioner<Space>* M = nullptr;         // as applied; null: unavailable, or it refused the matrix ...
  std::string refusal;                              // ... with this message
  int age = 0;                                      // number of solves since it was set up or updated
  std::function<std::string(int row)> name_of_row;  // "u of cell (3, 4, 0)"; empty: "row 7"
};

// The most likely cause; `unknown` with the measured values if no rule holds.
template <class Space>
Finding examine(const FailedSolve<Space>& failed);

}  // namespace weir
