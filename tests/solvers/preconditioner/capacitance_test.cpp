// The capacitance method about bodies, in both spaces: against multigrid, and its pruned direct solves.
#include "base/error.hpp"
#include "solvers/preconditioner/fast_poisson/cut_rows.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/body_poisson.hpp"

namespace weir::test::capacitance_test {
namespace {

template <class Space>
class CapacitanceOf : public ::testing::Test {};
TYPED_TEST_SUITE(CapacitanceOf, Spaces, SpaceName);

BodyOptions box(Extents cells, Body body = Body::sphere, double stretching = 0, bool outlet = true) {
  BodyOptions o;
  o.cells = cells;
  o.body = body;
  o.stretching = stretching;
  o.outlet = outlet;
  return o;
}
const std::vector<BodyOptions> systems = {box({16, 16, 16}),
                                          box({12, 10, 9}, Body::cylinder, 2),
                                          box({24, 18, 1}),
                                          box({24, 40, 1}, Body::cylinder, 2),
                                          box({16, 20, 16}, Body::sphere, 0, false),
                                          box({10, 12, 30}, Body::sphere, 1, false),
                                          box({8, 20, 8}, Body::none)};

template <class Space>
SolveResult solve_by_capacitance(const Matrix<Space>& A, const Numbers& b, Numbers& x, const KrylovOptions& k) {
  auto M = make_preconditioner<Space>("capacitance", Table());
  M->setup(A);
  const auto method = M->own_method(k);
  const Array<double, Space> right(b);
  Array<double, Space> left(x);
  const SolveResult result = method->solve(A, *M, right, left);
  x = left.to_vector();
  return result;
}

KrylovOptions to(double tolerance, Norm norm = Norm::l2) {
  KrylovOptions k;
  k.tolerance = tolerance;
  k.norm = norm;
  return k;
}

TYPED_TEST(CapacitanceOf, FewIterationsToTheSolutionOfMultigrid) {
  for (const BodyOptions& o : systems)
    for (const Norm of : {Norm::l2, Norm::max}) {
      const Banded<TypeParam> A = pressure_matrix<TypeParam>(o);
      const Numbers b = right_hand_side(o);
      Numbers x(b.size()), expected(b.size());
      const SolveResult result = solve_by_capacitance(A, b, x, to(1e-10, of));
      EXPECT_TRUE(result.converged()) << to_string(result.reason);
      EXPECT_LE(result.iterations, o.body == Body::none ? 1 : 15) << o.cells.nx << " " << o.stretching;
      EXPECT_LE(result.true_residual, 1.01 * result.target);
      ASSERT_TRUE(solve<TypeParam>("cg", "multigrid", A, b, expected, to(1e-11, of)).converged());
      if (!o.outlet) continue;  // determined up to a constant
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], expected[i], 1e-7 * norm(expected));
    }
}

TYPED_TEST(CapacitanceOf, AGuessIsUsedAndRowsInsideOfTheBodyAreSolved) {
  const BodyOptions o = box({16, 16, 16});
  const Banded<TypeParam> A = pressure_matrix<TypeParam>(o);
  const Banded<Host> on_host = pressure_matrix<Host>(o);
  Numbers b = right_hand_side(o), x(b.size());
  for (int c = 0; c < o.cells.count(); ++c)
    if (on_host.stencil().block(c, slot::delta)[0] == 1) b[static_cast<std::size_t>(c)] = 0.5;
  ASSERT_TRUE(solve_by_capacitance(A, b, x, to(1e-10)).converged());
  const Numbers before = x;
  const SolveResult again = solve_by_capacitance(A, b, x, to(1e-9));
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(x, before);
}

