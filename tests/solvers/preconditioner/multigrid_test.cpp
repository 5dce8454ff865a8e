// Multigrid: the properties that cg and the time loop rely on, in both spaces.
#include "solvers/preconditioner/multigrid/multigrid.hpp"

#include <omp.h>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "mesh/structured/grid.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/dense_matrix.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::multigrid_test {
namespace {

MultigridOptions options_with(const std::string& precision, const std::string& smoother = "red_black",
                              int coarse_size = 4) {
  MultigridOptions o;
  o.storage = precision;
  o.smoother = smoother;
  o.coarse_size = coarse_size;
  return o;
}

// A random vector in the range of the operator.
Numbers right_hand_side(const SeparableOperator& op, unsigned seed) {
  Numbers b = random_numbers(op.extents().count(), seed);
  if (!op.has_constant_null_space()) return b;
  double mean = 0;
  for (const double v : b) mean += v / static_cast<double>(b.size());
  for (double& v : b) v -= mean;
  return b;
}

template <class Space>
Numbers apply(const Preconditioner<Space>& M, const Numbers& r) {
  const Array<double, Space> R(r);
  Array<double, Space> Z(R.size());
  M.apply(R, Z);
  return Z.to_vector();
}

template <class Space>
Numbers set_up_and_apply(const SeparableOperator& op, const MultigridOptions& o, const Numbers& r) {
  const SeparableStencil<Space> A(op);
  Multigrid<Space> M(o);
  M.setup(A);
  return apply<Space>(M, r);
}

SeparableOperator unit_box(Extents e, double stretching, EndCondition low, EndCondition high) {
  SeparableOperator op;
  const int n[] = {e.nx, e.ny, e.nz};
  for (std::size_t d = 0; d < 3; ++d) {
    const GridLine line = make_grid_line(n[d], 0, 1, {stretching > 0 ? "tanh" : "uniform", stretching});
    op.direction[d] = n[d] == 1 ? cell_centred_direction(line.faces, EndCondition::neumann, EndCondition::neumann)
                                : cell_centred_direction(line.faces, low, high);
  }
  return op;
}

template <class Space>
int iterations(const SeparableOperator& op, const std::string& method = "cg", MultigridOptions o = {}) {
  const SeparableStencil<Space> A(op);
  Multigrid<Space> M(o);
  M.setup(A);
  KrylovOptions k;
  k.tolerance = 1e-8;
  k.max_iterations = 100;
  const Array<double, Space> b(right_hand_side(op, 7));
  Array<double, Space> x(Numbers(static_cast<std::size_t>(A.size()), 0.0));
  const SolveResult result = make_krylov<Space>(method, k)->solve(A, M, b, x);
  EXPECT_TRUE(result.converged()) << to_string(result.reason);
  return result.iterations;
}

template <class Space>
class MultigridMethod : public ::testing::Test {};
TYPED_TEST_SUITE(MultigridMethod, Spaces, SpaceName);

TYPED_TEST(MultigridMethod, AGridOfFewCellsIsSolvedDirectly) {
  for (const OperatorCase& c : operator_cases()) {
    const Dense A = dense(c.op);
    const Numbers r = right_hand_side(c.op, 3);
    const Numbers z = set_up_and_apply<TypeParam>(c.op, options_with("double", "red_black", 200), r);
    // Backward error of an inverse: eps times the condition number, below 1e4 here, times a few operations.
    EXPECT_LE(norm(minus(A * z, r)), 1e5 * eps * norm(r)) << c.name;
  }
}

TYPED_TEST(MultigridMethod, ItIsSymmetricAndPositiveDefinite) {
  for (const char* smoother : {"red_black", "chebyshev"})
    for (const OperatorCase& c : operator_cases()) {
      const SeparableStencil<TypeParam> A(c.op);
      MultigridOptions o = options_with("double", smoother);
      o.symmetric = true;
      Multigrid<TypeParam> M(o);
      M.setup(A);
      EXPECT_TRUE(M.is_symmetric());
      const Numbers r1 = right_hand_side(c.op, 3), r2 = right_hand_side(c.op, 4);
      const Numbers z1 = apply<TypeParam>(M, r1), z2 = apply<TypeParam>(M, r2);
      EXPECT_LE(std::abs(dot(z1, r2) - dot(z2, r1)), 1e4 * eps * norm(z1) * norm(r2)) << c.name << " " << smoother;
      EXPECT_GE(dot(z1, r1), 0) << c.name << " " << smoother;
    }
}

TYPED_TEST(MultigridMethod, DeviceAndHostAgreeToRoundOff) {
  for (const char* smoother : {"red_black", "chebyshev"})
    for (const OperatorCase& c : operator_cases()) {
      const Numbers r = right_hand_side(c.op, 5);
      MultigridOptions o = options_with("double", smoother);
      o.pre = o.post = 2;
      const Numbers host = set_up_and_apply<Host>(c.op, o, r), here = set_up_and_apply<TypeParam>(c.op, o, r);
      EXPECT_LE(max_difference(host, here), 1e4 * eps * norm(host)) << c.name << " " << smoother;
    }
}

// Sizes at which a thread takes 4 unknowns in z; no side is a multiple of that (columns.hpp).
TEST(MultigridOnTheDevice, ColumnsOfUnknownsGiveWhatTheHostGives) {
  for (const Extents e : {Extents{67, 65, 61}, Extents{97, 91, 90}}) {
    const SeparableOperator op = unit_box(e, 1, EndCondition::dirichlet, EndCondition::neumann);
    MultigridOptions o = options_with("double");
    o.pre = o.post = 1;
    o.coarse_size = 64;
    const Numbers r = right_hand_side(op, 5), host = set_up_and_apply<Host>(op, o, r);
    EXPECT_LE(max_difference(host, set_up_and_apply<Device>(op, o, r)), 1e4 * eps * norm(host)) << e.nx;
  }
}

// Load and store, whose vectors come and go, and one for all between, whatever the levels and the cycle.
TEST(MultigridOnTheDevice, ACycleIsThreeLaunchesAndNoWait) {
  for (const int n : {12, 33}) {
    const SeparableOperator op = unit_box({n, n, n}, 1.5, EndCondition::neumann, EndCondition::neumann);
    const SeparableStencil<Device> A(op);
    MultigridOptions o;
    Multigrid<Device> M(o);
    M.setup(A);
    const Array<double, Device> r(right_hand_side(op, 7));
    Array<double, Device> z(r.size());
    for (int k = 0; k < 2; ++k) {
      const Ledger before = ledger();
      M.apply(r, z);
      EXPECT_EQ(ledger().launches - before.launches, 3) << n;
      EXPECT_EQ(ledger().synchronisations, before.synchronisations);
    }
  }
}

// A shift is an argument of the kernels that are launched as one.
TYPED_TEST(MultigridMethod, AnUpdatedOperatorIsSolvedAsByANewSetUp) {
  SeparableOperator op = unit_box({12, 10, 9}, 1.5, EndCondition::dirichlet, EndCondition::neumann);
  const Numbers r = right_hand_side(op, 7);
  SeparableStencil<TypeParam> A(op);
  Multigrid<TypeParam> M(options_with("float"));
  M.setup(A);
  apply<TypeParam>(M, r);
  for (const auto& [shift, scale] : {std::pair{3.0, 1.0}, {3.0, 0.1}, {0.5, 0.1}}) {
    A.set_coefficients(shift, scale);
    M.update(A);
    op.shift = shift;
    op.scale = scale;
    EXPECT_EQ(apply<TypeParam>(M, r), set_up_and_apply<TypeParam>(op, options_with("float"), r)) << shift << scale;
  }
}

TYPED_TEST(MultigridMethod, SinglePrecisionDiffersByRoundOffOnly) {
  const SeparableOperator op = unit_box({30, 17, 24}, 1.5, EndCondition::neumann, EndCondition::dirichlet);
  const Numbers r = right_hand_side(op, 5);
  const Numbers z = set_up_and_apply<TypeParam>(op, options_with("double"), r);
  EXPECT_LE(max_difference(z, set_up_and_apply<TypeParam>(op, options_with("single"), r)), 1e-5 * norm(z));
}

TYPED_TEST(MultigridMethod, IterationsDoNotGrowWithTheGrid) {
  const int largest = std::is_same_v<TypeParam, Host> ? 64 : 32;  // the emulator is slower
  for (int n = 8; n <= largest; n *= 2) {
    EXPECT_LE(iterations<TypeParam>(unit_box({n, n, n}, 0, EndCondition::neumann, EndCondition::neumann)), 8) << n;
    EXPECT_LE(iterations<TypeParam>(unit_box({n, n, n}, 2, EndCondition::neumann, EndCondition::neumann)), 10) << n;
    EXPECT_LE(iterations<TypeParam>(unit_box({n, n, n}, 0, EndCondition::dirichlet, EndCondition::dirichlet)), 8) << n;
  }
  for (int n = 32; n <= 4 * largest; n *= 2)
    EXPECT_LE(iterations<TypeParam>(unit_box({n, n, 1}, 2, EndCondition::neumann, EndCondition::neumann)), 11) << n;
  EXPECT_LE(iterations<TypeParam>(unit_box({512, 1, 1}, 2, EndCondition::neumann, EndCondition::dirichlet)), 8);
}

TYPED_TEST(MultigridMethod, OddSizesThinDomainsAndMixedConditionsConvergeToo) {
  SeparableOperator odd = unit_box({49, 31, 26}, 0, EndCondition::neumann, EndCondition::dirichlet);
  EXPECT_LE(iterations<TypeParam>(odd), 9);
  odd.shift = 100;
  EXPECT_LE(iterations<TypeParam>(odd), 9);
  odd.shift = 1e6;
  EXPECT_LE(iterations<TypeParam>(odd), 4);
  SeparableOperator thin = unit_box({12, 48, 32}, 1, EndCondition::neumann, EndCondition::neumann);
  thin.direction[0] = cell_centred_direction(make_grid_line(12, 0, 100, {"uniform", 0}).faces, EndCondition::periodic,
                                             EndCondition::periodic);
  EXPECT_LE(iterations<TypeParam>(thin), 10);
  const SeparableOperator periodic = unit_box({48, 33, 20}, 0, EndCondition::periodic, EndCondition::periodic);
  EXPECT_LE(iterations<TypeParam>(periodic), 10);
  const SeparableOperator jittered = box({24, 25, 26}, EndCondition::neumann, true);
  EXPECT_LE(iterations<TypeParam>(jittered), 9);
}

TYPED_TEST(MultigridMethod, VelocitiesOnFacesConvergeToo) {
  SeparableOperator op = unit_box({40, 40, 40}, 2, EndCondition::dirichlet, EndCondition::dirichlet);
  const GridLine line = make_grid_line(40, 0, 1, {"tanh", 2.0});
  op.direction[1] = face_centred_direction(line.faces, EndCondition::dirichlet, EndCondition::neumann);
  EXPECT_LE(iterations<TypeParam>(op), 8);
  op.shift = 1000;
  EXPECT_LE(iterations<TypeParam>(op), 8);
}

TYPED_TEST(MultigridMethod, ItIsASolverByItself) {
  const SeparableOperator op = unit_box({32, 32, 32}, 0, EndCondition::neumann, EndCondition::neumann);
  MultigridOptions o;
  EXPECT_LE(iterations<TypeParam>(op, "correction", o), 12);
  o.symmetric = false;
  EXPECT_LE(iterations<TypeParam>(op, "correction", o), 9);  // a tenth of the residual a cycle
  EXPECT_LE(iterations<TypeParam>(op, "cg", o), 8);          // flexible
  o.symmetric = true;
  o.storage = "double";
  o.smoother = "chebyshev";
  EXPECT_LE(iterations<TypeParam>(op, "correction", o), 14);
}

TYPED_TEST(MultigridMethod, UpdateEqualsAFreshSetupAndNothingAllocates) {
  SeparableOperator op = unit_box({24, 18, 20}, 1, EndCondition::neumann, EndCondition::neumann);
  const Numbers r = right_hand_side(op, 5);
  Multigrid<TypeParam> M{MultigridOptions{}};
  M.setup(SeparableStencil<TypeParam>(op));
  apply<TypeParam>(M, r);
  op.shift = 2.5;
  op.scale = 0.1;
  const SeparableStencil<TypeParam> A(op);
  const Array<double, TypeParam> R(r);
  Array<double, TypeParam> Z(R.size());
  const std::int64_t before = ledger().host_allocations + ledger().device_allocations;
  M.update(A);
  M.apply(R, Z);
  EXPECT_EQ(ledger().host_allocations + ledger().device_allocations, before);
  EXPECT_EQ(Z.to_vector(), set_up_and_apply<TypeParam>(op, {}, r));
  const SeparableOperator other = unit_box({24, 18, 20}, 2, EndCondition::neumann, EndCondition::neumann);
  M.update(SeparableStencil<TypeParam>(other));
  EXPECT_EQ(apply<TypeParam>(M, r), set_up_and_apply<TypeParam>(other, {}, r));
}

// A method that needs a symmetric one gets it without asking; cg does with fewer iterations of the other.
TYPED_TEST(MultigridMethod, ItsSweepsRunBackwardsForPipelinedCgAlone) {
  const SeparableOperator op = unit_box({32, 24, 20}, 2, EndCondition::neumann, EndCondition::dirichlet);
  const SeparableStencil<TypeParam> A(op);
  const auto iterations = [&](const std::string& text, const char* expected) {
    LinearSolver<TypeParam> solver(read_case_text(text + "\ntolerance = 1e-10\n", "case.toml"));
    solver.setup(A);
    EXPECT_NE(solver.describe().find(expected), std::string::npos) << solver.describe();
    const Array<double, TypeParam> b(right_hand_side(op, 5));
    Array<double, TypeParam> x(Numbers(static_cast<std::size_t>(A.size()), 0.0));
    const SolveResult result = solver.solve(A, b, x);
    EXPECT_TRUE(result.converged()) << text;
    return result.iterations;
  };
  const int forwards = iterations("method = 'cg'\npreconditioner = { type = 'multigrid' }", "V(2,2) cycle, red_black");
  const int backwards = iterations("method = 'cg'\npreconditioner = { type = 'multigrid', symmetric = true }",
                                   "V(2,2) cycle, symmetric, red_black");
  iterations("method = 'pipelined_cg'\npreconditioner = { type = 'multigrid' }", "V(2,2) cycle, symmetric, red_black");
  EXPECT_LT(forwards, backwards);
}

// Its recurrences drift by the rounding of a cycle in single precision, from which it must start again.
TEST(MultigridOnHost, PipelinedCgFollowsCgToTightTolerances) {
  MultigridOptions o;
  o.symmetric = true;
  for (const double stretching : {0.0, 2.0}) {
    const SeparableOperator op = unit_box({96, 100, 1}, stretching, EndCondition::neumann, EndCondition::neumann);
    EXPECT_LE(iterations<Host>(op, "pipelined_cg", o), iterations<Host>(op, "cg", o) + 2) << stretching;
  }
}

TYPED_TEST(MultigridMethod, TheFusedDotsAreThoseOfZWithRAndW) {
  const SeparableOperator op = unit_box({33, 20, 18}, 1, EndCondition::neumann, EndCondition::dirichlet);
  const SeparableStencil<TypeParam> A(op);
  Multigrid<TypeParam> M{MultigridOptions{}};
  M.setup(A);
  const Numbers r = right_hand_side(op, 5), w = right_hand_side(op, 6);
  const Array<double, TypeParam> R(r), W(w);
  Array<double, TypeParam> Z(R.size());
  const Pair dots = M.apply_dots(R, W, Z);
  const Numbers z = Z.to_vector();
  EXPECT_EQ(z, apply<TypeParam>(M, r));
  EXPECT_NEAR(dots.a, dot(r, z), 1e2 * eps * norm(r) * norm(z));
  EXPECT_NEAR(dots.b, dot(w, z), 1e2 * eps * norm(w) * norm(z));
}

TYPED_TEST(MultigridMethod, TheFusedDotIsThatOfRAndZ) {
  const SeparableOperator op = unit_box({33, 20, 18}, 1, EndCondition::neumann, EndCondition::dirichlet);
  const SeparableStencil<TypeParam> A(op);
  Multigrid<TypeParam> M{MultigridOptions{}};
  M.setup(A);
  const Numbers r = right_hand_side(op, 5);
  const Array<double, TypeParam> R(r);
  Array<double, TypeParam> Z(R.size());
  const double rz = M.apply_dot(R, Z);
  EXPECT_EQ(Z.to_vector(), apply<TypeParam>(M, r));
  EXPECT_NEAR(rz, dot(r, Z.to_vector()), 1e2 * eps * norm(r) * norm(Z.to_vector()));
}

TYPED_TEST(MultigridMethod, ACaseFileMayAskForItAsTheMethod) {
  const Table options = read_case_text(
      "method = 'multigrid'\npreconditioner = { smoother = 'chebyshev', pre = 1, post = 1, storage = 'double' }",
      "case.toml");
  LinearSolver<TypeParam> solver(options);
  options.refuse_unknown();
  const SeparableOperator op = unit_box({20, 14, 9}, 1, EndCondition::neumann, EndCondition::dirichlet);
  const SeparableStencil<TypeParam> A(op);
  solver.setup(A);
  const Array<double, TypeParam> b(right_hand_side(op, 5));
  Array<double, TypeParam> x(Numbers(static_cast<std::size_t>(A.size()), 0.0));
  EXPECT_TRUE(solver.solve(A, b, x).converged());
  EXPECT_NE(solver.describe().find("chebyshev"), std::string::npos);
  EXPECT_THROW(make_preconditioner<TypeParam>("multigrid", read_case_text("smoother = 'jacobi'", "case.toml")), Error);
  EXPECT_THROW(make_preconditioner<TypeParam>("multigrid", read_case_text("pre = 0", "case.toml")), Error);
}

TEST(MultigridOnHost, VerySmallAndVeryLargeResidualsKeepTheirDigits) {
  const SeparableOperator op = unit_box({16, 16, 16}, 0, EndCondition::neumann, EndCondition::dirichlet);
  const Numbers r = right_hand_side(op, 5), z = set_up_and_apply<Host>(op, options_with("single"), r);
  for (const double factor : {1e-60, 1e60}) {
    Numbers small = r;
    for (double& v : small) v *= factor;
    Numbers back = set_up_and_apply<Host>(op, options_with("single"), small);
    for (double& v : back) v /= factor;
    EXPECT_LE(max_difference(z, back), 1e-5 * norm(z)) << factor;
  }
}

TEST(MultigridOnHost, OneTwoAndThreeThreadsGiveTheSameBits) {
  const int threads = omp_get_max_threads();
  for (const EndCondition end : {EndCondition::neumann, EndCondition::periodic})
    for (const Extents e : {Extents{40, 42, 60}, Extents{300, 400, 1}, Extents{120, 120, 14}}) {
      const SeparableOperator op = unit_box(e, 1.5, end, end);
      const Numbers r = right_hand_side(op, 5);
      omp_set_num_threads(1);
      const Numbers one = set_up_and_apply<Host>(op, {}, r);
      for (const int team : {2, 3}) {
        omp_set_num_threads(team);
        EXPECT_EQ(set_up_and_apply<Host>(op, {}, r), one) << e.nx << " " << e.ny << " " << e.nz << " team " << team;
      }
    }
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace weir::test::multigrid_test
