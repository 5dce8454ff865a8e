// Conformance of SolveResult: iteration counts, norms, reasons, singular systems, failures. No method may lie.
#include "base/error.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/dense_preconditioner.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::conformance_test {
namespace {

template <class Space>
class Conformance : public ::testing::Test {
 protected:
  SeparableOperator op = box({6, 5, 4}, EndCondition::dirichlet, true, 40.0);
  SeparableStencil<Space> spd{op};
  Numbers b = random_numbers(spd.size(), 3);
  KrylovOptions o;
};
TYPED_TEST_SUITE(Conformance, Spaces, SpaceName);

const char* const methods[] = {"cg",   "bicgstab", "pipelined_cg", "pipelined_bicgstab", "bicgstab_l",
                               "idrs", "gmres",    "fgmres",       "refinement",         "correction"};

TYPED_TEST(Conformance, AZeroRightHandSideGivesZeroInNoIterations) {
  for (const char* method : methods) {
    Numbers x = random_numbers(this->spd.size(), 1), zero(x.size());
    const SolveResult result = solve<TypeParam>(method, "jacobi", this->spd, zero, x, this->o);
    EXPECT_TRUE(result.converged()) << method;
    EXPECT_EQ(result.iterations, 0) << method;
    EXPECT_GT(result.residual0, 0) << method;
    EXPECT_EQ(result.true_residual, 0) << method;
    EXPECT_EQ(x, zero) << method;
  }
}

TYPED_TEST(Conformance, AnExactGuessNeedsNoIteration) {
  for (const char* method : methods) {
    Numbers x = dense_solve(dense(this->op), this->b);
    const Numbers before = x;
    const SolveResult result = solve<TypeParam>(method, "jacobi", this->spd, this->b, x, this->o);
    EXPECT_TRUE(result.converged()) << method;
    EXPECT_EQ(result.iterations, 0) << method;
    EXPECT_EQ(x, before) << method;
  }
}

TYPED_TEST(Conformance, NoIterationsAllowedMeansNoneDone) {
  this->o.max_iterations = 0;
  for (const char* method : methods) {
    Numbers x(this->b.size()), history;
    this->o.history = true;
    const SolveResult result = solve<TypeParam>(method, "jacobi", this->spd, this->b, x, this->o, &history);
    EXPECT_EQ(result.reason, Reason::max_iterations) << method;
    EXPECT_EQ(result.iterations, 0) << method;
    EXPECT_EQ(x, Numbers(x.size())) << method;
    EXPECT_NEAR(result.true_residual, norm(this->b), 1e3 * eps * norm(this->b)) << method;
    EXPECT_EQ(history.size(), 1u) << method;
  }
}

TYPED_TEST(Conformance, IterationsAreCountedExactly) {
  this->o.tolerance = 0;
  this->o.history = true;
  for (const char* method : methods)
    for (const int allowed : {1, 2, 5}) {
      this->o.max_iterations = allowed;
      Numbers x(this->b.size()), history;
      const SolveResult result = solve<TypeParam>(method, "jacobi", this->spd, this->b, x, this->o, &history);
      EXPECT_EQ(result.reason, Reason::max_iterations) << method;
      EXPECT_EQ(result.iterations, allowed) << method;
      EXPECT_EQ(history.size(), static_cast<std::size_t>(allowed) + 1) << method;
      EXPECT_EQ(history.back(), result.residual) << method;
      const double residual = norm(minus(this->b, dense(this->op) * x));
      EXPECT_NEAR(result.true_residual, residual, 1e3 * eps * norm(this->b)) << method;
      EXPECT_NEAR(result.residual, residual, 1e4 * eps * norm(this->b)) << method;  // x is that of the last iteration
    }
}

TYPED_TEST(Conformance, TheToleranceMeansWhatTheOptionsSay) {
  const Dense D = dense(this->op);
  for (const char* method : methods)
    for (const bool relative : {true, false})
      for (const char* reference : {"rhs", "initial"})
        for (const Norm norm_kind : {Norm::l2, Norm::max}) {
          this->o.tolerance = 1e-5;
          this->o.relative = relative;
          this->o.reference = reference;
          this->o.norm = norm_kind;
          const auto measure = [&](const Numbers& v) { return norm_kind == Norm::max ? max_norm(v) : norm(v); };
          Numbers x = random_numbers(this->spd.size(), 5);
          const double b_norm = measure(this->b), r0 = measure(minus(this->b, D * x));
          const SolveResult result = solve<TypeParam>(method, "jacobi", this->spd, this->b, x, this->o);
          const double target = 1e-5 * (!relative ? 1 : (std::string(reference) == "rhs" ? b_norm : r0));
          EXPECT_TRUE(result.converged()) << method;
          EXPECT_NEAR(result.residual0, r0, 1e3 * eps * r0) << method;
          EXPECT_LE(measure(minus(this->b, D * x)), 1.02 * target) << method;
          EXPECT_GE(result.true_residual, 1e-4 * target) << method << ": went far beyond what was asked";
        }
}

TYPED_TEST(Conformance, NotANumberIsReportedAndTheGuessIsKept) {
  this->b[7] = NAN;
  for (const char* method : methods) {
    Numbers x = random_numbers(this->spd.size(), 5);
    const Numbers before = x;
    const SolveResult result = solve<TypeParam>(method, "jacobi", this->spd, this->b, x, this->o);
    EXPECT_EQ(result.reason, Reason::not_finite) << method;
    EXPECT_EQ(result.iterations, 0) << method;
    EXPECT_EQ(x, before) << method;
  }
}

TYPED_TEST(Conformance, APreconditionerThatFailsGivesNotFinite) {
  Dense P(this->spd.size());
  for (int i = 0; i < P.n; ++i) P(i, i) = i == 5 ? NAN : 1;
  const DensePreconditioner<TypeParam> M(P, {});
  for (const char* method : methods) {
    Numbers x(this->b.size());
    EXPECT_EQ(solve<TypeParam>(method, M, this->spd, this->b, x, this->o).reason, Reason::not_finite) << method;
  }
}

TYPED_TEST(Conformance, SingularSystemsAreSolvedFreeOfTheConstant) {
  const SeparableOperator neumann = box({6, 5, 4}, EndCondition::neumann, true);
  const SeparableStencil<TypeParam> A(neumann);
  const Dense D = dense(neumann);
  Numbers rhs = random_numbers(A.size(), 9);
  const Numbers compatible = minus(rhs, Numbers(rhs.size(), mean(rhs)));
  this->o.tolerance = 1e-10;
  for (const char* method :
       {"cg", "bicgstab", "pipelined_cg", "pipelined_bicgstab", "bicgstab_l", "idrs", "gmres", "fgmres", "refinement"})
    for (const char* M : {"none", "jacobi"}) {
      Numbers x(rhs.size(), 3.0);  // a guess full of the constant
      const SolveResult result = solve<TypeParam>(method, M, A, rhs, x, this->o);
      EXPECT_TRUE(result.converged()) << method << " + " << M << ": " << to_string(result.reason);
      EXPECT_LE(norm(minus(compatible, D * x)), 1.02e-10 * norm(compatible)) << method << " + " << M;
      EXPECT_LE(std::abs(mean(x)), 8 * eps * max_norm(x)) << method << " + " << M;
    }
}

TYPED_TEST(Conformance, ARightHandSideInTheNullSpaceIsZero) {
  const SeparableStencil<TypeParam> A(box({4, 4, 4}, EndCondition::periodic, false));
  const Numbers rhs(static_cast<std::size_t>(A.size()), 0.1);  // whose mean is rounded
  Numbers x(rhs.size());
  const SolveResult result = solve<TypeParam>("cg", "none", A, rhs, x, this->o);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.iterations, 0);
}

