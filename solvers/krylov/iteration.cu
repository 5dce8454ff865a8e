#include "solvers/krylov/iteration.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "backend/traits.hpp"
#include "solvers/device/vector_ops.hpp"

namespace weir {
namespace {

// A true residual up to this factor above the target counts as met: the recurrence and the true residual differ by
// round-off.
constexpr double target_slack = 1.01;

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();

// Constant part of a compatible residual relative to |r| that rounding leaves.
constexpr double noise = 1e-14;

// |b|^2 without the mean of b is a difference of squares; above this fraction of |b|^2 it is free of cancellation.
constexpr double clear_of_mean = 1e-3;

// A few values suffice for most vectors that are not zero.
template <class Space>
bool is_zero(View<const double> x) {
  constexpr std::int64_t few = 1024;
  return max_norm<Space>(x.part(0, std::min(few, x.size()))) == 0 && max_norm<Space>(x) == 0;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

template <class Space>
Iteration<Space>::Iteration(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                            View<double> x, const KrylovOptions& options, std::vector<double>& history,
                            Array<double, Space>& kept)
    : A_(A),
      M_(M),
      ranks_(A.ranks() ? *A.ranks() : alone_),
      b_(b),
      x_(x),
      options_(options),
      history_(history),
      kept_(kept),
      singular_(A.has_constant_null_space()),
      is_exact_(std::is_same_v<Space, Host> && options.has_exact_sums()),
      started_(now()),
      halo_before_(A.halo_cost()) {
  history_.clear();
  if (options.history) history_.reserve(static_cast<std::size_t>(std::min(options.max_iterations, 10000)) + 1);
}

template <class Space>
double Iteration<Space>::sum(double share, const DotProduct& of) {
  if (!is_exact_) return ranks_.size() == 1 ? share : timed(sums_, [&] { return ranks_.sum(share); });
  add_exact({of});
  finish_exact({&share, 1});
  return share;
}
template <class Space>
Pair Iteration<Space>::sum(Pair shares, const DotProduct& of_a, const DotProduct& of_b) {
  if (!is_exact_) return ranks_.size() == 1 ? shares : timed(sums_, [&] { return ranks_.sum(shares); });
  double sums[2];
  add_exact({of_a, of_b});
  finish_exact(sums);
  return {sums[0], sums[1]};
}
template <class Space>
void Iteration<Space>::start_sum(std::span<const double> shares, std::initializer_list<DotProduct> of) {
  if (!is_exact_) return timed(sums_, [&] { ranks_.start_sum(shares); });
  add_exact(of);
}
template <class Space>
void Iteration<Space>::finish_sum(std::span<double> sums) {
  if (!is_exact_) return timed(sums_, [&] { ranks_.finish_sum(sums); });
  finish_exact(sums);
}
template <class Space>
void Iteration<Space>::add_exact(std::initializer_list<DotProduct> of) {
  timed(sums_, [&] {
    for (const DotProduct& p : of) {
      const double *x = p.x.data(), *y = p.y.data();
      if (y)
        add_exact(p.x, p.y);
      else
        exact_.push_back(exact_sum(p.x.size(), [=](int i) { return x[i]; }));
    }
  });
}
template <class Space>
void Iteration<Space>::finish_exact(std::span<double> sums) {
  timed(sums_, [&] { ranks_.sum(std::span(exact_)); });
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = exact_[i].rounded();
  exact_.clear();
}

template <class Space>
double Iteration<Space>::max_norm_of(View<const double> r) const {
  return ranks_.max(max_norm<Space>(r));
}
template <class Space>
double Iteration<Space>::norm_of(View<const double> r, double rr) const {
  return options_.norm == Norm::max ? max_norm_of(r) : std::sqrt(rr);
}

// Singular A: one more pass for the mean of r, which is removed only if it exceeds rounding.
template <class Space>
double Iteration<Space>::true_residual(View<double> r) {
  if (!singular_) {
    rr_ = residual_dot(r);
    return norm_of(r, rr_);
  }
  timed(product_, [&] { A_.residual(b_, x_, r); });
  return without_mean(r, sum_and_square_of(r));
}

// r = b - A x; returns r.r.
template <class Space>
double Iteration<Space>::residual_dot(View<double> r) {
  if (!is_exact_) return sum(timed(product_, [&] { return A_.residual_dot(b_, x_, r); }), {r, r});
  timed(product_, [&] { A_.residual(b_, x_, r); });
  return sum(0, {r, r});
}

// {sum of v, v.v}
template <class Space>
Pair Iteration<Space>::sum_and_square_of(View<const double> v) {
  return sum(is_exact_ ? Pair{} : sum_and_square<Space>(v), {v, {}}, {v, v});
}

// Removes the mean from r, given its sums; returns |r|.
template <class Space>
double Iteration<Space>::without_mean(View<double> r, Pair sums) {
  const double n = static_cast<double>(A_.unknowns()), constant = sums.a * sums.a / n;  // |mean 1|^2
  const bool is_noise = constant <= noise * noise * sums.b;
  rr_ = is_noise ? sums.b : sum(shift_square<Space>(sums.a / n, r), {r, r});
  return norm_of(r, rr_);
}

template <class Space>
double Iteration<Space>::whole_residual(View<double> r) {
  rr_ = residual_dot(r);
  return norm_of(r, rr_);
}

// Host, one rank, 2-norm, x = 0: r = b instead of a product, with shared sums.
template <class Space>
typename Iteration<Space>::Start Iteration<Space>::start_of_zero_guess(View<double> r) {
  const Pair sums = assign_sums<Space>(b_, r);
  if (singular_) return {norm_without_mean(sums, {}), without_mean(r, sums)};
  rr_ = sums.b;
  return {std::sqrt(rr_), std::sqrt(rr_)};
}

template <class Space>
double Iteration<Space>::dot_of(View<const double> x, View<const double> y) {
  return sum(is_exact_ ? 0 : dot<Space>(x, y), {x, y});
}

// |b|, or its compatible part if A is singular. r is work space.
template <class Space>
double Iteration<Space>::right_hand_side_norm(View<double> r) {
  if (!singular_) return options_.norm == Norm::max ? max_norm_of(b_) : std::sqrt(dot_of(b_, b_));
  const Pair sums = sum_and_square_of(b_);
  if (options_.norm == Norm::max) {
    assign<Space>(b_, r);
    shift<Space>(sums.a / static_cast<double>(A_.unknowns()), r);
    return max_norm_of(r);
  }
  return norm_without_mean(sums, r);
}

// |b - its mean|, from its sums.
template <class Space>
double Iteration<Space>::norm_without_mean(Pair sums, View<double> work) {
  const double m = sums.a / static_cast<double>(A_.unknowns()), square = sums.b - m * sums.a;
  // The difference of squares is accurate to eps bb, which suffices unless b is nearly constant. A constant b has no
  // compatible part.
  if (square > clear_of_mean * sums.b) return std::sqrt(square);
  double square_of_rest = 0;
  if (is_exact_) {
    assign<Space>(b_, work);
    square_of_rest = sum(shift_square<Space>(m, work), {work, work});
  } else {
    square_of_rest = sum(square_about<Space>(b_, m), {});
  }
  const double compatible = std::sqrt(square_of_rest);
  return compatible > noise * std::sqrt(sums.b) ? compatible : 0;
}

template <class Space>
void Iteration<Space>::start(View<double> r) {
  const bool to_rhs = options_.relative && options_.reference == "rhs";
  if (std::is_same_v<Space, Host> && options_.norm == Norm::l2 && ranks_.size() == 1 && !is_exact_ &&
      is_zero<Space>(x_))
    return begin(start_of_zero_guess(r));
  const double b_norm = to_rhs ? right_hand_side_norm(r) : 0;
  begin({b_norm, true_residual(r)});
}

template <class Space>
void Iteration<Space>::start_at_zero(View<double> r) {
  const double norm = right_hand_side_norm(r);
  begin({norm, norm});
  if (!running_ && result_.reason != Reason::not_finite) fill<Space>(0, x_);
}

template <class Space>
void Iteration<Space>::begin(const Start& first) {
  const bool to_rhs = options_.relative && options_.reference == "rhs";
  const double b_norm = first.b_norm, r_norm = first.r_norm;
  result_.residual0 = result_.residual = result_.true_residual = cycle_norm_ = best_ = r_norm;
  if (options_.history) history_.push_back(r_norm);
  running_ = false;
  if (!std::isfinite(r_norm) || !std::isfinite(b_norm)) {
    result_.reason = Reason::not_finite;
    return;
  }
  if (to_rhs && b_norm == 0) {  // b = 0: the solution is 0
    fill<Space>(0, x_);
    result_.residual = result_.true_residual = 0;
    return;
  }
  result_.target = target_ = options_.tolerance_now() * (!options_.relative ? 1 : (to_rhs ? b_norm : r_norm));
  if (r_norm <= target_) return;
  running_ = options_.max_iterations > 0;
  if (!running_) result_.reason = Reason::max_iterations;
}

template <class Space>
bool Iteration<Space>::step(double norm) {
  ++result_.iterations;
  result_.residual = norm;
  if (options_.history) history_.push_back(norm);
  if (!std::isfinite(norm)) return stop(Reason::not_finite), false;
  if (norm <= target_) return stop(Reason::converged), false;
  if (result_.iterations >= options_.max_iterations) return stop(Reason::max_iterations), false;
  if (is_interrupted(options_)) return stop(Reason::interrupted), false;
  if (norm < stagnation_progress * best_) {
    best_ = norm;
    best_at_ = result_.iterations;
    if (keeps(norm)) keep(norm, false);
  } else if (result_.iterations - best_at_ >= stagnation_window) {
    return stop(Reason::stagnated), false;
  }
  return true;
}

template <class Space>
bool Iteration<Space>::step(View<const double> r, double rr) {
  return step(norm_of(r, rr));
}

template <class Space>
void Iteration<Space>::report(int iterations, double norm, Reason reason) {
  result_.iterations += iterations;
  result_.residual = norm;
  stop(reason);
}

template <class Space>
void Iteration<Space>::stop(Reason reason) {
  stopped_ = true;
  result_.reason = reason;
}

template <class Space>
void Iteration<Space>::restart(View<double> r) {
  judge(true_residual(r));
}

template <class Space>
void Iteration<Space>::judge(double norm) {
  result_.true_residual = cycle_norm_ = norm;
  if (result_.iterations == 0) result_.residual = norm;  // x was improved before the first iteration
  const bool claimed = stopped_ && result_.reason == Reason::converged;
  const bool met = norm <= (claimed && !options_.strict ? target_slack : 1) * target_;
  const bool over = stopped_ && !claimed;
  stopped_ = false;
  if (!std::isfinite(norm)) {
    result_.reason = Reason::not_finite;
    running_ = false;
  } else if (met) {
    result_.reason = Reason::converged;
    running_ = false;
  } else if (over) {
    running_ = false;
  } else if (claimed) {
    const bool progress = previous_claim_ < 0 || norm < 0.5 * previous_claim_;
    previous_claim_ = norm;
    if (options_.strict && (kept_norm_ < 0 || !kept_is_true_ || norm < kept_norm_)) keep(norm, true);
    running_ = progress && result_.iterations < options_.max_iterations;
    if (!progress)
      result_.reason = !options_.strict && norm <= claim_slack * target_ ? Reason::converged : Reason::stagnated;
    else if (!running_)
      result_.reason = Reason::max_iterations;
  }
}

template <class Space>
void Iteration<Space>::apply(View<const double> x, View<double> y) {
  timed(product_, [&] { A_.apply(x, y); });
}
template <class Space>
double Iteration<Space>::apply_dot(View<const double> x, View<double> y) {
  if (!is_exact_) return sum(timed(product_, [&] { return A_.apply_dot(x, y); }), {x, y});
  apply(x, y);
  return dot_of(x, y);
}
template <class Space>
Pair Iteration<Space>::apply_dots(View<const double> x, View<const double> w, View<double> y) {
  if (!is_exact_) return sum(timed(product_, [&] { return A_.apply_dots(x, w, y); }), {y, w}, {y, y});
  apply(x, y);
  return sum({}, {y, w}, {y, y});
}
template <class Space>
void Iteration<Space>::precondition(View<const double> r, View<double> z) {
  if (M_.is_identity() && r.data() == z.data()) return;  // a rank without rows takes part in M's exchanges
  timed(preconditioner_, [&] { M_.apply(r, z); });
}
template <class Space>
double Iteration<Space>::precondition_dot(View<const double> r, View<double> z) {
  if (!is_exact_) return sum(timed(preconditioner_, [&] { return M_.apply_dot(r, z); }), {r, z});
  precondition(r, z);
  return dot_of(r, z);
}
template <class Space>
Pair Iteration<Space>::precondition_dots(View<const double> r, View<const double> w, View<double> z) {
  if (!is_exact_) return sum(timed(preconditioner_, [&] { return M_.apply_dots(r, w, z); }), {r, z}, {w, z});
  precondition(r, z);
  return sum({}, {r, z}, {w, z});
}

template <class Space>
void Iteration<Space>::remove_mean() {
  const Pair sums = sum_and_square_of(x_);
  const double n = static_cast<double>(A_.unknowns());
  if (sums.a * sums.a / n > unit_roundoff * unit_roundoff * sums.b) shift<Space>(sums.a / n, x_);
}

template <class Space>
void Iteration<Space>::keep(double norm, bool is_true) {
  fit(kept_, x_.size());
  assign<Space>(x_, kept_);
  kept_norm_ = norm;
  kept_is_true_ = is_true;
}

// Restores the kept x if the last iterations have made x worse.
template <class Space>
void Iteration<Space>::take_kept() {
  if (kept_norm_ < 0 || result_.reason == Reason::converged || result_.true_residual <= kept_norm_) return;
  if (!kept_is_true_) {
    const View<double> mine = std::exchange(x_, kept_.view());
    Array<double, Space> r(mine.size());
    kept_norm_ = true_residual(r);
    x_ = mine;
    if (result_.true_residual <= kept_norm_) return;
  }
  assign<Space>(kept_, x_);
  result_.true_residual = kept_norm_;
  if (result_.reason == Reason::interrupted || result_.reason == Reason::max_iterations) return;
  result_.reason = !options_.strict && kept_norm_ <= claim_slack * target_ ? Reason::converged : Reason::stagnated;
}

template <class Space>
void Iteration<Space>::add_seconds(const SolveResult& inner) {
  result_.apply_seconds += inner.apply_seconds;
  result_.spmv_seconds += inner.spmv_seconds + std::max(inner.halo_seconds, 0.0);  // taken out again by finish()
  result_.reduce_seconds += inner.reduce_seconds;
}

template <class Space>
SolveResult Iteration<Space>::finish() {
  take_kept();
  if (singular_ && result_.reason != Reason::not_finite) remove_mean();
  result_.solve_seconds = now() - started_;
  if (ranks_.size() > 1) {
    const HaloCost cost = A_.halo_cost();
    result_.halo_seconds = cost.seconds - halo_before_.seconds;
    result_.transfer_bytes = static_cast<double>(cost.bytes - halo_before_.bytes);
    result_.spmv_seconds -= result_.halo_seconds;  // the halo lies within the products
  }
  if (backend::asynchronous && std::is_same_v<Space, Device>)
    result_.apply_seconds = result_.spmv_seconds = result_.reduce_seconds = -1;
  return result_;
}

template class Iteration<Host>;
template class Iteration<Device>;

}  // namespace weir
