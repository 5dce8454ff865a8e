#include "tests/benchmarks/luo/sequential.hpp"

#include <algorithm>

namespace weir::bench {
namespace {

void decompose(std::size_t n, double* d) {
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t u = r + 1; u < n; ++u) {
      d[r * n + u] /= d[r * n + r];
      for (std::size_t v = r + 1; v < n; ++v) d[v * n + u] -= d[r * n + u] * d[v * n + r];
    }
}

// y -= A x of one block.
void subtract(std::size_t n, const double* A, const double* x, double* y) {
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t u = 0; u < n; ++u) y[u] -= A[v * n + u] * x[v];
}

}  // namespace

SequentialBlockIlu::SequentialBlockIlu(const test::BlockSystem& system)
    : system_(system),
      n_(static_cast<std::size_t>(system.n)),
      block_(n_ * n_),
      lu_(static_cast<std::size_t>(system.cells.count()) * block_) {
  const BlockStencilView A = system.view();
  std::vector<double> product(block_);  // d_q^-1 A_qp
  for (int p = 0; p < system.cells.count(); ++p) {
    double* d = &lu_[static_cast<std::size_t>(p) * block_];
    std::copy_n(A.block(p, slot::delta), block_, d);
    for (int s = A.first; s < A.first + A.slots; ++s) {  // eq. (1)
      const int q = A.neighbour(p, s);
      if (q < 0 || q >= p) continue;
      std::copy_n(A.block(q, 6 - s), block_, product.data());
      for (std::size_t v = 0; v < n_; ++v) {
        substitute(q, &product[v * n_]);
        subtract(n_, A.block(p, s), &product[v * n_], d + v * n_);
      }
    }
    decompose(n_, d);
  }
}

void SequentialBlockIlu::substitute(int cell, double* x) const {
  const double* d = lu(cell);
  for (std::size_t r = 0; r < n_; ++r)
    for (std::size_t u = r + 1; u < n_; ++u) x[u] -= d[r * n_ + u] * x[r];
  for (std::size_t r = n_; r-- > 0;) {
    x[r] /= d[r * n_ + r];
    for (std::size_t u = 0; u < r; ++u) x[u] -= d[r * n_ + u] * x[r];
  }
}

std::vector<double> SequentialBlockIlu::solve(const std::vector<double>& r) const {
  const BlockStencilView A = system_.view();
  const int count = system_.cells.count();
  std::vector<double> z = r, rest(n_);
  const auto at = [&](int cell) { return &z[static_cast<std::size_t>(cell) * n_]; };
  for (int p = 0; p < count; ++p) {
    for (int s = A.first; s < A.first + A.slots; ++s) {
      const int q = A.neighbour(p, s);
      if (q >= 0 && q < p) subtract(n_, A.block(p, s), at(q), at(p));
    }
    substitute(p, at(p));
  }
  for (int p = count - 1; p >= 0; --p) {
    std::fill(rest.begin(), rest.end(), 0.0);
    for (int s = A.first; s < A.first + A.slots; ++s) {
      const int q = A.neighbour(p, s);
      if (q > p) subtract(n_, A.block(p, s), at(q), rest.data());
    }
    substitute(p, rest.data());
    for (std::size_t u = 0; u < n_; ++u) at(p)[u] += rest[u];
  }
  return z;
}

}  // namespace weir::bench
