// block_ilu0 on block CSR: against the textbook in both spaces, and the ladder every preconditioner climbs.
#include <omp.h>

#include "base/error.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/textbook_ilu0.hpp"

namespace weir::test::csr_ilu0_test {
namespace {

template <class Space>
class CsrIlu0Of : public ::testing::Test {};
TYPED_TEST_SUITE(CsrIlu0Of, Spaces, SpaceName);

template <class Space>
void expect_textbook(const BlockCsrData& data, const BlockIluOptions& options, double tolerance) {
  const BlockCsr<Space> A(data);
  BlockIlu0<Space> M(options);
  M.setup(A);
  const Numbers r = random_numbers(A.size(), 11);
  EXPECT_LE(relative(applied(M, r), TextbookIlu0(data).solve(r)), tolerance)
      << data.rows() << " rows, n = " << data.block << ", " << M.describe();
}

TYPED_TEST(CsrIlu0Of, EqualsTheTextbookForEveryBlockSize) {
  for (const int B : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32, 33})
    expect_textbook<TypeParam>(random_blocks(B > 8 ? 9 : 23, B, static_cast<unsigned>(B)), {}, same);
}

TYPED_TEST(CsrIlu0Of, EqualsTheTextbookInEveryOrderOfAMesh) {
  for (const auto& order : {natural_order(84), random_order(84, 3), diagonal_order(12, 7)})
    expect_textbook<TypeParam>(mesh_like(12, 7, 4, 5, order), {}, same);
}

// 4 rows per warp and up to 69 per level: warps wait for each other.
TYPED_TEST(CsrIlu0Of, EqualsTheTextbookWhereALevelTakesSeveralWorkgroups) {
  expect_textbook<TypeParam>(mesh_like(20, 16, 7, 6, random_order(320, 1)), {}, same);
}

TYPED_TEST(CsrIlu0Of, FloatFactorsDifferByTheirRounding) {
  expect_textbook<TypeParam>(mesh_like(9, 8, 4, 7, diagonal_order(9, 8)), {.float_factors = true}, same_in_float);
}

// Nothing is lost beyond the rounding of the matrix: the same factors as of a matrix in doubles that holds the same
// values.
TYPED_TEST(CsrIlu0Of, OfAMatrixOfFloatsIsThatOfItsValues) {
  for (const int B : {1, 3, 4, 9})
    for (const bool float_factors : {false, true}) {
      const BlockCsrData data = random_blocks(40, B, 3);
      const RoundedCsr<TypeParam> rounded(data);
      const BlockCsr<TypeParam> wide(rounded);
      BlockIlu0<TypeParam> of_rounded({.float_factors = float_factors}), of_wide({.float_factors = float_factors});
      of_rounded.setup(rounded);
      of_wide.setup(wide);
      const Array<double, TypeParam> r(random_numbers(40 * B, 1));
      Array<double, TypeParam> z(r.size()), of_same(r.size());
      of_rounded.apply(r, z);
      of_wide.apply(r, of_same);
      EXPECT_EQ(z.to_vector(), of_same.to_vector()) << "n = " << B;
    }
}

TYPED_TEST(CsrIlu0Of, AFullPatternIsSolvedByOneApplication) {
  BlockCsrData data = random_blocks(1, 3, 1);
  Dense a(18);
  a.a = random_numbers(18 * 18, 8);
  for (int i = 0; i < 18; ++i) a(i, i) += 20;
  data.row_start = {0};
  data.column.clear();
  data.value.clear();
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      data.column.push_back(j);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) data.value.push_back(a(3 * i + r, 3 * j + c));
    }
    data.row_start.push_back(6 * (i + 1));
  }
  const BlockCsr<TypeParam> A(data);
  BlockIlu0<TypeParam> M({});
  M.setup(A);
  const Numbers b = random_numbers(18, 9);
  EXPECT_LE(relative(applied(M, b), dense_solve(a, b)), same);
}

TYPED_TEST(CsrIlu0Of, PivotingInvertsBlocksWithoutADominantDiagonal) {
  BlockCsrData data = mesh_like(5, 4, 4, 13, natural_order(20), 3.0);
  for (std::size_t block = 0; block < data.value.size(); block += 16)  // rows of every block turned round
    std::rotate(data.value.begin() + static_cast<std::ptrdiff_t>(block),
                data.value.begin() + static_cast<std::ptrdiff_t>(block) + 4,
                data.value.begin() + static_cast<std::ptrdiff_t>(block) + 16);
  expect_textbook<TypeParam>(data, {.pivoting = true}, same);
}

