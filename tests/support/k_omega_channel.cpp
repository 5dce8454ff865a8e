#include "tests/support/k_omega_channel.hpp"

#include <algorithm>
#include <cmath>

namespace weir::test {
namespace {

using Values = std::vector<double>;

// Wilcox 1988, written down again on purpose.
constexpr double alpha = 5.0 / 9.0, beta = 0.075, beta_star = 0.09, sigma = 0.5;

// a x[i-1] + b x[i] + c x[i+1] = d
Values tridiagonal(const Values& a, Values b, const Values& c, Values d) {
  const std::size_t n = b.size();
  for (std::size_t i = 1; i < n; ++i) {
    const double m = a[i] / b[i - 1];
    b[i] -= m * c[i - 1];
    d[i] -= m * d[i - 1];
  }
  d[n - 1] /= b[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) d[i] = (d[i] - c[i] * d[i + 1]) / b[i];
  return d;
}

class Solver {
 public:
  Solver(double Re_tau, int nodes) : nu_(1 / Re_tau), n_(static_cast<std::size_t>(nodes)) {
    constexpr double stretch = 2.8;
    for (std::size_t i = 0; i < n_; ++i)
      y_.push_back(1 - std::tanh(stretch * (1 - static_cast<double>(i) / static_cast<double>(n_ - 1))) /
                           std::tanh(stretch));
    k_.resize(n_);
    w_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      k_[i] = 3 * (1 - std::exp(-y_[i] / nu_ / 10)) * (1 - 0.8 * y_[i]);
      w_[i] = std::min(near_wall(std::max(y_[i], y_[1])), near_wall(y_[1])) + 5;
    }
  }

  KOmegaChannel run() {
    KOmegaChannel c;
    Values u(n_, 0.0);
    for (c.iterations = 0; c.iterations < 20000; ++c.iterations) {
      const Values before = u;
      u = velocity();
      step_k(u);
      step_omega(u);
      c.change = 0;
      for (std::size_t i = 0; i < n_; ++i) c.change = std::max(c.change, std::abs(u[i] - before[i]));
      if (c.change < 1e-11) break;
    }
    c.y = y_;
    c.u = u;
    c.k = k_;
    c.omega = w_;
    return c;
  }

 private:
  double near_wall(double y) const { return 6 * nu_ / (beta * y * y); }
  double nu_t(std::size_t i) const { return k_[i] / w_[i]; }

  Values velocity() const {
    Values u(n_, 0.0);
    for (std::size_t i = 1; i < n_; ++i) {
      const double middle = 0.5 * (y_[i] + y_[i - 1]), total = nu_ + 0.5 * (nu_t(i) + nu_t(i - 1));
      u[i] = u[i - 1] + (y_[i] - y_[i - 1]) * (1 - middle) / total;
    }
    return u;
  }
  double shear(const Values& u, std::size_t i) const {  // u' by the parabola through three nodes; 0 on the axis
    if (i + 1 == n_) return 0;
    const double h0 = y_[i] - y_[i - 1], h1 = y_[i + 1] - y_[i];
    return ((u[i + 1] - u[i]) / h1 * h0 + (u[i] - u[i - 1]) / h0 * h1) / (h0 + h1);
  }
  // -(D x')' + reaction x = source from node `first` on, symmetric at the axis; x is relaxed towards it.
  void step(Values& x, double s, std::size_t first, const Values& reaction, const Values& source) const {
    Values a(n_, 0.0), b(n_, 1.0), c(n_, 0.0), d = x;
    for (std::size_t i = first; i < n_; ++i) {
      const double h0 = y_[i] - y_[i - 1], h1 = i + 1 < n_ ? y_[i + 1] - y_[i] : h0;
      const double low = nu_ + s * 0.5 * (nu_t(i) + nu_t(i - 1));
      const double high = i + 1 < n_ ? nu_ + s * 0.5 * (nu_t(i) + nu_t(i + 1)) : low;
      const double volume = 0.5 * (h0 + h1);
      a[i] = -low / h0 / volume;
      c[i] = -high / h1 / volume;
      b[i] = -a[i] - c[i] + reaction[i];
      d[i] = source[i];
      if (i + 1 == n_) {
        a[i] += c[i];
        c[i] = 0;
      }
      const double relaxed = b[i] / relaxation;
      d[i] += (relaxed - b[i]) * x[i];
      b[i] = relaxed;
    }
    x = tridiagonal(a, b, c, d);
  }
  void step_k(const Values& u) {
    Values reaction(n_), source(n_);
    for (std::size_t i = 1; i < n_; ++i) {
      reaction[i] = beta_star * w_[i];
      source[i] = nu_t(i) * shear(u, i) * shear(u, i);
    }
    k_[0] = 0;
    step(k_, sigma, 1, reaction, source);
  }
  void step_omega(const Values& u) {
    Values reaction(n_), source(n_);
    std::size_t first = 1;
    while (y_[first] / nu_ < 2.5) ++first;
    for (std::size_t i = 1; i < n_; ++i) {
      if (i < first) w_[i] = near_wall(y_[i]);
      reaction[i] = 2 * beta * w_[i];
      source[i] = alpha * shear(u, i) * shear(u, i) + beta * w_[i] * w_[i];
    }
    w_[0] = w_[1];
    step(w_, sigma, first, reaction, source);
  }

  static constexpr double relaxation = 0.7;
  double nu_;
  std::size_t n_;
  Values y_, k_, w_;
};

}  // namespace

double KOmegaChannel::velocity_at(double at) const {
  const auto above = std::upper_bound(y.begin(), y.end(), at);
  const auto i = std::clamp<std::ptrdiff_t>(above - y.begin(), 1, static_cast<std::ptrdiff_t>(y.size()) - 1);
  const auto s = static_cast<std::size_t>(i);
  return u[s - 1] + (u[s] - u[s - 1]) * (at - y[s - 1]) / (y[s] - y[s - 1]);
}

double KOmegaChannel::bulk_velocity() const {
  double flux = 0;
  for (std::size_t i = 1; i < y.size(); ++i) flux += 0.5 * (u[i] + u[i - 1]) * (y[i] - y[i - 1]);
  return flux;
}

KOmegaChannel solve_k_omega_channel(double Re_tau, int nodes) { return Solver(Re_tau, nodes).run(); }

}  // namespace weir::test
