// A linear solver made from [linear.SYSTEM]: a Krylov method with a preconditioner. The keys are described in
// krylov.cpp (linear_solver_options) and next to the methods (registry.hpp).
// A preconditioner given as `method` is the solver itself, x += M^-1 (b - A x). The table `preconditioner` may then
// hold its options, but no `type`. If `refresh` is not "always", a failed solve with a lagged preconditioner is
// repeated after a rebuild. The rebuild uses the matrix passed to the last setup or update, which must still exist
// unchanged.
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/table.hpp"
#include "solvers/device/array.hpp"
#include "solvers/krylov/initial_guess.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/preconditioner/wide_matrix.hpp"
#include "solvers/refresh.hpp"

namespace weir {

template <class Space>
class LinearSolver {
 public:
  // options: [linear.SYSTEM]; the defaults apply to missing keys. Throws Error(usage) if the Krylov method and the
  // preconditioner cannot be combined.
  explicit LinearSolver(const Table& options, const std::string& default_method = "cg",
                        const std::string& default_preconditioner = "none", double default_tolerance = 1e-8)
      : LinearSolver(options, default_method, default_preconditioner, KrylovOptions{default_tolerance}) {}
  LinearSolver(const Table& options, const std::string& default_method, const std::string& default_preconditioner,
               const KrylovOptions& defaults);
  virtual ~LinearSolver() = default;
  LinearSolver(LinearSolver&&) = default;
  LinearSolver& operator=(LinearSolver&&) = default;

  // For a distributed matrix, call one of the next three functions before setup. They throw Error(usage) for methods
  // that run on one rank only (capacitance).
  // spread_over_ranks uses the parallel form of the preconditioner. A preconditioner without a parallel form is applied
  // by rank 0 to the gathered residual; if it cannot be gathered, setup throws Error(usage). A: the matrix, if it has
  // been made already; some preconditioners have a parallel form for some kinds of matrices only.
  void spread_over_ranks(const Matrix<Space>* A = nullptr);
  // Each rank applies a preconditioner without a parallel form to its own rows: additive_schwarz with overlap 0.
  void precondition_each_rank();
  // Repeats the call that was made for `other`, a solver of the same systems.
  void spread_like(const LinearSolver& other);
  // False if each rank preconditions its own rows: iterations and results then depend on the number of ranks.
  bool is_independent_of_ranks() const;

  virtual void setup(const Matrix<Space>& A);   // once per pattern
  virtual void update(const Matrix<Space>& A);  // new values, same pattern; the refresh policy decides about a rebuild
  virtual SolveResult solve(const Matrix<Space>& A, View<const double> b, View<double> x);

  // Inexact Newton: call forcing().aim(...) before each solve if the tolerance depends on the nonlinear residual.
  ForcingTerm& forcing() { return forcing_; }

  // Cancellation: `question` is polled once per iteration on all ranks. If it returns true, the solve returns with
  // status `interrupted`. On one rank long set-ups poll it too; the solve after a cancelled set-up returns at once.
  void stop_when(std::function<bool()> question) { *options_.should_stop = std::move(question); }
  void stop_like(const LinearSolver& other) {  // polls the question of `other`, also one that is set later
    stop_when([question = other.options_.should_stop] { return *question && (*question)(); });
  }

  // Whether sums of the solves are exact (KrylovOptions::exact_sums).
  void use_exact_sums(bool exact) { *options_.exact_sums = exact; }
  bool has_exact_sums() const { return options_.has_exact_sums(); }

  // Each solve starts from the given x instead of `initial_guess`.
  void start_as_given() { guess_.take_as_given(); }

