// The ladder of the point and block diagonal preconditioners.
#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/preconditioner.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"
#include "tests/support/systems/dense_matrix.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::jacobi_test {
namespace {

template <class Space>
class JacobiPreconditioners : public ::testing::Test {};
TYPED_TEST_SUITE(JacobiPreconditioners, Spaces, SpaceName);

// z = M^-1 r, by apply and by apply_dot, which must agree.
template <class Space>
Numbers applied(const Preconditioner<Space>& M, const Numbers& r) {
  const Array<double, Space> R(r);
  Array<double, Space> z(R.size()), fused(R.size());
  M.apply(R, z);
  const double rz = M.apply_dot(R, fused);
  EXPECT_EQ(z.to_vector(), fused.to_vector());
  EXPECT_NEAR(rz, dot(r, z.to_vector()), 4 * static_cast<double>(r.size()) * eps * norm(r) * norm(z.to_vector()));
  return z.to_vector();
}

constexpr const char* in_floats = "block_jacobi in floats";

template <class Space>
std::unique_ptr<Preconditioner<Space>> made(const char* type, const Matrix<Space>& A) {
  Table options;
  if (std::string(type) == in_floats) options.put("storage", "float");
  auto M = make_preconditioner<Space>(std::string(type) == in_floats ? "block_jacobi" : type, options);
  const SetupInfo info = M->setup(A);
  EXPECT_EQ(info.bytes > 0, std::string(type) != "none");
  return M;
}

// The diagonal blocks of A alone.
Dense block_diagonal_part(const Dense& A, int B) {
  Dense D(A.n);
  for (int i = 0; i < A.n; ++i)
    for (int j = i / B * B; j < i / B * B + B; ++j) D(i, j) = A(i, j);
  return D;
}

TYPED_TEST(JacobiPreconditioners, NoneReturnsTheResidual) {
  const BlockCsr<TypeParam> A(random_blocks(5, 2, 1));
  const Numbers r = random_numbers(A.size(), 2);
  EXPECT_EQ(applied<TypeParam>(*made<TypeParam>("none", A), r), r);
}

TYPED_TEST(JacobiPreconditioners, EqualADirectSolveWithTheirDiagonal) {
  for (const int B : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33, 64}) {
    BlockCsrData data = random_blocks(4, B, static_cast<unsigned>(B));
    const BlockCsr<TypeParam> A(data);
    const Numbers r = random_numbers(A.size(), 2);
    // Diagonally dominant blocks: the condition number is below 1e2 B, each elimination step rounds once.
    const double bound = 1e3 * B * B * eps * norm(r);
    const Dense D = dense(data);
    EXPECT_LE(max_difference(applied<TypeParam>(*made<TypeParam>("block_jacobi", A), r),
                             dense_solve(block_diagonal_part(D, B), r)),
              bound)
        << "B = " << B;
    EXPECT_LE(
        max_difference(applied<TypeParam>(*made<TypeParam>("jacobi", A), r), dense_solve(block_diagonal_part(D, 1), r)),
        bound)
        << "B = " << B;
  }
}

TYPED_TEST(JacobiPreconditioners, InFloatsBlocksKeepTheirDigits) {
  for (const int B : {1, 3, 4, 5, 8, 9, 33}) {
    const BlockCsr<TypeParam> A(random_blocks(6, B, static_cast<unsigned>(B)));
    const Numbers r = random_numbers(A.size(), 2), z = applied<TypeParam>(*made<TypeParam>("block_jacobi", A), r);
    EXPECT_LE(max_difference(applied<TypeParam>(*made<TypeParam>(in_floats, A), r), z), 1e-6 * norm(z)) << "B = " << B;
  }
  EXPECT_THROW(make_preconditioner<TypeParam>("block_jacobi", read_case_text("storage = 'adaptive'", "case.toml")),
               Error);
}

// Large matrices are rounded in parts, and no copy of the blocks in double stays.
TYPED_TEST(JacobiPreconditioners, InFloatsLargeMatricesNeedLittleMoreThanTheirFloats) {
  constexpr int rows = 70000, B = 2;
  BlockCsrData data;
  data.block = B;
  for (int i = 0; i < rows; ++i) {
    data.row_start.push_back(i);
    data.column.push_back(i);
    for (const double v : {2.0 + i % 7, 1.0, 0.5, 1.0 + i % 3}) data.value.push_back(v);
  }
  data.row_start.push_back(rows);
  const BlockCsr<TypeParam> A(data);
  const auto M = make_preconditioner<TypeParam>("block_jacobi", read_case_text("storage = 'float'", "case.toml"));
  EXPECT_LE(M->setup(A).bytes, 4.6 * rows * B * B);
  const Numbers r = random_numbers(A.size(), 2), z = applied<TypeParam>(*made<TypeParam>("block_jacobi", A), r);
  EXPECT_LE(max_difference(applied<TypeParam>(*M, r), z), 1e-6 * norm(z));
  const Numbers of_points = applied<TypeParam>(*made<TypeParam>("jacobi", A), r);
  for (std::size_t i = 0; i < of_points.size(); ++i)
    EXPECT_EQ(of_points[i], r[i] * (1 / data.value[i / B * B * B + i % B * (B + 1)])) << i;
  data.value[4 * 69999] = data.value[4 * 69999 + 3] = 0, data.value[4 * 69999 + 1] = 0;
  try {
    made<TypeParam>(in_floats, BlockCsr<TypeParam>(data));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("block row 69999 (rows 139998 to 139999)"), std::string::npos) << e.what();
  }
}

