// Krylov methods against dense direct solutions: accuracy, finite termination, both spaces alike, thread counts alike.
#include "solvers/krylov/krylov.hpp"

#include <omp.h>

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"
#include "tests/support/systems/dense_preconditioner.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::krylov_test {
namespace {

template <class Space>
class KrylovMethods : public ::testing::Test {};
TYPED_TEST_SUITE(KrylovMethods, Spaces, SpaceName);

const char* const for_all[] = {"cg",   "bicgstab", "pipelined_cg", "pipelined_bicgstab", "bicgstab_l",
                               "idrs", "gmres",    "fgmres",       "refinement"};
const char* const for_nonsymmetric[] = {"bicgstab", "pipelined_bicgstab", "bicgstab_l", "idrs", "gmres",
                                        "fgmres",   "refinement"};

// |x - exact| <= cond |r| / |A|, with a condition number below 1e4 in these tests.
void expect_solved(const SolveResult& result, const Numbers& x, const Numbers& exact, const Dense& A, const Numbers& b,
                   double tolerance, const std::string& name) {
  EXPECT_TRUE(result.converged()) << name << ": " << to_string(result.reason);
  const double residual = norm(minus(b, A * x));
  EXPECT_LE(residual, 1.02 * tolerance * norm(b)) << name;
  EXPECT_NEAR(result.true_residual, residual, 1e3 * eps * A.max_norm() * norm(x)) << name;
  EXPECT_LE(max_difference(x, exact), 1e4 * tolerance * norm(exact)) << name;
}

TYPED_TEST(KrylovMethods, SolveSymmetricSystemsAsADirectSolverDoes) {
  KrylovOptions o;
  o.tolerance = 1e-12;
  const SeparableOperator op = box({7, 6, 5}, EndCondition::dirichlet, true);
  const SeparableStencil<TypeParam> A(op);
  const Dense D = dense(op);
  const Numbers b = random_numbers(A.size(), 5), exact = dense_solve(D, b);
  for (const char* method : for_all)
    for (const char* M : {"none", "jacobi", "block_jacobi"}) {
      Numbers x = random_numbers(A.size(), 6);  // a guess that is far off
      const SolveResult result = solve<TypeParam>(method, M, A, b, x, o);
      expect_solved(result, x, exact, D, b, o.tolerance, std::string(method) + " + " + M);
    }
}

TYPED_TEST(KrylovMethods, SolveNonsymmetricBlockSystems) {
  KrylovOptions o;
  o.tolerance = 1e-12;
  for (const int B : {1, 3, 4}) {
    const BlockCsrData data = random_blocks(40, B, 7);
    const BlockCsr<TypeParam> A(data);
    const Dense D = dense(data);
    const Numbers b = random_numbers(A.size(), 8), exact = dense_solve(D, b);
    for (const char* method : for_nonsymmetric)
      for (const char* M : {"none", "jacobi", "block_jacobi"}) {
        Numbers x(b.size());
        const SolveResult result = solve<TypeParam>(method, M, A, b, x, o);
        expect_solved(result, x, exact, D, b, o.tolerance, std::string(method) + " + " + M);
      }
  }
}

// Their recurrences round differently; in so few iterations the difference has not grown beyond this.
TYPED_TEST(KrylovMethods, PipelinedMethodsHaveTheIteratesOfThePlainOnes) {
  KrylovOptions o;
  o.tolerance = 0;
  o.max_iterations = 12;
  o.history = true;
  const SeparableStencil<TypeParam> A(box({9, 8, 7}, EndCondition::dirichlet, true));
  const Numbers b = random_numbers(A.size(), 5);
  for (const char* M : {"none", "jacobi"})
    for (const auto& [plain, pipelined] : {std::pair{"cg", "pipelined_cg"}, {"bicgstab", "pipelined_bicgstab"}}) {
      Numbers x(b.size()), y(b.size()), expected, history;
      solve<TypeParam>(plain, M, A, b, x, o, &expected);
      solve<TypeParam>(pipelined, M, A, b, y, o, &history);
      ASSERT_EQ(history.size(), expected.size()) << pipelined << " + " << M;
      for (std::size_t i = 0; i < history.size(); ++i)
        EXPECT_NEAR(history[i], expected[i], 1e-8 * expected[i]) << pipelined << " + " << M << ", iteration " << i;
      EXPECT_LE(max_difference(x, y), 1e-8 * max_norm(x)) << pipelined << " + " << M;
    }
}

TYPED_TEST(KrylovMethods, PipelinedMethodsReachSmallResidualsOverManyIterations) {
  KrylovOptions o;
  o.tolerance = 1e-11;
  const SeparableOperator op = box({400, 1, 1}, EndCondition::dirichlet, false);  // a condition of 1e5
  const SeparableStencil<TypeParam> A(op);
  const Dense D = dense(op);
  const Numbers b = D * random_numbers(A.size(), 5);
  for (const char* method : {"pipelined_cg", "pipelined_bicgstab"}) {
    Numbers x(b.size());
    const SolveResult result = solve<TypeParam>(method, "jacobi", A, b, x, o);
    EXPECT_TRUE(result.converged()) << method << ": " << to_string(result.reason);
    EXPECT_GT(result.iterations, 100) << method << ": replaces its residual more than once";
    EXPECT_LE(norm(minus(b, D * x)), 1.02e-11 * norm(b)) << method;
  }
}

TYPED_TEST(KrylovMethods, CorrectionWithJacobiSolvesDominantSystems) {
  KrylovOptions o;
  o.tolerance = 1e-11;
  const BlockCsrData data = random_blocks(40, 2, 9);
  const BlockCsr<TypeParam> A(data);
  const Dense D = dense(data);
  const Numbers b = random_numbers(A.size(), 8), exact = dense_solve(D, b);
  for (const char* M : {"jacobi", "block_jacobi"}) {
    Numbers x(b.size());
    expect_solved(solve<TypeParam>("correction", M, A, b, x, o), x, exact, D, b, o.tolerance, M);
  }
}

TYPED_TEST(KrylovMethods, CgEndsAfterAsManyIterationsAsThereAreEigenvalues) {
  Dense D(60);
  for (int i = 0; i < D.n; ++i) D(i, i) = 1 + i % 3;  // eigenvalues 1, 2, 3
  const DenseMatrix<TypeParam> A(D);
  const Numbers b = random_numbers(D.n, 1);
  KrylovOptions o;
  o.tolerance = 1e-13;
  for (const char* method : {"cg", "gmres", "fgmres"}) {
    Numbers x(b.size());
    const SolveResult result = solve<TypeParam>(method, "none", A, b, x, o);
    EXPECT_TRUE(result.converged()) << method;
    EXPECT_EQ(result.iterations, 3) << method;
  }
}

TYPED_TEST(KrylovMethods, GmresEndsWithinAsManyIterationsAsUnknowns) {
  const BlockCsrData data = random_blocks(8, 3, 3);
  const BlockCsr<TypeParam> A(data);
  const Numbers b = random_numbers(A.size(), 1);
  KrylovOptions o;
  o.tolerance = 1e-13;
  o.restart = A.size();
  Numbers x(b.size());
  const SolveResult result = solve<TypeParam>("gmres", "none", A, b, x, o);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, A.size());
}

