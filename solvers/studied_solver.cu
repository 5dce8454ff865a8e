#include "solvers/studied_solver.hpp"

#include "base/error.hpp"
#include "solvers/device/vector_ops.hpp"

namespace weir {

template <class Space>
void StudiedSolver<Space>::notify_prepared(const Matrix<Space>& A, bool new_pattern) {
  if (!this->is_whole()) return;
  for (SolveWatch<Space>* watch : watches_) watch->prepared(A, new_pattern, this->setup_info());
}

template <class Space>
void StudiedSolver<Space>::setup(const Matrix<Space>& A) {
  LinearSolver<Space>::setup(A);
  notify_prepared(A, true);
}

template <class Space>
void StudiedSolver<Space>::update(const Matrix<Space>& A) {
  const bool is_first = !this->is_whole();
  LinearSolver<Space>::update(A);
  notify_prepared(A, is_first);
}

template <class Space>
void StudiedSolver<Space>::resume(const Matrix<Space>& A) {
  LinearSolver<Space>::resume(A);
  notify_prepared(A, true);
}

// Observers are called around solves by the solver itself, not after a failed set-up.
template <class Space>
SolveResult StudiedSolver<Space>::solve(const Matrix<Space>& A, View<const double> b, View<double> x) {
  if (this->setup_was_stopped()) return {.reason = Reason::interrupted};
  const bool was_set_up = !this->setup_failure_;
  if (!was_set_up && !fallback_) std::rethrow_exception(this->setup_failure_);  // the fallback was removed
  this->guess_.choose(A, b, x);
  if (fallback_) this->allocate_start(A);  // the fallback may have been set after setup
  SolveResult result;
  if (was_set_up) {
    for (SolveWatch<Space>* watch : watches_) watch->before(A, b, x);
    result = this->solve_from_guess(A, b, x);
    if (result.reason == Reason::interrupted) return result;
  } else {
    assign<Space>(x, this->start_);
  }
  if (fallback_ && (!was_set_up || !result.converged())) result = solve_by_fallback(result, A, b, x);
  if (result.reason == Reason::interrupted) return result;
  this->complete(A, x, result);
  if (!was_set_up) return result;
  for (SolveWatch<Space>* watch : watches_) watch->after(A, b, x, result);
  if (!records_failed_calls_) this->refuse_failed_call(A, b, result);
  return result;
}

template <class Space>
SolveResult StudiedSolver<Space>::solve_by_fallback(const SolveResult& first, const Matrix<Space>& A,
                                                    View<const double> b, View<double> x) {
  ++fallback_solves_;
  StudiedSolver fallback = fallback_();
  fallback.stop_when(*this->options_.should_stop);
  fallback.use_exact_sums(this->has_exact_sums());
  assign<Space>(this->start_, x);
  fallback.setup(A);
  SolveResult result = fallback.solve(A, b, x);
  result.add_first_attempt(first, fallback.setup_info().seconds);
  return result;
}

// A wrong kind of matrix is an error of usage. An error caused by the values of the matrix has reached all ranks.
template <class Space>
bool StudiedSolver<Space>::accepts_failed_setup(const Matrix<Space>& A, const Error& error, bool on_all_ranks) {
  const bool of_numbers = error.code() == Exit::solver_failed || error.code() == Exit::not_finite;
  if (fallback_ && of_numbers && on_all_ranks) return true;
  if (error.code() != Exit::usage && (of_numbers || on_all_ranks))
    for (SolveWatch<Space>* watch : watches_) watch->refused(A, error.code(), error.what());
  return false;
}

template <class Space>
void StudiedSolver<Space>::swap_state(StudiedSolver& other) {
  std::swap(*this, other);
  std::swap(watches_, other.watches_);
  std::swap(fallback_, other.fallback_);
  std::swap(this->keeps_start_, other.keeps_start_);
  std::swap(fallback_solves_, other.fallback_solves_);
  std::swap(*this->options_.should_stop, *other.options_.should_stop);
}

template class StudiedSolver<Host>;
template class StudiedSolver<Device>;

}  // namespace weir
