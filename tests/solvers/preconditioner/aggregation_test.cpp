// aggregation: aggregates, coarse matrices and cycles against the textbook's, and what iteration counts do on finer
// grids.

#include "base/at.hpp"
#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/aggregation_cycle.hpp"

namespace weir::test::aggregation_test {
namespace {

template <class Space>
class AggregationOf : public ::testing::Test {};
TYPED_TEST_SUITE(AggregationOf, Spaces, SpaceName);

Table options(const std::string& text) { return read_case_text(text, "case.toml"); }

TEST(Aggregates, HoldEachRowOnceInTheOrderOfTheirFirstRows) {
  for (const int passes : {1, 2, 3}) {
    const BlockCsrData A = random_blocks(200, 2, 7);
    const aggregation::Aggregates a = find_aggregates(A, passes);
    std::vector<int> seen(at(A.rows()), 0);
    int first = -1;
    for (int I = 0; I < a.count(); ++I) {
      const int size = a.start[at(I) + 1] - a.start[at(I)];
      EXPECT_GE(size, 1);
      EXPECT_LE(size, 1 << passes);
      EXPECT_GT(a.member[at(a.start[at(I)])], first);
      first = a.member[at(a.start[at(I)])];
      for (int m = a.start[at(I)]; m < a.start[at(I) + 1]; ++m) {
        ++seen[at(a.member[at(m)])];
        EXPECT_EQ(a.of_row[at(a.member[at(m)])], I);
      }
    }
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
  }
}

TEST(Aggregates, JoinStretchedCellsAcrossTheirLongFacesAlone) {
  const int nx = 16, ny = 16;
  const auto stretched = find_aggregates(grid_system(nx, ny, 4, {1, 100}), 2);
  EXPECT_EQ(stretched.count(), nx * ny / 4);
  for (int i = 0; i < nx * ny; ++i) {
    const int of_first = stretched.member[at(stretched.start[at(stretched.of_row[at(i)])])];
    EXPECT_EQ(i % nx, of_first % nx) << "joined along the short faces";
  }
  const auto even = find_aggregates(grid_system(nx, ny, 4, {1, 1}), 2);
  EXPECT_LE(even.count(), nx * ny / 3);
}

TEST(Aggregates, LinesGoOnOnTheCoarseLevel) {
  // Two columns of eight rows each, numbered one after the other.
  BlockCsrData A = grid_system(8, 2, 1, {100, 1});
  const auto aggregates = find_aggregates(A, 1);
  const auto lines = aggregation::coarse_lines({{0, 8}, {8, 8}}, aggregates);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].first, 0);
  EXPECT_EQ(lines[0].count, 4);
  EXPECT_EQ(lines[1].first, 4);
  EXPECT_EQ(lines[1].count, 4);
}

template <class Space>
Numbers applied(const Preconditioner<Space>& M, const Numbers& r) {
  const Array<double, Space> R(r);
  Array<double, Space> Z(R.size());
  M.apply(R, Z);
  return Z.to_vector();
}
template <class Space, template <class> class MatrixOf = BlockCsr>
Numbers applied(const BlockCsrData& data, const std::string& text, const Numbers& r) {
  const MatrixOf<Space> A(data);
  auto M = make_preconditioner<Space>("aggregation", options(text));
  M->setup(A);
  return applied(*M, r);
}

