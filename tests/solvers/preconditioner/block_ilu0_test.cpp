// block_ilu0 in both spaces against the textbook factorisation, and the ladder every preconditioner climbs.
#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"

#include <omp.h>

#include <limits>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/augment.hpp"
#include "tests/support/systems/operators.hpp"
#include "tests/support/systems/textbook_ilu0.hpp"

namespace weir::test::block_ilu0_test {
namespace {

template <class Space>
class BlockIlu0Of : public ::testing::Test {};
TYPED_TEST_SUITE(BlockIlu0Of, Spaces, SpaceName);

template <class Space>
BlockStencil<Space> matrix(const BlockSystem& system) {
  BlockStencil<Space> A(system.cells, system.n, system.periodic);
  A.upload(system.values);
  return A;
}

template <class Space>
void expect_textbook(const BlockSystem& system, const BlockIluOptions& options, double tolerance) {
  const TextbookBlockIlu0 textbook(system);
  const BlockStencil<Space> A = matrix<Space>(system);
  BlockIlu0<Space> M(options);
  M.setup(A);
  const auto where = [&] {
    const Extents e = system.cells;
    return std::to_string(e.nx) + "x" + std::to_string(e.ny) + "x" + std::to_string(e.nz) +
           ", n = " + std::to_string(system.n) + ", " + M.describe();
  };
  EXPECT_LE(relative_difference(M.inverted_diagonals(), textbook.inverted_diagonals()), tolerance) << where();
  EXPECT_LE(relative_difference(applied(M, system.b), textbook.solve(system.b)), tolerance) << where();
}

TYPED_TEST(BlockIlu0Of, EqualsTheTextbookForEveryBlockSize) {
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 16, 32}) {
    const Extents cells = n > 8 ? Extents{3, 2, 2} : Extents{11, 4, 3};
    expect_textbook<TypeParam>(random_system(cells, n, 17), {}, same);
  }
}

TYPED_TEST(BlockIlu0Of, EqualsTheTextbookOnCubesSlabsSticksAndASingleCell) {
  for (const Extents cells :
       {Extents{4, 4, 4}, {6, 5, 1}, {1, 5, 4}, {5, 1, 4}, {9, 1, 1}, {1, 9, 1}, {1, 1, 9}, {1, 1, 1}})
    for (const int n : {1, 3, 4, 6}) expect_textbook<TypeParam>(random_system(cells, n, 5), {}, same);
}

TYPED_TEST(BlockIlu0Of, EqualsTheTextbookWithPeriodicDirections) {
  for (const Periodic periodic :
       {Periodic{true, false, false}, Periodic{true, false, true}, Periodic{true, true, true}}) {
    for (const int n : {3, 4, 5, 6}) expect_textbook<TypeParam>(random_system({11, 5, 4}, n, 23, periodic), {}, same);
    expect_textbook<TypeParam>(random_system({5, 4, 1}, 2, 23, periodic), {}, same);
  }
}

TYPED_TEST(BlockIlu0Of, FloatFactorsDifferByTheirRounding) {
  const BlockSystem system = random_system({4, 3, 3}, 6, 29);
  expect_textbook<TypeParam>(system, {.float_factors = true}, same_in_float);
}

// Rows of every block are turned round, so that the diagonals no longer dominate and elimination needs its exchanges.
BlockSystem needs_pivoting(Extents cells, int n) {
  BlockSystem system = random_system(cells, n, 31);
  const BlockSystem before = system;
  const BlockStencilView to = system.view(), from = before.view();
  for (int c = 0; c < cells.count(); ++c)
    for (int s = to.first; s < to.first + to.slots; ++s)
      for (int v = 0; v < n; ++v)
        for (int u = 0; u < n; ++u) to.entry(c, s, u, v) = from.entry(c, s, (u + 1) % n, v);
  for (int c = 0; c < cells.count(); ++c) to.entry(c, slot::delta, 0, 0) = 0;
  return system;
}

TYPED_TEST(BlockIlu0Of, PivotingInvertsBlocksWithoutADominantDiagonal) {
  for (const int n : {2, 4, 6, 9}) {
    const BlockSystem system = needs_pivoting({3, 3, 2}, n);
    expect_textbook<TypeParam>(system, {.pivoting = true}, same);
    const BlockStencil<TypeParam> A = matrix<TypeParam>(system);
    BlockIlu0<TypeParam> plain({});
    EXPECT_THROW(plain.setup(A), Error) << "the first pivot is 0";
  }
}

