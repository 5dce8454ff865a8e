// Chebyshev's semi-iteration (Golub & Varga 1961) for shift M + scale K, M the diagonal of volumes, where the shift
// dominates: the momentum systems of a time step. All eigenvalues of M^-1 A lie in [a, b],
//   a = shift,   b = shift + scale sum over directions of max_i (2 lower_i + 2 upper_i + boundary_i) / mass_i
// (Gershgorin), theta = (b + a)/2, delta = (b - a)/2, sigma = theta/delta, and
//   x_1     = x_0 + 1/theta M^-1 r_0
//   x_{k+1} = x_k + rho_k rho_{k-1} (x_k - x_{k-1}) + 2 rho_k/delta M^-1 r_k
//   rho_0   = 1/sigma,   rho_k = 1/(2 sigma - rho_{k-1})
// needs no inner products, so that one step is one pass over x_k, x_{k-1} and b (4 vectors moved; cg moves 13) and a
// device never waits. The number of steps is known beforehand, |r_k| <= |r_0| / T_k(sigma) in the norm of M^-1, so that
// the host takes all of them and the residual after them in one sweep over memory. A device counts them itself: as many as the last
// solve took are launched, those that are too many do nothing, and the one look of the host, after them, tells whether more are
// wanted; so x does not depend on how many were launched. Queued among others (queued_solves.hpp), more are launched, and the device
// judges, too. The number is taken even, so that the last
// iterate lies in x; steps are added where the true residual falls short (a strongly stretched grid, where the norms
// differ).
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "solvers/device/asynchronous/fetch_scalars.hpp"
#include "solvers/device/asynchronous/recorded_work.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

struct Interval {
  double theta = 1, sigma = 0;  // sigma 0: a single point
  double delta() const { return theta / sigma; }
};

Interval eigenvalue_interval(const SeparableOperator& A) {
  double width = 0;
  for (const auto& d : A.direction) {
    double most = 0;
    for (std::size_t i = 0; i < d.mass.size(); ++i)
      most = std::max(most, (2 * (d.lower[i] + d.upper[i]) + d.boundary[i]) / d.mass[i]);
    width += A.scale * most;
  }
  const double theta = A.shift + width / 2;
  return {theta, width > 1e-14 * theta ? theta / (width / 2) : 0};
}

// The smallest even k with T_k(sigma) >= reduction, or the largest even one that is allowed.
WEIR_HD inline int steps_for(double sigma, double reduction, int allowed) {
  if (sigma == 0) return 2;
  const double k = acosh(reduction > 1 ? reduction : 1.0) / acosh(sigma);
  const int even = k < allowed ? 2 * static_cast<int>(ceil(k / 2)) : allowed;
  return (even > 2 ? even : 2) & ~1;
}

// How many steps a device launches before the host looks.
struct ForeseenSteps {
  int last = 2;  // wanted by the last solve that wanted any
  int queued = 0, idle = 0;

  // Of a queued solve, whose look comes late: some more than were wanted of late, first as many as from x = 0.
  int steps(int from_zero) {
    if (queued == 0) queued = from_zero;
    return queued;
  }
  void learn(int wanted) {
    if (wanted > 0) last = wanted;
    const int enough = std::max(last, 2) + 2;
    idle = enough < queued ? idle + 1 : 0;
    if (enough > queued || idle == 16) {
      queued = enough;
      idle = 0;
    }
  }
};

