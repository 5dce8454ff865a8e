// How the solver of a flow code's system is made where [linear.NAME] does not say.
#pragma once
#include "solvers/linear_solver.hpp"

namespace weir {

struct SystemDefaults {
  const char *name, *method, *preconditioner;
  double tolerance;

  Table options(const Table& linear) const { return linear.table(name); }
  std::string method_of(const Table& linear) const { return options(linear).get<std::string>("method", method); }
  std::string preconditioner_of(const Table& linear) const {
    return options(linear).table("preconditioner").get<std::string>("type", preconditioner);
  }
  // linear: [linear]
  template <class Space>
  LinearSolver<Space> solver(const Table& linear) const {
    return LinearSolver<Space>(options(linear), method, preconditioner, tolerance);
  }
};

}  // namespace weir
