// One interface for what is compared: a LinearSolver of ours, or a peer (peer.hpp) whose name stands as the method.
//   method = "petsc:-ksp_type gmres -pc_type ilu" | "hypre:cg+boomeramg" | "eigen:sparse_lu" | ... | any of ours
//   method = "cusparse:gmres+ilu0" on a CUDA device: our method, NVIDIA's kernels
// with the keys of [linear.SYSTEM] (solvers/linear_solver.hpp). Peers know no `norm = "max"` and no `basis`, and their
// options are in their name.
//
// All are stopped by the same test: the true residual b - A x, computed here. A peer that claims convergence and misses
// the target is asked again for the correction of what is left, as long as that halves it (which refines a direct
// solver's answer); then the solve is `stagnated`. Constants are projected out of singular systems for peers as for ours.
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
  // Before setup, where the matrix will be distributed: takes them as `leader` does (LinearSolver::spread_like).
  // Error(usage) of another library's solver, which knows one rank alone.
  virtual void spread_like(const LinearSolver<Space>& /*leader*/) {
    throw Error(Exit::usage, "'" + name() + "' runs on one rank only");
  }
  // Is asked whether to stop as that solver is (LinearSolver::stop_like); another library's is not.
  virtual void stop_like(const LinearSolver<Space>& /*leader*/) {}
  virtual void setup(const Matrix<Space>& A) = 0;   // once a pattern
  virtual void update(const Matrix<Space>& A) = 0;  // new values, same pattern
  // x holds the guess on entry. Peers run on the host, on a copy of A in block rows (solvers/matrix/block/block_rows.hpp).
  virtual SolveResult solve(const Matrix<Space>& A, View<const double> b, View<double> x) = 0;
  virtual bool remembers() const { return false; }  // solves or systems before this one, in what it does
  virtual const SetupInfo& setup_info() const = 0;  // seconds and bytes of the last setup or update
  virtual std::string name() const = 0;
  virtual std::string describe() const = 0;
  // Residual norms of the last solve, where KrylovOptions::history asks for them: of every iteration, of a peer of every
  // call.
  virtual std::span<const double> history() const { return {}; }
  virtual std::string report() { return ""; }  // what the last setup has recorded, lines for people
};

// As LinearSolver's constructor, whose defaults hold where the table names no method.
template <class Space>
std::unique_ptr<AnySolver<Space>> make_any_solver(const Table& options, const std::string& default_method = "gmres",
                                                  const std::string& default_preconditioner = "none",
                                                  const KrylovOptions& defaults = {});

}  // namespace weir
