// Common interface of the compared solvers: a LinearSolver, also with a solver of another library (peer.hpp), selected
// by the method:
//   method = "petsc:-ksp_type gmres -pc_type ilu" | "hypre:cg+boomeramg" | "eigen:sparse_lu" | ... | any of ours
//   method = "cusparse:gmres+ilu0" on a CUDA device: our method, NVIDIA's kernels
// with the keys of [linear.SYSTEM] (solvers/linear_solver.hpp). Solvers of other libraries do not support
// `norm = "max"`, `basis` and `refresh`; their options are part of the name (library_solver.cu).
#pragma once
#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/table.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

template <class Space>
class LinearSolver;

template <class Space>
class AnySolver {
 public:
  virtual ~AnySolver() = default;
  // Called before setup if the matrix will be distributed, as LinearSolver::spread_like. Throws Error(usage) for
  // solvers that support one rank only.
  virtual void spread_like(const LinearSolver<Space>& /*reference*/) {
    throw Error(Exit::usage, "'" + name() + "' runs on one rank only");
  }
  // Uses the stop callback of that solver (LinearSolver::stop_like); ignored by solvers of other libraries.
  virtual void stop_like(const LinearSolver<Space>& /*reference*/) {}
  virtual void setup(const Matrix<Space>& A) = 0;   // once per pattern
  virtual void update(const Matrix<Space>& A) = 0;  // new values, same pattern
  // x holds the initial guess.
  virtual SolveResult solve(const Matrix<Space>& A, View<const double> b, View<double> x) = 0;
  virtual bool remembers() const { return false; }  // whether results depend on earlier solves
  virtual const SetupInfo& setup_info() const = 0;  // seconds and bytes of the last setup or update
  virtual std::string name() const = 0;
  virtual std::string describe() const = 0;
  // Residual norms of the last solve if KrylovOptions::history is set: per iteration, for other libraries per call.
  virtual std::span<const double> history() const { return {}; }
  virtual std::string report() { return ""; }  // log lines of the last setup
};

// Like LinearSolver's constructor, with its defaults if the table names no method.
template <class Space>
std::unique_ptr<AnySolver<Space>> make_any_solver(const Table& options, const std::string& default_method = "gmres",
                                                  const std::string& default_preconditioner = "none",
                                                  const KrylovOptions& defaults = {});

}  // namespace weir
