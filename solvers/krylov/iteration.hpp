// Parts common to all methods in one solve: target, compatible right-hand side, timers, history and the result.
//  Iteration<Space> it(A, M, b, x, options, history, kept);
//  for (it.start(r); it.running(); it.restart(r)) { ... do { one step } while (it.step(norm)); }
//  return it.finish();
// Between start or restart and the end of a cycle, a method works on its own recurrence of the residual. restart
// computes the true residual into r. If the recurrence claimed convergence but the true residual misses the target, the
// method continues from the true residual. If the true residual has not halved since the last such restart, the solve
// ends: `converged` if it is within claim_slack of the target (attainable accuracy), otherwise `stagnated`. Strict
// options allow no slack. The x whose convergence claim failed is then stored; it is returned if later iterations end
// with a larger residual.
//
// Singular A (constant null space): the mean is removed from every residual, so that b is compatible; b itself is not
// modified.
#pragma once
#include <initializer_list>
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

// Stagnation: in stagnation_window iterations the smallest residual has not dropped by the factor stagnation_progress.
inline constexpr int stagnation_window = 500;
inline constexpr double stagnation_progress = 0.999;
inline constexpr double claim_slack = 10;
// Relative residual near the attainable accuracy. Below it the recurrence may go on falling while the true residual of
// x grows, so the best x is stored.
inline constexpr double near_rounding = 1e-12;
// A dot product below this fraction of the product of the norms of its factors is rounding.
inline constexpr double product_noise = 1e-15;

inline bool is_interrupted(const KrylovOptions& o) { return o.should_stop && *o.should_stop && (*o.should_stop)(); }

// The dot product of two vectors; without y: the sum of the values of x.
struct DotProduct {
  View<const double> x, y;
};

template <class Space>
class Iteration {
 public:
  Iteration(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b, View<double> x,
            const KrylovOptions& options, std::vector<double>& history, Array<double, Space>& kept);

  void start(View<double> r);  // r = b - A x
  // For a direct solver, which needs no guess: x counts as 0 until the caller has stored M^-1 b there. r is work space.
  // The tolerance must be relative to |b|.
  void start_at_zero(View<double> r);
  void restart(View<double> r);  // r = b - A x at the end of a cycle
  void judge(double norm);       // restart for a method that has computed the true residual itself
  bool running() const { return running_; }

  double rr() const { return rr_; }            // r.r of the last start or restart
  double norm() const { return cycle_norm_; }  // norm of the same residual, as the options select it
  double target() const { return target_; }
  int iterations() const { return result_.iterations; }
  int iterations_left() const { return options_.max_iterations - result_.iterations; }

  // Ends an iteration whose recurrence has this residual norm; returns false at the end of the cycle.
  bool step(double norm);
  bool step(View<const double> r, double rr);  // the same; computes the norm from r and r.r
  // Counts iterations done by another library, with its reason to stop. judge() follows.
  void report(int iterations, double norm, Reason reason);
  // True if step(norm) would store x. A method with an update of x still to be applied must apply it first.
  bool keeps(double norm) const {
    return options_.strict && norm <= near_rounding * result_.residual0 && (kept_norm_ < 0 || norm < 0.5 * kept_norm_);
  }
  void stop(Reason reason);  // ends the solve at the next restart: breakdown, not_finite

  // Sum over all ranks of A of the shares of each rank; no effect on one rank. Methods use it for results of dot,
  // axpy_square etc.; the products below are summed already. of: the vectors whose products the shares are; exact sums
  // are made from them.
  double sum(double share, const DotProduct& of);
  Pair sum(Pair shares, const DotProduct& of_a, const DotProduct& of_b);
  // The same split in two, to overlap the sum with work. One at a time. Exact sums are made in finish_sum.
  void start_sum(std::span<const double> shares, std::initializer_list<DotProduct> of);
  void finish_sum(std::span<double> sums);  // one sum per product of `of`

  // Computes the true residual of x; returns its norm in the norm of the options.
  double true_residual(View<double> r);
  // The same in one pass. For singular A the result still contains the constant part, which true_residual removes.
  double whole_residual(View<double> r);

