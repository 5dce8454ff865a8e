// [linear.SYSTEM]: what it accepts, what it refuses and with which words, and that it solves.
#include "solvers/linear_solver.hpp"

#include "base/at.hpp"
#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "solvers/studied_solver.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::linear_solver_test {
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

TYPED_TEST(LinearSolverOf, RefinementMultipliesWithAMatrixOfFloatsAndConvergesInDouble) {
  const BlockCsr<TypeParam> A(random_blocks(50, 4, 3));
  const Array<double, TypeParam> b(random_numbers(A.size(), 1));
  Array<double, TypeParam> x(Numbers(at(A.size()))), r(Numbers(at(A.size())));
  const Table table = options(
      "method = \"refinement\"\ntolerance = 1e-13\ninner_matrix_storage = \"float\"\n"
      "preconditioner = { type = \"block_ilu0\" }");
  LinearSolver<TypeParam> solver(table);
  table.refuse_unknown();
  solver.setup(A);
  const SolveResult result = solver.solve(A, b, x);
  EXPECT_TRUE(result.converged());
  EXPECT_GT(result.iterations, 1);
  A.residual(b, x, r);
  EXPECT_LE(norm(r.to_vector()), 1e-13 * norm(b.to_vector()));
}

// Squares of such right-hand sides underflow or overflow: the solution must still be right, and the norms those of b.
TYPED_TEST(LinearSolverOf, SolvesForRightHandSidesWhoseSquaresAreOutOfRange) {
  const SeparableOperator op = box({8, 6, 5}, EndCondition::dirichlet, false);
  const SeparableStencil<TypeParam> A(op);
  const Numbers unit = random_numbers(A.size(), 1), exact = dense_solve(dense(op), unit);
  for (const double size : {1e-310, 1e-200, 1e-160, 1e160, 1e200, 1e300})
    for (const char* method : {"cg", "bicgstab", "gmres", "idrs", "pipelined_cg", "multigrid"}) {
      Numbers b = unit;
      for (double& v : b) v *= size;
      LinearSolver<TypeParam> solver(options("method = \"" + std::string(method) + "\""));
      solver.setup(A);
      const Array<double, TypeParam> B(b);
      Array<double, TypeParam> X(Numbers(b.size()));
      const SolveResult result = solver.solve(A, B, X);
      EXPECT_TRUE(result.converged()) << method << " " << size;
      EXPECT_GT(result.residual0, 0) << method << " " << size;
      Numbers x = X.to_vector();
      for (double& v : x) v /= size;
      const double rounding = size < 1e-300 ? 1e-12 : 0;  // of denormal numbers
      EXPECT_LE(max_difference(x, exact), (1e-5 + rounding) * norm(exact)) << method << " " << size;
    }
}

