// multicolor: against sequential block Gauss-Seidel in the order of its colours, in both spaces and all storages.
#include "solvers/preconditioner/multicolor/multicolor.hpp"

#include <cmath>
#include <map>

#include "base/error.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"

namespace weir::test::multicolor_test {
namespace {

// Of the sums' terms: a row has at most 64 * 8 products, each off by eps; the matrices are diagonally dominant, so that
// neither sweeps nor the blocks' factors amplify it. Storage: half a unit in the last place of the stored type.
constexpr double rounding = 1e-13, float_rounding = 6e-8, bfloat16_rounding = 4e-3;

template <class T>
constexpr double storage_error = sizeof(T) == 8   ? rounding
                                 : sizeof(T) == 4 ? float_rounding
                                                  : bfloat16_rounding;

template <class Space>
class MulticolorOf : public ::testing::Test {};
TYPED_TEST_SUITE(MulticolorOf, Spaces, SpaceName);

MulticolorPlan plan_of(const BlockCsrData& data, const MulticolorOptions& options) {
  const BlockCsr<Host> A(data);
  return {A.row_start().to_vector(), A.column().to_vector(), A.diagonal().to_vector(), options, [](int) { return 0; }};
}

// x_i <- A_ii^-1 (b_i - sum_{j != i} A_ij x_j), block row by block row in the given order.
void gauss_seidel(const Dense& a, int B, const std::vector<int>& order, const Numbers& b, Numbers& x) {
  for (const int i : order) {
    Dense d(B);
    Numbers q(static_cast<std::size_t>(B));
    for (int u = 0; u < B; ++u) {
      double s = b[static_cast<std::size_t>(i * B + u)];
      for (int c = 0; c < a.n; ++c)
        if (c / B == i)
          d(u, c % B) = a(i * B + u, c);
        else
          s -= a(i * B + u, c) * x[static_cast<std::size_t>(c)];
      q[static_cast<std::size_t>(u)] = s;
    }
    const Numbers solved = dense_solve(d, q);
    std::copy(solved.begin(), solved.end(), x.begin() + i * B);
  }
}

Numbers textbook(const BlockCsrData& data, const MulticolorOptions& options, const Numbers& r) {
  const Dense a = dense(data);
  std::vector<int> order = plan_of(data, options).row;
  Numbers z(r.size());
  for (int s = 0; s < options.sweeps; ++s) {
    gauss_seidel(a, data.block, order, r, z);
    if (!options.symmetric) continue;
    std::reverse(order.begin(), order.end());
    gauss_seidel(a, data.block, order, r, z);
    std::reverse(order.begin(), order.end());
  }
  return z;
}

template <class Space, class T>
void expect_textbook(const BlockCsrData& data, const MulticolorOptions& options) {
  const BlockCsr<Space> A(data);
  Multicolor<Space, T> M(options);
  M.setup(A);
  const Numbers r = random_numbers(A.size(), 7), exact = textbook(data, options, r);
  EXPECT_LE(max_difference(applied<Space>(M, r), exact), 4 * storage_error<T> * max_norm(exact))
      << "n = " << data.block << ", " << M.describe();
}

TYPED_TEST(MulticolorOf, IsGaussSeidelInTheOrderOfTheColoursForEveryBlockSize) {
  for (const int B : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 32, 33, 64}) {
    const BlockCsrData data = random_blocks(B > 16 ? 5 : 19, B, static_cast<unsigned>(B));
    expect_textbook<TypeParam, double>(data, {});
    expect_textbook<TypeParam, float>(data, {});
    expect_textbook<TypeParam, Bfloat16>(data, {});
  }
}

TYPED_TEST(MulticolorOf, SweepsAndSymmetricSweepsAreThoseOfTheTextbook) {
  const BlockCsrData data = random_blocks(40, 3, 5);
  for (const int sweeps : {1, 2, 3})
    for (const bool symmetric : {false, true})
      for (const char* colouring : {"largest_first", "balanced", "jones_plassmann"})
        expect_textbook<TypeParam, double>(data, {.sweeps = sweeps, .symmetric = symmetric, .colouring = colouring});
}

TYPED_TEST(MulticolorOf, LargeColoursAndTheTailOfSmallOnesTakeTurns) {
  BlockCsrData data = random_blocks(400, 1, 8);
  expect_textbook<TypeParam, double>(data, {.sweeps = 2, .symmetric = true});
}

// Rows of a long box, each coupled to the 14 next to it of a body-centred lattice's: the searches have many levels.
BlockCsrData lattice_blocks(int nx, int ny, int nz, int B) {
  BlockCsrData d;
  d.block = B;
  d.row_start = {0};
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const int offsets[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}};
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        std::set<int> columns;
        for (const auto& o : offsets)
          for (const int sign : {-1, 1}) {
            const int a = i + sign * o[0], b = j + sign * o[1], c = k + sign * o[2];
            if (a >= 0 && a < nx && b >= 0 && b < ny && c >= 0 && c < nz) columns.insert((c * ny + b) * nx + a);
          }
        for (const int column : columns) {
          d.column.push_back(column);
          for (int e = 0; e < B * B; ++e)
            d.value.push_back(uniform(generator) + (column == d.rows() && e % (B + 1) == 0 ? 16 * B : 0));
        }
        d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
      }
  return d;
}

