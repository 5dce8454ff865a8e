// Textbook oracles: dense matrices and solves, written as the definitions read. For small sizes only.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/matrix/matrix.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"
#include "tests/support/larger.hpp"

namespace weir::test {

using Numbers = std::vector<double>;
inline constexpr double eps = std::numeric_limits<double>::epsilon();

// Row-major n x n.
struct Dense {
  int n = 0;
  Numbers a;
  explicit Dense(int size) : n(size), a(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)) {}
  double& operator()(int i, int j) { return a[index(i, j)]; }
  double operator()(int i, int j) const { return a[index(i, j)]; }
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j);
  }

  Numbers operator*(const Numbers& x) const {
    Numbers y(x.size());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) y[static_cast<std::size_t>(i)] += (*this)(i, j) * x[static_cast<std::size_t>(j)];
    return y;
  }
  double max_norm() const {  // largest row sum of absolute values
    double m = 0;
    for (int i = 0; i < n; ++i) {
      double s = 0;
      for (int j = 0; j < n; ++j) s += std::abs((*this)(i, j));
      m = std::max(m, s);
    }
    return m;
  }
};

// M or K of one direction (see separable_operator.hpp).
inline Dense mass_matrix(const SeparableDirection& d) {
  Dense m(d.size());
  for (int i = 0; i < d.size(); ++i) m(i, i) = d.mass[static_cast<std::size_t>(i)];
  return m;
}
inline Dense stiffness_matrix(const SeparableDirection& d) {
  const int n = d.size();
  Dense k(n);
  for (int i = 0; i < n; ++i) {
    const auto s = static_cast<std::size_t>(i);
    k(i, i) += d.lower[s] + d.upper[s] + d.boundary[s];
    if (i > 0 || d.periodic) k(i, (i + n - 1) % n) -= d.lower[s];
    if (i + 1 < n || d.periodic) k(i, (i + 1) % n) -= d.upper[s];
  }
  return k;
}

// shift Mz(x)My(x)Mx + scale ( Mz(x)My(x)Kx + Mz(x)Ky(x)Mx + Kz(x)My(x)Mx ), entry by entry.
inline Dense dense(const SeparableOperator& op) {
  const Dense Mx = mass_matrix(op.direction[0]), My = mass_matrix(op.direction[1]), Mz = mass_matrix(op.direction[2]);
  const Dense Kx = stiffness_matrix(op.direction[0]), Ky = stiffness_matrix(op.direction[1]),
              Kz = stiffness_matrix(op.direction[2]);
  const Extents e = op.extents();
  Dense a(e.count());
  for (int p = 0; p < a.n; ++p)
    for (int q = 0; q < a.n; ++q) {
      const int i = p % e.nx, j = p / e.nx % e.ny, k = p / e.nx / e.ny;
      const int l = q % e.nx, m = q / e.nx % e.ny, n = q / e.nx / e.ny;
      a(p, q) =
          op.shift * Mz(k, n) * My(j, m) * Mx(i, l) +
          op.scale * (Mz(k, n) * My(j, m) * Kx(i, l) + Mz(k, n) * Ky(j, m) * Mx(i, l) + Kz(k, n) * My(j, m) * Mx(i, l));
    }
  return a;
}

// Gaussian elimination with partial pivoting.
inline Numbers dense_solve(Dense a, Numbers b) {
  const int n = a.n;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int c = 0; c < n; ++c) {
    int p = c;
    for (int i = c + 1; i < n; ++i)
      if (std::abs(a(i, c)) > std::abs(a(p, c))) p = i;
    for (int j = 0; j < n; ++j) std::swap(a(c, j), a(p, j));
    std::swap(b[at(c)], b[at(p)]);
    for (int i = c + 1; i < n; ++i) {
      const double f = a(i, c) / a(c, c);
      for (int j = c; j < n; ++j) a(i, j) -= f * a(c, j);
      b[at(i)] -= f * b[at(c)];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) b[at(i)] -= a(i, j) * b[at(j)];
    b[at(i)] /= a(i, i);
  }
  return b;
}

inline Numbers random_numbers(int n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Numbers v(static_cast<std::size_t>(n));
  for (auto& value : v) value = uniform(generator);
  return v;
}

inline double max_difference(const Numbers& a, const Numbers& b) {
  double m = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) m = larger(m, std::abs(a[i] - b[i]));
  return m;
}
inline double dot(const Numbers& a, const Numbers& b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
  return s;
}
inline double norm(const Numbers& a) { return std::sqrt(dot(a, a)); }
inline double mean(const Numbers& a) { return dot(a, Numbers(a.size(), 1.0)) / static_cast<double>(a.size()); }
inline double max_norm(const Numbers& a) { return max_difference(a, Numbers(a.size())); }
inline double relative(const Numbers& a, const Numbers& b) { return max_difference(a, b) / max_norm(b); }
inline Numbers minus(Numbers a, const Numbers& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

}  // namespace weir::test
