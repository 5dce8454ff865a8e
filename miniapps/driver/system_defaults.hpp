// Defaults of the solver of a system of a flow code, used for keys that [linear.NAME] does not have.
#pragma once
#include "solvers/registry.hpp"
#include "solvers/studied_solver.hpp"

namespace weir {

struct SystemDefaults {
  const char *name, *method, *preconditioner;
  double tolerance;
  unsigned matrix;  // kind of its matrix (registry.hpp)
  bool is_symmetric = false;
  bool is_newton = false;  // its right-hand side is a nonlinear residual, which sets the forcing term

  Table options(const Table& linear) const { return linear.table(name); }
  std::string method_of(const Table& linear) const {
    return read_solver_names(options(linear), method, preconditioner).method;
  }
  // Approximate memory of the solver.
  std::int64_t bytes(const Table& linear, const MatrixSize& A) const {
    return static_cast<std::int64_t>(linear_solver_bytes(options(linear), method, preconditioner, A));
  }
  // linear: [linear]
  template <class Space>
  StudiedSolver<Space> solver(const Table& linear) const {
    refuse_unfit(options(linear));
    return StudiedSolver<Space>(options(linear), method, preconditioner, tolerance);
  }
  // Throws Error(usage) if the solver does not support the matrices of this system.
  void refuse_unfit(const Table& options_of_solver) const {
    if (!is_newton && ForcingRule::is_given(options_of_solver))
      options_of_solver.fail("tolerance",
                             "'" + std::string(name) + "' requires a number, because its systems are not Newton steps");
    weir::refuse_unfit(options_of_solver, method, preconditioner, matrix, is_symmetric);
  }
};

}  // namespace weir
