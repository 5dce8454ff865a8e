// Observer of all systems that a LinearSolver solves, for shadow solves, capture and the other studies. A watch reads A
// and b and may copy x but changes none of them, so the flow does not depend on it.
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
  // The set-up of the preconditioner has failed on all ranks; the error is thrown next.
  virtual void refused(const Matrix<Space>&, Exit, const std::string& /*words*/) {}
  // Around a solve; x is the initial guess before and the solution after.
  virtual void before(const Matrix<Space>&, View<const double> /*b*/, View<const double> /*x*/) {}
  virtual void after(const Matrix<Space>&, View<const double> /*b*/, View<const double> /*x*/, const SolveResult&) {}
};

}  // namespace weir
