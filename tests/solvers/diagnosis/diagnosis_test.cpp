// Diagnoses of the doctor: each fault is planted in a matrix that has none, and found where it was put.
#include "solvers/diagnosis/diagnosis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "solvers/adapters/extended.hpp"
#include "solvers/diagnosis/spectrum.hpp"
#include "solvers/matrix/facts.hpp"
#include "solvers/matrix/io/generate.hpp"
#include "tests/support/systems/block_matrices.hpp"

namespace weir::test::diagnosis_test {
namespace {

// (i, j, value), scalar rows.
struct Entry {
  int row, column;
  double value;
};
BlockCsrData matrix(int rows, std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.row, a.column) < std::pair(b.row, b.column); });
  BlockCsrData d;
  d.row_start.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (const Entry& e : entries) {
    d.column.push_back(e.column);
    d.value.push_back(e.value);
    ++d.row_start[static_cast<std::size_t>(e.row) + 1];
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) d.row_start[i + 1] += d.row_start[i];
  return d;
}

std::vector<Entry> chain(int n) {
  std::vector<Entry> e;
  for (int i = 0; i < n; ++i) {
    e.push_back({i, i, 2});
    if (i > 0) e.push_back({i, i - 1, -1});
    if (i + 1 < n) e.push_back({i, i + 1, -1});
  }
  return e;
}

TEST(Doctor, AHealthyMatrixHasNoFindings) {
  const Diagnosis d = diagnose(matrix(10, chain(10)));
  EXPECT_EQ(d.entries, 28);
  EXPECT_EQ(d.shortest_row, 2);
  EXPECT_EQ(d.longest_row, 3);
  for (const RowTally& rows : {d.empty_rows, d.empty_columns, d.missing_diagonal, d.zero_diagonal, d.negative_diagonal,
                               d.positive_off_diagonal, d.not_dominant})
    EXPECT_EQ(rows.count, 0);
  EXPECT_EQ(d.strictly_dominant.count, 2);
  EXPECT_EQ(d.zero_row_sums.count, 8);
  EXPECT_TRUE(d.is_symmetric());
  EXPECT_TRUE(d.is_definite_for_sure());
  EXPECT_FALSE(d.has_constant_null_space());
  EXPECT_EQ(d.lower_bandwidth, 1);
  EXPECT_EQ(d.rcm_bandwidth, 1);
  EXPECT_EQ(d.components, 1);
  EXPECT_EQ(d.irreducible_blocks, 1);
  EXPECT_EQ(d.largest_irreducible, 10);
  EXPECT_EQ(d.entry.ratio(), 2);
}

TEST(Doctor, PlantedFaultsAreFoundInTheirRows) {
  std::vector<Entry> e = chain(10);
  const auto with = [&](int row, int column, double value) {
    std::vector<Entry> changed = e;
    for (Entry& x : changed)
      if (x.row == row && x.column == column) x.value = value;
    return diagnose(matrix(10, changed));
  };
  EXPECT_EQ(with(4, 4, 0).zero_diagonal.first, 4);
  EXPECT_TRUE(std::isinf(with(4, 4, 0).worst_dominance));
  EXPECT_EQ(with(7, 7, -2).negative_diagonal.first, 7);
  EXPECT_EQ(with(3, 2, NAN).not_finite, 1);
  EXPECT_EQ(with(3, 2, 0).stored_zeros, 1);
  EXPECT_EQ(with(3, 2, 0.25).positive_off_diagonal.first, 3);
  EXPECT_EQ(with(3, 2, -7).not_dominant.first, 3);
  EXPECT_DOUBLE_EQ(with(3, 2, -7).worst_dominance, 4);
  EXPECT_DOUBLE_EQ(with(3, 2, -7).asymmetry, 6.0 / 7);
  EXPECT_EQ(with(3, 2, -7).mirrored, 1);
  EXPECT_EQ(with(9, 9, 1e9).row_size.ratio(), 5e8);
  std::erase_if(e, [](const Entry& x) { return x.row == 5 && x.column == 5; });
  EXPECT_EQ(diagnose(matrix(10, e)).missing_diagonal.first, 5);
  std::erase_if(e, [](const Entry& x) { return x.row == 5; });
  EXPECT_EQ(diagnose(matrix(10, e)).empty_rows.first, 5);
  std::erase_if(e, [](const Entry& x) { return x.column == 5; });
  EXPECT_EQ(diagnose(matrix(10, e)).empty_columns.first, 5);
  EXPECT_EQ(diagnose(matrix(10, e)).components, 3);
}

TEST(Doctor, ConstantsAreFoundOnEitherSide) {
  std::vector<Entry> e = chain(8);
  for (Entry& x : e)
    if (x.row == x.column && (x.row == 0 || x.row == 7)) x.value = 1;
  EXPECT_TRUE(diagnose(matrix(8, e)).has_constant_null_space());
  e[1].value *= 2;  // row 0 no longer sums to zero
  EXPECT_EQ(diagnose(matrix(8, e)).zero_row_sums.count, 7);
}

