// Chebyshev's method on momentum-like systems: it converges to what cg finds, in both spaces, on every kind of grid.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::chebyshev_test {
namespace {

SeparableOperator momentum_like(int nx, int ny, int nz, bool periodic, double scale) {
  const auto faces = [](int n, double stretch) {
    std::vector<double> f;
    for (int i = 0; i <= n; ++i) f.push_back(std::expm1(stretch * i / n) / std::expm1(stretch));
    return f;
  };
  const EndCondition end = periodic ? EndCondition::periodic : EndCondition::dirichlet;
  SeparableOperator op;
  op.direction[0] = face_centred_direction(faces(nx, 1.0), end, end);
  op.direction[1] = cell_centred_direction(faces(ny, 0.7), end, periodic ? end : EndCondition::neumann);
  op.direction[2] = cell_centred_direction(faces(nz, 0.2), end, end);
  op.shift = 1;
  op.scale = scale;
  return op;
}

std::vector<double> random_vector(int n) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> v(static_cast<std::size_t>(n));
  for (double& x : v) x = uniform(random);
  return v;
}

template <class Space>
SolveResult solve(const SeparableOperator& op, const std::string& options, std::vector<double>& x) {
  SeparableStencil<Space> A(op);
  LinearSolver<Space> solver(read_case_text(options, "options"), "chebyshev");
  solver.setup(A);
  Array<double, Space> b(random_vector(A.size())), device_x(x);
  const SolveResult result = solver.solve(A, b, device_x);
  x = device_x.to_vector();
  return result;
}

template <class Space>
class ChebyshevMethod : public ::testing::Test {};
TYPED_TEST_SUITE(ChebyshevMethod, Spaces, SpaceName);

TYPED_TEST(ChebyshevMethod, FindsWhatCgFindsOnPeriodicAndBoundedGridsOfAllSizes) {
  for (const bool periodic : {false, true})
    for (const Extents n : {Extents{7, 5, 6}, Extents{2, 9, 1}, Extents{33, 2, 3}, Extents{3, 3, 3}})
      for (const double scale : {0.0, 1e-4, 1e-2}) {
        const SeparableOperator op = momentum_like(n.nx, n.ny, n.nz, periodic, scale);
        std::vector<double> x(static_cast<std::size_t>(op.extents().count()), 0.5), y = x;
        const SolveResult result = solve<TypeParam>(op, "tolerance = 1e-10", x);
        EXPECT_TRUE(result.converged()) << to_string(result.reason);
        EXPECT_LE(result.true_residual, 1e-10 * std::sqrt(static_cast<double>(x.size())));
        EXPECT_TRUE(solve<TypeParam>(op, "method = \"cg\"\ntolerance = 1e-12", y).converged());
        // |x - y| <= |A^-1| (|r_x| + |r_y|), and A >= shift times the smallest volume
        double volume = 1;
        for (const auto& d : op.direction) volume *= *std::min_element(d.mass.begin(), d.mass.end());
        const double bound = 1.1e-10 * std::sqrt(static_cast<double>(x.size())) / volume;
        for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], bound);
      }
}

// A nearly singular shift asks for very many steps at once.
TYPED_TEST(ChebyshevMethod, TakesAtMostMaxIterations) {
  const SeparableOperator op = momentum_like(16, 12, 1, false, 1e9);
  for (const int most : {2, 3, 100, 101}) {
    std::vector<double> x(static_cast<std::size_t>(op.extents().count()), 0.0);
    const SolveResult result = solve<TypeParam>(op, "tolerance = 1e-12\nmax_iterations = " + std::to_string(most), x);
    EXPECT_LE(result.iterations, most);
    EXPECT_EQ(result.reason, Reason::max_iterations);
    EXPECT_LT(result.residual, result.residual0);
  }
}

TYPED_TEST(ChebyshevMethod, TakesNoStepFromTheSolution) {
  const SeparableOperator op = momentum_like(8, 6, 5, false, 1e-3);
  std::vector<double> x(static_cast<std::size_t>(op.extents().count()), 0.0);
  solve<TypeParam>(op, "tolerance = 1e-12", x);
  EXPECT_EQ(solve<TypeParam>(op, "tolerance = 1e-10", x).iterations, 0);
}

TYPED_TEST(ChebyshevMethod, GivesZeroForAZeroRightHandSideFromAnyGuess) {
  SeparableStencil<TypeParam> A(momentum_like(8, 6, 5, false, 1e-3));
  LinearSolver<TypeParam> solver(Table(), "chebyshev");
  solver.setup(A);
  const std::vector<double> zero(static_cast<std::size_t>(A.size()), 0.0);
  Array<double, TypeParam> b(zero), x(random_vector(A.size()));
  EXPECT_TRUE(solver.solve(A, b, x).converged());
  EXPECT_EQ(x.to_vector(), zero);
}

TYPED_TEST(ChebyshevMethod, AllocatesAtTheFirstSolveOnly) {
  SeparableStencil<TypeParam> A(momentum_like(8, 6, 5, false, 1e-3));
  LinearSolver<TypeParam> solver(Table(), "chebyshev");
  solver.setup(A);
  Array<double, TypeParam> b(random_vector(A.size())), x(random_vector(A.size()));
  solver.solve(A, b, x);
  const Ledger before = ledger();
  x.upload(random_vector(A.size()));
  const Ledger uploaded = ledger();
  solver.solve(A, b, x);
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
  EXPECT_EQ(ledger().bytes_to_host, uploaded.bytes_to_host);
}

