// aggregation with interpolation = "smoothed": aggregates, interpolation and the cycle against the textbook's, singular
// systems, what iteration counts do on finer grids.
#include <cmath>

#include "base/at.hpp"
#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "solvers/preconditioner/aggregation/smoothed_levels.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"
#include "tests/support/systems/body_poisson.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::smoothed_aggregation_test {
namespace {

template <class Space>
class SmoothedAggregationOf : public ::testing::Test {};
TYPED_TEST_SUITE(SmoothedAggregationOf, Spaces, SpaceName);

template <class Space>
std::unique_ptr<Preconditioner<Space>> made(const std::string& text = "") {
  return make_preconditioner<Space>("aggregation",
                                    read_case_text("interpolation = \"smoothed\"\n" + text, "case.toml"));
}

// Neumann conditions all round: singular. Cells towards the walls are `ratio` times flatter than in the middle.
SeparableOperator cavity(const Extents& cells, double ratio) {
  SeparableOperator op;
  const int n[] = {cells.nx, cells.ny, cells.nz};
  for (std::size_t d = 0; d < 3; ++d) {
    Numbers faces{0};
    for (int i = 0; i < n[d]; ++i) faces.push_back(faces.back() + 1 + (ratio - 1) * std::sin((i + 0.5) * M_PI / n[d]));
    for (double& f : faces) f /= faces.back();
    op.direction[d] = cell_centred_direction(faces, EndCondition::neumann, EndCondition::neumann);
  }
  return op;
}

Dense dense_of(const aggregation::SparseRows& rows, int columns) {
  Dense D(std::max(rows.rows(), columns));  // square, the rest is zero
  for (int i = 0; i < rows.rows(); ++i)
    for (auto e = rows.row_start[at(i)]; e < rows.row_start[at(i) + 1]; ++e)
      D(i, rows.column[at(e)]) += rows.value[at(e)];
  return D;
}

TEST(Neighbourhoods, AreRowsWithAllTheirStrongNeighboursOrJoinOne) {
  const BlockCsrData A = block_rows<Host>(SeparableStencil<Host>(cavity({9, 8, 1}, 1)));
  const std::vector<char> strong = aggregation::strong_couplings(A, 0.25);
  int count = 0;
  const std::vector<int> of_row = aggregation::neighbourhoods(A, strong, count);
  std::vector<int> size(at(count), 0);
  for (const int I : of_row) {
    ASSERT_GE(I, 0);
    ++size[at(I)];
  }
  for (const int s : size) EXPECT_GE(s, 3);  // a corner has two neighbours
  EXPECT_LE(count, 72 / 4);
}

TEST(Neighbourhoods, StretchedCellsJoinAcrossTheirLongFacesAlone) {
  SeparableOperator op = cavity({12, 12, 1}, 1);
  for (auto* c : {&op.direction[1].lower, &op.direction[1].upper})
    for (double& v : *c) v *= 100;
  const BlockCsrData A = block_rows<Host>(SeparableStencil<Host>(op));
  int count = 0;
  const std::vector<int> of_row = aggregation::neighbourhoods(A, aggregation::strong_couplings(A, 0.25), count);
  for (int i = 0; i < 144; ++i)
    for (int j = 0; j < i; ++j)
      if (of_row[at(i)] == of_row[at(j)]) {
        EXPECT_EQ(i % 12, j % 12) << i << ", " << j;
      }
}

TEST(SmoothedStep, InterpolatesConstantsExactlyWhereRowsSumToZero) {
  const BlockCsrData A = block_rows<Host>(SeparableStencil<Host>(cavity({7, 9, 5}, 8)));
  const aggregation::SmoothedStep s = aggregation::smoothed_step(A, 0.25);
  for (int i = 0; i < s.prolongation.rows(); ++i) {
    double sum = 0;
    for (auto e = s.prolongation.row_start[at(i)]; e < s.prolongation.row_start[at(i) + 1]; ++e)
      sum += s.prolongation.value[at(e)];
    EXPECT_NEAR(sum, 1, 100 * eps) << "row " << i;
  }
}

TEST(SmoothedStep, TheCoarseMatrixIsTheTripleProduct) {
  const BlockCsrData A = block_rows<Host>(SeparableStencil<Host>(cavity({7, 6, 3}, 3)));
  const aggregation::SmoothedStep s = aggregation::smoothed_step(A, 0.25);
  const int n = A.rows(), m = s.coarse.rows();
  const Dense D = dense(A), P = dense_of(s.prolongation, m), R = dense_of(s.restriction, n), C = dense(s.coarse);
  for (int I = 0; I < m; ++I)
    for (int J = 0; J < m; ++J) {
      double sum = 0;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) sum += P(i, I) * D(i, j) * P(j, J);
      EXPECT_NEAR(C(I, J), sum, 1e3 * eps * D(0, 0));
    }
  for (int i = 0; i < n; ++i)
    for (int I = 0; I < m; ++I) EXPECT_EQ(R(I, i), P(i, I));
}

