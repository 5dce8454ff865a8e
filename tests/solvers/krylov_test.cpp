// Krylov methods against dense direct solutions, and the conformance of their results.
#include "solvers/krylov/krylov.hpp"
#include "base/error.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/matrix/separable_stencil.hpp"
#include "tests/support/dense_matrix.hpp"
#include "tests/support/operators.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test {
namespace {

template <class Space>
class KrylovMethods : public ::testing::Test {};
TYPED_TEST_SUITE(KrylovMethods, Spaces, SpaceName);

template <class Space>
SolveResult solve(const std::string& method, const std::string& preconditioner, const Matrix<Space>& A,
                  const Numbers& b, Numbers& x, const KrylovOptions& options) {
  auto krylov = make_krylov<Space>(method, options);
  auto M = make_preconditioner<Space>(preconditioner, Table());
  M->setup(A);
  const Array<double, Space> B(b);
  Array<double, Space> X(x);
  const SolveResult result = krylov->solve(A, *M, B, X);
  x = X.to_vector();
  return result;
}

TYPED_TEST(KrylovMethods, CgSolvesAsADirectSolverDoes) {
  KrylovOptions o;
  o.tolerance = 1e-12;
  for (const char* M : {"none", "jacobi"}) {
    const SeparableOperator op = box({7, 6, 5}, EndCondition::dirichlet, true);
    const SeparableStencil<TypeParam> A(op);
    const Numbers b = random_numbers(A.size(), 5), exact = dense_solve(dense(op), b);
    Numbers x(b.size());
    const SolveResult result = solve<TypeParam>("cg", M, A, b, x, o);
    EXPECT_TRUE(result.converged()) << to_string(result.reason);
    EXPECT_LE(result.true_residual, 1.01 * o.tolerance * norm(b));
    EXPECT_LE(max_difference(x, exact), 1e-9 * norm(exact));  // the tolerance times a condition number below 1e3
  }
}

}  // namespace
}  // namespace weir::test
