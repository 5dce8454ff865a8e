// A linear solver of a flow code, with additional functions for studies: observers, a fallback for failed solves, and
// the exchange of its state with another solver. If they are not used, it acts as a LinearSolver.
#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "solvers/linear_solver.hpp"
#include "solvers/solve_watch.hpp"

namespace weir {

template <class Space>
class StudiedSolver : public LinearSolver<Space> {
 public:
  using LinearSolver<Space>::LinearSolver;

  using LinearSolver<Space>::setup;
  void setup(const Matrix<Space>& A) override;
  void update(const Matrix<Space>& A) override;
  void resume(const Matrix<Space>& A) override;
  SolveResult solve(const Matrix<Space>& A, View<const double> b, View<double> x) override;

  // Adds an observer, called after those added before; it must outlive the use of the solver. Interrupted solves are
  // not observed.
  void watch(SolveWatch<Space>* watch) { watches_.push_back(watch); }
  // Swaps solver state with `other`; watches, the stop callback and the fallback stay with the object.
  void swap_state(StudiedSolver& other);

  // Fallback: a solve that fails, or whose set-up failed, is repeated from the same x by a solver from `make`;
  // nullptr: no fallback. The record contains the cost of both.
  using MakeFallback = std::function<StudiedSolver()>;
  void set_fallback(MakeFallback make) {
    fallback_ = std::move(make);
    this->keeps_start_ = bool(fallback_);
  }
  std::int64_t fallback_solves() const { return fallback_solves_; }  // solves so far that were repeated by the fallback

  // A failed call of a plugin or client gives the result not_finite instead of an Error. For solvers that no flow
  // depends on.
  void record_failed_calls() { records_failed_calls_ = true; }

 private:
  bool accepts_failed_setup(const Matrix<Space>& A, const Error& error, bool on_all_ranks) override;
  SolveResult solve_by_fallback(const SolveResult& first, const Matrix<Space>& A, View<const double> b, View<double> x);
  void notify_prepared(const Matrix<Space>& A, bool new_pattern);

  std::vector<SolveWatch<Space>*> watches_;
  MakeFallback fallback_;
  std::int64_t fallback_solves_ = 0;
  bool records_failed_calls_ = false;
};

}  // namespace weir
