// BlockStencil against plain loops, in both spaces.
#include "solvers/matrix/block/block_stencil.hpp"

#include <omp.h>

#include "base/error.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_systems.hpp"

namespace weir::test::block_stencil_test {
namespace {

constexpr double eps = 2.3e-16;

template <class Space>
class BlockStencilOf : public ::testing::Test {};
TYPED_TEST_SUITE(BlockStencilOf, Spaces, SpaceName);

template <class Space>
BlockStencil<Space> matrix(const BlockSystem& system) {
  BlockStencil<Space> A(system.cells, system.n, system.periodic);
  A.upload(system.values);
  return A;
}

const std::vector<Extents> shapes = {{1, 1, 1}, {5, 4, 3}, {11, 3, 3}, {7, 1, 1}, {1, 6, 1},
                                     {1, 1, 5}, {6, 5, 1}, {2, 2, 2},  {4, 1, 5}};
const std::vector<int> sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33};

TYPED_TEST(BlockStencilOf, ProductEqualsPlainLoopsForEveryShapeAndBlockSize) {
  for (const Extents cells : shapes)
    for (const int n : sizes) {
      const BlockSystem system = random_system(cells, n, 7);
      const BlockStencil<TypeParam> A = matrix<TypeParam>(system);
      const std::vector<double> x = random_vector(system.b.size(), 3);
      const Array<double, TypeParam> X(x);
      Array<double, TypeParam> Y(A.size());
      A.apply(X, Y);
      // 7 n additions a row, each rounding by eps of terms below the largest entry of a dominated row.
      EXPECT_LE(relative_difference(Y.to_vector(), textbook_product(system, x)), 7 * n * eps)
          << cells.nx << "x" << cells.ny << "x" << cells.nz << ", n = " << n;
    }
}

TYPED_TEST(BlockStencilOf, PeriodicDirectionsCoupleToTheFarEnd) {
  for (const Periodic periodic :
       {Periodic{true, false, false}, Periodic{false, true, true}, Periodic{true, true, true}}) {
    const BlockSystem system = random_system({11, 3, 2}, 3, 11, periodic);
    const BlockStencil<TypeParam> A = matrix<TypeParam>(system);
    const std::vector<double> x = random_vector(system.b.size(), 3);
    const Array<double, TypeParam> X(x);
    Array<double, TypeParam> Y(A.size());
    A.apply(X, Y);
    EXPECT_LE(relative_difference(Y.to_vector(), textbook_product(system, x)), 21 * eps);
  }
}

TYPED_TEST(BlockStencilOf, ResidualIsTheRightHandSideMinusTheProduct) {
  for (const int n : sizes) {
    const BlockSystem system = random_system({11, 4, 3}, n, 7);
    const BlockStencil<TypeParam> A = matrix<TypeParam>(system);
    const std::vector<double> x = random_vector(system.b.size(), 3), Ax = textbook_product(system, x);
    const Array<double, TypeParam> X(x), B(system.b);
    Array<double, TypeParam> R(A.size()), R2(A.size());
    A.residual(B, X, R);
    const double dot = A.residual_dot(B, X, R2);
    std::vector<double> expected = system.b;
    double expected_dot = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] -= Ax[i];
      expected_dot += expected[i] * expected[i];
    }
    EXPECT_LE(relative_difference(R.to_vector(), expected), 8 * n * eps);
    EXPECT_EQ(R.to_vector(), R2.to_vector());
    EXPECT_NEAR(dot, expected_dot, 20 * n * eps * expected_dot);
  }
}

TYPED_TEST(BlockStencilOf, BlockDiagonalIsRowByRow) {
  const BlockSystem system = random_system({3, 2, 2}, 4, 7);
  const BlockStencil<TypeParam> A = matrix<TypeParam>(system);
  Array<double, TypeParam> D(std::int64_t{A.size()} * 4);
  A.block_diagonal(0, D);
  const std::vector<double> d = D.to_vector();
  for (int c = 0; c < A.rows(); ++c)
    for (int u = 0; u < 4; ++u)
      for (int v = 0; v < 4; ++v)
        EXPECT_EQ(d[static_cast<std::size_t>((c * 4 + u) * 4 + v)], system.view().entry(c, slot::delta, u, v));
}

TYPED_TEST(BlockStencilOf, StartsAtZeroAndRefusesImpossibleSizes) {
  const BlockStencil<TypeParam> A({3, 3, 3}, 2);
  std::vector<double> values(static_cast<std::size_t>(A.values().size()), 1);
  A.download(values);
  EXPECT_EQ(values, std::vector<double>(values.size(), 0));
  EXPECT_THROW(BlockStencil<TypeParam>({0, 3, 3}, 2), Error);
  EXPECT_THROW(BlockStencil<TypeParam>({3, 3, 3}, 0), Error);
  EXPECT_THROW(BlockStencil<TypeParam>({3, 3, 3}, 65), Error);
  EXPECT_THROW(BlockStencil<TypeParam>({2000, 2000, 2000}, 1), Error);
}

TEST(BlockStencilOnHost, ResidualDotDoesNotDependOnTheNumberOfThreads) {
  const BlockSystem system = random_system({17, 15, 13}, 4, 7);
  const BlockStencil<Host> A = matrix<Host>(system);
  const Array<double, Host> X(random_vector(system.b.size(), 3)), B(system.b);
  Array<double, Host> R(A.size());
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const double one = A.residual_dot(B, X, R);
  const std::vector<double> r = R.to_vector();
  for (const int t : {2, 3, 4}) {
    omp_set_num_threads(t);
    EXPECT_EQ(A.residual_dot(B, X, R), one);
    EXPECT_EQ(R.to_vector(), r);
  }
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace weir::test::block_stencil_test