TEST(MulticolorOnHost, AWavefrontChangesNoBit) {
  for (const int B : {1, 4, 5}) {
    const BlockCsrData data = lattice_blocks(6, 7, 40, B);
    const BlockCsr<Host> A(data);
    const Numbers r = random_numbers(A.size(), 7);
    for (const bool symmetric : {false, true})
      for (const std::int64_t cache_bytes : {1000 * B, 10000 * B}) {
        Multicolor<Host, float> wave({.symmetric = symmetric, .cache_bytes = cache_bytes}),
            plain({.symmetric = symmetric, .cache_bytes = 0});
        wave.setup(A);
        plain.setup(A);
        ASSERT_EQ(wave.colours(), plain.colours());
        EXPECT_GT(wave.colour_passes()[0].size(), 10U);
        EXPECT_EQ(plain.colour_passes()[0].size(), 1U);
        EXPECT_EQ(applied<Host>(wave, r), applied<Host>(plain, r)) << "n = " << B << ", " << cache_bytes << " bytes";
        EXPECT_EQ(wave.apply_work().bytes, plain.apply_work().bytes);
      }
  }
}

TYPED_TEST(MulticolorOf, SweepsFromTheSolutionStayThere) {
  const BlockCsrData data = random_blocks(50, 4, 6);
  const BlockCsr<TypeParam> A(data);
  Multicolor<TypeParam, double> M({});
  M.setup(A);
  const Numbers solution = random_numbers(A.size(), 3);
  const Array<double, TypeParam> x(solution);
  Array<double, TypeParam> b(x.size()), swept(solution);
  A.apply(x, b);
  M.sweep(b, swept);
  EXPECT_LE(max_difference(swept.to_vector(), solution), 10 * rounding * max_norm(solution));
}

TYPED_TEST(MulticolorOf, AnUpdateEqualsAFreshSetup) {
  BlockCsrData data = random_blocks(30, 4, 9);
  BlockCsr<TypeParam> A(data);
  Multicolor<TypeParam, float> updated({}), fresh({});
  updated.setup(A);
  for (double& v : data.value) v *= 1.5;
  A.update(data.value);
  updated.update(A);
  fresh.setup(A);
  const Numbers r = random_numbers(A.size(), 1);
  EXPECT_EQ(applied<TypeParam>(updated, r), applied<TypeParam>(fresh, r));
}

TYPED_TEST(MulticolorOf, SymmetricSweepsOfASymmetricMatrixAreSymmetric) {
  const BlockCsr<TypeParam> A(random_blocks(25, 3, 4, true));
  Multicolor<TypeParam, float> M({.symmetric = true});
  M.setup(A);
  EXPECT_TRUE(M.is_symmetric());
  const Numbers r = random_numbers(A.size(), 1), s = random_numbers(A.size(), 2);
  const Numbers Mr = applied<TypeParam>(M, r), Ms = applied<TypeParam>(M, s);
  double sMr = 0, rMs = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    sMr += s[i] * Mr[i];
    rMs += r[i] * Ms[i];
  }
  EXPECT_NEAR(sMr, rMs, rounding * static_cast<double>(r.size()));
}

TYPED_TEST(MulticolorOf, TheMethodAloneReachesDoublePrecisionWithFloatStorage) {
  const BlockCsr<TypeParam> A(random_blocks(60, 5, 3));
  LinearSolver<TypeParam> solver(Table(), "multicolor", "none", 1e-12);
  solver.setup(A);
  const Array<double, TypeParam> b(random_numbers(A.size(), 5));
  Array<double, TypeParam> x(Numbers(static_cast<std::size_t>(A.size())));
  const SolveResult result = solver.solve(A, b, x);
  EXPECT_TRUE(result.converged()) << result.iterations;
  EXPECT_LE(result.true_residual, 1e-12 * result.residual0);
}

