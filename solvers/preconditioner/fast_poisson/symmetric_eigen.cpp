#include "solvers/preconditioner/fast_poisson/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace weir {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

// (x, y) <- (c x + s y, c y - s x), row by row of the transposed eigenvector matrix.
void rotate(double* x, double* y, int n, double c, double s) {
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    const double a = x[i], b = y[i];
    x[i] = c * a + s * b;
    y[i] = c * b - s * a;
  }
}

Eigen1D sorted(const std::vector<double>& value, const std::vector<double>& vector) {
  const std::size_t n = value.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return value[a] < value[b]; });
  Eigen1D e{std::vector<double>(n), std::vector<double>(n * n)};
  for (std::size_t m = 0; m < n; ++m) {
    e.value[m] = value[order[m]];
    std::copy_n(vector.begin() + static_cast<std::ptrdiff_t>(order[m] * n), n,
                e.vector.begin() + static_cast<std::ptrdiff_t>(m * n));
  }
  return e;
}

std::vector<double> identity(std::size_t n) {
  std::vector<double> Z(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) Z[i * n + i] = 1;
  return Z;
}

// One implicit QR step on rows lo..hi: the shift is the eigenvalue of the trailing 2 x 2 block nearer to its last
// entry, the bulge it makes is chased down the matrix by plane rotations.
void qr_step(std::vector<double>& d, std::vector<double>& e, std::vector<double>& Z, std::size_t lo, std::size_t hi) {
  const std::size_t n = d.size();
  const double half = 0.5 * (d[hi - 1] - d[hi]), last = e[hi - 1];
  const double shift = d[hi] - last * (last / (half + std::copysign(std::hypot(half, last), half)));
  double x = d[lo] - shift, z = e[lo];
  for (std::size_t k = lo; k < hi; ++k) {
    const double r = std::hypot(x, z);
    const double c = r == 0 ? 1 : x / r, s = r == 0 ? 0 : z / r;
    if (k > lo) e[k - 1] = r;
    const double dk = d[k], ek = e[k], dn = d[k + 1];
    const double t = s * (dn - dk) + 2 * c * ek;  // d[k] gains s t, d[k + 1] loses it
    d[k] = dk + s * t;
    d[k + 1] = dn - s * t;
    e[k] = c * t - ek;
    if (k + 1 < hi) {
      x = e[k];
      z = s * e[k + 1];
      e[k + 1] = c * e[k + 1];
    }
    rotate(&Z[k * n], &Z[(k + 1) * n], static_cast<int>(n), c, s);
  }
}

// Diagonalises the tridiagonal matrix (d, e); Z starts as the transposed basis in which it is written.
Eigen1D qr_iteration(std::vector<double> d, std::vector<double> e, std::vector<double> Z) {
  const std::size_t n = d.size();
  std::size_t hi = n == 0 ? 0 : n - 1;
  for (std::size_t steps = 0; hi > 0; ++steps) {
    if (steps > 60 * n) throw std::runtime_error("the eigenvalues of a grid line did not converge");
    const auto is_small = [&](std::size_t k) {
      return std::abs(e[k]) <= 0.5 * eps * (std::abs(d[k]) + std::abs(d[k + 1]));
    };
    if (is_small(hi - 1)) {
      e[--hi] = 0;
      continue;
    }
    std::size_t lo = hi - 1;
    while (lo > 0 && !is_small(lo - 1)) --lo;
    qr_step(d, e, Z, lo, hi);
  }
  return sorted(d, Z);
}

// y += s x
void add(double* y, double s, const double* x, std::size_t n) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) y[i] += s * x[i];
}

// A <- H A H and Z <- H Z with H = 1 - beta v v^T, v zero up to row k: the rank-two update of Golub & Van Loan 8.3.1.
void reflect(std::vector<double>& A, std::vector<double>& Z, const std::vector<double>& v, double beta, std::size_t k) {
  const std::size_t n = v.size();
  std::vector<double> w(n, 0.0), vZ(n, 0.0);
  for (std::size_t i = k + 1; i < n; ++i) {
    add(w.data(), beta * v[i], &A[i * n], n);
    add(vZ.data(), beta * v[i], &Z[i * n], n);
  }
  const double half = 0.5 * beta * std::inner_product(w.begin(), w.end(), v.begin(), 0.0);
  add(w.data(), -half, v.data(), n);
  for (std::size_t i = 0; i < n; ++i) {
    add(&A[i * n], -v[i], w.data(), n);
    add(&A[i * n], -w[i], v.data(), n);
    add(&Z[i * n], -v[i], vZ.data(), n);
  }
}

}  // namespace

Eigen1D tridiagonal_eigen(std::vector<double> diagonal, std::vector<double> off) {
  const std::size_t n = diagonal.size();
  return qr_iteration(std::move(diagonal), std::move(off), identity(n));
}

Eigen1D dense_eigen(std::vector<double> A, int size) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<double> Z = identity(n), d(n), e(n > 0 ? n - 1 : 0), v(n);
  for (std::size_t k = 0; k + 2 < n; ++k) {  // reflect column k below row k + 1 to zero
    double norm = 0;
    for (std::size_t i = k + 1; i < n; ++i) norm = std::hypot(norm, A[i * n + k]);
    if (norm == 0) continue;
    std::fill(v.begin(), v.end(), 0.0);
    for (std::size_t i = k + 1; i < n; ++i) v[i] = A[i * n + k];
    v[k + 1] += std::copysign(norm, v[k + 1]);
    reflect(A, Z, v, 2 / std::inner_product(v.begin(), v.end(), v.begin(), 0.0), k);
  }
  for (std::size_t i = 0; i < n; ++i) d[i] = A[i * n + i];
  for (std::size_t i = 0; i + 1 < n; ++i) e[i] = A[i * n + i + 1];
  return qr_iteration(std::move(d), std::move(e), std::move(Z));
}

}  // namespace weir