// A body that moves, with one object: other near rows, larger and smaller lists.
TYPED_TEST(CapacitanceOf, AnUpdateFollowsTheBody) {
  auto M = make_preconditioner<TypeParam>("capacitance", Table());
  const auto method = M->own_method(to(1e-9));
  for (const double radius : {0.1, 0.3, 0.2, 0.05}) {
    BodyOptions o = box({20, 16, 12});
    o.radius = radius;
    const Banded<TypeParam> A = pressure_matrix<TypeParam>(o);
    M->setup(A);
    const Array<double, TypeParam> b(right_hand_side(o));
    Array<double, TypeParam> x(Numbers(static_cast<std::size_t>(b.size())));
    const SolveResult result = method->solve(A, *M, b, x);
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, 15);
  }
}

// Without the grid, the largest couplings are those of its cells.
TYPED_TEST(CapacitanceOf, CellsOfOneSizeNeedNoGrid) {
  const BodyOptions o = box({16, 16, 16}, Body::sphere, 0, false);
  const Banded<TypeParam> given = pressure_matrix<TypeParam>(o);
  Banded<TypeParam> A(given.cells());
  Numbers values(static_cast<std::size_t>(given.entries()));
  given.download(values);
  A.upload(values);
  A.set_symmetric(true);
  const Numbers b = right_hand_side(o);
  Numbers x(b.size());
  const SolveResult result = solve_by_capacitance(A, b, x, to(1e-8));
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 15);
}

TYPED_TEST(CapacitanceOf, OtherMatricesAreRefusedWithTheReason) {
  const auto refusal = [](const Matrix<TypeParam>& A) {
    try {
      make_preconditioner<TypeParam>("capacitance", Table())->setup(A);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const BodyOptions o = box({8, 8, 8});
  EXPECT_NE(refusal(advection_diffusion_matrix<TypeParam>(o, 1, 0.1, false)).find("not symmetric"), std::string::npos);
  Banded<TypeParam> heavier = pressure_matrix<TypeParam>(o);
  Numbers values(static_cast<std::size_t>(heavier.entries()));
  heavier.download(values);
  for (std::size_t c = 0; c < 512; ++c) values[3 * 512 + c] *= 2;  // a mass term
  heavier.upload(values);
  EXPECT_NE(refusal(heavier).find("larger entries"), std::string::npos);
}

// The pruned solve agrees with the whole one in its rows, up to a constant where the operator is singular.
TEST(CapacitanceOnHost, SolvesNearARowsAgreeWithWholeOnes) {
  for (const BodyOptions& o : systems) {
    const Banded<Host> A = pressure_matrix<Host>(o);
    CutRows<Host> rows;
    rows.find(A);
    const CutRowsView view = rows.view();
    if (view.near == 0) continue;
    for (const char* tridiagonal : {"none", "y", "z"}) {
      if (o.cells.nz == 1 && *tridiagonal == 'z') continue;
      const FastPoissonPlan plan = make_fast_poisson_plan(rows.whole(), {"auto", tridiagonal}, true, 1);
      const auto sweep = make_fast_poisson_sweep<Host>(plan);
      sweep->keep_near(plan, rows.rows_near());
      Array<double, Host> r(A.size()), whole(A.size()), near(A.size());
      double total = 0;
      for (int q = 0; q < view.near; ++q) total += r.data()[view.cell[q]] = std::sin(3.0 * q);
      for (int q = 0; q < view.near; ++q) r.data()[view.cell[q]] -= plan.singular ? total / view.near : 0;
      sweep->solve(plan, r, whole);
      for (int c = 0; c < o.cells.count(); ++c) near.data()[c] = -7;  // left from before
      sweep->solve_near(plan, r, near);
      const double shift = plan.singular ? near.data()[view.cell[0]] - whole.data()[view.cell[0]] : 0;
      for (int q = 0; q < view.cut; ++q)
        for (int s = 0; s < slot::count; ++s) {
          const int c = view.neighbour[s * view.near + q];
          ASSERT_NEAR(near.data()[c], whole.data()[c] + shift, 1e-10) << tridiagonal << " " << c;
        }
    }
  }
}

}  // namespace
}  // namespace weir::test::capacitance_test
