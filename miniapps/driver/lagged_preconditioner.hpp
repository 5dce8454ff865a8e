// Checkpoints of lagged preconditioners ([linear.SYSTEM] refresh, solvers/refresh.hpp): the matrix from which the
// preconditioner was made is kept and saved with the state of the solver (solver_state.hpp), so that a restarted run
// makes the same factors and continues bit for bit. With refresh = "always" nothing is kept.
#pragma once
#include <string>
#include <vector>

#include "postproc/run/run.hpp"
#include "solvers/linear_solver.hpp"

namespace weir {

// A copy of a vector where it lives, in an array that grows as needed.
template <class Space>
void keep_copy(View<const double> from, Array<double, Space>& to);

template <class Space>
class LaggedPreconditioner {
 public:
  // Call after each solve, with the values of the matrix of the last update.
  void follow(const LinearSolver<Space>& solver, View<const double> values);

  // Adds to a checkpoint; its spans are valid until the next call.
  void save(const LinearSolver<Space>& solver, CheckpointState& state);
  // Call after the solver has loaded its state: `values` of A become those of the kept matrix.
  void load(const Checkpoint& from, LinearSolver<Space>& solver, const Matrix<Space>& A, View<double> values);

  // At the end of a run: table and lifetime.csv of the cost of each age, and the best schedule in hindsight.
  void report(Run& run, const std::string& system, const LinearSolver<Space>& solver) const;

 private:
  Array<double, Space> kept_;
  std::vector<double> on_host_;
};

// The text of report, and lifetime.csv: one row per age, then one row per schedule.
void report_lag(Run& run, const std::string& system, const RefreshPolicy& policy);

}  // namespace weir