// T_2(x) = 2 x^2 - 1, and x = (centre - D^-1 A) / half on [0.1, 1] times Gershgorin's bound: what a sweep leaves of an
// error.
Numbers after_sweep(const BlockCsrData& data, const Dense& A, const Numbers& error) {
  const double bound = aggregation::gershgorin_bound(data), centre = 0.55 * bound, half = 0.45 * bound;
  const auto x = [&](const Numbers& v) {
    Numbers y = A * v;
    for (int i = 0; i < A.n; ++i) y[at(i)] = (centre * v[at(i)] - y[at(i)] / A(i, i)) / half;
    return y;
  };
  Numbers y = x(x(error));
  const double sigma = centre / half;
  for (int i = 0; i < A.n; ++i) y[at(i)] = (2 * y[at(i)] - error[at(i)]) / (2 * sigma * sigma - 1);
  return y;
}

TYPED_TEST(SmoothedAggregationOf, TwoLevelsAreTheTextbookCycle) {
  SeparableOperator op = cavity({8, 6, 3}, 3);
  op.shift = 0.5;
  const SeparableStencil<TypeParam> A(op);
  const BlockCsrData rows = block_rows<TypeParam>(A);
  const aggregation::SmoothedStep s = aggregation::smoothed_step(rows, 0.25);
  const Dense D = dense(rows), C = dense(s.coarse);
  const Numbers exact = random_numbers(D.n, 3), r = D * exact;
  Numbers error = after_sweep(rows, D, exact), defect = D * error, sums(at(C.n), 0);
  const auto& P = s.prolongation;
  for (int i = 0; i < D.n; ++i)
    for (auto e = P.row_start[at(i)]; e < P.row_start[at(i) + 1]; ++e)
      sums[at(P.column[at(e)])] += P.value[at(e)] * defect[at(i)];
  const Numbers correction = dense_solve(C, sums);
  for (int i = 0; i < D.n; ++i)
    for (auto e = P.row_start[at(i)]; e < P.row_start[at(i) + 1]; ++e)
      error[at(i)] -= P.value[at(e)] * correction[at(P.column[at(e)])];
  const Numbers expected = minus(exact, after_sweep(rows, D, error));
  auto M = made<TypeParam>("coarse_rows = 60");
  EXPECT_EQ(M->setup(A).levels, 2);
  EXPECT_LE(max_difference(applied(*M, r), expected), 1e4 * eps * max_norm(expected));
}

TYPED_TEST(SmoothedAggregationOf, CyclesAreSymmetricAndSpacesAgree) {
  const BodyOptions body{.cells = {12, 10, 8}, .stretching = 1.5, .outlet = false};
  const Banded<TypeParam> A = pressure_matrix<TypeParam>(body);
  const Banded<Host> on_host = pressure_matrix<Host>(body);
  auto M = made<TypeParam>();
  auto H = made<Host>();
  M->setup(A);
  H->setup(on_host);
  ASSERT_TRUE(M->is_symmetric());
  EXPECT_FALSE(made<TypeParam>("pre = 1")->is_symmetric());
  const Numbers x = random_numbers(A.size(), 1), y = random_numbers(A.size(), 2);
  const Numbers Mx = applied(*M, x), My = applied(*M, y);
  EXPECT_NEAR(dot(y, Mx), dot(x, My), 1e4 * eps * norm(x) * norm(My));
  EXPECT_LE(max_difference(Mx, applied(*H, x)), 1e4 * eps * max_norm(Mx));
}

