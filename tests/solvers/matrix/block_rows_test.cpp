// Block rows of every kind of matrix multiply as the matrix does.
#include "solvers/matrix/block/block_rows.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"
#include "tests/support/systems/block_systems.hpp"
#include "tests/support/systems/dense_matrix.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::block_rows_test {
namespace {

template <class Space>
class BlockRows : public ::testing::Test {};
TYPED_TEST_SUITE(BlockRows, Spaces, SpaceName);

template <class Space>
void expect_same_product(const Matrix<Space>& A, const std::string& name) {
  const BlockCsrData data = block_rows(A);
  EXPECT_EQ(data.block, A.block()) << name;
  EXPECT_EQ(data.symmetric, A.is_symmetric()) << name;
  EXPECT_EQ(data.constant_null_space, A.has_constant_null_space()) << name;
  const BlockCsr<Host> rows(data);
  const Numbers x = random_numbers(A.size(), 3);
  const Array<double, Space> X(x);
  Array<double, Space> Y(A.size());
  A.apply(X, Y);
  const Array<double, Host> HX(x);
  Array<double, Host> HY(A.size());
  rows.apply(HX, HY);
  double size = 0;
  for (const double v : data.value) size = std::max(size, std::abs(v));
  EXPECT_LE(max_norm(minus(Y.to_vector(), HY.to_vector())), 64 * A.block() * eps * size) << name;
}

TYPED_TEST(BlockRows, OfSeparableOperators) {
  for (const OperatorCase& c : operator_cases())
    expect_same_product<TypeParam>(SeparableStencil<TypeParam>(c.op), c.name);
}

TYPED_TEST(BlockRows, OfBlockStencils) {
  for (const Extents cells : {Extents{4, 3, 2}, Extents{5, 1, 1}, Extents{2, 2, 2}, Extents{3, 4, 1}})
    for (const Periodic periodic : {Periodic{}, Periodic{true, false, true}}) {
      BlockSystem system = random_system(cells, 3, 1, periodic);
      for (double& v : system.values)
        if (!std::isfinite(v)) v = 0;
      BlockStencil<TypeParam> A(cells, 3, periodic);
      A.upload(system.values);
      expect_same_product<TypeParam>(A, "stencil");
    }
}

TYPED_TEST(BlockRows, OfBandsWithTheirRemainder) {
  const BlockSystem system = random_system({4, 3, 3}, 1, 2);
  std::vector<double> values = system.values;
  for (double& v : values)
    if (!std::isfinite(v)) v = 0;
  Banded<TypeParam> A({4, 3, 3});
  A.upload(values);
  A.set_remainder({.row = {3, 17}, .start = {0, 2, 3}, .column = {30, 2, 17}, .value = {0.5, -2, 3}});
  expect_same_product<TypeParam>(A, "banded");
}

TYPED_TEST(BlockRows, OfBlockCsrAreItsOwnAndOthersAreRefused) {
  const BlockCsrData data = random_blocks(12, 2, 3);
  const BlockCsrData again = block_rows<TypeParam>(BlockCsr<TypeParam>(data));
  EXPECT_EQ(again.column, data.column);
  EXPECT_EQ(again.value, data.value);
  EXPECT_THROW(block_rows<TypeParam>(DenseMatrix<TypeParam>(Dense(2))), Error);
}

}  // namespace
}  // namespace weir::test::block_rows_test
