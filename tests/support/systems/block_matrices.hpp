// Block sparse matrices for tests, and their dense twins.
#pragma once
#include <set>

#include "solvers/matrix/block/block_csr.hpp"
#include "tests/support/systems/dense.hpp"

namespace weir::test {

// A random pattern of about four blocks a row with the diagonal in it, random values, diagonally dominant. Symmetric
// where asked for, then also positive definite.
inline BlockCsrData random_blocks(int rows, int B, unsigned seed, bool symmetric = false) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> any(0, rows - 1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::set<int>> pattern(static_cast<std::size_t>(rows));
  for (int i = 0; i < rows; ++i) {
    pattern[static_cast<std::size_t>(i)].insert(i);
    for (int e = 0; e < 3; ++e) {
      const int j = any(generator);
      pattern[static_cast<std::size_t>(i)].insert(j);
      if (symmetric) pattern[static_cast<std::size_t>(j)].insert(i);
    }
  }
  Dense a(rows * B);
  for (int i = 0; i < rows; ++i)
    for (const int j : pattern[static_cast<std::size_t>(i)])
      for (int r = 0; r < B; ++r)
        for (int c = 0; c < B; ++c) a(i * B + r, j * B + c) = uniform(generator);
  if (symmetric)
    for (int i = 0; i < a.n; ++i)
      for (int j = 0; j < i; ++j) a(i, j) = a(j, i);
  for (int i = 0; i < a.n; ++i) {
    double s = 1;
    for (int j = 0; j < a.n; ++j) s += i == j ? 0 : std::abs(a(i, j));
    a(i, i) = s;
  }
  BlockCsrData d;
  d.block = B;
  d.symmetric = symmetric;
  d.row_start.push_back(0);
  for (int i = 0; i < rows; ++i) {
    for (const int j : pattern[static_cast<std::size_t>(i)]) {
      d.column.push_back(j);
      for (int r = 0; r < B; ++r)
        for (int c = 0; c < B; ++c) d.value.push_back(a(i * B + r, j * B + c));
    }
    d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
  }
  return d;
}

inline Dense dense(const BlockCsrData& d) {
  const int B = d.block;
  Dense a(d.rows() * B);
  for (int i = 0; i < d.rows(); ++i)
    for (auto e = d.row_start[static_cast<std::size_t>(i)]; e < d.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      for (int r = 0; r < B; ++r)
        for (int c = 0; c < B; ++c)
          a(i * B + r, d.column[static_cast<std::size_t>(e)] * B + c) =
              d.value[static_cast<std::size_t>((e * B + r) * B + c)];
  return a;
}

}  // namespace weir::test
