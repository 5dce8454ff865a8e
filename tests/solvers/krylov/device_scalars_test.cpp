// Methods whose scalars stay on the device: the host's looks change nothing, and between them it waits for nothing.
#include "solvers/device/ledger.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::device_scalars_test {
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

// The host's sums and the device's differ by rounding: some 1e-16 of |b|, which forty iterations make larger by some
// powers of ten.
TEST(DeviceScalars, TheHostsLooksChangeNothing) {
  const SeparableOperator op = box({7, 6, 5}, EndCondition::dirichlet, true);
  const SeparableStencil<Device> A(op);
  const SeparableStencil<Host> host(op);
  const Numbers b = random_numbers(A.size(), 5);
  KrylovOptions o;
  o.tolerance = 1e-9;
  for (const char* method : methods)
    for (const char* M : preconditioners) {
      o.look_every = 1;
      const Solved expected = solved<Device>(method, M, A, b, o);
      EXPECT_TRUE(expected.result.converged()) << method << " + " << M;
      for (const int most : {5, 32}) {
        o.look_every = most;
        const Solved s = solved<Device>(method, M, A, b, o);
        EXPECT_EQ(s.x, expected.x) << method << " + " << M << ", " << most;
        EXPECT_EQ(s.history, expected.history) << method << " + " << M << ", " << most;
        EXPECT_EQ(s.result.iterations, expected.result.iterations) << method << " + " << M << ", " << most;
      }
      const Solved on_host = solved<Host>(method, M, host, b, o);
      ASSERT_EQ(on_host.history.size(), expected.history.size()) << method << " + " << M;
      for (std::size_t i = 0; i < expected.history.size(); ++i)
        EXPECT_NEAR(expected.history[i], on_host.history[i], 1e-9 * on_host.history[0]) << method << " + " << M << i;
      EXPECT_LE(max_difference(expected.x, on_host.x), 1e-9 * max_norm(on_host.x)) << method << " + " << M;
    }
}

// A size at which a thread updates several entries of a vector.
TEST(DeviceScalars, ALargeSystemIsSolvedAsOnTheHost) {
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

TEST(DeviceScalars, ALimitOfIterationsIsKept) {
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

struct Counted {
  std::int64_t waits, launches;
};
Counted counted(const char* method, const char* M, const Matrix<Device>& A, const Numbers& b, int iterations,
                double tolerance = 0) {
  const auto krylov = make_krylov<Device>(method, {.tolerance = tolerance, .max_iterations = iterations});
  const auto preconditioner = make_preconditioner<Device>(M, Table());
  preconditioner->setup(A);
  const Array<double, Device> B(b);
  Array<double, Device> x(Numbers(b.size()));
  const Ledger before = ledger();
  krylov->solve(A, *preconditioner, B, x);
  return {ledger().synchronisations - before.synchronisations, ledger().launches - before.launches};
}

// No residual gets to zero, so the host looks every eight iterations; those after the first look are a launch each.
// bicgstab's product takes a pass more for its sums with this matrix.
TEST(DeviceScalars, BetweenTwoLooksTheHostWaitsForNothing) {
  const SeparableStencil<Device> A(box({12, 11, 10}, EndCondition::dirichlet, true));
  const Numbers b = random_numbers(A.size(), 5);
  struct Case {
    const char *method, *M;
    int launches;  // an iteration
  };
  for (const auto& [method, M, launches] :
       {Case{"cg", "none", 3}, {"cg", "jacobi", 4}, {"bicgstab", "none", 7}, {"bicgstab", "jacobi", 9}}) {
    const Counted four = counted(method, M, A, b, 4), eight = counted(method, M, A, b, 8),
                  sixteen = counted(method, M, A, b, 16);
    EXPECT_EQ(sixteen.waits - eight.waits, 1) << method << " + " << M;
    EXPECT_EQ(eight.launches - four.launches, 4 * launches) << method << " + " << M;
    EXPECT_EQ(sixteen.launches - eight.launches, 8) << method << " + " << M;
  }
}

struct NeverRecorded : SeparableStencil<Device> {
  using SeparableStencil<Device>::SeparableStencil;
  bool is_recordable() const override { return false; }
};

TEST(DeviceScalars, RecordedIterationsHaveTheBitsOfThoseThatAreNot) {
  for (const bool is_singular : {false, true}) {
    const SeparableOperator op = box({12, 11, 10}, is_singular ? EndCondition::neumann : EndCondition::dirichlet, true);
    const SeparableStencil<Device> A(op);
    const NeverRecorded plain(op);
    const Numbers b = dense(op) * random_numbers(A.size(), 5);
    KrylovOptions o;
    o.tolerance = 1e-12;
    for (const char* method : methods)
      for (const char* M : {"none", "jacobi", "multigrid"}) {
        const Solved s = solved<Device>(method, M, A, b, o), expected = solved<Device>(method, M, plain, b, o);
        EXPECT_TRUE(s.result.converged()) << method << " + " << M;
        EXPECT_EQ(s.result.iterations, expected.result.iterations) << method << " + " << M;
        EXPECT_EQ(s.x, expected.x) << method << " + " << M;
        EXPECT_EQ(s.history, expected.history) << method << " + " << M;
      }
  }
}

// At most two, where an iteration takes a second pass of orthogonalisation: here none does.
TEST(DeviceScalars, GmresWaitsOnceAnIteration) {
  const SeparableStencil<Device> A(box({12, 11, 10}, EndCondition::dirichlet, true));
  const Numbers b = random_numbers(A.size(), 5);
  for (const char* M : {"none", "jacobi"}) {
    const Counted eight = counted("gmres", M, A, b, 8), sixteen = counted("gmres", M, A, b, 16);
    EXPECT_EQ(sixteen.waits - eight.waits, 8) << M;
  }
}

// b, its mean, the first residual and its mean come with one wait, the last residual with another.
TEST(DeviceScalars, ASingularSystemSolvedDirectlyTakesTwoWaits) {
  const SeparableOperator op = box({8, 7, 6}, EndCondition::neumann, true);
  const SeparableStencil<Device> A(op);
  const Numbers b = dense(op) * random_numbers(A.size(), 5);
  EXPECT_EQ(counted("correction", "fast_poisson", A, b, 10, 1e-9).waits, 2);
}

}  // namespace
}  // namespace weir::test::device_scalars_test