TYPED_TEST(Conformance, IndefiniteMatricesBreakCgDown) {
  Dense D(2);
  D(0, 0) = 1;
  D(1, 1) = -1;
  const DenseMatrix<TypeParam> A(D);
  Numbers x(2);
  const SolveResult result = solve<TypeParam>("cg", "none", A, {1, 1}, x, this->o);
  EXPECT_EQ(result.reason, Reason::breakdown);
  EXPECT_TRUE(std::isfinite(norm(x)));
}

TYPED_TEST(Conformance, SkewMatricesBreakBicgstabDownAndNotGmres) {
  Dense D(2);
  D(0, 1) = 1;
  D(1, 0) = -1;
  const DenseMatrix<TypeParam> A(D, {.symmetric = false});
  Numbers x(2);
  EXPECT_EQ(solve<TypeParam>("bicgstab", "none", A, {1, 2}, x, this->o).reason, Reason::breakdown);
  x = {0, 0};
  const SolveResult result = solve<TypeParam>("gmres", "none", A, {1, 2}, x, this->o);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.iterations, 2);
}

TYPED_TEST(Conformance, AnInconsistentSystemIsNeverCalledSolved) {
  Dense D(3);
  D(0, 0) = 2;
  D(1, 1) = 1;  // row 2 is empty, and b[2] is not zero
  const DenseMatrix<TypeParam> A(D, {.symmetric = true});
  for (const char* method : {"cg", "bicgstab", "pipelined_cg", "pipelined_bicgstab", "bicgstab_l", "idrs", "gmres",
                             "fgmres", "refinement"}) {
    Numbers x(3);
    const SolveResult result = solve<TypeParam>(method, "none", A, {1, 1, 1}, x, this->o);
    EXPECT_FALSE(result.converged()) << method;
    EXPECT_GE(result.true_residual, 1) << method;
  }
}

