// A state carried from one mesh to another.
#include "miniapps/compressible/convergence/start_from.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/error.hpp"

namespace weir::start_from_test {
namespace {

constexpr int values = 2;

CellNumbers shuffled(int rows, int columns, unsigned seed) {
  CellNumbers n{{rows, columns}, Order(static_cast<std::size_t>(rows * columns))};
  std::iota(n.order.begin(), n.order.end(), 0);
  std::shuffle(n.order.begin(), n.order.end(), std::mt19937_64(seed));
  return n;
}

// Polynomials of the place in the grid, [0, 1] in both directions.
std::vector<double> cubics(const CellNumbers& n) {
  std::vector<double> U;
  for (const int cell : n.order) {
    const double a = (cell / n.grid[1] + 0.5) / n.grid[0], b = (cell % n.grid[1] + 0.5) / n.grid[1];
    U.push_back(1 + 2 * a - 3 * b * b * b);
    U.push_back(a * a * a * b * b - b);
  }
  return U;
}

TEST(CarryOver, CubicsOfTheRowsAreCarriedExactlyToFinerAndCoarserMeshesInAnyOrder) {
  const CellNumbers from = shuffled(6, 5, 1);
  for (const CellNumbers& to : {shuffled(12, 10, 2), shuffled(9, 14, 3), shuffled(4, 3, 4)}) {
    const std::vector<double> U = carry_over(cubics(from), values, from, to), exact = cubics(to);
    ASSERT_EQ(U.size(), exact.size());
    for (std::size_t i = 0; i < U.size(); ++i) EXPECT_NEAR(U[i], exact[i], 1e-13);  // round-off of 16 terms
  }
}

TEST(CarryOver, RowsShorterThanTheStencilAreCarriedByWhatTheyHave) {
  const CellNumbers from = shuffled(1, 2, 1), to = shuffled(2, 4, 2);
  const std::vector<double> U = carry_over({1, 3, 1, 3}, values, from, to);
  for (std::size_t i = 0; i < U.size(); ++i) EXPECT_NEAR(U[i], i % 2 == 0 ? 1 : 3, 1e-14);
}

TEST(CarryOver, MeshesWithoutRowsAreCarriedCellByCellWhereTheyHaveAsManyCells) {
  CellNumbers from = shuffled(3, 4, 1), to = shuffled(3, 4, 2), fewer = shuffled(3, 3, 2);
  const std::vector<double> U = cubics(from), exact = cubics(to);
  from.grid = to.grid = fewer.grid = {0, 0};
  EXPECT_EQ(carry_over(U, values, from, to), exact);
  EXPECT_THROW(carry_over(U, values, from, fewer), Error);
}

}  // namespace
}  // namespace weir::start_from_test