// multicolor does not take a matrix of floats, block_ilu0 does. multicolor gets a copy in double, which is updated.
TYPED_TEST(LinearSolverOf, PreconditionersTakeAMatrixOfFloatsAsTheyCan) {
  BlockCsrData data = random_blocks(50, 4, 3);
  RoundedCsr<TypeParam> A(data);
  for (const char* type : {"multicolor", "block_ilu0", "line", "aggregation", "jacobi"}) {
    LinearSolver<TypeParam> solver(
        options("method = \"fgmres\"\npreconditioner = { type = \"" + std::string(type) + "\" }"));
    solver.setup(A);
    const Array<double, TypeParam> b(random_numbers(A.size(), 1));
    for (const double scale : {1.0, 3.0}) {
      for (double& v : data.value) v *= scale;
      A.update(data.value);
      solver.update(A);
      const BlockCsr<TypeParam> wide(A);
      LinearSolver<TypeParam> of_wide(
          options("method = \"fgmres\"\npreconditioner = { type = \"" + std::string(type) + "\" }"));
      of_wide.setup(wide);
      Array<double, TypeParam> x(Numbers(at(A.size()))), same(Numbers(at(A.size())));
      const SolveResult result = solver.solve(A, b, x), expected = of_wide.solve(wide, b, same);
      EXPECT_TRUE(result.converged()) << type;
      EXPECT_EQ(result.iterations, expected.iterations) << type;
      EXPECT_LE(max_difference(x.to_vector(), same.to_vector()), 1e-6 * max_norm(same.to_vector())) << type;
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

// A matrix with a zero on its diagonal stops jacobi at set-up.
TYPED_TEST(LinearSolverOf, ASetupThatFailsIsHelpedInTheSolveAndTriedAgainWithTheNextMatrix) {
  const auto matrix = [](double diagonal) {
    return BlockCsrData{.block = 1, .row_start = {0, 2, 4}, .column = {0, 1, 0, 1}, .value = {diagonal, 1, 1, 3}};
  };
  const BlockCsr<TypeParam> bad(matrix(0)), good(matrix(2));
  const Array<double, TypeParam> b(Numbers{1, 2});
  const auto expect_solved = [&](LinearSolver<TypeParam>& solver, const BlockCsr<TypeParam>& A) {
    Array<double, TypeParam> x(Numbers(2)), r(Numbers(2));
    const SolveResult result = solver.solve(A, b, x);
    EXPECT_TRUE(result.converged());
    A.residual(b, x, r);
    EXPECT_LE(norm(r.to_vector()), 1e-7);
  };
  const std::string jacobi = "method = \"gmres\"\npreconditioner = { type = \"jacobi\" }";
  StudiedSolver<TypeParam> alone(options(jacobi)), helped(options(jacobi));
  EXPECT_THROW(alone.setup(bad), Error);
  helped.set_fallback([] { return StudiedSolver<TypeParam>(options("method = \"gmres\"")); });
  helped.setup(bad);
  expect_solved(helped, bad);
  EXPECT_EQ(helped.fallback_solves(), 1);
  helped.update(good);
  expect_solved(helped, good);
  EXPECT_EQ(helped.fallback_solves(), 1);
  helped.update(bad);
  expect_solved(helped, bad);
  EXPECT_EQ(helped.fallback_solves(), 2);
  helped.update(bad);
  helped.set_fallback(nullptr);
  Array<double, TypeParam> x(Numbers(2));
  EXPECT_THROW(helped.solve(bad, b, x), Error);
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
  expect_in(refusal("method = \"fast_poisson\"\npreconditioner = { type = \"jacobi\" }"),
            {"case.toml:2", "is itself the solver"});
  expect_in(refusal("tolerance = -1.0"), {"case.toml:1", "negative"});
  expect_in(refusal("max_iterations = -1"), {"case.toml:1"});
  expect_in(refusal("restart = 0"), {"case.toml:1"});
  expect_in(refusal("method = \"idrs\"\ns = 0"), {"case.toml:2", "between 1 and 64"});
  expect_in(refusal("method = \"bicgstab_l\"\nl = 17"), {"case.toml:2", "between 1 and 16"});
  expect_in(refusal("method = \"gmres\"\nrecycle = -1"), {"case.toml:2", "between 0 and 64"});
  expect_in(refusal("method = \"refinement\"\ninner = \"refinement\""), {"case.toml:2", "gmres", "idrs"});
  expect_in(refusal("method = \"refinement\"\ninner_tolerance = 1.0"), {"case.toml:2", "between 0 and 1"});
  expect_in(refusal("norm = \"l1\""), {"case.toml:1", "l2", "max"});
  expect_in(refusal("initial_guess = \"random\""), {"case.toml:1", "zero"});
  expect_in(refusal("preconditioner = { type = \"jacobi\", relaxation = 0.0 }"), {"case.toml:1", "relaxation"});
}

TEST(LinearSolverOptions, AKeyOfAnotherMethodIsUnknown) {
  for (const char* text : {"method = \"gmres\"\ns = 4", "method = \"idrs\"\nrecycle = 4", "method = \"cg\"\nl = 2",
                           "method = \"bicgstab\"\ninner = \"gmres\""}) {
    const Table t = options(text);
    const LinearSolver<Host> solver(t);
    EXPECT_THROW(t.refuse_unknown(), Error) << text;
  }
}

TEST(LinearSolverOptions, TheDescriptionNamesWhatAMethodWasGiven) {
  const auto described = [](const std::string& text) { return LinearSolver<Host>(options(text)).describe(); };
  expect_in(described("method = \"gmres\"\nrecycle = 4\nrestart = 20"), {"gmres(20, recycles 4)"});
  expect_in(described("method = \"idrs\"\ns = 8"), {"idr(8)"});
  expect_in(described("method = \"bicgstab_l\""), {"bicgstab(2)"});
  expect_in(described("method = \"refinement\"\ninner = \"idrs\"\ninner_tolerance = 0.01"),
            {"refinement by idr(4) to 0.01"});
  expect_in(described("method = \"refinement\""), {"gmres(30, single-precision basis) to 0.0001"});
}

}  // namespace
}  // namespace weir::test::linear_solver_test