  // Timed operations.
  void apply(View<const double> x, View<double> y);
  double apply_dot(View<const double> x, View<double> y);
  Pair apply_dots(View<const double> x, View<const double> w, View<double> y);         // returns {y.w, y.y}
  void precondition(View<const double> r, View<double> z);                             // no effect if z is r
  double precondition_dot(View<const double> r, View<double> z);                       // returns r.z
  Pair precondition_dots(View<const double> r, View<const double> w, View<double> z);  // returns {r.z, w.z}
  // Times f as preconditioner work, for a part that is less than one application.
  template <class F>
  void apply_part(const F& f) {
    timed(preconditioner_, f);
  }
  bool has_ranks() const { return A_.ranks() != nullptr; }
  // Storage for M^-1 r: `own`, resized, or r itself if M is the identity.
  View<double> place_of(View<double> r, Array<double, Space>& own) const;
  // Fused vector updates and reductions: f(), and f() summed over all ranks, of: see sum.
  template <class F>
  auto update(const F& f) {
    return timed(sums_, f);
  }
  template <class F, class... Of>
  auto reduce(const F& f, const Of&... of) {
    return sum(update(f), of...);
  }
  template <class Basis>
  void project(Basis& V, View<const double> w, int count, double* h) {  // h[0..count) = V^T w
    if (!is_exact_) update([&] { V.project(w, count, h); });
    sum_products(V, w, count, std::span<double>(h, static_cast<std::size_t>(count)));
  }
  // shares: of V^T w, and of w.w if there is one more.
  template <class Basis>
  void sum_products(Basis& V, View<const double> w, int count, std::span<double> shares) {
    timed(sums_, [&] {
      if (!is_exact_) return ranks_.sum(shares);
      for (int j = 0; j < count; ++j) add_exact(V.stored(j), w);
      if (shares.size() > static_cast<std::size_t>(count)) add_exact(w, w);
      finish_exact(shares);
    });
  }

  void add_seconds(const SolveResult& inner);  // adds the times of an inner solve

  SolveResult finish();

 private:
  double norm_of(View<const double> r, double rr) const;
  double max_norm_of(View<const double> r) const;
  double right_hand_side_norm(View<double> r);
  double norm_without_mean(Pair sums, View<double> work);
  double residual_dot(View<double> r);
  double dot_of(View<const double> x, View<const double> y);
  Pair sum_and_square_of(View<const double> v);
  struct Start {
    double b_norm, r_norm;
  };
  Start start_of_zero_guess(View<double> r);
  double without_mean(View<double> r, Pair sums);
  void begin(const Start& first);
  void remove_mean();  // removes the mean of x
  void keep(double norm, bool is_true);
  void take_kept();
  // Exact sums over all ranks of the products added so far.
  template <class T>
  void add_exact(View<T> x, View<const double> y);
  void add_exact(std::initializer_list<DotProduct> of);
  void finish_exact(std::span<double> sums);

  const Matrix<Space>& A_;
  const Preconditioner<Space>& M_;
  const Communicator alone_;
  const Communicator& ranks_;
  View<const double> b_;
  View<double> x_;
  const KrylovOptions& options_;
  std::vector<double>& history_;
  Array<double, Space>& kept_;  // stored x, of a failed claim or of a residual near rounding
  double kept_norm_ = -1;       // norm of its residual; negative: none stored
  bool kept_is_true_ = false;   // true: kept_norm_ is the norm of the true residual
  SolveResult result_;
  NamedSeconds product_{result_.spmv_seconds, nullptr, "product"}, sums_{result_.reduce_seconds, nullptr, "vectors"},
      preconditioner_{result_.apply_seconds, nullptr, "preconditioner"};
  bool running_ = false, stopped_ = false, singular_, is_exact_;
  std::vector<ExactSum> exact_;
  double target_ = 0, rr_ = 0, cycle_norm_ = 0;
  double best_ = 0, previous_claim_ = -1;
  int best_at_ = 0;
  double started_;
  HaloCost halo_before_;
};

// A bad pair of method and preconditioner is an error of the caller, not a numerical outcome.
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
template <class T>
void Iteration<Space>::add_exact(View<T> x, View<const double> y) {
  const T* a = x.data();
  const double* b = y.data();
  exact_.push_back(exact_sum(x.size(), [=](int i) { return a[i] * b[i]; }));
}

template <class Space>
View<double> Iteration<Space>::place_of(View<double> r, Array<double, Space>& own) const {
  if (M_.is_identity()) return r;
  fit(own, r.size());
  return own;
}

}  // namespace weir
