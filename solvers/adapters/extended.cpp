#include "solvers/adapters/extended.hpp"

#include <cmath>

#include "base/timer.hpp"
#include "solvers/adapters/peer.hpp"

namespace weir {
namespace {

// high + low, |low| <= eps |high| / 2.
struct Twofold {
  double high = 0, low = 0;

  void add(double a) {  // two-sum of Knuth
    const double s = high + a, t = s - high;
    low += (high - (s - t)) + (a - t);
    high = s;
  }
  void add_product(double a, double b) {
    const double p = a * b;
    low += std::fma(a, b, -p);
    add(p);
  }
  void normalise() {
    const double s = high + low;
    low -= s - high;
    high = s;
  }
};

void residual(const BlockCsrData& A, const std::vector<double>& b, const ExtendedSolution& s, std::vector<double>& r) {
  const int B = A.block;
  for (int row = 0; row < A.rows() * B; ++row) {
    Twofold sum{b[row], 0};
    for (auto e = A.row_start[row / B]; e < A.row_start[static_cast<std::size_t>(row / B) + 1]; ++e)
      for (int v = 0; v < B; ++v) {
        const double a = -A.value[(e * B + row % B) * B + v];
        const auto j = static_cast<std::size_t>(A.column[e] * B + v);
        sum.add_product(a, s.x[j]);
        sum.low += a * s.low[j];
      }
    r[row] = sum.high + sum.low;
  }
}

}  // namespace

ExtendedSolution solve_extended(const BlockCsrData& data, const BlockCsr<Host>& A, AnySolver<Host>& inner,
                                const std::vector<double>& b, double tolerance, int max_iterations) {
  ExtendedSolution s;
  ScopedTimer timer(s.result.solve_seconds);
  s.x.assign(b.size(), 0);
  s.low.assign(b.size(), 0);
  std::vector<double> r(b);
  Array<double, Host> R(A.size()), D(A.size());
  const double target = tolerance * l2_norm(b);
  double norm = l2_norm(r);
  s.result.residual0 = norm;
  s.result.reason = std::isfinite(norm) ? Reason::converged : Reason::not_finite;
  while (norm > target && s.result.converged()) {
    R.upload(r);
    D.upload(std::vector<double>(r.size(), 0.0));
    const SolveResult step = inner.solve(A, R, D);
    ++s.steps;
    s.result.iterations += step.iterations;
    for (std::size_t i = 0; i < r.size(); ++i) {
      Twofold x{s.x[i], s.low[i]};
      x.add(D.data()[i]);
      x.normalise();
      s.x[i] = x.high;
      s.low[i] = x.low;
    }
    residual(data, b, s, r);
    const double before = norm;
    norm = l2_norm(r);
    if (norm <= target) break;
    if (!std::isfinite(norm))
      s.result.reason = Reason::not_finite;
    else if (norm > 0.5 * before)
      s.result.reason = step.converged() ? Reason::stagnated : step.reason;
    else if (s.result.iterations >= max_iterations)
      s.result.reason = Reason::max_iterations;
  }
  s.result.residual = s.result.true_residual = norm;
  return s;
}

}  // namespace weir
