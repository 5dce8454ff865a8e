// Preconditioners that outlive their matrix: when they are rebuilt, and what happens where an old one fails.
#include "solvers/refresh.hpp"

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::refresh_test {
namespace {

RefreshPolicy policy(const std::string& refresh) {
  return {read_case_text("refresh = \"" + refresh + "\"", "case.toml"), "block_ilu0"};
}

SolveResult took(int iterations, double seconds_each = 1, Reason reason = Reason::converged) {
  SolveResult r;
  r.iterations = iterations;
  r.solve_seconds = seconds_each * iterations;
  r.residual0 = 1;
  r.true_residual = 0.01;
  r.reason = reason;
  return r;
}

// The ages at which systems are solved whose iterations grow by `growth` with each age.
std::vector<int> ages(RefreshPolicy& p, int systems, int fresh, int growth) {
  std::vector<int> ages;
  p.renewed(0, false);
  for (int s = 0; s < systems; ++s) {
    if (s > 0 && p.is_due())
      p.renewed(6, true);
    else if (s > 0)
      p.kept();
    ages.push_back(p.age());
    p.solved(took(fresh + growth * p.age()));
  }
  return ages;
}

TEST(Refresh, FollowsItsSchedule) {
  RefreshPolicy always = policy("always"), every = policy("every:3");
  EXPECT_EQ(ages(always, 4, 10, 1), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(ages(every, 7, 10, 1), (std::vector<int>{0, 1, 2, 0, 1, 2, 0}));
}

// i_k = 10 + k: the next solve costs more than the average once k (k + 1) / 2 >= P.
TEST(Refresh, AdaptiveRenewsWhereASolveCostsMoreThanTheAverageOfItsCycle) {
  RefreshPolicy p = policy("adaptive:6"), steady = policy("adaptive:6"), dear = policy("adaptive:10");
  EXPECT_EQ(ages(p, 9, 10, 1), (std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3, 0}));
  EXPECT_EQ(ages(dear, 6, 10, 1), (std::vector<int>{0, 1, 2, 3, 4, 0}));
  EXPECT_EQ(ages(steady, 50, 10, 0).back(), 49);  // an old one that is as good as a new one stays
  EXPECT_EQ(p.price(), 6);
  EXPECT_EQ(p.measured_price(), 6);  // an update of 6 seconds, iterations of one
}

TEST(Refresh, AdaptiveTriesEverMoreRarelyWhereAnOldOneLoses) {
  RefreshPolicy p = policy("adaptive:6");
  EXPECT_EQ(ages(p, 15, 10, 10), (std::vector<int>{0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}));
}

TEST(Refresh, HindsightFindsTheBestScheduleFromIterationsByAge) {
  RefreshPolicy p = policy("every:8");
  ages(p, 80, 10, 1);
  const std::vector<ScheduleCost> costs = p.compare();
  ASSERT_EQ(costs.size(), 3U);
  EXPECT_EQ(costs[0].schedule, "every:8");
  EXPECT_EQ(costs[1].schedule, "always");
  EXPECT_DOUBLE_EQ(costs[1].seconds, 16);  // 10 iterations and an update of 6
  // (6 + sum of 10 + k below K) / K = 6 / K + 10 + (K - 1) / 2, least at sqrt(12): 13 both at 3 and at 4
  EXPECT_EQ(costs[2].schedule, "every:3");
  EXPECT_DOUBLE_EQ(costs[2].seconds, 13);
}

TEST(Refresh, GoesOnFromItsStateAsIfNothingHadHappened) {
  RefreshPolicy whole = policy("adaptive:6"), before = policy("adaptive:6"), after = policy("adaptive:6");
  ages(whole, 3, 10, 1);
  ages(before, 3, 10, 1);
  after.renewed(0, false);
  Archive kept;
  before.state(kept);
  Archive read(kept.numbers());
  after.state(read);
  for (int s = 0; s < 12; ++s) {
    for (RefreshPolicy* p : {&whole, &after}) {
      p->is_due() ? p->renewed(6, true) : p->kept();
      p->solved(took(10 + p->age()));
    }
    EXPECT_EQ(whole.age(), after.age());
  }
}

TEST(Refresh, BlamesAgeOnlyWhereAFreshOneDidNotFailInTheSameWay) {
  const SolveResult failed = took(5, 1, Reason::max_iterations);
  RefreshPolicy p = policy("every:9");
  p.renewed(0, false);
  EXPECT_FALSE(p.blames_age(failed));  // it is fresh
  p.solved(took(3));
  p.kept();
  EXPECT_TRUE(p.blames_age(failed));
  EXPECT_FALSE(p.blames_age(took(3)));
  p.renewed(0, true);
  p.solved(failed);  // a fixed number of corrections never meets its tolerance
  p.kept();
  EXPECT_FALSE(p.blames_age(failed));
  SolveResult diverged = failed;
  diverged.true_residual = 10;
  EXPECT_TRUE(p.blames_age(diverged));
}

TEST(Refresh, MistakesAreRefusedWithFileAndLine) {
  for (const char* text : {"never", "every:0", "every:", "every:2.5", "adaptive:-1", "adaptive:cheap"}) {
    try {
      policy(text);
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::usage);
      EXPECT_NE(std::string(e.what()).find("case.toml:1"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
    }
  }
}

template <class Space>
class RefreshOf : public ::testing::Test {};
TYPED_TEST_SUITE(RefreshOf, Spaces, SpaceName);

// Made for I, multigrid hardly preconditions a Laplacian. The squares of 1e-200 and 1e200 are out of the range of
// double, so that both attempts must be scaled.
TYPED_TEST(RefreshOf, ASolveThatFailsWithAnOldPreconditionerIsTriedAgainWithAFreshOne) {
  const auto options = [](const std::string& refresh) {
    return read_case_text(
        "max_iterations = 15\npreconditioner = { type = \"multigrid\" }\nrefresh = \"" + refresh + "\"", "case.toml");
  };
  for (const double size : {1.0, 1e-200, 1e200}) {
    SeparableStencil<TypeParam> A(box({24, 16, 1}, EndCondition::dirichlet, false, 1.0));
    A.set_coefficients(1, 1e-9);
    LinearSolver<TypeParam> old(options("every:100")), fresh(options("always"));
    old.setup(A);
    fresh.setup(A);
    A.set_coefficients(1e-9, 1);
    old.update(A);
    fresh.update(A);
    EXPECT_EQ(old.refresh_policy().age(), 1);
    EXPECT_EQ(old.setup_info().seconds, 0);
    Numbers rhs = random_numbers(A.size(), 1), start = random_numbers(A.size(), 2);
    for (double& v : rhs) v *= size;
    for (double& v : start) v *= size;
    const Array<double, TypeParam> b(rhs);
    Array<double, TypeParam> x(start), y(start);
    const SolveResult tried_twice = old.solve(A, b, x), once = fresh.solve(A, b, y);
    ASSERT_TRUE(once.converged()) << size;
    EXPECT_TRUE(tried_twice.converged()) << size;
    EXPECT_EQ(tried_twice.iterations, 15 + once.iterations) << size;
    EXPECT_EQ(x.to_vector(), y.to_vector()) << size;
    EXPECT_EQ(old.refresh_policy().rescues(), 1);
    EXPECT_EQ(old.refresh_policy().age(), 0);
  }
}

// The record comes from a capsule, which can be forged.
TYPED_TEST(RefreshOf, AForgedRecordOfItsLifeIsRefusedOrHarmless) {
  SeparableStencil<TypeParam> A(box({6, 5, 1}, EndCondition::dirichlet, false, 1.0));
  Archive record;
  RefreshPolicy policy(Table(), "jacobi");
  policy.state(record);
  const Numbers whole = record.numbers();
  const auto attempt = [&](const Numbers& numbers) {
    LinearSolver<TypeParam> solver(Table(), "bicgstab", "jacobi", 1e-8);
    const Array<double, TypeParam> b(random_numbers(A.size(), 1));
    Array<double, TypeParam> x(random_numbers(A.size(), 2));
    solver.setup(A, Archive(numbers));
    return solver.solve(A, b, x).converged();
  };
  EXPECT_TRUE(attempt(whole));
  Numbers longer = whole;
  longer.push_back(1);
  for (const Numbers& wrong : {longer, Numbers(whole.begin(), whole.end() - 1), Numbers{}})
    EXPECT_THROW(attempt(wrong), Error) << wrong.size();
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const double forged : {-1.0, 1.0, 1e18, HUGE_VAL, std::nan("")}) {
      Numbers numbers = whole;
      numbers[i] = forged;
      try {
        EXPECT_TRUE(attempt(numbers)) << i << " " << forged;
      } catch (const Error&) {  // refused
      }
    }
}

}  // namespace
}  // namespace weir::test::refresh_test
