#include "tests/support/systems/block_systems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace weir::test {
namespace {

using Block = std::vector<double>;  // n x n, column by column

Block product(int n, const Block& a, const Block& b) {
  Block c(a.size(), 0);
  const auto at = [n](int u, int v) { return static_cast<std::size_t>(v * n + u); };
  for (int v = 0; v < n; ++v)
    for (int w = 0; w < n; ++w)
      for (int u = 0; u < n; ++u) c[at(u, v)] += a[at(u, w)] * b[at(w, v)];
  return c;
}

// By elimination with row exchanges on [a | 1].
Block inverse(int n, Block a) {
  Block x(a.size(), 0);
  const auto at = [n](int u, int v) { return static_cast<std::size_t>(v * n + u); };
  for (int u = 0; u < n; ++u) x[at(u, u)] = 1;
  for (int r = 0; r < n; ++r) {
    int p = r;
    for (int u = r + 1; u < n; ++u)
      if (std::abs(a[at(u, r)]) > std::abs(a[at(p, r)])) p = u;
    for (int v = 0; v < n; ++v) {
      std::swap(a[at(r, v)], a[at(p, v)]);
      std::swap(x[at(r, v)], x[at(p, v)]);
    }
    for (int u = 0; u < n; ++u) {
      const double factor = u == r ? 0 : a[at(u, r)] / a[at(r, r)];
      for (int v = 0; v < n && factor != 0; ++v) {
        a[at(u, v)] -= factor * a[at(r, v)];
        x[at(u, v)] -= factor * x[at(r, v)];
      }
    }
  }
  for (int u = 0; u < n; ++u)
    for (int v = 0; v < n; ++v) x[at(u, v)] /= a[at(u, u)];
  return x;
}

}  // namespace

std::vector<double> random_vector(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> v(size);
  for (double& x : v) x = uniform(random);
  return v;
}

BlockSystem random_system(Extents cells, int n, std::uint64_t seed, Periodic periodic, double dominance) {
  BlockSystem system{cells, periodic, n, {}, {}};
  const int slots = cells.nz == 1 ? 5 : 7, count = cells.count();
  const auto size = static_cast<std::size_t>(count) * static_cast<std::size_t>(n);
  system.values = random_vector(size * static_cast<std::size_t>(slots * n), seed);
  system.b = random_vector(size, seed + 1);
  const BlockStencilView A = system.view();
  for (int c = 0; c < count; ++c) {
    for (int s = A.first; s < A.first + A.slots; ++s)
      if (A.neighbour(c, s) < 0) std::fill_n(A.block(c, s), n * n, std::numeric_limits<double>::quiet_NaN());
    for (int u = 0; u < n; ++u) {
      double rest = 0.1;
      for (int s = A.first; s < A.first + A.slots; ++s)
        for (int v = 0; v < n && A.neighbour(c, s) >= 0; ++v)
          if (s != slot::delta || v != u) rest += std::abs(A.entry(c, s, u, v));
      double& diagonal = A.entry(c, slot::delta, u, u);
      diagonal = std::copysign(dominance * rest, diagonal);
    }
  }
  return system;
}

const Block* TextbookBlockIlu0::find(int row, int column) const {
  for (const Entry& e : rows_[static_cast<std::size_t>(row)])
    if (e.column == column) return &e.block;
  return nullptr;
}

TextbookBlockIlu0::TextbookBlockIlu0(const BlockSystem& system) : n_(system.n) {
  const BlockStencilView A = system.view();
  const int n = n_, count = system.cells.count();
  rows_.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    auto& row = rows_[static_cast<std::size_t>(i)];
    for (int s = A.first; s < A.first + A.slots; ++s) {
      const int to = A.neighbour(i, s);
      if (to >= 0) row.push_back({to, Block(A.block(i, s), A.block(i, s) + n * n)});
    }
    std::sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) { return a.column < b.column; });
    for (Entry& aik : row) {  // k = 1 .. i - 1 in the pattern: A_ik <- A_ik A_kk^-1, then A_ij -= A_ik A_kj for j > k
      if (aik.column >= i) break;
      aik.block = product(n, aik.block, inverse(n, *find(aik.column, aik.column)));
      for (Entry& aij : row) {
        const Block* akj = aij.column > aik.column ? find(aik.column, aij.column) : nullptr;
        if (!akj) continue;
        const Block change = product(n, aik.block, *akj);
        for (std::size_t e = 0; e < change.size(); ++e) aij.block[e] -= change[e];
      }
    }
  }
}

std::vector<double> TextbookBlockIlu0::inverted_diagonals() const {
  std::vector<double> all;
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
    const Block d = inverse(n_, *find(i, i));
    all.insert(all.end(), d.begin(), d.end());
  }
  return all;
}

std::vector<double> TextbookBlockIlu0::solve(const std::vector<double>& r) const {
  std::vector<double> z = r;
  const auto subtract = [&](int i, const Entry& e) {
    for (int v = 0; v < n_; ++v)
      for (int u = 0; u < n_; ++u) z[index(i, u)] -= e.block[index(v, u)] * z[index(e.column, v)];
  };
  const int count = static_cast<int>(rows_.size());
  for (int i = 0; i < count; ++i)
    for (const Entry& e : rows_[static_cast<std::size_t>(i)])
      if (e.column < i) subtract(i, e);
  for (int i = count - 1; i >= 0; --i) {
    for (const Entry& e : rows_[static_cast<std::size_t>(i)])
      if (e.column > i) subtract(i, e);
    const Block d = inverse(n_, *find(i, i));
    const std::vector<double> right(z.begin() + i * n_, z.begin() + (i + 1) * n_);
    for (int u = 0; u < n_; ++u) {
      z[index(i, u)] = 0;
      for (int v = 0; v < n_; ++v) z[index(i, u)] += d[index(v, u)] * right[static_cast<std::size_t>(v)];
    }
  }
  return z;
}

std::vector<double> textbook_product(const BlockSystem& system, const std::vector<double>& x) {
  const BlockStencilView A = system.view();
  std::vector<double> y(x.size(), 0);
  for (int c = 0; c < system.cells.count(); ++c)
    for (int s = A.first; s < A.first + A.slots; ++s) {
      const int to = A.neighbour(c, s);
      for (int u = 0; u < A.n && to >= 0; ++u)
        for (int v = 0; v < A.n; ++v)
          y[static_cast<std::size_t>(c * A.n + u)] += A.entry(c, s, u, v) * x[static_cast<std::size_t>(to * A.n + v)];
    }
  return y;
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity(), largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double d = std::abs(a[i] - b[i]);
    difference = d <= difference ? difference : d;  // keeps not-a-number
    largest = std::max(largest, std::abs(b[i]));
  }
  return largest > 0 ? difference / largest : difference;
}

}  // namespace weir::test