TYPED_TEST(BlockIlu0Of, OneApplicationSolvesAStick) {
  for (const Extents cells : {Extents{12, 1, 1}, {1, 12, 1}, {1, 1, 12}}) {
    const BlockSystem system = random_system(cells, 4, 41);
    const BlockStencil<TypeParam> A = matrix<TypeParam>(system);
    BlockIlu0<TypeParam> M({});
    M.setup(A);
    const std::vector<double> x = applied(M, system.b);
    EXPECT_LE(relative_difference(textbook_product(system, x), system.b), same);
  }
}

TYPED_TEST(BlockIlu0Of, UpdateEqualsAFreshSetupAndAllocatesNothing) {
  const BlockSystem first = random_system({6, 5, 4}, 4, 43), second = random_system({6, 5, 4}, 4, 44);
  BlockStencil<TypeParam> A = matrix<TypeParam>(first);
  BlockIlu0<TypeParam> updated({}), fresh({});
  updated.setup(A);
  A.upload(second.values);
  const Ledger before = ledger();
  updated.update(A);
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
  fresh.setup(A);
  EXPECT_EQ(updated.inverted_diagonals(), fresh.inverted_diagonals());
  EXPECT_EQ(applied(updated, second.b), applied(fresh, second.b));
}

TYPED_TEST(BlockIlu0Of, ApplicationRunsInPlaceAndRepeatsBitForBit) {
  const BlockSystem system = random_system({6, 5, 4}, 5, 47);
  const BlockStencil<TypeParam> A = matrix<TypeParam>(system);
  BlockIlu0<TypeParam> M({});
  M.setup(A);
  const std::vector<double> z = applied(M, system.b);
  EXPECT_EQ(applied(M, system.b), z);
  Array<double, TypeParam> R(system.b);
  M.apply(R, R);
  EXPECT_EQ(R.to_vector(), z);
}

// The method is mathematically that of section 4.1.1: x <- x + M^-1 (b - A x), eq. (3).
TYPED_TEST(BlockIlu0Of, CorrectionIterationsReachRoundOff) {
  const BlockSystem system = random_system({7, 6, 5}, 6, 53);
  const BlockStencil<TypeParam> A = matrix<TypeParam>(system);
  BlockIlu0<TypeParam> M({});
  M.setup(A);
  KrylovOptions options;
  options.tolerance = 1e-13;
  options.max_iterations = 60;
  const Array<double, TypeParam> B(system.b);
  Array<double, TypeParam> X(std::vector<double>(system.b.size(), 0));
  const SolveResult result = make_krylov<TypeParam>("correction", options)->solve(A, M, B, X);
  EXPECT_TRUE(result.converged());
}

template <class Space>
Exit exit_code_of_setup(const BlockSystem& system, const std::string& mentions) {
  const BlockStencil<Space> A = matrix<Space>(system);
  BlockIlu0<Space> M({});
  try {
    M.setup(A);
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(mentions), std::string::npos) << e.what();
    return e.code();
  }
  return Exit::finished;
}

TYPED_TEST(BlockIlu0Of, ASingularBlockIsNamedByItsCell) {
  for (const int n : {1, 4, 9}) {
    BlockSystem system = random_system({4, 3, 3}, n, 59);
    const int cell = system.cells.index(2, 1, 1);
    for (int s = 0; s < 7; ++s)  // the whole row, or the elimination would fill the block
      std::fill_n(system.view().block(cell, s), n * n, 0.0);
    EXPECT_EQ(exit_code_of_setup<TypeParam>(system, "cell (2, 1, 1)"), Exit::solver_failed);
  }
}