TYPED_TEST(JacobiPreconditioners, BlocksThatNeedPivotingAreInverted) {
  Dense D(8);
  const Numbers entries = random_numbers(64, 4);
  for (int i = 0; i < 8; ++i)
    for (int j = i / 4 * 4; j < i / 4 * 4 + 4; ++j) D(i, j) = i == j ? 0 : entries[static_cast<std::size_t>(8 * i + j)];
  const DenseMatrix<TypeParam> A(D, {.symmetric = false, .block = 4});
  const Numbers r = random_numbers(8, 5), exact = dense_solve(D, r);
  EXPECT_LE(max_difference(applied<TypeParam>(*made<TypeParam>("block_jacobi", A), r), exact), 1e3 * eps * norm(exact));
}

TYPED_TEST(JacobiPreconditioners, UpdateEqualsAFreshSetup) {
  BlockCsrData data = random_blocks(7, 3, 6);
  for (const char* type : {"jacobi", "block_jacobi", in_floats}) {
    BlockCsr<TypeParam> A(data);
    auto M = made<TypeParam>(type, A);
    BlockCsrData changed = data;
    for (auto& v : changed.value) v *= 1.7;
    A.update(changed.value);
    M->update(A);
    const Numbers r = random_numbers(A.size(), 7);
    EXPECT_EQ(applied<TypeParam>(*M, r), applied<TypeParam>(*made<TypeParam>(type, A), r)) << type;
  }
}

TYPED_TEST(JacobiPreconditioners, AreSymmetricWhereTheySaySo) {
  const BlockCsr<TypeParam> A(random_blocks(6, 4, 8, true));
  const Numbers u = random_numbers(A.size(), 1), v = random_numbers(A.size(), 2);
  for (const char* type : {"none", "jacobi", "block_jacobi", in_floats}) {
    const auto M = made<TypeParam>(type, A);
    ASSERT_TRUE(M->is_symmetric()) << type;
    EXPECT_NEAR(dot(u, applied<TypeParam>(*M, v)), dot(v, applied<TypeParam>(*M, u)), 1e3 * eps * norm(u) * norm(v));
  }
  EXPECT_FALSE(made<TypeParam>("block_jacobi", BlockCsr<TypeParam>(random_blocks(6, 4, 8)))->is_symmetric());
}

TEST(JacobiSpaces, DeviceEqualsHost) {
  const BlockCsrData data = random_blocks(30, 5, 9);
  const BlockCsr<Host> host(data);
  const BlockCsr<Device> device(data);
  const Numbers r = random_numbers(host.size(), 3);
  for (const char* type : {"jacobi", "block_jacobi", in_floats})
    EXPECT_LE(
        max_difference(applied<Host>(*made<Host>(type, host), r), applied<Device>(*made<Device>(type, device), r)),
        1e2 * eps * norm(r))
        << type;
}

TYPED_TEST(JacobiPreconditioners, NameTheRowThatCannotBeInverted) {
  const auto message = [](const char* type, const Matrix<TypeParam>& A) -> std::string {
    try {
      made<TypeParam>(type, A);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::solver_failed);
      return e.what();
    }
    return "no error";
  };
  Dense D(6);
  for (int i = 0; i < 6; ++i) D(i, i) = 1;
  D(3, 3) = 0;
  D(5, 5) = NAN;
  EXPECT_NE(message("jacobi", DenseMatrix<TypeParam>(D, {.block = 2})).find("row 3 "), std::string::npos);
  EXPECT_NE(message("block_jacobi", DenseMatrix<TypeParam>(D, {.block = 2})).find("block row 1 (rows 2 to 3)"),
            std::string::npos);
  D(3, 3) = 1;
  EXPECT_NE(message("block_jacobi", DenseMatrix<TypeParam>(D, {.block = 3})).find("block row 1 (rows 3 to 5)"),
            std::string::npos);
  Dense dependent(2);
  dependent(0, 0) = 0.1;
  dependent(0, 1) = 0.3;
  dependent(1, 0) = 0.3;
  dependent(1, 1) = 0.9;  // three times the first row, but for rounding
  EXPECT_NE(message("block_jacobi", DenseMatrix<TypeParam>(dependent, {.block = 2})).find("block row 0"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::test::jacobi_test
