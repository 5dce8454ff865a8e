// What a flow code calls: a method and a preconditioner made from [linear.SYSTEM], with the bookkeeping. Its keys are
// described in krylov.cpp (linear_solver_options) and beside the methods (registry.hpp).
// A preconditioner as the `method` is the solver itself, x += M^-1 (b - A x); its options stand in `preconditioner` too, where
// `type` may be left out. Where `refresh` is not "always", a solve that fails with an old preconditioner is tried once more
// with a fresh one, from the matrix of the last update: it must still be there and the same.
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "solvers/device/array.hpp"
#include "solvers/krylov/initial_guess.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/preconditioner/wide_matrix.hpp"
#include "solvers/refresh.hpp"
#include "solvers/solve_watch.hpp"

namespace weir {

template <class Space>
class LinearSolver {
 public:
  // [linear.SYSTEM]; refuses pairs that cannot work, and says why. The defaults hold where the table names none.
  explicit LinearSolver(const Table& options, const std::string& default_method = "cg",
                        const std::string& default_preconditioner = "none", double default_tolerance = 1e-8)
      : LinearSolver(options, default_method, default_preconditioner, KrylovOptions{default_tolerance}) {}
  LinearSolver(const Table& options, const std::string& default_method, const std::string& default_preconditioner,
               const KrylovOptions& defaults);

  // Before setup, where the matrix will be distributed: a preconditioner that knows one rank alone is then applied
  // on rank 0, to which the residual is gathered; Error(usage) at setup where that is not possible.
  // `A`: the matrix to come, where it is there: a preconditioner that has a form for such a matrix takes it.
  void spread_over_ranks(const Matrix<Space>* A = nullptr);
  // The same, but such a preconditioner is then applied by each rank to its part: additive_schwarz, overlap 0.
  void precondition_each_rank();
  // Whichever of the two `other`, a solver of the same systems, has been told; nothing where that was neither.
  void spread_like(const LinearSolver& other);
  // Whether iterations and results are those of one rank to round-off: a preconditioner that sees its rows alone.
  bool is_independent_of_ranks() const;

  void setup(const Matrix<Space>& A);   // once a pattern
  void update(const Matrix<Space>& A);  // new values, same pattern; rebuilt where the policy says so
  SolveResult solve(const Matrix<Space>& A, View<const double> b, View<double> x);

  // Told of each system before it is solved where the tolerance follows the nonlinear residual.
  ForcingTerm& forcing() { return forcing_; }

  // Asked in every iteration, by all ranks; where it says yes, the solve ends as `interrupted`, and no watch hears of it. Of
  // one rank alone long set-ups ask, too: the solve that comes next ends so at once.
  void stop_when(std::function<bool()> question) { *options_.should_stop = std::move(question); }
  void stop_like(const LinearSolver& other) {  // as that is told, now and later
    stop_when([question = other.options_.should_stop] { return *question && (*question)(); });
  }

  // Each solve begins with the x that it is given, whatever the table says of earlier solutions: that of another solver of
  // the same system.
  void start_as_given() { guess_.take_as_given(); }
  // A solve that ends as not_finite because a call of the user's has failed is a result like others, not an Error: of
  // a solver that no flow depends on.
  void record_failed_calls() { records_failed_calls_ = true; }

  // Adds one more watch, called after those before it; it must outlive the solver's use.
  void watch(SolveWatch<Space>* watch) { watches_.push_back(watch); }

  // The two change places: all but what hangs on a place, which are its watches, who may stop it, who comes to its help.
  void change_places(LinearSolver& other);
  // A solve that fails, or whose preconditioner's set-up did, is made once more, from the same x, by a solver that is made
  // for it and then thrown away; nullptr: by none. What both took is in the record.
  using MakeHelp = std::function<LinearSolver()>;
  void help_by(MakeHelp help) { help_ = std::move(help); }
  std::int64_t helped() const { return helped_; }  // solves so far

  const SetupInfo& setup_info() const { return info_; }  // of the last setup or update; 0 seconds where it was skipped
  // What of the past decides its next bits: the refresh policy, what the method recycles, earlier solutions, the forcing term,
  // what the preconditioner remembers.
  bool remembers() const;
  void save(Archive& to);
  // Before setup: goes on as the solver that was saved. Where the policy is "always", setup is then that solver's next
  // update; else resume comes first, with the matrix of its last renewal. False where the state is of a solver that was made
  // from another table: this one begins anew.
  bool load(Archive from);
  void resume(const Matrix<Space>& A);
  // setup, with the state of a policy alone: of a preconditioner that remembers nothing.
  void setup(const Matrix<Space>& A, Archive lifetime);
  const RefreshPolicy& refresh_policy() const { return refresh_policy_; }
  bool is_set_up() const { return prepared_from_ != nullptr; }
  std::string describe() const;                      // "cg + multigrid(V, red-black ...), 1e-8 relative to |b|"
  const std::string& name() const { return name_; }  // "cg+multigrid", as in solves.csv
  Krylov<Space>& krylov() { return *krylov_; }
  Preconditioner<Space>& preconditioner() { return *preconditioner_; }
  const Preconditioner<Space>& preconditioner() const { return *preconditioner_; }

 private:
  void refuse_ranks_of_own_method() const;
  enum class OverRanks { alone, spread, each_rank };
  enum class Step { setup, update, restore };
  void prepare(const Matrix<Space>& A, Step step);
  SetupInfo restore(const Matrix<Space>& A);
  void renew(const Matrix<Space>& A);
  void take_up(const Matrix<Space>& A);
  void fit_to(const Matrix<Space>& A);
  bool is_whole() const { return !setup_was_stopped_ && !setup_failure_; }  // what was set up last
  SolveResult conclude(SolveResult result, const Matrix<Space>& A, View<const double> b, View<double> x);
  void refuse_failed_call(const Matrix<Space>& A, View<const double> b) const;
  SolveResult solve_without_setup(const Matrix<Space>& A, View<const double> b, View<double> x);
  SolveResult solve_with_help(const SolveResult& first, const Matrix<Space>& A, View<const double> b, View<double> x);
  SolveResult try_again(const SolveResult& first, const Matrix<Space>& A, View<const double> b, View<double> x);

  std::string name_, method_;
  bool has_own_method_ = false, setup_was_stopped_ = false, records_failed_calls_ = false;
  std::exception_ptr setup_failure_;  // for the solve that comes next, which is helped
  std::uint32_t made_from_ = 0;       // a hash of the table
  std::optional<Archive> kept_;       // between load and what takes up the preconditioner's part of it
  KrylovOptions options_;
  InitialGuess<Space> guess_;
  ForcingTerm forcing_;
  OverRanks over_ranks_ = OverRanks::alone;
  const Matrix<Space>* spread_for_ = nullptr;  // as spread_over_ranks was given it
  std::unique_ptr<Preconditioner<Space>> preconditioner_;
  std::unique_ptr<Krylov<Space>> krylov_;
  SetupInfo info_;
  RefreshPolicy refresh_policy_;
  WideMatrix<Space> wide_;
  const Matrix<Space>* prepared_from_ = nullptr;  // of the last setup or update
  Array<double, Space> x0_;                       // for a second try; empty where there is none
  std::vector<SolveWatch<Space>*> watches_;
  MakeHelp help_;
  std::int64_t helped_ = 0;
};

}  // namespace weir
