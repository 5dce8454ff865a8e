// Krylov methods on the device agree with those on the host, and wait no more often than they must.
#include "solvers/device/ledger.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::on_device_test {
namespace {

const char* const methods[] = {"cg", "bicgstab"};
const char* const preconditioners[] = {"none", "jacobi", "sgs"};

struct Solved {
  SolveResult result;
  Numbers x, history;
};
template <class Space>
Solved solved(const char* method, const char* M, const Matrix<Space>& A, const Numbers& b, KrylovOptions o) {
  Solved s;
  s.x = Numbers(b.size());
  o.history = true;
  s.result = solve<Space>(method, M, A, b, s.x, o, &s.history);
  return s;
}

// The host's sums and the device's differ by rounding: some 1e-16 of |b|, which forty iterations make larger by some powers of ten.
TEST(KrylovOnDevice, HistoriesAndSolutionsAreThoseOfTheHost) {
  const SeparableOperator op = box({7, 6, 5}, EndCondition::dirichlet, true);
  const SeparableStencil<Device> A(op);
  const SeparableStencil<Host> host(op);
  const Numbers b = random_numbers(A.size(), 5);
  const KrylovOptions o{.tolerance = 1e-9};
  for (const char* method : methods)
    for (const char* M : preconditioners) {
      const Solved s = solved<Device>(method, M, A, b, o), on_host = solved<Host>(method, M, host, b, o);
      EXPECT_TRUE(s.result.converged()) << method << " + " << M;
      ASSERT_EQ(on_host.history.size(), s.history.size()) << method << " + " << M;
      for (std::size_t i = 0; i < s.history.size(); ++i)
        EXPECT_NEAR(s.history[i], on_host.history[i], 1e-9 * on_host.history[0]) << method << " + " << M << i;
      EXPECT_LE(max_difference(s.x, on_host.x), 1e-9 * max_norm(on_host.x)) << method << " + " << M;
    }
}

TEST(KrylovOnDevice, ALargeSystemIsSolvedAsOnTheHost) {
  const SeparableOperator op = box({67, 65, 61}, EndCondition::dirichlet, true, 40.0);
  const SeparableStencil<Device> A(op);
  const SeparableStencil<Host> host(op);
  const Numbers b = random_numbers(A.size(), 5);
  const KrylovOptions o{.tolerance = 0, .max_iterations = 5};
  for (const char* method : methods) {
    const Solved s = solved<Device>(method, "jacobi", A, b, o), expected = solved<Host>(method, "jacobi", host, b, o);
    EXPECT_LE(max_difference(s.x, expected.x), 1e-11 * max_norm(expected.x)) << method;
  }
}

TEST(KrylovOnDevice, ALimitOfIterationsIsKept) {
  const SeparableStencil<Device> A(box({6, 5, 4}, EndCondition::dirichlet, true, 40.0));
  const Numbers b = random_numbers(A.size(), 3);
  for (const char* method : methods)
    for (const int allowed : {1, 3, 9}) {
      const Solved s = solved<Device>(method, "jacobi", A, b, {.tolerance = 0, .max_iterations = allowed});
      EXPECT_EQ(s.result.reason, Reason::max_iterations) << method;
      EXPECT_EQ(s.result.iterations, allowed) << method;
      EXPECT_EQ(s.history.size(), static_cast<std::size_t>(allowed) + 1) << method;
      EXPECT_NEAR(s.result.true_residual, s.result.residual, 1e-12 * norm(b)) << method;
    }
}

std::int64_t waits(const char* method, const char* M, const Matrix<Device>& A, const Numbers& b, int iterations) {
  const auto krylov = make_krylov<Device>(method, {.tolerance = 0, .max_iterations = iterations});
  const auto preconditioner = make_preconditioner<Device>(M, Table());
  preconditioner->setup(A);
  const Array<double, Device> B(b);
  Array<double, Device> x(Numbers(b.size()));
  const Ledger before = ledger();
  krylov->solve(A, *preconditioner, B, x);
  return ledger().synchronisations - before.synchronisations;
}

// At most two, where an iteration takes a second pass of orthogonalisation: here none does.
TEST(KrylovOnDevice, GmresWaitsOnceAnIteration) {
  const SeparableStencil<Device> A(box({12, 11, 10}, EndCondition::dirichlet, true));
  const Numbers b = random_numbers(A.size(), 5);
  for (const char* M : {"none", "jacobi"}) {
    EXPECT_EQ(waits("gmres", M, A, b, 16) - waits("gmres", M, A, b, 8), 8) << M;
  }
}

}  // namespace
}  // namespace weir::test::on_device_test
