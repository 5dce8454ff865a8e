// A lagged preconditioner ([linear.SYSTEM] refresh, solvers/refresh.hpp) in a flow code: the matrix of its last set-up
// is kept and goes into checkpoints together with the state of the solver (solver_state.hpp). A restarted run makes the
// same factors again and continues bit for bit. With refresh = "always" all calls do nothing.
#pragma once
#include <string>
#include <vector>

#include "postproc/run/run.hpp"
#include "solvers/linear_solver.hpp"

namespace weir {

// Copies a vector, in its memory space, into an array that grows as needed.
template <class Space>
void keep_copy(View<const double> from, Array<double, Space>& to);

template <class Space>
class LaggedPreconditioner {
 public:
  // After each solve; values: those of the last matrix.
  void follow(const LinearSolver<Space>& solver, View<const double> values);

  // Adds the matrix to a checkpoint; its spans are valid until the next call.
  void save(const LinearSolver<Space>& solver, CheckpointState& state);
  // After the solver has loaded the checkpoint: restores the kept matrix into A, whose values are `values`.
  void load(const Checkpoint& from, LinearSolver<Space>& solver, const Matrix<Space>& A, View<double> values);

  // At the end: table and lifetime.csv with the cost per age and the best schedule in hindsight.
  void report(Run& run, const std::string& system, const LinearSolver<Space>& solver) const;

 private:
  Array<double, Space> kept_;
  std::vector<double> on_host_;
};

// Text of report() and lifetime.csv: one row per age, then one row per schedule.
void report_lagged(Run& run, const std::string& system, const RefreshPolicy& policy);

}  // namespace weir
