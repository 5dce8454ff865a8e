// Somebody who sees every system that a LinearSolver gets: shadow solves, capture and the rest of the lab hang on here.
// A watch reads A and b and may copy x; it changes none of them, so the flow is the same with and without it.
#pragma once
#include <string>

#include "base/error.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/matrix.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

template <class Space>
class SolveWatch {
 public:
  virtual ~SolveWatch() = default;
  // After setup (a new pattern) or update (new values) of the preconditioner.
  virtual void prepared(const Matrix<Space>&, bool /*new_pattern*/, const SetupInfo&) {}
  // The preconditioner has refused the matrix, on all ranks, and the error is on its way up.
  virtual void refused(const Matrix<Space>&, Exit, const std::string& /*words*/) {}
  // Around a solve; x is the initial guess before and the solution after.
  virtual void before(const Matrix<Space>&, View<const double> /*b*/, View<const double> /*x*/) {}
  virtual void after(const Matrix<Space>&, View<const double> /*b*/, View<const double> /*x*/, const SolveResult&) {}
};

}  // namespace weir