TYPED_TEST(MulticolorOf, AnApplicationAllocatesAndCopiesNothing) {
  const BlockCsr<TypeParam> A(random_blocks(60, 4, 3));
  Multicolor<TypeParam, float> M({});
  M.setup(A);
  const Array<double, TypeParam> r(random_numbers(A.size(), 5));
  Array<double, TypeParam> z(r.size());
  M.apply(r, z);
  const Ledger before = ledger();
  M.apply(r, z);
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
  EXPECT_EQ(ledger().bytes_to_host, before.bytes_to_host);
}

template <class Space>
void expect_refused(const BlockCsrData& data, const std::string& part) {
  const BlockCsr<Space> A(data);
  Multicolor<Space, float> M({});
  try {
    M.setup(A);
    ADD_FAILURE() << "accepted: " << part;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TYPED_TEST(MulticolorOf, BadBlocksAreNamedByTheirRow) {
  const BlockCsrData good = random_blocks(20, 2, 3);
  BlockCsrData singular = good, not_a_number = good, hole = good;
  const auto diagonal_of = [&](int i) {
    for (auto e = good.row_start[static_cast<std::size_t>(i)];; ++e)
      if (good.column[static_cast<std::size_t>(e)] == i) return static_cast<std::size_t>(e);
  };
  std::fill_n(singular.value.begin() + static_cast<std::ptrdiff_t>(4 * diagonal_of(13)), 4, 0.0);
  expect_refused<TypeParam>(singular, "block row 13");
  not_a_number.value[4 * static_cast<std::size_t>(good.row_start[6])] = NAN;
  expect_refused<TypeParam>(not_a_number, "block row 6");
  const std::size_t gone = diagonal_of(4);
  hole.column.erase(hole.column.begin() + static_cast<std::ptrdiff_t>(gone));
  hole.value.erase(hole.value.begin() + static_cast<std::ptrdiff_t>(4 * gone),
                   hole.value.begin() + static_cast<std::ptrdiff_t>(4 * gone + 4));
  for (std::size_t i = 5; i < hole.row_start.size(); ++i) --hole.row_start[i];
  expect_refused<TypeParam>(hole, "block row 4 has no diagonal block");
}

TEST(MulticolorPlanOf, NoTwoRowsOfAColourAreNeighbours) {
  const BlockCsrData data = random_blocks(200, 1, 12);
  for (const char* colouring : {"largest_first", "balanced", "jones_plassmann"}) {
    const MulticolorPlan plan = plan_of(data, {.colouring = colouring});
    std::map<int, int> colour_of;
    for (int k = 0; k < plan.colours; ++k)
      for (int p = plan.piece_start[static_cast<std::size_t>(k)]; p < plan.piece_start[static_cast<std::size_t>(k) + 1];
           ++p)
        colour_of[plan.row[static_cast<std::size_t>(p)]] = k;
    ASSERT_EQ(colour_of.size(), 200u);
    for (int i = 0; i < data.rows(); ++i)
      for (auto e = data.row_start[static_cast<std::size_t>(i)]; e < data.row_start[static_cast<std::size_t>(i) + 1];
           ++e)
        if (const int j = data.column[static_cast<std::size_t>(e)]; j != i) {
          EXPECT_NE(colour_of[i], colour_of[j]);
        }
  }
}

TEST(Bfloat16Storage, RoundsToTheNearestAndKeepsWhatIsNotANumber) {
  EXPECT_EQ(static_cast<double>(Bfloat16(1.0)), 1.0);
  EXPECT_EQ(static_cast<double>(Bfloat16(-3.5)), -3.5);
  EXPECT_EQ(static_cast<double>(Bfloat16(1.0 + 1.0 / 256)), 1.0);  // a tie: to even
  EXPECT_EQ(static_cast<double>(Bfloat16(1.0 + 3.0 / 256)), 1.0 + 4.0 / 256);
  EXPECT_TRUE(std::isnan(static_cast<double>(Bfloat16(NAN))));
  EXPECT_TRUE(std::isinf(static_cast<double>(Bfloat16(1e300))));
}

}  // namespace
}  // namespace weir::test::multicolor_test