TYPED_TEST(KrylovMethods, RestartsDoNotSpoilTheResidualsMonotonicity) {
  const BlockCsrData data = random_blocks(60, 2, 13);
  const BlockCsr<TypeParam> A(data);
  const Numbers b = random_numbers(A.size(), 1);
  KrylovOptions o;
  o.restart = 3;
  o.history = true;
  for (const char* method : {"gmres", "fgmres"}) {
    Numbers x(b.size()), history;
    const SolveResult result = solve<TypeParam>(method, "jacobi", A, b, x, o, &history);
    EXPECT_TRUE(result.converged());
    EXPECT_GT(result.iterations, 3);
    for (std::size_t i = 1; i < history.size(); ++i) EXPECT_LE(history[i], history[i - 1] * (1 + 1e3 * eps));
  }
}

TYPED_TEST(KrylovMethods, FlexibleCgTakesANonsymmetricPreconditioner) {
  const SeparableOperator op = box({6, 5, 4}, EndCondition::dirichlet, true);
  const SeparableStencil<TypeParam> A(op);
  const Dense D = dense(op);
  const DensePreconditioner<TypeParam> M(gauss_seidel(D), {.symmetric = false});
  const Numbers b = random_numbers(A.size(), 2), exact = dense_solve(D, b);
  KrylovOptions o;
  o.tolerance = 1e-12;
  Numbers x(b.size()), plain(b.size());
  const SolveResult result = solve<TypeParam>("cg", M, A, b, x, o);
  expect_solved(result, x, exact, D, b, o.tolerance, "flexible cg");
  EXPECT_LT(result.iterations, solve<TypeParam>("cg", "none", A, b, plain, o).iterations);
}

TYPED_TEST(KrylovMethods, FgmresTakesAPreconditionerThatChanges) {
  const BlockCsrData data = random_blocks(20, 3, 21);
  const BlockCsr<TypeParam> A(data);
  const Dense D = dense(data);
  const DensePreconditioner<TypeParam> M(gauss_seidel(D), {.symmetric = false, .constant = false});
  const Numbers b = random_numbers(A.size(), 2), exact = dense_solve(D, b);
  KrylovOptions o;
  o.tolerance = 1e-12;
  Numbers x(b.size());
  expect_solved(solve<TypeParam>("fgmres", M, A, b, x, o), x, exact, D, b, o.tolerance, "fgmres");
}

