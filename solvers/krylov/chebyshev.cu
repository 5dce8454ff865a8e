// Chebyshev semi-iteration (Golub & Varga 1961) for shift M + scale K, M the diagonal of volumes, with a dominant
// shift: the momentum systems of a time step. All eigenvalues of M^-1 A are in [a, b],
//  a = shift,   b = shift + scale sum over directions of max_i (2 lower_i + 2 upper_i + boundary_i) / mass_i
// (Gershgorin), theta = (b + a)/2, delta = (b - a)/2, sigma = theta/delta, and
//  x_1     = x_0 + 1/theta M^-1 r_0
//  x_{k+1} = x_k + rho_k rho_{k-1} (x_k - x_{k-1}) + 2 rho_k/delta M^-1 r_k
//  rho_0   = 1/sigma,   rho_k = 1/(2 sigma - rho_{k-1})
// needs no inner products: a step is one pass over x_k, x_{k-1} and b (4 vectors moved; cg moves 13). The number of
// steps follows from the first residual, |r_k| <= |r_0| / T_k(sigma) in the norm of M^-1, so that all steps and the
// final residual are one sweep over memory. It is even, so that the last iterate is in x; steps are added if the true
// residual misses the target (a strongly stretched grid, where the norms differ).
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/timer.hpp"
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
int steps_for(double sigma, double reduction, int allowed) {
  if (sigma == 0) return 2;
  const double k = acosh(reduction > 1 ? reduction : 1.0) / acosh(sigma);
  const int even = k < allowed ? 2 * static_cast<int>(ceil(k / 2)) : allowed;
  return (even > 2 ? even : 2) & ~1;
}

}  // namespace

template <class Space>
class Chebyshev : public Krylov<Space> {
 public:
  explicit Chebyshev(const KrylovOptions& options) : options_(options) {
    if (options.norm == Norm::max) throw Error(Exit::usage, "chebyshev supports norm = \"l2\" only; use cg");
  }
  const char* name() const override { return "chebyshev"; }
  void share_work(View<double> work) override { work_ = work; }

  SolveResult solve(const Matrix<Space>& matrix, const Preconditioner<Space>&, View<const double> b,
                    View<double> x) override {
    const ChebyshevPasses<Space>& A = take(matrix);
    const Interval interval = eigenvalue_interval(A.whole_operator());
    const HaloCost before = matrix.halo_cost();
    SolveResult result;
    result.apply_seconds = result.reduce_seconds = 0;
    {
      ScopedTimer timer(result.solve_seconds);
      iterate(A, interval, b, x, result);
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
  const ChebyshevPasses<Space>& take(const Matrix<Space>& matrix) {
    const auto* A = dynamic_cast<const ChebyshevPasses<Space>*>(&matrix);
    if (!A || !(A->whole_operator().shift > 0))
      throw Error(Exit::usage,
                  "chebyshev requires a separable system with a positive shift (such as momentum); use cg");
    const std::int64_t n = matrix.size();
    if (work_.size() < n) fit(y_, n);
    y_now_ = work_.size() < n ? y_.view() : work_.part(0, n);
    matrix_ = &matrix;
    ranks_ = matrix.ranks() && matrix.ranks()->size() > 1 ? matrix.ranks() : nullptr;
    is_interrupted_ = false;
    return *A;
  }
  void iterate(const ChebyshevPasses<Space>& A, const Interval& interval, View<const double> b, View<double> x,
               SolveResult& result) {
    const Pair squares = start(A, 1 / interval.theta, b, x, result);
    double r = std::sqrt(squares.a);
    result.residual0 = r;
    const double reference = options_.reference == "rhs" ? std::sqrt(squares.b) : r;
    if (options_.relative && reference == 0) {  // b = 0: the solution is 0
      fill<Space>(0, x);
      return;
    }
    const double target = result.target = options_.tolerance_now() * (options_.relative ? reference : 1);
    double before = 2 * r;
    while (!is_interrupted_ && std::isfinite(r) && r > target && r < before &&
           result.iterations + 2 <= options_.max_iterations) {
      const int steps = steps_for(interval.sigma, r / target, options_.max_iterations - result.iterations);
      if (result.iterations > 0) A.chebyshev_start(1 / interval.theta, b, x, y_now_);
      before = r;
      const double square = advance(A, interval, steps, b, x);
      r = std::sqrt(is_exact() ? exact_square_of_residual(b, x, result) : sum({square, 0}, result).a);
      result.iterations += steps;
    }
    result.residual = result.true_residual = r;
    result.reason = is_interrupted_     ? Reason::interrupted
                    : !std::isfinite(r) ? Reason::not_finite
                    : r <= target       ? Reason::converged
                    : !(r < before)     ? Reason::stagnated
                                        : Reason::max_iterations;
  }

  // Takes step 1; returns r.r and b.b.
  Pair start(const ChebyshevPasses<Space>& A, double omega, View<const double> b, View<const double> x,
             SolveResult& result) {
    if (!is_exact()) return sum(A.chebyshev_start(omega, b, x, y_now_), result);
    const Pair squares{exact_square_of_residual(b, x, result), exact_square(b, result)};
    A.chebyshev_start(omega, b, x, y_now_);
    return squares;
  }
  bool is_exact() const { return std::is_same_v<Space, Host> && options_.has_exact_sums(); }
  double exact_square_of_residual(View<const double> b, View<const double> x, SolveResult& result) {
    matrix_->residual(b, x, y_now_);
    return exact_square(y_now_, result);
  }
  double exact_square(View<const double> x, SolveResult& result) const {
    ScopedTimer timer(result.reduce_seconds);
    const ExactSum share = exact_sum(x.size(), [v = x.data()](int i) { return v[i] * v[i]; });
    return ranks_ ? ranks_->sum(share) : share.rounded();
  }

  // Step 1 has left x_1 in y; an even step leaves its iterate in x and the one before in y. Returns r.r of the last.
  double advance(const ChebyshevPasses<Space>& A, const Interval& interval, int steps, View<const double> b,
                 View<double> x) {
    const double sigma = interval.sigma;
    View<double> from = y_now_, to = x;
    double rho = sigma > 0 ? 1 / sigma : 0, square = 0;
    const auto next_rho = [&] { return sigma > 0 ? 1 / (2 * sigma - rho) : 0; };
    for (int done = 1; done < steps;) {
      is_interrupted_ = is_interrupted(options_);
      if (is_interrupted_) return square;  // not of an iterate: the solve is abandoned
      ChebyshevSteps group;
      for (; group.count < ChebyshevSteps::most && done < steps; ++group.count, ++done) {
        const double next = next_rho();
        group.alpha[group.count] = next * rho;
        group.omega[group.count] = sigma > 0 ? 2 * next / interval.delta() : 1 / interval.theta;
        rho = next;
      }
      group.residual = done == steps;
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
  const Matrix<Space>* matrix_ = nullptr;
  const Communicator* ranks_ = nullptr;
  bool is_interrupted_ = false;
};

constexpr KrylovDescription krylov::chebyshev{
    .name = "chebyshev",
    .meaning = "Chebyshev semi-iteration without inner products, for matrices in which the mass term dominates",
    .citation = "Golub & Varga 1961",
    .options = {},
    .needs_symmetry = true,
    .takes_preconditioner = false,
    .vectors = [](const KrylovOptions&) { return 1.0; },
    .make_host = make_method<Chebyshev, Host>,
    .make_device = make_method<Chebyshev, Device>};

}  // namespace weir
