#include "solvers/preconditioner/fast_poisson/fast_poisson_modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>

namespace weir {
namespace {

using Size = std::size_t;

bool nearly(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

bool has_boundary(const SeparableDirection& d) {
  return std::ranges::any_of(d.boundary, [](double v) { return v != 0; });
}

bool equals_its_mirror(const SeparableDirection& d) {
  constexpr double tolerance = 1e-11;
  const Size n = d.mass.size();
  for (Size i = 0; i < n; ++i) {
    const Size m = n - 1 - i;
    if (!nearly(d.mass[i], d.mass[m], tolerance) || !nearly(d.upper[i], d.lower[m], tolerance) ||
        !nearly(d.boundary[i], d.boundary[m], tolerance))
      return false;
  }
  return true;
}

// S = M^-1/2 K M^-1/2: its diagonal, and the couplings of i to i + 1 (cyclic).
struct Symmetrised {
  explicit Symmetrised(const SeparableDirection& d) : diagonal(d.mass.size()), off(d.mass.size(), 0.0) {
    const Size n = d.mass.size();
    for (Size i = 0; i < n; ++i) diagonal[i] = (d.lower[i] + d.upper[i] + d.boundary[i]) / d.mass[i];
    for (Size i = 0; i + 1 < n || (i < n && d.periodic); ++i)
      off[i] = -d.upper[i] / std::sqrt(d.mass[i] * d.mass[(i + 1) % n]);
  }
  std::vector<double> diagonal, off;
};

// Rayleigh quotient of a mode of unit norm as a sum of squares: small eigenvalues become accurate relative to
// themselves.
double rayleigh(const SeparableDirection& d, const double* q) {
  const Size n = d.mass.size();
  double kinetic = 0, mass = 0;
  for (Size i = 0; i < n; ++i) {
    const double jump = q[(i + 1) % n] - q[i];
    kinetic += d.upper[i] * jump * jump + d.boundary[i] * q[i] * q[i];
    mass += d.mass[i] * q[i] * q[i];
  }
  return kinetic / mass;
}

// Eigenvectors of the even (sign = 1) or odd half of a symmetric line: tridiagonal again, also if periodic, because the
// two ends then meet their mirror images. Unknown i stands for (x_i +- x_{n-1-i}) / sqrt 2.
Eigen1D half_eigen(const Symmetrised& S, bool periodic, int sign) {
  const Size n = S.diagonal.size(), half = n / 2, size = sign > 0 ? n - half : half;
  std::vector<double> diagonal(S.diagonal.begin(), S.diagonal.begin() + static_cast<std::ptrdiff_t>(size));
  std::vector<double> off(S.off.begin(), S.off.begin() + static_cast<std::ptrdiff_t>(size - 1));
  if (n % 2 == 0)
    diagonal[half - 1] += sign * S.off[half - 1];
  else if (sign > 0)
    off[half - 1] *= std::numbers::sqrt2;  // the middle unknown meets both halves
  if (periodic) diagonal[0] += sign * S.off[n - 1];
  return tridiagonal_eigen(std::move(diagonal), std::move(off));
}

void symmetric_modes(const SeparableDirection& d, Modes& modes) {
  const Size n = d.mass.size(), half = n / 2;
  const Symmetrised S(d);
  const auto fill = [&](int sign, std::vector<double>& Q) {
    const Eigen1D e = half_eigen(S, d.periodic, sign);
    const Size size = e.value.size();
    Q.resize(size * size);
    std::vector<double> q(n);
    for (Size m = 0; m < size; ++m) {
      for (Size i = 0; i < size; ++i) {
        const bool middle = i == half && n % 2 == 1;
        const double v = e.vector[m * size + i] / std::sqrt((middle ? 1 : 2) * d.mass[i]);
        Q[m * size + i] = q[i] = v;
        if (!middle) q[n - 1 - i] = sign * v;
      }
      if (sign < 0 && n % 2 == 1) q[half] = 0;
      modes.lambda.push_back(rayleigh(d, q.data()));
    }
  };
  fill(1, modes.even);
  if (half > 0) fill(-1, modes.odd);
}

void dense_modes(const SeparableDirection& d, Modes& modes) {
  const Size n = d.mass.size();
  const Symmetrised S(d);
  Eigen1D e;
  if (!d.periodic) {
    e = tridiagonal_eigen(S.diagonal, {S.off.begin(), S.off.end() - 1});
  } else {
    std::vector<double> full(n * n, 0.0);
    for (Size i = 0; i < n; ++i) {
      const Size j = (i + 1) % n;
      full[i * n + i] += S.diagonal[i];
      full[i * n + j] += S.off[i];
      full[j * n + i] += S.off[i];
    }
    e = dense_eigen(std::move(full), static_cast<int>(n));
  }
  modes.even = std::move(e.vector);
  for (Size m = 0; m < n; ++m) {
    double* q = &modes.even[m * n];
    for (Size i = 0; i < n; ++i) q[i] /= std::sqrt(d.mass[i]);
    modes.lambda.push_back(rayleigh(d, q));
  }
}

// lambda = (4 u / h) sin^2 of half the mode's angle; u = coupling, h = width.
void trigonometric_modes(const SeparableDirection& d, Modes& modes) {
  const double n = modes.n, h = d.mass[0], u = d.upper[0], pi = std::numbers::pi;
  const auto angle = [&](int k) {
    switch (modes.basis) {
      case ModeBasis::sine:
        return pi * (n - k) / n;  // as a cosine transform of (-1)^i x_i leaves it
      case ModeBasis::mixed_low:
      case ModeBasis::mixed_high:
        return pi * (k + 0.5) / n;
      case ModeBasis::sine_I:
        return pi * (k + 1) / (n + 1);
      case ModeBasis::fourier:
        return 2 * pi * std::min(k, modes.n - k) / n;
      default:
        return pi * k / n;
    }
  };
  for (int k = 0; k < modes.n; ++k) {
    const double s = std::sin(0.5 * angle(k));
    modes.lambda.push_back(4 * u / h * s * s);
  }
  const bool is_mixed = modes.basis == ModeBasis::mixed_low || modes.basis == ModeBasis::mixed_high;
  modes.norm = 1 / (h * (modes.basis == ModeBasis::sine_I ? 2 * (n + 1) : is_mixed ? 2 * n : n));
}

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
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return value[a] < value[b]; });
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
// entry; plane rotations chase the bulge down the matrix.
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

// Diagonalises the tridiagonal matrix (d, e); Z: on entry the transposed basis in which it is written.
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

const char* to_string(ModeBasis basis) {
  constexpr const char* names[] = {"single",
                                   "cosine transform",
                                   "sine transform",
                                   "cosine transform of quarter waves",
                                   "cosine transform of quarter waves",
                                   "sine transform of faces",
                                   "Fourier transform",
                                   "eigenvectors",
                                   "even and odd eigenvectors"};
  return names[static_cast<int>(basis)];
}

ModeBasis trigonometric_basis(const SeparableDirection& d) {
  const int n = d.size();
  if (n < 2 || !d.is_uniform()) return ModeBasis::dense;
  if (d.periodic) return has_boundary(d) ? ModeBasis::dense : ModeBasis::fourier;
  const double low = d.boundary.front(), high = d.boundary.back(), u = d.upper[0];
  const auto is = [](double a, double b) { return nearly(a, b, 1e-12); };
  if (low == 0 && high == 0) return ModeBasis::cosine;
  if (is(low, 2 * u) && is(high, 2 * u)) return ModeBasis::sine;
  if (low == 0 && is(high, 2 * u)) return ModeBasis::mixed_low;
  if (is(low, 2 * u) && high == 0) return ModeBasis::mixed_high;
  if (is(low, u) && is(high, u)) return ModeBasis::sine_I;
  return ModeBasis::dense;
}

ModeBasis eigenvector_basis(const SeparableDirection& d) {
  return d.size() > 1 && equals_its_mirror(d) ? ModeBasis::symmetric : ModeBasis::dense;
}

Modes make_modes(const SeparableDirection& d, ModeBasis basis) {
  Modes modes;
  modes.basis = basis;
  modes.n = d.size();
  switch (basis) {
    case ModeBasis::single:
      modes.lambda = {d.boundary[0] / d.mass[0]};
      modes.norm = 1 / d.mass[0];
      return modes;
    case ModeBasis::dense:
      dense_modes(d, modes);
      break;
    case ModeBasis::symmetric:
      symmetric_modes(d, modes);
      break;
    default:
      trigonometric_modes(d, modes);
      return modes;
  }
  const Size size = static_cast<Size>(modes.even_size());
  if (!has_boundary(d)) {  // the constant, exactly
    const double total = std::accumulate(d.mass.begin(), d.mass.end(), 0.0);
    std::fill_n(modes.even.begin(), size, 1 / std::sqrt(total));
    modes.lambda[0] = 0;
  }
  modes.even_transposed = transposed(modes.even, modes.even_size());
  modes.odd_transposed = transposed(modes.odd, modes.odd_size());
  return modes;
}

std::vector<double> full_matrix(const Modes& modes) {
  if (modes.basis == ModeBasis::dense) return modes.even;
  const Size n = static_cast<Size>(modes.n), even = static_cast<Size>(modes.even_size()), odd = n - even;
  std::vector<double> Q(n * n, 0.0);
  for (Size m = 0; m < even; ++m)
    for (Size i = 0; i < even; ++i) Q[m * n + i] = Q[m * n + n - 1 - i] = modes.even[m * even + i];
  for (Size m = 0; m < odd; ++m)
    for (Size i = 0; i < odd; ++i) {
      Q[(even + m) * n + i] = modes.odd[m * odd + i];
      Q[(even + m) * n + n - 1 - i] = -modes.odd[m * odd + i];
    }
  return Q;
}

std::vector<double> transposed(const std::vector<double>& Q, int size) {
  const auto n = static_cast<Size>(size);
  std::vector<double> T(Q.size());
  for (Size j = 0; j < n; ++j)
    for (Size i = 0; i < n; ++i) T[i * n + j] = Q[j * n + i];
  return T;
}

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
    std::ranges::fill(v, 0.0);
    for (std::size_t i = k + 1; i < n; ++i) v[i] = A[i * n + k];
    v[k + 1] += std::copysign(norm, v[k + 1]);
    reflect(A, Z, v, 2 / std::inner_product(v.begin(), v.end(), v.begin(), 0.0), k);
  }
  for (std::size_t i = 0; i < n; ++i) d[i] = A[i * n + i];
  for (std::size_t i = 0; i + 1 < n; ++i) e[i] = A[i * n + i + 1];
  return qr_iteration(std::move(d), std::move(e), std::move(Z));
}

}  // namespace weir
