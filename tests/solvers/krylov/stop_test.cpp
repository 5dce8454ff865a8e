// Reasons that end a solve before its tolerance: max_iterations, whatever the method, and the question whether to stop,
// which is polled within a solve.
#include "base/at.hpp"
#include "inputs/case.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "solvers/registry.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::stop_test {
namespace {

template <class Space>
class StopOf : public ::testing::Test {};
TYPED_TEST_SUITE(StopOf, Spaces, SpaceName);

// One of n cells in a row, held at both ends: no method without a preconditioner gets far in 20 iterations.
BlockCsrData slow_system(int n = 300) {
  BlockCsrData A;
  A.block = 1;
  A.symmetric = true;
  A.row_start = {0};
  for (int i = 0; i < n; ++i) {
    for (const int j : {i - 1, i, i + 1})
      if (j >= 0 && j < n) {
        A.column.push_back(j);
        A.value.push_back(i == j ? 2 : -1);
      }
    A.row_start.push_back(static_cast<std::int64_t>(A.column.size()));
  }
  return A;
}

template <class Space>
SolveResult solve(const Matrix<Space>& A, const std::string& options, const std::function<bool()>& question) {
  LinearSolver<Space> solver(read_case_text(options, "case.toml"));
  solver.setup(A);
  solver.stop_when(question);
  const Array<double, Space> b(random_numbers(A.size(), 3));
  Array<double, Space> x(Numbers(at(A.size())));
  return solver.solve(A, b, x);
}

std::vector<std::string> methods() {
  std::vector<std::string> all{"jacobi"};
  for (const auto* d : krylov_methods()) all.emplace_back(d->name);
  return all;
}

template <class Space>
SolveResult solve(const std::string& method, const std::string& options, const std::function<bool()>& question) {
  const std::string all = "method = '" + method + "'\ntolerance = 1e-13\n" + options;
  if (method == "chebyshev") {  // its number of iterations goes with the square root of scale over shift
    SeparableOperator op = box({300, 1, 1}, EndCondition::dirichlet, false, 1e-8);
    return solve<Space>(SeparableStencil<Space>(op), all, question);
  }
  const std::string none = method == "jacobi" || method == "correction" ? "preconditioner = { type = 'jacobi' }\n" : "";
  return solve<Space>(BlockCsr<Space>(slow_system()), none + all, question);
}

TYPED_TEST(StopOf, MaxIterationsBindsEveryMethod) {
  for (const std::string& method : methods())
    for (const int most : {1, 2, 7}) {
      const SolveResult r =
          solve<TypeParam>(method, "max_iterations = " + std::to_string(most) + "\n", [] { return false; });
      EXPECT_LE(r.iterations, most) << method;
      EXPECT_FALSE(r.converged()) << method;
    }
}

TYPED_TEST(StopOf, EveryMethodAsksWhetherToStop) {
  for (const std::string& method : methods()) {
    int asked = 0;
    const SolveResult r = solve<TypeParam>(method, "inner_iterations = 2\n", [&asked] { return ++asked >= 5; });
    EXPECT_EQ(r.reason, Reason::interrupted) << method << " " << r.iterations;
    EXPECT_LE(asked, 7) << method;
  }
}

// An interrupted set-up is not usable: the next solve ends at once, until a complete set-up.
TYPED_TEST(StopOf, LongSetUpsAskWhetherToStop) {
  for (const std::string type : {"aggregation", "parilu", "parilut"}) {
    const BlockCsr<TypeParam> A(slow_system(60));  // a launch of the emulator is dear
    LinearSolver<TypeParam> solver(
        read_case_text("method = 'gmres'\npreconditioner = { type = '" + type + "' }\n", "case.toml"));
    int asked = 0;
    bool stops = true;
    solver.stop_when([&] { return ++asked, stops; });
    const Array<double, TypeParam> b(random_numbers(A.size(), 3));
    Array<double, TypeParam> x(Numbers(at(A.size())));
    const auto expect_interrupted = [&] {
      EXPECT_EQ(asked, 1) << type;
      const SolveResult r = solver.solve(A, b, x);
      EXPECT_EQ(r.reason, Reason::interrupted) << type;
      EXPECT_EQ(r.iterations, 0) << type;
    };
    solver.setup(A);
    expect_interrupted();
    stops = false;
    solver.setup(A);
    EXPECT_NE(solver.solve(A, b, x).reason, Reason::interrupted) << type;
    asked = 0;
    stops = true;
    solver.update(A);
    expect_interrupted();
    solver.preconditioner().update(A);  // needed by the caller: the stop is not polled
    EXPECT_EQ(asked, 1) << type;
  }
}

}  // namespace
}  // namespace weir::test::stop_test