TYPED_TEST(Conformance, GmresThatCannotProgressIsStagnated) {
  Dense D(6);  // a cyclic shift: gmres(3) makes no progress until the full cycle of 6
  for (int i = 0; i < 6; ++i) D(i, (i + 1) % 6) = 1;
  const DenseMatrix<TypeParam> A(D, {.symmetric = false});
  this->o.restart = 3;
  this->o.max_iterations = 5000;
  Numbers x(6);
  const SolveResult result = solve<TypeParam>("gmres", "none", A, {1, 0, 0, 0, 0, 0}, x, this->o);
  EXPECT_EQ(result.reason, Reason::stagnated);
  EXPECT_LT(result.iterations, 1000);
}

TYPED_TEST(Conformance, ADivergingCorrectionIsNotConverged) {
  const SeparableOperator poisson = box({12, 1, 1}, EndCondition::dirichlet, false);
  const SeparableStencil<TypeParam> A(poisson);
  Dense P(A.size());
  for (int i = 0; i < P.n; ++i) P(i, i) = 1.0 / 12;  // 1.3 times too long a step
  const DensePreconditioner<TypeParam> M(P, {});
  Numbers x(static_cast<std::size_t>(A.size()));
  const SolveResult result = solve<TypeParam>("correction", M, A, random_numbers(A.size(), 2), x, this->o);
  EXPECT_FALSE(result.converged());
}

TYPED_TEST(Conformance, BelowTheAttainableAccuracyNoMethodClaimsConvergence) {
  this->o.tolerance = 1e-19;
  for (const char* method : methods) {
    Numbers x(this->b.size());
    const SolveResult result = solve<TypeParam>(method, "jacobi", this->spd, this->b, x, this->o);
    EXPECT_FALSE(result.converged()) << method;
    const double attained = norm(minus(this->b, dense(this->op) * x));
    EXPECT_LE(attained, 1e3 * eps * norm(this->b)) << method << ": " << to_string(result.reason);
    EXPECT_NEAR(result.true_residual, attained, 1e3 * eps * norm(this->b)) << method;
  }
}

TYPED_TEST(Conformance, PairsThatCannotWorkAreRefused) {
  const DenseMatrix<TypeParam> nonsymmetric(dense(this->op), {.symmetric = false});
  Numbers x(this->b.size());
  EXPECT_THROW(solve<TypeParam>("cg", "none", nonsymmetric, this->b, x, this->o), Error);
  const DensePreconditioner<TypeParam> changing(dense(this->op), {.constant = false});
  for (const char* method : {"cg", "bicgstab", "bicgstab_l", "idrs", "gmres", "refinement"}) try {
      solve<TypeParam>(method, changing, this->spd, this->b, x, this->o);
      ADD_FAILURE() << method;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("fgmres"), std::string::npos);
    }
  EXPECT_THROW(make_krylov<TypeParam>("sor", this->o), Error);
}

TYPED_TEST(Conformance, ASecondSolveAllocatesNothing) {
  for (const char* method : methods) {
    auto krylov = make_krylov<TypeParam>(method, this->o);
    auto M = make_preconditioner<TypeParam>("jacobi", Table());
    M->setup(this->spd);
    const Array<double, TypeParam> B(this->b);
    Array<double, TypeParam> X(this->spd.size());
    X.upload(Numbers(this->b.size()));
    krylov->solve(this->spd, *M, B, X);
    X.upload(Numbers(this->b.size()));
    const Ledger before = ledger();
    krylov->solve(this->spd, *M, B, X);
    EXPECT_EQ(ledger().host_allocations, before.host_allocations) << method;
    EXPECT_EQ(ledger().device_allocations, before.device_allocations) << method;
    EXPECT_EQ(ledger().bytes_to_device, before.bytes_to_device) << method;
    EXPECT_EQ(ledger().bytes_to_host, before.bytes_to_host) << method;
  }
}

TYPED_TEST(Conformance, TheSecondsOfThePartsAreWithinTheWhole) {
  Numbers x(this->b.size());
  const SolveResult r = solve<TypeParam>("cg", "jacobi", this->spd, this->b, x, this->o);
  if (r.apply_seconds < 0) return;  // an asynchronous device: not measured
  EXPECT_GT(r.apply_seconds, 0);
  EXPECT_GT(r.spmv_seconds, 0);
  EXPECT_GT(r.reduce_seconds, 0);
  EXPECT_LE(r.apply_seconds + r.spmv_seconds + r.reduce_seconds, r.solve_seconds);
}

}  // namespace
}  // namespace weir::test::conformance_test
