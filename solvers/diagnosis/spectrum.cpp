#include "solvers/diagnosis/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/at.hpp"

namespace weir {
namespace {

using Vector = std::vector<double>;

// Normalises x and returns its norm. A vector that is zero or not finite is unchanged.
double normalise(Vector& x) {
  const double size = std::sqrt(dot(x, x));
  if (size > 0 && std::isfinite(size))
    for (double& v : x) v /= size;
  return size;
}

Vector random_direction(int n) {
  Vector x = random_vector(n, 1);
  normalise(x);
  return x;
}

// Number of eigenvalues of the tridiagonal (alpha, beta) below t, from the signs of the pivots of T - t I.
int count_below(const Vector& alpha, const Vector& beta, double t) {
  int count = 0;
  double pivot = 1;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    pivot = alpha[i] - t - (i > 0 ? beta[i - 1] * beta[i - 1] / pivot : 0);
    if (pivot == 0) pivot = 1e-300;
    count += pivot < 0;
  }
  return count;
}

// The k-th eigenvalue (from 0), by bisection.
double eigenvalue(const Vector& alpha, const Vector& beta, int k) {
  double low = alpha[0], high = alpha[0];
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    const double radius = (i > 0 ? beta[i - 1] : 0) + (i + 1 < alpha.size() ? beta[i] : 0);
    low = std::min(low, alpha[i] - radius);
    high = std::max(high, alpha[i] + radius);
  }
  for (int step = 0; step < 200 && low < high; ++step) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (count_below(alpha, beta, middle) > k ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

double dot(std::span<const double> x, std::span<const double> y) {
  double s = 0;
  for (std::size_t i = 0; i < x.size(); ++i) s += x[i] * y[i];
  return s;
}

std::vector<double> random_vector(std::int64_t n, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<double> v(at(n));
  for (double& e : v) e = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
  return v;
}

RitzValues lanczos(const VectorMap& product, int n, int steps) {
  Vector v = random_direction(n), before(v.size(), 0.0), w(v.size()), alpha, beta;
  for (int k = 0; k < std::min(steps, n); ++k) {
    if (!product(v, w)) break;
    const double a = dot(v, w);
    if (!std::isfinite(a)) break;
    alpha.push_back(a);
    const double b_before = beta.empty() ? 0 : beta.back();
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= a * v[i] + b_before * before[i];
    before.swap(v);
    v = w;
    const double b = normalise(v);
    if (!(b > 1e-14 * std::abs(a)) || !std::isfinite(b)) break;
    beta.push_back(b);
  }
  RitzValues r;
  r.steps = static_cast<int>(alpha.size());
  if (alpha.empty()) return r;
  beta.resize(alpha.size() - 1);
  r.least = eigenvalue(alpha, beta, 0);
  r.most = eigenvalue(alpha, beta, r.steps - 1);
  return r;
}

void multiply(const BlockCsrData& A, std::span<const double> x, std::span<double> y) {
  for (int i = 0; i < A.rows(); ++i) {
    double s = 0;
    for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e) s += A.value[e] * x[A.column[e]];
    y[i] = s;
  }
}

RitzValues lanczos_of_symmetric_part(const BlockCsrData& A, const BlockCsrData& T, int steps) {
  Vector w(static_cast<std::size_t>(A.rows()));
  const auto half_sum = [&](std::span<const double> x, std::span<double> y) {
    multiply(A, x, y);
    multiply(T, x, w);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = 0.5 * (y[i] + w[i]);
    return true;
  };
  return lanczos(half_sum, A.rows(), steps);
}

RitzValues lanczos_of_squares(const BlockCsrData& A, const BlockCsrData& T, int steps) {
  Vector w(static_cast<std::size_t>(A.rows()));
  const auto normal = [&](std::span<const double> x, std::span<double> y) {
    multiply(A, x, w);
    multiply(T, w, y);
    return true;
  };
  return lanczos(normal, A.rows(), steps);
}

SmallestSingular smallest_singular(const VectorMap& product, const VectorMap& solve, const VectorMap& solve_transposed,
                                   int n, int steps) {
  SmallestSingular s;
  Vector v = random_direction(n), w(v.size());
  for (int k = 0; k < steps; ++k) {
    if (!solve_transposed(v, w)) return s;
    normalise(w);
    if (!solve(w, v) || !std::isfinite(normalise(v))) return s;
  }
  if (!product(v, w)) return s;
  s.sigma = std::sqrt(dot(w, w));
  s.found = std::isfinite(s.sigma);
  s.vector = std::move(v);
  return s;
}

}  // namespace weir
