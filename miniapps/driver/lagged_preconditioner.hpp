// What a flow code does about a preconditioner that lives longer than its matrix ([linear.SYSTEM] refresh, solvers/refresh.hpp):
// the matrix that it was made from is kept, and goes into checkpoints beside the solver's state (solver_state.hpp), so that
// a restarted run makes the same factors again and goes on bit for bit. With refresh = "always" nothing is kept and nothing
// happens.
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
  // After each solve, with the values of the matrix that the last update was given.
  void follow(const LinearSolver<Space>& solver, View<const double> values);

  // Into a checkpoint, whose spans stay good until the next call.
  void save(const LinearSolver<Space>& solver, CheckpointState& state);
  // From one, whose state the solver has loaded: A, whose values are `values`, becomes the matrix that was kept.
  void load(const Checkpoint& from, LinearSolver<Space>& solver, const Matrix<Space>& A, View<double> values);

  // At the end: the table and lifetime.csv of what each age has cost, and which schedule would have been the best.
  void report(Run& run, const std::string& system, const LinearSolver<Space>& solver) const;

 private:
  Array<double, Space> kept_;
  std::vector<double> on_host_;
};

// report's text, and lifetime.csv: a row an age, then a row a schedule.
void report_lag(Run& run, const std::string& system, const RefreshPolicy& policy);

}  // namespace weir
