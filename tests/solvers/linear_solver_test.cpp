// [linear.SYSTEM]: what it accepts, what it refuses and with which words, and that it solves.
#include "solvers/linear_solver.hpp"

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/matrix/separable_stencil.hpp"
#include "tests/support/operators.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test {
namespace {

template <class Space>
class LinearSolverOf : public ::testing::Test {};
TYPED_TEST_SUITE(LinearSolverOf, Spaces, SpaceName);

Table options(const std::string& text) { return read_case_text(text, "case.toml"); }

TYPED_TEST(LinearSolverOf, SolvesAndSaysWhatItIs) {
  const SeparableOperator op = box({8, 6, 5}, EndCondition::dirichlet, false);
  const SeparableStencil<TypeParam> A(op);
  const Numbers b = random_numbers(A.size(), 1), exact = dense_solve(dense(op), b);
  const struct {
    const char *text, *name;
  } cases[] = {{"", "cg"},
               {"method = \"cg\"\npreconditioner = { type = \"jacobi\" }", "cg+jacobi"},
               {"method = \"gmres\"\nrestart = 50\npreconditioner = { type = \"block_jacobi\" }", "gmres+block_jacobi"},
               {"method = \"fast_poisson\"", "fast_poisson"},
               {"method = \"multigrid\"", "multigrid"},
               {"preconditioner = { type = \"multigrid\" }", "cg+multigrid"}};
  for (const auto& c : cases) {
    const Table table = options(c.text);
    LinearSolver<TypeParam> solver(table);
    table.refuse_unknown();
    solver.setup(A);
    EXPECT_EQ(solver.name(), c.name);
    EXPECT_NE(solver.describe().find("1e-08 relative to |b|"), std::string::npos) << solver.describe();
    const Array<double, TypeParam> B(b);
    Array<double, TypeParam> X(Numbers(b.size()));
    const SolveResult result = solver.solve(A, B, X);
    EXPECT_TRUE(result.converged()) << c.name;
    EXPECT_LE(max_difference(X.to_vector(), exact), 1e-8 * 1e3 * norm(exact)) << c.name;  // condition number below 1e3
    if (std::string(c.name) == "fast_poisson") {
      EXPECT_EQ(result.iterations, 1);
    }
  }
}

TYPED_TEST(LinearSolverOf, StartsFromZeroWhereAskedTo) {
  const SeparableStencil<TypeParam> A(box({8, 6, 1}, EndCondition::dirichlet, false));
  const Numbers b = random_numbers(A.size(), 1);
  const Array<double, TypeParam> B(b);
  Array<double, TypeParam> X(random_numbers(A.size(), 2));
  LinearSolver<TypeParam> solver(options("initial_guess = \"zero\""));
  solver.setup(A);
  EXPECT_NEAR(solver.solve(A, B, X).residual0, norm(b), 1e2 * eps * norm(b));
}

TYPED_TEST(LinearSolverOf, UpdateFollowsTheMatrix) {
  SeparableOperator op = box({8, 6, 1}, EndCondition::dirichlet, true, 1.0);
  SeparableStencil<TypeParam> A(op);
  LinearSolver<TypeParam> solver(options("tolerance = 1e-10\npreconditioner = { type = \"jacobi\" }"));
  solver.setup(A);
  A.set_coefficients(50, 0.1);
  solver.update(A);
  op.shift = 50;
  op.scale = 0.1;
  const Numbers b = random_numbers(A.size(), 1), exact = dense_solve(dense(op), b);
  const Array<double, TypeParam> B(b);
  Array<double, TypeParam> X(Numbers(b.size()));
  EXPECT_TRUE(solver.solve(A, B, X).converged());
  EXPECT_LE(max_difference(X.to_vector(), exact), 1e-7 * norm(exact));  // the tolerance times the condition number
  EXPECT_GT(solver.setup_info().bytes, 0);
}

std::string refusal(const std::string& text) {
  try {
    const LinearSolver<Host> solver(options(text));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::usage);
    return e.what();
  }
  return "accepted";
}
void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(LinearSolverOptions, MistakesAreRefusedWithFileAndLine) {
  expect_in(refusal("\nmethod = \"sor\""), {"case.toml:2", "sor", "bicgstab", "fgmres", "multigrid"});
  expect_in(refusal("method = \"cg\"\npreconditioner = { type = \"ilu\" }"),
            {"case.toml:2", "'ilu'", "jacobi", "block_jacobi"});
  expect_in(refusal("method = \"fast_poisson\"\npreconditioner = { type = \"jacobi\" }"), {"case.toml:2", "by itself"});
  expect_in(refusal("tolerance = -1.0"), {"case.toml:1", "negative"});
  expect_in(refusal("max_iterations = -1"), {"case.toml:1"});
  expect_in(refusal("restart = 0"), {"case.toml:1"});
  expect_in(refusal("norm = \"l1\""), {"case.toml:1", "l2", "max"});
  expect_in(refusal("initial_guess = \"random\""), {"case.toml:1", "zero"});
  expect_in(refusal("preconditioner = { type = \"jacobi\", relaxation = 0.0 }"), {"case.toml:1", "relaxation"});
}

}  // namespace
}  // namespace weir::test