TEST(Doctor, IrreducibleBlocksAreTheStronglyConnectedParts) {
  // 0 -> 1 -> 2 -> 0, 3 -> 2, 4 <-> 5, 5 -> 3
  const Diagnosis d =
      diagnose(matrix(6, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}, {3, 2, 1}, {4, 5, 1}, {5, 4, 1}, {5, 3, 1}, {3, 3, 1}}));
  EXPECT_EQ(d.components, 1);
  EXPECT_EQ(d.irreducible_blocks, 3);
  EXPECT_EQ(d.largest_irreducible, 3);
  EXPECT_LT(d.mirrored, 0.5);
}

TEST(Doctor, SkewMatricesAreSeen) {
  const Diagnosis d = diagnose(matrix(3, {{0, 1, 2}, {1, 0, -2}, {1, 2, 5}, {2, 1, -5}}));
  EXPECT_EQ(d.skewness, 0);
  EXPECT_EQ(d.asymmetry, 2);
}

// The chain's eigenvalues are 2 - 2 cos(k pi / (n + 1)).
TEST(Doctor, LanczosAndInverseIterationFindTheEndsOfAKnownSpectrum) {
  const int n = 30;
  const Dense D = dense(matrix(n, chain(n)));
  const VectorMap product = [&](std::span<const double> x, std::span<double> y) {
    const Numbers z = D * Numbers(x.begin(), x.end());
    std::copy(z.begin(), z.end(), y.begin());
    return true;
  };
  const VectorMap solve = [&](std::span<const double> x, std::span<double> y) {
    const Numbers z = dense_solve(D, Numbers(x.begin(), x.end()));
    std::copy(z.begin(), z.end(), y.begin());
    return true;
  };
  const double least = 2 - 2 * std::cos(M_PI / (n + 1)), most = 2 + 2 * std::cos(M_PI / (n + 1));
  const RitzValues r = lanczos(product, n, n);
  EXPECT_NEAR(r.least, least, 1e-10);
  EXPECT_NEAR(r.most, most, 1e-10);
  const RitzValues few = lanczos(product, n, 8);
  EXPECT_EQ(few.steps, 8);
  EXPECT_GE(few.least, least);
  EXPECT_LE(few.most, most);
  // The second eigenvalue is 3.97 times the first: 5 steps leave (1 / 3.97)^10 of the other vectors.
  const SmallestSingular s = smallest_singular(product, solve, solve, n, 5);
  ASSERT_TRUE(s.found);
  EXPECT_NEAR(s.sigma, least, 1e-4 * least);
  const SmallestSingular none = smallest_singular(
      product, solve, [](auto, auto) { return false; }, n, 5);
  EXPECT_FALSE(none.found);
}

TEST(Doctor, GeneratedBandsAreWhatTheirNameSays) {
  const BlockCsrData d = generated_system("banded:50:3");
  const Diagnosis found = diagnose(d);
  EXPECT_EQ(found.rows, 50);
  EXPECT_EQ(found.entries, 50 * 7 - 12);
  EXPECT_EQ(found.lower_bandwidth, 3);
  EXPECT_EQ(found.strictly_dominant.count, 50);
  EXPECT_EQ(generated_system("banded:50:3").value, d.value);
  EXPECT_EQ(generated_system("banded:9").column.size(), 9u * 5 - 6);
  for (const char* bad : {"banded:", "banded:0", "banded:3:", "banded:3:x", "banded:5:2:1", "banded:-4"})
    EXPECT_THROW(generated_system(bad), Error) << bad;
}

// Diagonal entries over twenty orders: no x of single doubles has a residual of 1e-12 |b|, a pair of them has.
TEST(Doctor, TwoDoublesReachWhatOneCannot) {
  std::vector<Entry> e;
  const int n = 40;
  for (int i = 0; i < n; ++i) {
    const double c = std::pow(10.0, 10.0 * i / (n - 1));
    e.push_back({i, i, 2.001 * c});
    if (i > 0) e.push_back({i, i - 1, -c});
    if (i + 1 < n) e.push_back({i, i + 1, -c});
  }
  const BlockCsrData data = matrix(n, e);
  const BlockCsr<Host> A(data);
  const auto solver = make_any_solver<Host>(Table(), "gmres", "block_ilu0", KrylovOptions{1e-6});
  solver->setup(A);
  const Numbers b(static_cast<std::size_t>(n), 1.0);
  const ExtendedSolution s = solve_extended(data, A, *solver, b, 1e-14, 1000);
  EXPECT_TRUE(s.result.converged());
  EXPECT_LE(s.result.true_residual, 1e-14 * norm(b));
  EXPECT_LE(s.steps, 5);
  EXPECT_LE(norm(minus(b, dense(data) * s.x)), 10 * (rounding_of_residual(data, s.x) + 1e-14 * norm(b)));
}

}  // namespace
}  // namespace weir::test::diagnosis_test
