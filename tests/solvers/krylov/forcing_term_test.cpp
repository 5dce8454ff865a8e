// tolerance = "eisenstat_walker": the rule's formulas, its safeguards, its words, and solves that stop where it says.
#include "solvers/krylov/forcing_term.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::forcing_term_test {
namespace {

Table table(const std::string& text) { return read_case_text(text, "case.toml"); }
ForcingTerm term(double initial = 0.5, double max = 0.9, double gamma = 0.9, double alpha = 2,
                 double max_at_start = 1) {
  ForcingRule rule;
  rule.is_adaptive = true;
  rule.initial = initial, rule.max = max, rule.max_at_start = max_at_start, rule.gamma = gamma, rule.alpha = alpha;
  return ForcingTerm(rule);
}
struct Aim {
  double eta;
  ToleranceReason reason;
};
Aim aimed(ForcingTerm& t, double residual, double goal = 0) {
  t.aim(residual, goal);
  return {*t.shared(), t.reason()};
}
void expect(const Aim& is, double eta, ToleranceReason reason) {
  EXPECT_DOUBLE_EQ(is.eta, eta);
  EXPECT_STREQ(to_string(is.reason), to_string(reason));
}

TEST(ForcingTerm, FollowsTheResidualByChoiceTwo) {
  ForcingTerm t = term(0.1, 0.9, 0.8, 1.5);
  expect(aimed(t, 3), 0.1, ToleranceReason::initial);
  expect(aimed(t, 1.5), 0.8 * std::pow(0.5, 1.5), ToleranceReason::ratio);
  const double slowest = 0.8 * std::pow(0.8 * std::pow(0.5, 1.5), 1.5);
  ASSERT_GT(slowest, 0.1);
  expect(aimed(t, 0.0015), slowest, ToleranceReason::safeguard);
  expect(aimed(t, 0.00015), 0.8 * std::pow(0.1, 1.5), ToleranceReason::ratio);  // the safeguard is below 0.1
  expect(aimed(t, 1), 0.9, ToleranceReason::max);
  t.begin_phase();
  expect(aimed(t, 1e-9), 0.1, ToleranceReason::initial);
}

TEST(ForcingTerm, TheLastSolveIsNoFinerThanWhatIsLeftToDo) {
  ForcingTerm t = term(0.01);
  aimed(t, 1, 1e-3);
  expect(aimed(t, 1e-2, 1e-3), 0.05, ToleranceReason::goal);
  expect(aimed(t, 1e-3, 1e-3), 0.5, ToleranceReason::goal);
  expect(aimed(t, 1e-4, 1e-3), 0.9, ToleranceReason::max);
}

TEST(ForcingTerm, ARejectedStepIsTriedAgainWithTheSame) {
  ForcingTerm t = term();
  aimed(t, 1);
  aimed(t, 0.3);
  const double eta = *t.shared();
  t.again();
  expect({*t.shared(), t.reason()}, eta, ToleranceReason::again);
  expect(aimed(t, 0.15), 0.9 * 0.25, ToleranceReason::ratio);
}

TEST(ForcingTerm, WhatIsNoNumberAsksForNoMoreThanTheMaximum) {
  ForcingTerm t = term();
  aimed(t, 1);
  expect(aimed(t, std::nan("")), 0.9, ToleranceReason::max);
  expect(aimed(t, 1), 0.5, ToleranceReason::initial);
}

TEST(ForcingTerm, LooseSolvesHaveToBeEarned) {
  ForcingTerm t = term(0.1, 0.3, 0.9, 2, 0.1);
  expect(aimed(t, 1), 0.1, ToleranceReason::initial);
  for (int k = 1; k < 10; ++k) expect(aimed(t, 1), 0.1, ToleranceReason::limit);
  for (int k = 0; k < 10; ++k) expect(aimed(t, 0.9), 0.05, ToleranceReason::limit);
  for (int k = 0; k < 200; ++k) aimed(t, 0.9);
  expect(aimed(t, 0.9), 0.01, ToleranceReason::limit);
  double residual = 0.9;
  for (int k = 0; k < 80; ++k) aimed(t, residual *= 0.8);
  expect(aimed(t, residual), 0.3, ToleranceReason::max);
  t.begin_phase();
  aimed(t, 1);
  expect(aimed(t, 1), 0.1, ToleranceReason::limit);
}

TEST(ForcingTerm, GoesOnFromItsState) {
  ForcingTerm whole = term(), after = term();
  aimed(whole, 1);
  aimed(whole, 0.8);
  Archive a;
  whole.state(a);
  Archive b(a.numbers());
  after.state(b);
  const Aim expected = aimed(whole, 0.1);
  expect(aimed(after, 0.1), expected.eta, expected.reason);
  ForcingTerm fresh = term();
  EXPECT_NE(aimed(fresh, 0.1).eta, expected.eta);
}

TEST(ForcingTerm, SolvesStopWhereItSays) {
  const SeparableStencil<Host> A(box({8, 6, 5}, EndCondition::dirichlet, false));
  LinearSolver<Host> solver(table("tolerance = { type = 'eisenstat_walker', initial = 0.2 }"));
  solver.setup(A);
  EXPECT_TRUE(solver.remembers());
  EXPECT_NE(solver.describe().find("Eisenstat-Walker tolerance relative to |b|"), std::string::npos);
  const Numbers b = random_numbers(A.size(), 1);
  const Array<double, Host> B(b);
  for (const double residual : {1.0, 0.5, 1e-3}) {
    solver.forcing().aim(residual, 0);
    Array<double, Host> x(Numbers(b.size()));
    const SolveResult r = solver.solve(A, B, x);
    EXPECT_EQ(r.tolerance, *solver.forcing().shared());
    EXPECT_NEAR(r.target, r.tolerance * norm(b), 1e-12 * norm(b));
    EXPECT_LE(r.true_residual, 1.01 * r.target);
  }
  LinearSolver<Host> fixed(table("tolerance = 1e-3"));
  fixed.setup(A);
  Array<double, Host> x(Numbers(b.size()));
  const SolveResult r = fixed.solve(A, B, x);
  EXPECT_EQ(r.tolerance, 1e-3);
  EXPECT_STREQ(to_string(r.tolerance_reason), "fixed");
}

TEST(ForcingTerm, MistakesAreRefusedWithFileAndLine) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"tolerance = 'eisenstadt'", "must be a number or \"eisenstat_walker\""},
      {"tolerance = 'eisenstat_walker'\nrelative = false", "relative"},
      {"tolerance = { type = 'newton' }", "eisenstat_walker"},
      {"tolerance = { max = 0.5 }", "missing key 'type'"},
      {"tolerance = { type = 'eisenstat_walker', max = 1.0 }", "'max'"},
      {"tolerance = { type = 'eisenstat_walker', alpha = 1.0 }", "'alpha'"},
      {"tolerance = { type = 'eisenstat_walker', gamma = 0.0 }", "'gamma'"}};
  for (const auto& [text, words] : mistakes) try {
      const LinearSolver<Host> solver(table(text));
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::usage);
      EXPECT_NE(std::string(e.what()).find("case.toml:"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
}

}  // namespace
}  // namespace weir::test::forcing_term_test
