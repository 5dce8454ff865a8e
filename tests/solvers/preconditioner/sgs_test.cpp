// sgs: symmetric Gauss-Seidel against sweeps over the rows of a dense matrix.
#include "inputs/case.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"
#include "tests/support/systems/operators.hpp"
#include "tests/support/systems/textbook_ilu0.hpp"

namespace weir::test::sgs_test {
namespace {

template <class Space>
class Sgs : public ::testing::Test {};
TYPED_TEST_SUITE(Sgs, Spaces, SpaceName);

// x_i = D_i^-1 (r_i - sum_{j != i} A_ij x_j), forth and back, from x = 0.
Numbers textbook(const Dense& A, int block, int sweeps, const Numbers& r) {
  Numbers x(r.size());
  const int rows = A.n / block;
  const auto visit = [&](int i) {
    Dense D(block);
    Numbers rest(static_cast<std::size_t>(block));
    for (int u = 0; u < block; ++u) {
      double s = r[static_cast<std::size_t>(i * block + u)];
      for (int j = 0; j < A.n; ++j)
        if (j / block != i) s -= A(i * block + u, j) * x[static_cast<std::size_t>(j)];
      rest[static_cast<std::size_t>(u)] = s;
      for (int v = 0; v < block; ++v) D(u, v) = A(i * block + u, i * block + v);
    }
    const Numbers solved = dense_solve(D, rest);
    std::copy(solved.begin(), solved.end(), x.begin() + i * block);
  };
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int i = 0; i < rows; ++i) visit(i);
    for (int i = rows - 1; i >= 0; --i) visit(i);
  }
  return x;
}

template <class Space>
std::unique_ptr<Preconditioner<Space>> made(const Matrix<Space>& A, const std::string& options) {
  auto M = make_preconditioner<Space>("sgs", read_case_text(options, "sgs.toml"));
  M->setup(A);
  return M;
}

TYPED_TEST(Sgs, IsTheTextbooksSweepsForthAndBack) {
  for (const int B : {1, 3, 4, 5, 9})
    for (const int sweeps : {1, 2, 3}) {
      const BlockCsrData data = mesh_like(7, 6, B, 3, random_order(42, 5));
      const BlockCsr<TypeParam> A(data);
      const Numbers r = random_numbers(42 * B, 3), z = textbook(dense(data), B, sweeps, r);
      const auto M = made<TypeParam>(A, "sweeps = " + std::to_string(sweeps));
      EXPECT_LE(relative(applied<TypeParam>(*M, r), z), same) << "n = " << B << ", sweeps " << sweeps;
      M->update(A);
      EXPECT_LE(relative(applied<TypeParam>(*M, r), z), same) << "updated, n = " << B;
      EXPECT_LE(
          relative(applied<TypeParam>(*made<TypeParam>(A, "storage = 'float'"), r), textbook(dense(data), B, 1, r)),
          same_in_float);
      const auto floats = made<TypeParam>(RoundedCsr<TypeParam>(A), "");
      EXPECT_LE(relative(applied<TypeParam>(*floats, r), textbook(dense(data), B, 1, r)), same_in_float);
    }
}

TYPED_TEST(Sgs, DeviceGivesTheBitsOfHost) {
  const BlockCsrData data = mesh_like(20, 15, 4, 3, natural_order(300));
  const Numbers r = random_numbers(1200, 7);
  const Numbers host = applied<Host>(*made<Host>(BlockCsr<Host>(data), ""), r);
  EXPECT_LE(relative(applied<TypeParam>(*made<TypeParam>(BlockCsr<TypeParam>(data), ""), r), host), 64 * eps);
}

TYPED_TEST(Sgs, KeepsSymmetry) {
  const BlockCsr<TypeParam> A(random_blocks(30, 3, 4, true));
  for (const char* options : {"", "sweeps = 2"}) {
    const auto M = made<TypeParam>(A, options);
    ASSERT_TRUE(M->is_symmetric());
    const Numbers u = random_numbers(90, 1), v = random_numbers(90, 2);
    const Numbers Mu = applied<TypeParam>(*M, u), Mv = applied<TypeParam>(*M, v);
    EXPECT_NEAR(dot(Mu, v), dot(u, Mv), 1e-12 * norm(Mu) * norm(v));
  }
}

TYPED_TEST(Sgs, CgNeedsHalfTheIterationsOfJacobiOnAStencilAndItsRows) {
  const SeparableOperator poisson = box({24, 20, 1}, EndCondition::dirichlet, false);
  const SeparableStencil<TypeParam> A(poisson);
  const Numbers b = random_numbers(480, 5);
  Numbers x(b.size()), y(b.size());
  const SolveResult jacobi = solve<TypeParam>("cg", "jacobi", A, b, x, {1e-10});
  Numbers z(b.size());
  const SolveResult sgs = solve<TypeParam>("cg", "sgs", A, b, z, {1e-10});
  ASSERT_TRUE(jacobi.converged() && sgs.converged());
  EXPECT_LE(2 * sgs.iterations, jacobi.iterations + 2);
  const BlockCsr<TypeParam> rows(block_rows(A));
  const SolveResult of_rows = solve<TypeParam>("cg", "sgs", rows, b, y, {1e-10});
  EXPECT_EQ(of_rows.iterations, sgs.iterations);
  EXPECT_LE(relative(y, z), 1e-12);
}

TYPED_TEST(Sgs, NamesARowWithoutAPivot) {
  BlockCsrData data = random_blocks(6, 2, 3);
  for (std::int64_t e = data.row_start[4]; e < data.row_start[5]; ++e)
    if (data.column[static_cast<std::size_t>(e)] == 4) std::fill_n(data.value.begin() + 4 * e, 4, 0.0);
  try {
    made<TypeParam>(BlockCsr<TypeParam>(data), "");
    FAIL() << "not refused";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::solver_failed);
    EXPECT_NE(std::string(e.what()).find("block row 4"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace weir::test::sgs_test