// When a solve ends, from r.r and b.b at its start.
struct Goal {
  double tolerance, sigma;
  bool relative, to_rhs;
  int allowed;
  WEIR_HD double reference(const Pair& squares) const { return sqrt(to_rhs ? squares.b : squares.a); }
  WEIR_HD double target(const Pair& squares) const { return tolerance * (relative ? reference(squares) : 1); }
  WEIR_HD bool asks_for_more(double r, double target) const { return r - r == 0 && r > target; }
  // Where |r_0| is at most |b|, no solve takes more. Not known of an absolute tolerance.
  int steps_from_zero() const { return steps_for(sigma, relative ? 1 / tolerance : 1e16, std::max(allowed, 2)); }
  // seen: as FirstRound has it. Whether a solve is over and good after `launched` steps; squares of such a size that solve_scaled
  // would look at b are left to it.
  WEIR_HD bool is_met(const double* seen, int launched) const {
    const Pair squares{seen[0], seen[1]};
    const double wanted = seen[3];
    if (!(squares.b > 1e-270 && squares.b < 1e270) || (relative && reference(squares) == 0)) return false;
    return wanted <= launched && sqrt(wanted > 0 ? seen[2] : seen[0]) <= target(squares);
  }
  // Of the first round; 0: x is good as it is, or will not be better.
  WEIR_HD int steps(const Pair& squares) const {
    const double r = sqrt(squares.a), at = target(squares);
    return asks_for_more(r, at) && allowed >= 2 && !(relative && reference(squares) == 0)
               ? steps_for(sigma, r / at, allowed)
               : 0;
  }
};

void count_steps(const Goal& goal, double* there) {
  for_each<Device>(1, [=] WEIR_HD(int) { there[3] = goal.steps({there[0], there[1]}); });
}

void judge(const Goal& goal, int launched, const QueuedSolve& to) {
  for_each<Device>(1, [=] WEIR_HD(int) {
    if (!goal.is_met(to.seen, launched)) *to.stop = to.number;
  });
}

}  // namespace

template <class Space>
class Chebyshev : public Krylov<Space> {
 public:
  explicit Chebyshev(const KrylovOptions& options) : options_(options) {
    if (options.norm == Norm::max) throw Error(Exit::usage, "chebyshev measures convergence in the l2 norm; use cg");
  }
  const char* name() const override { return "chebyshev"; }
  void lend(View<double> work) override { work_ = work; }

  SolveResult solve(const Matrix<Space>& matrix, const Preconditioner<Space>&, View<const double> b,
                    View<double> x) override {
    const ChebyshevPasses<Space>& A = take(matrix);
    return timed_solve(matrix, [&](SolveResult& result) {
      const Interval interval = eigenvalue_interval(A.whole_operator());
      const Goal goal = goal_for(interval);
      iterate(A, interval, goal, first_round(A, interval, goal, b, x, result), b, x, result);
    });
  }

  bool can_queue(const Matrix<Space>& A, const Preconditioner<Space>&) const override {
    return dynamic_cast<const SeparableStencil<Device>*>(&A) != nullptr;
  }
  void queue(const Matrix<Space>& matrix, const Preconditioner<Space>&, View<const double> b, View<double> x,
             const QueuedSolve& to) override {
    if constexpr (std::is_same_v<Space, Device>) {
      const ChebyshevPasses<Device>& A = take(matrix);
      const Interval interval = eigenvalue_interval(A.whole_operator());
      const Goal goal = goal_for(interval);
      launched_ = foreseen_.steps(goal.steps_from_zero());
      const Arguments arguments{&A,
                                A.whole_operator().shift,
                                A.whole_operator().scale,
                                goal.tolerance,
                                launched_,
                                b.data(),
                                x.data(),
                                y_now_.data(),
                                to.seen};
      repeated_.run(arguments, [&] {
        launch_first_round(A, interval, goal, b, x, {to.seen, false});
        judge(goal, launched_, to);
      });
    }
  }
  SolveResult settle(const Matrix<Space>& matrix, const Preconditioner<Space>&, View<const double> b, View<double> x,
                     const SeenSolve& seen) override {
    const ChebyshevPasses<Space>& A = take(matrix);
    return timed_solve(matrix, [&](SolveResult& result) {
      const Interval interval = eigenvalue_interval(A.whole_operator());
      iterate(A, interval, goal_for(interval), go_on(A, interval, seen.scalars.data(), b, x), b, x, result);
    });
  }