TYPED_TEST(AggregationOf, TwoLevelsAreTheTextbookCycle) {
  for (const int B : {1, 3, 4, 5}) {
    const BlockCsrData data = random_blocks(60, B, 5);
    const auto aggregates = find_aggregates(data, 2);
    ASSERT_LE(aggregates.count(), 30);
    const Numbers r = random_numbers(60 * B, 3);
    const std::string common = "coarse_rows = 30\nsmoother = { type = \"block_jacobi\" }\n";
    const auto textbook = [&](const CycleOptions& o) { return textbook_cycle(dense(data), B, {aggregates}, o, r); };
    const Numbers plain = textbook({});
    EXPECT_LE(max_difference(applied<TypeParam>(data, common, r), plain), 1e3 * eps * max_norm(plain)) << "n = " << B;
    EXPECT_LE(max_difference(applied<TypeParam>(data, common + "coarse_matrices = \"float\"", r), plain),
              1e-5 * max_norm(plain))
        << "n = " << B;
    for (const char* coarse : {"", "coarse_matrices = \"float\""})
      EXPECT_LE(max_difference(applied<TypeParam, RoundedCsr>(data, common + coarse, r), plain), 1e-5 * max_norm(plain))
          << "a matrix of floats, " << coarse << ", n = " << B;
    const Numbers both = textbook({.pre = 2, .scaling = 1.5});
    EXPECT_LE(max_difference(applied<TypeParam>(data, common + "pre = 2\nscaling = 1.5", r), both),
              1e3 * eps * max_norm(both))
        << "n = " << B;
    const Numbers weak = textbook({.diffusion = 0.7});
    ASSERT_GT(max_difference(weak, plain), 1e-3 * max_norm(plain));
    EXPECT_LE(max_difference(applied<TypeParam>(data, common + "diffusion = 0.7", r), weak), 1e4 * eps * max_norm(weak))
        << "n = " << B;
    EXPECT_LE(
        max_difference(applied<TypeParam, RoundedCsr>(data, common + "diffusion = 0.7\ncoarse_matrices = \"float\"", r),
                       weak),
        1e-5 * max_norm(weak))
        << "n = " << B;
  }
}

TYPED_TEST(AggregationOf, FewRowsAreSolvedInOneApplication) {
  const BlockCsrData data = random_blocks(20, 4, 9);
  const Numbers r = random_numbers(80, 1), exact = dense_solve(dense(data), r);
  for (const char* cycle : {"V", "W", "K"})
    EXPECT_LE(max_difference(applied<TypeParam>(data, std::string("cycle = \"") + cycle + "\"", r), exact),
              1e3 * eps * max_norm(exact))
        << cycle;
}

TYPED_TEST(AggregationOf, UpdateEqualsAFreshSetupAndAllocatesNothing) {
  const BlockCsrData old = grid_system(24, 20, 4, {1, 30}, 5);
  BlockCsrData now = old;
  for (double& v : now.value) v *= 1.5;  // the same aggregates
  const Numbers r = random_numbers(24 * 20 * 4, 1);
  for (const char* text : {"cycle = \"V\"",
                           "cycle = \"K\"\npre = 1\ncoarse_matrices = \"float\"\nsmoother = { type = \"block_ilu0\", "
                           "factors = \"float\" }"}) {
    BlockCsr<TypeParam> A(old);
    auto M = make_preconditioner<TypeParam>("aggregation", options(text));
    M->setup(A);
    applied(*M, r);
    A.update(now.value);
    const Array<double, TypeParam> R(r);
    Array<double, TypeParam> Z(R.size());
    const Ledger before = ledger();
    M->update(A);
    M->apply(R, Z);
    EXPECT_EQ(ledger().host_allocations, before.host_allocations);
    EXPECT_EQ(ledger().device_allocations, before.device_allocations);
    EXPECT_EQ(Z.to_vector(), applied<TypeParam>(now, text, r));
  }
}

TEST(Aggregation, DeviceEqualsHost) {
  const BlockCsrData data = grid_system(20, 15, 4, {1, 10}, 3);
  const Numbers r = random_numbers(20 * 15 * 4, 1);
  for (const char* text : {"cycle = \"V\"", "cycle = \"W\"\npre = 1\npost = 2\ndiffusion = 0.8", "cycle = \"K\""}) {
    const Numbers host = applied<Host>(data, text, r);
    EXPECT_LE(max_difference(applied<Device>(data, text, r), host), 1e4 * eps * max_norm(host)) << text;
    const std::string floats = std::string(text) + "\ncoarse_matrices = \"float\"";  // the same sums of floats in both
    const Numbers of_floats = applied<Host, RoundedCsr>(data, floats, r);
    EXPECT_LE(max_difference(applied<Device, RoundedCsr>(data, floats, r), of_floats), 1e4 * eps * max_norm(of_floats))
        << text;
  }
}