// Vectors of floats: restarts carry the solution beyond what floats hold, and what is claimed is true.
TYPED_TEST(KrylovMethods, BasesOfFloatsReachTheSameTolerances) {
  const BlockCsrData data = random_blocks(40, 3, 7);
  const BlockCsr<TypeParam> A(data);
  const Dense D = dense(data);
  const Numbers b = random_numbers(A.size(), 8), exact = dense_solve(D, b);
  for (const double tolerance : {0.1, 1e-5, 1e-12})
    for (const char* method : {"gmres", "fgmres"})
      for (const char* M : {"none", "jacobi", "block_jacobi"}) {
        KrylovOptions o;
        o.tolerance = tolerance;
        Numbers in_doubles(b.size()), x(b.size());
        const SolveResult reference = solve<TypeParam>(method, M, A, b, in_doubles, o);
        o.basis = "float";
        const SolveResult result = solve<TypeParam>(method, M, A, b, x, o);
        const std::string name = std::string(method) + " + " + M;
        expect_solved(result, x, exact, D, b, tolerance, name);
        // Within one cycle the same steps; each restart costs what a new space has to find again.
        if (tolerance > 1e-6)
          EXPECT_EQ(result.iterations, reference.iterations) << name;
        else
          EXPECT_LE(result.iterations, 2 * reference.iterations) << name;
      }
}

TYPED_TEST(KrylovMethods, FgmresWithABasisOfFloatsTakesAPreconditionerThatChanges) {
  const BlockCsrData data = random_blocks(20, 3, 21);
  const BlockCsr<TypeParam> A(data);
  const Dense D = dense(data);
  const DensePreconditioner<TypeParam> M(gauss_seidel(D), {.symmetric = false, .constant = false});
  const Numbers b = random_numbers(A.size(), 2), exact = dense_solve(D, b);
  KrylovOptions o;
  o.tolerance = 1e-12;
  o.basis = "float";
  Numbers x(b.size());
  expect_solved(solve<TypeParam>("fgmres", M, A, b, x, o), x, exact, D, b, o.tolerance, "fgmres");
}

// A space that A maps into itself, but for the rounding of its vectors to floats.
TYPED_TEST(KrylovMethods, BasesOfFloatsEndWhereThreeEigenvaluesDo) {
  Dense D(60);
  for (int i = 0; i < D.n; ++i) D(i, i) = 1 + i % 3;
  const DenseMatrix<TypeParam> A(D);
  const Numbers b = random_numbers(D.n, 1);
  KrylovOptions o;
  o.tolerance = 1e-13;
  o.basis = "float";
  Numbers x(b.size());
  const SolveResult result = solve<TypeParam>("gmres", "none", A, b, x, o);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.true_residual, 1.02 * o.tolerance * norm(b));
  EXPECT_LE(result.iterations, 9);  // three cycles, each worth a float's digits
}

TEST(KrylovSpaces, HistoriesAgreeToRoundOff) {
  const SeparableOperator op = box({9, 8, 7}, EndCondition::neumann, true, 0.5);
  const SeparableStencil<Host> host(op);
  const SeparableStencil<Device> device(op);
  const Numbers b = random_numbers(host.size(), 4);
  KrylovOptions o;
  o.history = true;
  o.tolerance = 1e-6;
  o.max_iterations = 15;  // later bicgstab, whose residual jumps, has blown rounding up
  for (const char* method : for_all) {
    Numbers x(b.size()), y(b.size()), in_host, in_device;
    solve<Host>(method, "jacobi", host, b, x, o, &in_host);
    solve<Device>(method, "jacobi", device, b, y, o, &in_device);
    ASSERT_EQ(in_host.size(), in_device.size()) << method;
    // Rounding grows with the loss of orthogonality; 1e6 eps of the first residual is far below every entry here.
    for (std::size_t i = 0; i < in_host.size(); ++i)
      EXPECT_NEAR(in_host[i], in_device[i], 1e6 * eps * in_host[0]) << method << " iteration " << i;
  }
}

TEST(KrylovThreads, SolutionsDoNotDependOnTheNumberOfThreads) {
  const SeparableOperator op = box({32, 27, 25}, EndCondition::dirichlet, true);
  const SeparableStencil<Host> A(op);
  const Numbers b = random_numbers(A.size(), 4);
  KrylovOptions o;
  o.max_iterations = 10;
  o.inner_iterations = 2;
  const int threads = omp_get_max_threads();
  const auto expect_alike = [&](const char* method) {
    omp_set_num_threads(1);
    Numbers one(b.size());
    solve<Host>(method, "jacobi", A, b, one, o);
    for (const int t : {2, 5}) {
      omp_set_num_threads(t);
      Numbers many(b.size());
      solve<Host>(method, "jacobi", A, b, many, o);
      EXPECT_EQ(one, many) << method << " on " << t << " threads";
    }
  };
  for (const char* method : for_all) expect_alike(method);
  o.basis = "float";
  for (const char* method : {"gmres", "fgmres"}) expect_alike(method);
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace weir::test::krylov_test