 private:
  const ChebyshevPasses<Space>& take(const Matrix<Space>& matrix) {
    const auto* A = dynamic_cast<const ChebyshevPasses<Space>*>(&matrix);
    if (!A || !(A->whole_operator().shift > 0))
      throw Error(Exit::usage, "chebyshev is for separable systems with a positive shift (momentum); use cg");
    const std::int64_t n = matrix.size();
    if (work_.size() < n) fit(y_, n);
    y_now_ = work_.size() < n ? y_.view() : work_.part(0, n);
    ranks_ = matrix.ranks() && matrix.ranks()->size() > 1 ? matrix.ranks() : nullptr;
    is_interrupted_ = false;
    return *A;
  }
  Goal goal_for(const Interval& interval) const {
    return {options_.tolerance_now(), interval.sigma, options_.relative, options_.reference == "rhs",
            options_.max_iterations};
  }

  // solve(result)
  template <class Solve>
  SolveResult timed_solve(const Matrix<Space>& matrix, const Solve& solve) {
    const HaloCost before = matrix.halo_cost();
    SolveResult result;
    result.apply_seconds = result.reduce_seconds = 0;
    {
      ScopedTimer timer(result.solve_seconds);
      solve(result);
    }
    result.spmv_seconds = result.solve_seconds - result.reduce_seconds;  // every pass is a product with A
    if (ranks_) {
      const HaloCost after = matrix.halo_cost();
      result.halo_seconds = after.seconds - before.seconds;
      result.transfer_bytes = static_cast<double>(after.bytes - before.bytes);
      result.spmv_seconds -= result.halo_seconds;
    }
    return result;
  }

  struct FirstRound {
    Pair squares;       // r.r and b.b at the start
    int steps = 0;      // taken
    double square = 0;  // r.r after them
  };
  void iterate(const ChebyshevPasses<Space>& A, const Interval& interval, const Goal& goal, const FirstRound& first,
               View<const double> b, View<double> x, SolveResult& result) {
    double r = std::sqrt(first.squares.a);
    result.residual0 = r;
    if (options_.relative && goal.reference(first.squares) == 0) {  // nothing to be relative to: the solution is known
      fill<Space>(0, x);
      return;
    }
    const double target = result.target = goal.target(first.squares);
    double before = 2 * r;
    if (first.steps > 0) {
      before = r;
      r = std::sqrt(first.square);
      result.iterations = first.steps;
    }
    while (!is_interrupted_ && goal.asks_for_more(r, target) && r < before &&
           result.iterations + 2 <= options_.max_iterations) {
      const int steps = steps_for(interval.sigma, r / target, options_.max_iterations - result.iterations);
      start_again(A, interval, b, x);
      before = r;
      r = std::sqrt(sum({advance(A, interval, {1, steps}, b, x), 0}, result).a);
      result.iterations += steps;
    }
    result.residual = result.true_residual = r;
    result.reason = is_interrupted_     ? Reason::interrupted
                    : !std::isfinite(r) ? Reason::not_finite
                    : r <= target       ? Reason::converged
                    : !(r < before)     ? Reason::stagnated
                                        : Reason::max_iterations;
  }

  FirstRound first_round(const ChebyshevPasses<Space>& A, const Interval& interval, const Goal& goal,
                         View<const double> b, View<double> x, SolveResult& result) {
    if constexpr (std::is_same_v<Space, Device>)
      if (dynamic_cast<const SeparableStencil<Device>*>(&A)) return counted_there(A, interval, goal, b, x);
    FirstRound f;
    f.squares = sum(A.chebyshev_start(1 / interval.theta, b, x, y_now_), result);
    f.steps = goal.steps(f.squares);
    if (f.steps > 0) f.square = sum({advance(A, interval, {1, f.steps}, b, x), 0}, result).a;
    return f;
  }