TYPED_TEST(AggregationOf, KeepsTheSymmetryOfTheMatrixWhereItSaysSo) {
  const BlockCsrData data = grid_system(16, 12, 2, {1, 4});
  const BlockCsr<TypeParam> A(data);
  const Numbers x = random_numbers(16 * 12 * 2, 1), y = random_numbers(16 * 12 * 2, 2);
  for (const char* text : {"pre = 1", "pre = 1\ncycle = \"W\"\nsmoother = { type = \"block_ilu0\" }"}) {
    auto M = make_preconditioner<TypeParam>("aggregation", options(text));
    M->setup(A);
    ASSERT_TRUE(M->is_symmetric());
    const Numbers Mx = applied(*M, x), My = applied(*M, y);
    EXPECT_NEAR(dot(y, Mx), dot(x, My), 1e3 * eps * norm(x) * norm(My)) << text;
  }
  EXPECT_FALSE(make_preconditioner<TypeParam>("aggregation", options("pre = 0"))->is_symmetric());
  EXPECT_FALSE(make_preconditioner<TypeParam>("aggregation", options("pre = 1\ncycle = \"K\""))->is_symmetric());
}

int iterations(const BlockCsrData& data, const std::string& text) {
  const BlockCsr<Host> A(data);
  auto M = text.empty() ? make_preconditioner<Host>("block_ilu0", Table())
                        : make_preconditioner<Host>("aggregation", options(text));
  M->setup(A);
  Numbers x(at(A.size()));
  KrylovOptions o;
  o.tolerance = 1e-6;
  o.max_iterations = 300;
  const SolveResult result = solve<Host>("fgmres", *M, A, random_numbers(A.size(), 1), x, o);
  EXPECT_TRUE(result.converged());
  return result.iterations;
}

// ILU(0) alone: 16 and 60 iterations without stretching and flow, here 8 and 9.
TEST(Aggregation, IterationsHardlyGrowOnFinerGrids) {
  for (const double stretching : {1.0, 50.0})
    for (const double flow : {0.0, 10.0}) {
      const auto system = [&](int n) { return grid_system(n, n, 1, {1, stretching}, flow); };
      const int coarse = iterations(system(16), "cycle = \"K\""), fine = iterations(system(64), "cycle = \"K\"");
      EXPECT_LE(fine, coarse + 6) << "stretching " << stretching << ", flow " << flow;
      if (flow == 0) {
        EXPECT_LE(2 * fine, iterations(system(64), "")) << "stretching " << stretching;
      }
    }
}

TYPED_TEST(AggregationOf, RefusesWhatItCannotDo) {
  const auto make = [](const std::string& text) {
    return make_preconditioner<TypeParam>("aggregation", options(text));
  };
  EXPECT_THROW(make("smoother = { type = \"aggregation\" }"), Error);
  EXPECT_THROW(make("pre = 0\npost = 0"), Error);
  EXPECT_THROW(make("strength = 1.5"), Error);
  EXPECT_THROW(make("cycle = \"F\""), Error);
  EXPECT_THROW(make("diffusion = 0.0"), Error);
  EXPECT_THROW(make("diffusion = 1.1"), Error);
  EXPECT_THROW(make("interpolation = \"linear\""), Error);
  EXPECT_FALSE(make("cycle = \"K\"")->is_constant());
  EXPECT_TRUE(make("cycle = \"W\"")->is_constant());
}

}  // namespace
}  // namespace weir::test::aggregation_test
