// What every method shares in one solve: the target, the compatible right-hand side, timers, history and the verdict.
//   Iteration<Space> it(A, M, b, x, options, history, kept);
//   for (it.start(r); it.running(); it.restart(r)) { ... do { one step } while (it.step(norm)); }
//   return it.finish();
// Between start or restart and the end of a cycle, a method works on its own recurrence of the residual. restart
// computes the true residual into r and judges: where the recurrence claimed convergence and the truth misses the
// target, the method goes on from the true residual; where that no longer halves it, the solve is `stagnated` (or
// `converged`, within claim_slack of the target: the attainable accuracy). Strict options take no slack; the x of
// the claim that missed is then kept, and is the solution where what follows ends farther from it.
//
// Singular A (constant null space): b is made compatible by taking its mean away from every residual, b itself stays.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "solvers/device/array.hpp"
#include "solvers/device/chunked_reduce.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

inline constexpr int stagnation_window = 500;         // iterations without ...
inline constexpr double stagnation_progress = 0.999;  // ... the smallest residual falling below this fraction of itself
inline constexpr double claim_slack = 10;
// A residual that has fallen so far may be near the attainable accuracy, where a recurrence goes on and x drifts away: the
// best x is kept.
inline constexpr double near_rounding = 1e-12;
inline constexpr double product_noise =
    1e-15;  // relative to the norms of its factors, a dot product below this is rounding

inline bool is_interrupted(const KrylovOptions& o) { return o.should_stop && *o.should_stop && (*o.should_stop)(); }

template <class Space>
class Iteration {
 public:
  Iteration(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b, View<double> x,
            const KrylovOptions& options, std::vector<double>& history, Array<double, Space>& kept);

  void start(View<double> r);  // r = b - A x
  // For a direct solver, which needs no guess: x counts as 0, whatever it holds, until the caller has put M^-1 b there. r is
  // work space. The tolerance must be relative to |b|.
  void start_at_zero(View<double> r);
  void restart(View<double> r);  // the same, at the end of a cycle
  void judge(double norm);       // restart for a method that has just computed the true residual itself
  bool running() const { return running_; }

  double rr() const { return rr_; }            // r.r of the last start or restart ...
  double norm() const { return cycle_norm_; }  // ... and its norm, as the options have it
  double target() const { return target_; }
  int iterations() const { return result_.iterations; }
  int iterations_left() const { return options_.max_iterations - result_.iterations; }

  // Ends an iteration whose recurrence gives this residual norm; false where the cycle ends.
  bool step(double norm);
  bool step(View<const double> r, double rr);  // the norm of the options, from r and r.r
  // Iterations out of our sight, by another library: they are counted, and end as it says. judge() comes next.
  void report(int iterations, double norm, Reason reason);
  // Whether step will keep the x of such a residual: a method that holds back a part of x adds it before.
  bool keeps(double norm) const {
    return options_.strict && norm <= near_rounding * result_.residual0 && (kept_norm_ < 0 || norm < 0.5 * kept_norm_);
  }
  void stop(Reason reason);  // ends the solve at the next restart: breakdown, not_finite

  // A rank's share of a sum becomes the sum over all ranks of A; nothing happens where there is one. Whatever a method
  // computes with dot, axpy_square and their like goes through here; the products below have gone already.
  template <class T>  // double, Pair
  T sum(T share) {
    return ranks_.size() == 1 ? share : timed(sums_, [&] { return ranks_.sum(share); });
  }
  void sum(std::span<double> shares) {
    timed(sums_, [&] { ranks_.sum(shares); });
  }
  // The same with work in between: shares go off, sums come back. One at a time.
  void start_sum(std::span<const double> shares) {
    timed(sums_, [&] { ranks_.start_sum(shares); });
  }
  void finish_sum(std::span<double> sums) {
    timed(sums_, [&] { ranks_.finish_sum(sums); });
  }

  // The true residual of x, and its norm in the options' sense.
  double true_residual(View<double> r);
  // The same in one pass, of singular A with the constant part that true_residual takes away.
  double whole_residual(View<double> r);

  // Timed parts.
  void apply(View<const double> x, View<double> y);
  double apply_dot(View<const double> x, View<double> y);
  Pair apply_dots(View<const double> x, View<const double> w, View<double> y);         // returns {y.w, y.y}
  void precondition(View<const double> r, View<double> z);                             // nothing to do where z is r
  double precondition_dot(View<const double> r, View<double> z);                       // returns r.z
  Pair precondition_dots(View<const double> r, View<const double> w, View<double> z);  // returns {r.z, w.z}
  bool has_ranks() const { return A_.ranks() != nullptr; }
  // Where M^-1 r goes: `own`, made to fit, or r itself where M is the identity.
  View<double> place_of(View<double> r, Array<double, Space>& own) const;
  // Vector updates and reductions, which are fused: f(), and f() summed over all ranks.
  template <class F>
  auto update(const F& f) {
    return timed(sums_, f);
  }
  template <class F>
  auto reduce(const F& f) {
    return sum(update(f));
  }
  template <class Basis>
  void project(Basis& V, View<const double> w, int count, double* h) {  // h[0..count) = V^T w
    update([&] { V.project(w, count, h); });
    sum(std::span<double>(h, static_cast<std::size_t>(count)));
  }

  void add_seconds(const SolveResult& inner);  // the parts of an inner solve are parts of this one

  SolveResult finish();

 private:
  double norm_of(View<const double> r, double rr) const;
  double max_norm_of(View<const double> r) const;
  double right_hand_side_norm(View<double> r);
  double norm_without_mean(Pair sums);
  struct Start {
    double b_norm, r_norm;
  };
  Start start_of_zero_guess(View<double> r);
  double without_mean(View<double> r, Pair sums);
  void begin(const Start& first);
  void remove_mean();  // of x
  void keep(double norm, bool is_true);
  void take_kept();

  const Matrix<Space>& A_;
  const Preconditioner<Space>& M_;
  const Communicator alone_;
  const Communicator& ranks_;
  View<const double> b_;
  View<double> x_;
  const KrylovOptions& options_;
  std::vector<double>& history_;
  Array<double, Space>& kept_;  // x of a claim, or of a residual near rounding ...
  double kept_norm_ = -1;       // ... and its residual, negative: there is none ...
  bool kept_is_true_ = false;   // ... computed, not only by the recurrence
  SolveResult result_;
  NamedSeconds product_{result_.spmv_seconds, nullptr, "product"}, sums_{result_.reduce_seconds, nullptr, "vectors"},
      preconditioner_{result_.apply_seconds, nullptr, "preconditioner"};
  bool running_ = false, stopped_ = false, singular_;
  double target_ = 0, rr_ = 0, cycle_norm_ = 0;
  double best_ = 0, previous_claim_ = -1;
  int best_at_ = 0;
  double started_;
  HaloCost halo_before_;
};

// Bad pairs are the caller's error, not a numerical outcome.
template <class Space>
void require_constant(const Preconditioner<Space>& M, const char* method) {
  if (!M.is_constant())
    throw Error(Exit::usage, std::string("the preconditioner (") + M.describe() +
                                 ") is not a constant operator: " + method + " cannot use it; use fgmres");
}

// Work vectors: allocated at the first solve of a size, kept for the next.
template <class Space>
void fit(Array<double, Space>& vector, std::int64_t n) {
  if (vector.size() != n) vector = Array<double, Space>(n);
}

template <class Space>
View<double> Iteration<Space>::place_of(View<double> r, Array<double, Space>& own) const {
  if (M_.is_identity()) return r;
  fit(own, r.size());
  return own;
}

}  // namespace weir