  FirstRound counted_there(const ChebyshevPasses<Device>& A, const Interval& interval, const Goal& goal,
                           View<const double> b, View<double> x) {
    launched_ = std::max(2, std::min(foreseen_.last, goal.allowed) & ~1);
    launch_first_round(A, interval, goal, b, x, {passing_places()});
    double seen[QueuedSolve::scalars];
    fetch_passing(seen);
    return go_on(A, interval, seen, b, x);
  }
  struct Place {
    double* there;  // r.r, b.b; r.r after the steps; how many are wanted
    bool may_stop = true;
  };
  void launch_first_round(const ChebyshevPasses<Device>& A, const Interval& interval, const Goal& goal,
                          View<const double> b, View<double> x, const Place& to) {
    double* const there = to.there;
    leave_sum<Space>(there, [&] { return A.chebyshev_start(1 / interval.theta, b, x, y_now_); });
    count_steps(goal, there);
    leave_sum<Space>(there + 2, [&] { return advance(A, interval, {1, launched_, there + 3, to.may_stop}, b, x); });
  }
  // Behind the host's look at those four.
  FirstRound go_on(const ChebyshevPasses<Space>& A, const Interval& interval, const double* seen, View<const double> b,
                   View<double> x) {
    FirstRound f{{seen[0], seen[1]}, static_cast<int>(seen[3]), seen[2]};
    if (f.steps > launched_) f.square = advance(A, interval, {launched_, f.steps}, b, x);
    foreseen_.learn(f.steps);
    return f;
  }

  // Step 1 of a further round, whose sums nobody wants: on a device of its own nobody waits for them.
  void start_again(const ChebyshevPasses<Space>& A, const Interval& interval, View<const double> b, View<double> x) {
    const auto start = [&] { return A.chebyshev_start(1 / interval.theta, b, x, y_now_); };
    if constexpr (std::is_same_v<Space, Device>)
      if (!ranks_) return leave_sum<Space>(passing_places(), start);
    start();
  }

  struct Span {
    int done, steps;                 // those from done + 1 on to steps, both 1 or even
    const double* wanted = nullptr;  // ChebyshevSteps::wanted
    bool may_stop = true;
  };
  // Step 1 has left x_1 in y; an even one leaves its x, the one before in y. The last lands in x; returns r.r there.
  double advance(const ChebyshevPasses<Space>& A, const Interval& interval, Span span, View<const double> b,
                 View<double> x) {
    const double sigma = interval.sigma;
    View<double> from = y_now_, to = x;
    if (span.done % 2 == 0) std::swap(from, to);
    double rho = sigma > 0 ? 1 / sigma : 0, square = 0;
    const auto next_rho = [&] { return sigma > 0 ? 1 / (2 * sigma - rho) : 0; };
    for (int done = 1; done < span.done; ++done) rho = next_rho();
    for (int done = span.done; done < span.steps;) {
      if (span.may_stop && (is_interrupted_ = is_interrupted(options_)))
        return square;  // that of no iterate: the solve is abandoned
      ChebyshevSteps group;
      group.wanted = span.wanted;
      group.first = done + 1;
      for (; group.count < ChebyshevSteps::most && done < span.steps; ++group.count, ++done) {
        const double next = next_rho();
        group.alpha[group.count] = next * rho;
        group.omega[group.count] = sigma > 0 ? 2 * next / interval.delta() : 1 / interval.theta;
        rho = next;
      }
      group.residual = done == span.steps;
      square = A.chebyshev_steps(group, b, from, to);
      if (group.count % 2 == 1) std::swap(from, to);
    }
    return square;
  }

  Pair sum(Pair shares, SolveResult& result) const {
    if (!ranks_) return shares;
    ScopedTimer timer(result.reduce_seconds);
    return ranks_->sum(shares);
  }

  KrylovOptions options_;
  Array<double, Space> y_;
  View<double> work_, y_now_;
  const Communicator* ranks_ = nullptr;
  bool is_interrupted_ = false;
  struct Arguments {  // of a queued solve; the matrix is always the same object, or the solver set up anew
    const void* A;
    double shift, scale, tolerance;
    int launched;
    const double *b, *x, *y, *seen;
    bool operator==(const Arguments&) const = default;
  };
  RepeatedWork<Space, Arguments> repeated_;
  ForeseenSteps foreseen_;
  int launched_ = 0;  // steps, before the host looks
};

constexpr KrylovDescription krylov::chebyshev{
    .name = "chebyshev",
    .meaning = "Chebyshev semi-iteration where the mass term dominates; without inner products",
    .citation = "Golub & Varga 1961",
    .options = {},
    .needs_symmetry = true,
    .takes_preconditioner = false,
    .vectors = [](const KrylovOptions&) { return 1.0; },
    .make_host = make_method<Chebyshev, Host>,
    .make_device = make_method<Chebyshev, Device>};

}  // namespace weir
