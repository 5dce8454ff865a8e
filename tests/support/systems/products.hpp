// Every product of a matrix against its dense twin.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "tests/support/systems/dense.hpp"

namespace weir::test {

// The products that methods fuse with their updates.
template <class Space>
void expect_equal_fused_products(const Matrix<Space>& A, const Dense& D, const std::string& name, double bound) {
  const int n = D.n;
  const Numbers x = random_numbers(n, 1), w = random_numbers(n, 2), Ax = D * x;
  Array<double, Space> X(x), W(w), Y(n);
  const Pair dots = A.apply_dots(X, W, Y);
  EXPECT_LE(max_difference(Y.to_vector(), Ax), bound) << name;
  EXPECT_NEAR(dots.a, dot(Ax, w), n * bound) << name;
  EXPECT_NEAR(dots.b, dot(Ax, Ax), 4 * n * bound * (1 + max_norm(Ax))) << name;
}

// Both sides sum at most `terms` products of at most five factors a row: 4 terms eps |A| |x| bounds their rounding
// (|x| <= 1).
template <class Space>
void expect_equal_products(const Matrix<Space>& A, const Dense& D, const std::string& name, int terms = 8) {
  const int n = D.n;
  ASSERT_EQ(A.size(), n) << name;
  const Numbers x = random_numbers(n, 11), b = random_numbers(n, 12), Ax = D * x, r = minus(b, Ax);
  const Array<double, Space> X(x), B(b);
  const double bound = 4 * terms * eps * (D.max_norm() + 1);

  Array<double, Space> y1(n), y2(n), r1(n), r2(n);
  A.apply(X, y1);
  EXPECT_LE(max_difference(y1.to_vector(), Ax), bound) << name;
  EXPECT_NEAR(A.apply_dot(X, y2), dot(x, Ax), n * bound) << name;
  EXPECT_LE(max_difference(y2.to_vector(), Ax), bound) << name;
  A.residual(B, X, r1);
  EXPECT_LE(max_difference(r1.to_vector(), r), bound) << name;
  EXPECT_NEAR(A.residual_dot(B, X, r2), dot(r, r), 4 * n * bound * (1 + max_norm(r))) << name;
  EXPECT_LE(max_difference(r2.to_vector(), r), bound) << name;

  expect_equal_fused_products(A, D, name, bound);

  const int block = A.block();
  Array<double, Space> d(std::int64_t{n} * block);
  const std::int64_t entries = std::int64_t{block} * block;  // in two parts
  const int half = A.rows() / 2;
  A.block_diagonal(0, d.view().part(0, half * entries));
  A.block_diagonal(half, d.view().part(half * entries, (A.rows() - half) * entries));
  const Numbers diagonal = d.to_vector();
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < block; ++c)
      EXPECT_NEAR(diagonal[static_cast<std::size_t>(i * block + c)], D(i, i / block * block + c), bound)
          << name << " row " << i;
}

}  // namespace weir::test
