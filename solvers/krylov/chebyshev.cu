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
// wanted; so x does not depend on how many were launched. The number is taken even, so that the last
// iterate lies in x; steps are added where the true residual falls short (a strongly stretched grid, where the norms
// differ).
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "solvers/device/asynchronous/fetch_scalars.hpp"
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

// When a solve ends, from r.r and b.b at its start.
struct Goal {
  double tolerance, sigma;
  bool relative, to_rhs;
  int allowed;
  WEIR_HD double reference(const Pair& squares) const { return sqrt(to_rhs ? squares.b : squares.a); }
  WEIR_HD double target(const Pair& squares) const { return tolerance * (relative ? reference(squares) : 1); }
  WEIR_HD bool asks_for_more(double r, double target) const { return r - r == 0 && r > target; }
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
    const auto* A = dynamic_cast<const ChebyshevPasses<Space>*>(&matrix);
    if (!A || !(A->whole_operator().shift > 0))
      throw Error(Exit::usage, "chebyshev is for separable systems with a positive shift (momentum); use cg");
    const std::int64_t n = matrix.size();
    if (work_.size() < n) fit(y_, n);
    y_now_ = work_.size() < n ? y_.view() : work_.part(0, n);
    ranks_ = matrix.ranks() && matrix.ranks()->size() > 1 ? matrix.ranks() : nullptr;
    const HaloCost before = matrix.halo_cost();
    SolveResult result;
    result.apply_seconds = result.reduce_seconds = 0;
    {
      ScopedTimer timer(result.solve_seconds);
      iterate(*A, b, x, result);
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

 private:
  void iterate(const ChebyshevPasses<Space>& A, View<const double> b, View<double> x, SolveResult& result) {
    const Interval interval = eigenvalue_interval(A.whole_operator());
    const Goal goal{options_.tolerance_now(), interval.sigma, options_.relative, options_.reference == "rhs",
                    options_.max_iterations};
    is_interrupted_ = false;
    const FirstRound first = first_round(A, interval, goal, b, x, result);
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

  struct FirstRound {
    Pair squares;       // r.r and b.b at the start
    int steps = 0;      // taken
    double square = 0;  // r.r after them
  };
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
    double* const there = passing_places();  // r.r, b.b; r.r after the steps; how many are wanted
    leave_sum<Space>(there, [&] { return A.chebyshev_start(1 / interval.theta, b, x, y_now_); });
    count_steps(goal, there);
    const int launched = std::max(2, std::min(steps_before_, goal.allowed) & ~1);
    leave_sum<Space>(there + 2, [&] { return advance(A, interval, {1, launched, there + 3}, b, x); });
    double seen[4];
    fetch_passing(seen);
    FirstRound f{{seen[0], seen[1]}, static_cast<int>(seen[3]), seen[2]};
    if (f.steps > launched) f.square = advance(A, interval, {launched, f.steps}, b, x);
    if (f.steps > 0) steps_before_ = f.steps;
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
      if ((is_interrupted_ = is_interrupted(options_))) return square;  // that of no iterate: the solve is abandoned
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
  int steps_before_ = 2;  // of the last solve: what a device launches before the host looks
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