// The device launches what the solve before took, then the host looks: the first time that is too little, after that as
// much as is wanted, from close to the solution too much. x is that of a solver that has never solved.
TEST(ChebyshevOnTheDevice, WhatIsLaunchedBeforeTheLookChangesNothing) {
  const SeparableOperator op = momentum_like(9, 8, 7, false, 1e-2);
  SeparableStencil<Device> A(op);
  LinearSolver<Device> solver(read_case_text("tolerance = 1e-9", "options"), "chebyshev");
  solver.setup(A);
  const Array<double, Device> b(random_vector(A.size()));
  const std::vector<double> zero(static_cast<std::size_t>(A.size()), 0.0);
  std::vector<double> solution = zero;
  const int wanted = solve<Device>(op, "tolerance = 1e-9", solution).iterations;
  std::vector<double> close = solution;
  for (double& v : close) v *= 1 + 1e-7;
  int solves = 0;
  for (const auto& guess : {zero, zero, close, zero}) {
    Array<double, Device> x(guess);
    std::vector<double> expected = guess;
    const int iterations = solve<Device>(op, "tolerance = 1e-9", expected).iterations;
    const Ledger before = ledger();
    EXPECT_EQ(solver.solve(A, b, x).iterations, iterations);
    const std::int64_t waits = ledger().synchronisations - before.synchronisations;
    EXPECT_EQ(x.to_vector(), expected);
    EXPECT_EQ(iterations < wanted, guess == close);
    EXPECT_EQ(waits, solves == 0 || solves == 3 ? 2 : 1);  // more than the solve before: a second look
    ++solves;
  }
}

TYPED_TEST(ChebyshevMethod, SaysNotFiniteOfARightHandSideThatIsNot) {
  SeparableStencil<TypeParam> A(momentum_like(4, 4, 4, false, 1e-3));
  LinearSolver<TypeParam> solver(Table(), "chebyshev");
  solver.setup(A);
  std::vector<double> bad = random_vector(A.size());
  bad[7] = std::nan("");
  Array<double, TypeParam> b(bad), x(std::vector<double>(bad.size(), 0.0));
  EXPECT_EQ(solver.solve(A, b, x).reason, Reason::not_finite);
}

// Output of chebyshev_steps: both iterates and the residual.
struct Outcome {
  std::vector<double> x, y;
  double square = 0;
  bool operator==(const Outcome&) const = default;
};

// `count` steps and the residual, `at_once` a call.
Outcome steps(const SeparableOperator& op, int count, int at_once) {
  SeparableStencil<Host> A(op);
  const std::vector<double> start = random_vector(A.size());
  Array<double, Host> b(start), x(start), y(A.size());
  A.chebyshev_start(0.9, b, x, y);
  View<double> from = y, to = x;
  double square = 0;
  for (int done = 0; done <= count;) {
    ChebyshevSteps group;
    for (; group.count < at_once && done < count; ++group.count, ++done) {
      group.alpha[group.count] = 0.1 / (1 + done);
      group.omega[group.count] = 0.9 + 0.01 * done;
    }
    group.residual = done == count && group.count < at_once;
    square = A.chebyshev_steps(group, b, from, to);
    if (group.count % 2 == 1) std::swap(from, to);
    if (group.residual) break;
  }
  return {x.to_vector(), y.to_vector(), square};
}

TEST(ChebyshevSteps, TogetherGiveTheBitsOfOneAtATimeForAnyNumberOfThreads) {
  const int threads = omp_get_max_threads();
  // 3D above and below the size that is worth threads, planes that slabs share unevenly, one plane, rows of few cells
  for (const Extents n :
       {Extents{21, 18, 35}, Extents{24, 16, 24}, Extents{9, 7, 11}, Extents{67, 131, 1}, Extents{200, 25, 2}})
    for (const bool periodic : {false, true}) {
      const SeparableOperator op = momentum_like(n.nx, n.ny, n.nz, periodic, 1e-3);
      omp_set_num_threads(1);
      const Outcome expected = steps(op, 7, 1);
      for (const int t : {1, 2, 3}) {
        omp_set_num_threads(t);
        for (const int at_once : {3, 8})
          EXPECT_TRUE(steps(op, 7, at_once) == expected)
              << n.nx << " x " << n.ny << " x " << n.nz << ", " << at_once << " at once on " << t << " threads";
      }
    }
  omp_set_num_threads(threads);
}

TEST(ChebyshevOptions, RefuseWhatCannotWork) {
  EXPECT_THROW(LinearSolver<Host>(read_case_text("preconditioner = { type = \"jacobi\" }", "o"), "chebyshev"), Error);
  SeparableOperator poisson = momentum_like(4, 4, 4, false, 1);
  poisson.shift = 0;
  SeparableStencil<Host> A(poisson);
  LinearSolver<Host> solver(Table(), "chebyshev");
  Array<double, Host> b(A.size()), x(A.size());
  EXPECT_THROW(solver.solve(A, b, x), Error);
}

}  // namespace
}  // namespace weir::test::chebyshev_test