template <class Space>
int iterations(const Matrix<Space>& A, Preconditioner<Space>& M, Numbers b, const char* method = "cg") {
  M.setup(A);
  if (A.has_constant_null_space()) b = minus(b, Numbers(b.size(), mean(b)));
  Numbers x(b.size(), 0);
  KrylovOptions o;
  o.tolerance = 1e-8;
  o.max_iterations = 100;
  const SolveResult result = solve<Space>(method, M, A, b, x, o);
  EXPECT_TRUE(result.converged()) << to_string(result.reason);
  return result.iterations;
}
template <class Space>
int iterations_in_cavity(const Extents& cells, double ratio) {
  const SeparableStencil<Space> A(cavity(cells, ratio));
  return iterations<Space>(A, *made<Space>(), random_numbers(A.size(), 1));
}

// Four times the cells a side, in 3D three times: at most a third more. Without multigrid they would be as many times
// more.
TYPED_TEST(SmoothedAggregationOf, IterationsHardlyGrowOnFinerSingularGrids) {
  for (const double ratio : {1.0, 8.0}) {
    const int coarse = iterations_in_cavity<TypeParam>({16, 16, 1}, ratio);
    EXPECT_LE(iterations_in_cavity<TypeParam>({64, 64, 1}, ratio), coarse + coarse / 3 + 1) << "2D, ratio " << ratio;
    const int coarse_3d = iterations_in_cavity<TypeParam>({6, 6, 6}, ratio);
    EXPECT_LE(iterations_in_cavity<TypeParam>({18, 18, 18}, ratio), coarse_3d + coarse_3d / 3 + 2)
        << "3D, ratio " << ratio;
  }
}

TYPED_TEST(SmoothedAggregationOf, TakesThePressureAroundABody) {
  for (const bool outlet : {true, false}) {
    const BodyOptions small{.cells = {16, 16, 1}, .body = Body::cylinder, .outlet = outlet};
    BodyOptions fine = small;
    fine.cells = {48, 48, 1};
    const auto count = [&](const BodyOptions& o) {
      const Banded<TypeParam> A = pressure_matrix<TypeParam>(o);
      auto M = made<TypeParam>();
      M->setup(A);
      Numbers x(at(A.size()), 0);
      KrylovOptions k;
      k.tolerance = 1e-8;
      const SolveResult result = solve<TypeParam>("cg", *M, A, right_hand_side(o), x, k);
      EXPECT_TRUE(result.converged()) << to_string(result.reason);
      return result.iterations;
    };
    EXPECT_LE(count(fine), count(small) + 4) << (outlet ? "outlet" : "closed");
  }
}

TYPED_TEST(SmoothedAggregationOf, PlainAggregatesTakeSingularAndStructuredSystemsToo) {
  const SeparableStencil<TypeParam> A(cavity({16, 12, 1}, 2));
  auto plain = make_preconditioner<TypeParam>("aggregation", read_case_text("pre = 1", "case.toml"));
  EXPECT_LE(iterations<TypeParam>(A, *plain, random_numbers(A.size(), 1)), 40);
  auto cycle = make_preconditioner<TypeParam>("aggregation", read_case_text("cycle = \"K\"", "case.toml"));
  EXPECT_LE(iterations<TypeParam>(A, *cycle, random_numbers(A.size(), 1), "fgmres"), 30);
}

TYPED_TEST(SmoothedAggregationOf, RefusesWhatItCannotDo) {
  for (const char* key : {"smoother = { type = \"jacobi\" }", "cycle = \"W\"", "passes = 3", "scaling = 1.2",
                          "diffusion = 0.8", "coarse_storage = \"float\"", "pre = 0\npost = 0"})
    EXPECT_THROW(made<TypeParam>(key), Error) << key;
  EXPECT_THROW(made<TypeParam>()->setup(BlockCsr<TypeParam>(random_blocks(20, 2, 4, true))), Error);
  EXPECT_THROW(made<TypeParam>()->setup(BlockCsr<TypeParam>(random_blocks(20, 1, 4))), Error);
}

}  // namespace
}  // namespace weir::test::smoothed_aggregation_test