  const SetupInfo& setup_info() const { return info_; }  // of the last setup or update; 0 seconds if it was skipped
  // Whether the next results depend on earlier solves: by the refresh policy, recycled vectors, earlier solutions, the
  // forcing term or the state of the preconditioner. A checkpoint must then contain what save() writes.
  bool remembers() const;
  void save(Archive& to);
  // Restores a saved state. Returns false if it was saved by a solver with other options; this solver then starts
  // without history. The preconditioner is restored
  // - at once, if the solver is set up: from the matrix of the last setup or update;
  // - otherwise with refresh = "always" by the next setup, which continues from the restored state like an update;
  // - otherwise by resume, which must be called next, with the matrix of the last update.
  bool load(Archive from);
  virtual void resume(const Matrix<Space>& A);
  // Calls setup and restores the state of the refresh policy only; for preconditioners that have no state.
  void setup(const Matrix<Space>& A, Archive refresh_state);
  const RefreshPolicy& refresh_policy() const { return refresh_policy_; }
  bool is_set_up() const { return prepared_from_ != nullptr; }
  std::string describe() const;                      // "cg + multigrid(V, red-black ...), 1e-8 relative to |b|"
  const std::string& name() const { return name_; }  // "cg+multigrid", as in solves.csv
  Krylov<Space>& krylov() { return *krylov_; }
  Preconditioner<Space>& preconditioner() { return *preconditioner_; }
  const Preconditioner<Space>& preconditioner() const { return *preconditioner_; }

 protected:
  // Parts of solve.
  bool is_whole() const { return !setup_was_stopped_ && !setup_failure_; }  // the last set-up was completed
  bool setup_was_stopped() const { return setup_was_stopped_; }
  SolveResult solve_from_guess(const Matrix<Space>& A, View<const double> b, View<double> x);
  // Adds the tolerance used to `result` and the solution to the history of the initial guess. Not called after an
  // interrupted solve.
  void complete(const Matrix<Space>& A, View<double> x, SolveResult& result);
  void refuse_failed_call(const Matrix<Space>& A, View<const double> b, const SolveResult& result) const;
  // Whether the next solve is possible although the set-up failed with `error`; if not, the error is thrown.
  // on_all_ranks: all ranks have the same error.
  virtual bool accepts_failed_setup(const Matrix<Space>&, const Error&, bool /*on_all_ranks*/) { return false; }
  void allocate_start(const Matrix<Space>& A);  // start_, if a solve may be repeated

  KrylovOptions options_;
  InitialGuess<Space> guess_;
  std::exception_ptr setup_failure_;  // failure of the last set-up that accepts_failed_setup accepted
  bool keeps_start_ = false;          // every solve copies its initial guess to start_
  Array<double, Space> start_;        // the initial guess, for a second attempt; empty if there will be none

 private:
  void refuse_ranks_of_own_method() const;
  enum class OverRanks { alone, spread, each_rank };
  enum class Step { setup, update, restore };
  // Every set-up, update and restoration of the preconditioner; all ranks agree on errors.
  void prepare(const Matrix<Space>& A, Step step);
  void rebuild(const Matrix<Space>& A);         // prepare with the present values, on the pattern of the last set-up
  void restore_loaded(const Matrix<Space>& A);  // prepare from the state that load() has kept
  SetupInfo restore_preconditioner(const Matrix<Space>& A);
  SolveResult iterate(const Matrix<Space>& A, View<const double> b, View<double> x);  // the Krylov method
  SolveResult try_again(const SolveResult& first, const Matrix<Space>& A, View<const double> b, View<double> x);

  std::string name_, method_;
  bool has_own_method_ = false;  // the preconditioner has its own iteration (capacitance, plugins)
  bool setup_was_stopped_ = false;
  std::uint32_t made_from_ = 0;  // a hash of the table
  std::optional<Archive> kept_;  // state of the preconditioner between load and set-up
  ForcingTerm forcing_;
  OverRanks over_ranks_ = OverRanks::alone;
  const Matrix<Space>* spread_for_ = nullptr;  // the argument of spread_over_ranks
  std::unique_ptr<Preconditioner<Space>> preconditioner_;
  std::unique_ptr<Krylov<Space>> krylov_;
  SetupInfo info_;
  RefreshPolicy refresh_policy_;
  WideMatrix<Space> wide_;  // copy in double of a matrix stored as float, for preconditioners that need one
  const Matrix<Space>* prepared_from_ = nullptr;  // matrix of the last setup or update
};

}  // namespace weir