TYPED_TEST(CsrIlu0Of, UpdateEqualsAFreshSetupAndAllocatesNothing) {
  const BlockCsrData first = mesh_like(8, 7, 4, 1, diagonal_order(8, 7));
  const BlockCsrData second = mesh_like(8, 7, 4, 2, diagonal_order(8, 7));
  BlockCsr<TypeParam> A(first);
  BlockIlu0<TypeParam> updated({}), fresh({});
  updated.setup(A);
  A.update(second.value);
  const Ledger before = ledger();
  updated.update(A);
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
  fresh.setup(A);
  EXPECT_EQ(updated.inverted_diagonals(), fresh.inverted_diagonals());
  const Numbers r = random_numbers(A.size(), 3);
  EXPECT_EQ(applied(updated, r), applied(fresh, r));
}

TYPED_TEST(CsrIlu0Of, ApplicationRunsInPlaceAndRepeatsBitForBit) {
  const BlockCsr<TypeParam> A(mesh_like(9, 8, 5, 2, random_order(72, 1)));
  BlockIlu0<TypeParam> M({});
  M.setup(A);
  const Numbers r = random_numbers(A.size(), 3), z = applied(M, r);
  EXPECT_EQ(applied(M, r), z);
  Array<double, TypeParam> R(r);
  M.apply(R, R);
  EXPECT_EQ(R.to_vector(), z);
}

TYPED_TEST(CsrIlu0Of, FgmresConvergesInTheIterationsOfTheTextbook) {
  const BlockCsrData data = mesh_like(14, 12, 4, 21, diagonal_order(14, 12), 0.9);
  const BlockCsr<TypeParam> A(data);
  const Numbers b = random_numbers(A.size(), 4);
  Numbers x(b.size());
  KrylovOptions options;
  options.tolerance = 1e-10;
  const SolveResult result = solve<TypeParam>("fgmres", "block_ilu0", A, b, x, options);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 30);
}

template <class Space>
void expect_refused(const BlockCsrData& data, Exit code, const std::string& mentions) {
  const BlockCsr<Space> A(data);
  BlockIlu0<Space> M({});
  try {
    M.setup(A);
    ADD_FAILURE() << "accepted: " << mentions;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code);
    EXPECT_NE(std::string(e.what()).find(mentions), std::string::npos) << e.what();
  }
}

TYPED_TEST(CsrIlu0Of, FaultsAreNamedByTheirRow) {
  BlockCsrData holes;
  holes.block = 2;
  holes.row_start = {0, 1, 1, 2};
  holes.column = {0, 2};
  holes.value = {1, 0, 0, 1, 1, 0, 0, 1};
  expect_refused<TypeParam>(holes, Exit::usage, "block row 1 has no diagonal block (the row is empty)");
  holes.row_start = {0, 1, 2, 2};
  holes.column = {0, 0};
  expect_refused<TypeParam>(holes, Exit::usage, "block row 1 has no diagonal block");

  BlockCsrData data = mesh_like(5, 4, 4, 3, natural_order(20));
  const auto row = [&](int i) { return data.value.begin() + data.row_start[static_cast<std::size_t>(i)] * 16; };
  const Numbers kept = data.value;
  std::fill(row(7), row(8), 0.0);
  expect_refused<TypeParam>(data, Exit::solver_failed, "block row 7 became singular");
  data.value = kept;
  *row(9) = NAN;
  expect_refused<TypeParam>(data, Exit::not_finite, "NaN or Inf in block row 9");
}

TEST(CsrIlu0OnHost, FactorsAndSolutionsDoNotDependOnTheNumberOfThreads) {
  const int threads = omp_get_max_threads();
  for (const auto& order : {diagonal_order(60, 50), natural_order(3000), random_order(3000, 1)}) {
    const BlockCsr<Host> A(mesh_like(60, 50, 4, 67, order));
    BlockIlu0<Host> M({});
    const Numbers r = random_numbers(A.size(), 5);
    omp_set_num_threads(1);
    M.setup(A);
    const Numbers d = M.inverted_diagonals(), z = applied(M, r);
    for (const int t : {2, 3}) {
      omp_set_num_threads(t);
      M.update(A);
      EXPECT_EQ(M.inverted_diagonals(), d) << t << " threads";
      EXPECT_EQ(applied(M, r), z) << t << " threads";
    }
  }
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace weir::test::csr_ilu0_test
