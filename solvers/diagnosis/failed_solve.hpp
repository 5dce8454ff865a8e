// Why a solve failed: the rules look at the numbers of the system first, and then try. A cause is named where the cure
// works: the same system is solved again with the one thing changed that the verdict says to change. So no rule is
// fooled by a suspicious matrix that has nothing to do with the failure.
//   failed_solve.cpp        the rules in their order
//   rules_of_numbers.cpp    what is not finite, pivots, null spaces, floats
//   rules_of_methods.cpp    method and preconditioner against the matrix
//   rules_of_limits.cpp     tolerance, iterations, restart, scaling, ordering, condition
// It takes the time of some solves and a copy of the matrix in rows; nothing is computed while solves go well.
#pragma once
#include <functional>
#include <string>

#include "solvers/diagnosis/finding.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

// What [linear.SYSTEM] asked for.
struct SolverSettings {
  std::string table;  // where its keys stand: "linear.pressure"; empty: alone
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
  const Matrix<Space>* prepared_from = nullptr;  // what the preconditioner was set up with; null: A
  View<const double> b, x;                       // x: where the solve ended
  SolveResult result;
  SolverSettings settings;
  const Preconditioner<Space>* M = nullptr;         // as it was applied; null: gone, or it refused the matrix ...
  std::string refusal;                              // ... and said why
  int age = 0;                                      // solves before this one since it was set up or updated
  std::function<std::string(int row)> name_of_row;  // "u of cell (3, 4, 0)"; empty: "row 7"
};

// The most likely cause; `unknown` with what was measured where no rule holds.
template <class Space>
Finding examine(const FailedSolve<Space>& failed);

}  // namespace weir
