// Sums of rows and columns and the constant vector: blocks, units, orders, and what rounding hides.
#include "solvers/matrix/facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "solvers/matrix/block/cut_blocks.hpp"

namespace weir {
namespace {

struct Edge {
  int a, b;
  double weight;
};

// The Laplacian of a graph, plus `leak` in row 0; rows in the given order, cut into blocks.
BlockCsrData laplacian(const std::vector<int>& order, const std::vector<Edge>& edges, double leak, int block = 1) {
  const std::size_t n = order.size();
  std::vector<std::vector<double>> dense(n, std::vector<double>(n));
  for (const auto& [i, j, w] : edges) {
    const auto a = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]),
               b = static_cast<std::size_t>(order[static_cast<std::size_t>(j)]);
    dense[a][b] -= w;
    dense[b][a] -= w;
    dense[a][a] += w;
    dense[b][b] += w;
  }
  const auto first = static_cast<std::size_t>(order[0]);
  dense[first][first] += leak;
  BlockCsrData d;
  d.row_start.assign(1, 0);
  for (const auto& row : dense) {
    for (std::size_t j = 0; j < n; ++j)
      if (row[j] != 0) {
        d.column.push_back(static_cast<int>(j));
        d.value.push_back(row[j]);
      }
    d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
  }
  return cut_into_blocks(std::move(d), block);
}

std::vector<Edge> grid(int nx, int ny, const std::function<double()>& weight) {
  std::vector<Edge> edges;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      if (i + 1 < nx) edges.push_back({j * nx + i, j * nx + i + 1, weight()});
      if (j + 1 < ny) edges.push_back({j * nx + i, (j + 1) * nx + i, weight()});
    }
  return edges;
}

std::vector<int> shuffled(int n, unsigned seed) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(seed);
  if (seed > 0) std::shuffle(order.begin(), order.end(), random);
  return order;
}

TEST(ConstantVector, IsNullInWhateverOrderBlocksAndUnits) {
  for (const int block : {1, 2, 3, 4, 6, 8})
    for (const unsigned seed : {0u, 5u})
      for (const double unit : {1.0, 1e-30, 1e200, 3.7e9})
        EXPECT_EQ(constant_vector(laplacian(shuffled(48, seed), grid(8, 6, [&] { return unit; }), 0, block)),
                  ConstantVector::null_exactly)
            << block << " " << seed << " " << unit;
}

TEST(ConstantVector, IsNullToRoundingWhereCoefficientsVary) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> exponent(-6, 6);
  for (int k = 0; k < 200; ++k) {
    const auto A = laplacian(shuffled(48, 0), grid(8, 6, [&] { return std::pow(10, exponent(random)); }), 0, 1 + k % 3);
    EXPECT_NE(constant_vector(A), ConstantVector::not_null) << k;
  }
}

TEST(ConstantVector, IsNotNullWhereALeakIsMoreThanRounding) {
  for (const int block : {1, 2, 4})
    for (const double unit : {1.0, 1e13, 1e-200})
      for (const double leak : {1.0, 1e-8, 1e-12, 1e-13, 2e-14}) {
        const auto A = laplacian(shuffled(48, 2), grid(8, 6, [&] { return unit; }), leak * unit, block);
        EXPECT_EQ(constant_vector(A), ConstantVector::not_null) << block << " " << unit << " " << leak;
      }
  const auto least = laplacian(shuffled(48, 0), grid(8, 6, [] { return 1.0; }), 4.5e-16, 1);
  EXPECT_EQ(constant_vector(least), ConstantVector::null_to_rounding) << "an ulp: regular all the same";
}

TEST(ConstantVector, IsNotAllWhereARowIsEmpty) {
  BlockCsrData d;
  d.row_start = {0, 2, 4, 4};
  d.column = {0, 1, 0, 1};
  d.value = {1, -1, -1, 1};
  EXPECT_EQ(constant_vector(d), ConstantVector::not_null);
}

TEST(ConstantPart, IsTheShareOfTheMean) {
  EXPECT_NEAR(constant_part(std::vector<double>{1, 1, 1}), 1, 1e-15);
  EXPECT_NEAR(constant_part(std::vector<double>{3e307, 0, 0}), std::sqrt(1.0 / 3), 1e-15);
  EXPECT_EQ(constant_part(std::vector<double>{1, -1}), 0);
  EXPECT_EQ(constant_part(std::vector<double>{0, 0}), 0);
}

}  // namespace
}  // namespace weir