TYPED_TEST(BlockIlu0Of, NotANumberInTheMatrixIsNamedByItsCell) {
  for (const int s : {slot::gamma, slot::delta, slot::eta}) {
    BlockSystem system = random_system({4, 3, 3}, 4, 61);
    system.view().entry(system.cells.index(1, 2, 1), s, 3, 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(exit_code_of_setup<TypeParam>(system, "cell (1, 2, 1)"), Exit::not_finite);
  }
}

TYPED_TEST(BlockIlu0Of, RefusesWhatItCannotDo) {
  EXPECT_EQ(
      exit_code_of_setup<TypeParam>(random_system({3, 4, 4}, 2, 1, {true, false, false}), "direction x has 3 cells"),
      Exit::usage);
  const SeparableStencil<TypeParam> scalar(box({3, 3, 3}, EndCondition::neumann, false));
  BlockIlu0<TypeParam> M({});
  EXPECT_THROW(M.setup(scalar), Error);
}

TEST(BlockIlu0OnDevice, BlocksBeyondAWorkgroupAreFactorisedByHyperplanes) {
  for (const Periodic periodic : {Periodic{}, {true, false, true}}) {
    const BlockSystem system = random_system({4, 2, 4}, 33, 73, periodic);
    expect_textbook<Device>(system, {}, same);
    expect_textbook<Device>(system, {.float_factors = true}, same_in_float);
  }
  expect_textbook<Device>(needs_pivoting({3, 2, 2}, 34), {.pivoting = true}, same);
  BlockSystem singular = random_system({3, 2, 2}, 33, 59);
  for (int s = 0; s < 7; ++s) std::fill_n(singular.view().block(singular.cells.index(2, 1, 1), s), 33 * 33, 0.0);
  EXPECT_EQ(exit_code_of_setup<Device>(singular, "cell (2, 1, 1)"), Exit::solver_failed);
}

TEST(BlockIlu0OnDevice, FormerFormsAreAccepted) {
  for (const char* form : {"automatic", "one_launch", "workgroup", "entry"})
    make_preconditioner<Device>("block_ilu0", read_case_text("form = '" + std::string(form) + "'", "case.toml"));
}

TEST(BlockIlu0OnHost, FactorsAndSolutionsDoNotDependOnTheNumberOfThreads) {
  const int threads = omp_get_max_threads();
  for (const Extents cells : {Extents{13, 12, 11}, {60, 50, 1}, {300, 5, 2}, {9, 40, 3}}) {
    const BlockSystem system = random_system(cells, 5, 67, {false, true, false});
    const BlockStencil<Host> A = matrix<Host>(system);
    BlockIlu0<Host> M({});
    omp_set_num_threads(1);
    M.setup(A);
    const std::vector<double> d = M.inverted_diagonals(), z = applied(M, system.b);
    for (const int t : {2, 3, 5}) {
      omp_set_num_threads(t);
      M.update(A);
      EXPECT_EQ(M.inverted_diagonals(), d) << t << " threads";
      EXPECT_EQ(applied(M, system.b), z) << t << " threads";
    }
  }
  omp_set_num_threads(threads);
}

TEST(BlockIlu0Augmented, SolvesBothSystemsSideBySide) {  // section 4.3
  const BlockSystem first = random_system({4, 3, 3}, 4, 71), second = random_system({4, 3, 3}, 6, 72);
  const BlockSystem both = augment(first, second);
  EXPECT_EQ(both.n, 10);
  expect_textbook<Host>(both, {}, same);
  const std::vector<double> z = TextbookBlockIlu0(both).solve(both.b), z1 = TextbookBlockIlu0(first).solve(first.b);
  for (int u = 0; u < 4; ++u) EXPECT_NEAR(z[static_cast<std::size_t>(u)], z1[static_cast<std::size_t>(u)], same);
}

TEST(BlockIlu0Augmented, FoursAndSixesMakeEveryEvenNumberFromFourOn) {
  for (int n = 4; n <= 32; n += 2) {
    const Augmentation counts = augmentation(n, 4, 6);
    EXPECT_EQ(4 * counts.of_first + 6 * counts.of_second, n);
  }
  EXPECT_EQ(augmentation(2, 4, 6).of_first, -1);
  EXPECT_EQ(augmentation(7, 4, 6).of_first, -1);
  const BlockSystem four = random_system({3, 2, 2}, 4, 71), six = random_system({3, 2, 2}, 6, 72);
  const BlockSystem all = augmented_to(14, four, six);
  EXPECT_EQ(all.n, 14);
  expect_textbook<Host>(all, {}, same);
  EXPECT_THROW(augmented_to(5, four, six), std::invalid_argument);
  EXPECT_THROW(augment(four, random_system({3, 3, 2}, 6, 72)), std::invalid_argument);
}

}  // namespace
}  // namespace weir::test::block_ilu0_test
