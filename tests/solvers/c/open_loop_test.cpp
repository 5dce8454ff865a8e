// [select] of the C interface: the choice from given times, and solutions whatever is chosen.
#include "solvers/c/open_loop.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "tests/solvers/c/system.hpp"

namespace weir::test::c {
namespace {

weir::c::OpenLoop loop(const std::string& keys) {
  return weir::c::OpenLoop(
      read_case_text("[select]\nsolvers = [\"one\", \"two\"]\n" + keys + "\n[select.one]\n[select.two]\n", "options")
          .table("select"));
}

TEST(OpenLoop, TheFastestThatConvergedTakesTheNextSystems) {
  weir::c::OpenLoop l = loop("every = 3\nmargin = 0.1\nbudget = 1");
  EXPECT_EQ(l.name(), "default");
  l.add_setup();
  for (int solve = 0; solve < 2; ++solve) {
    EXPECT_FALSE(l.is_race_due());
    l.add_solve(1);
  }
  ASSERT_TRUE(l.is_race_due());
  l.add_solve(1);
  l.decide({{true, 0, 1}, {true, 0.3, 0.5}, {false, 0, 0.1}});  // one set-up for three solves: 0.6
  EXPECT_EQ(l.name(), "one");
  EXPECT_FALSE(l.is_race_due());
  for (int solve = 0; solve < 3; ++solve) l.add_solve(0.5);
  ASSERT_TRUE(l.is_race_due());
  l.decide({{true, 0, 0.48}, {true, 0, 0.5}, {true, 0, 0.46}});  // not by the margin
  EXPECT_EQ(l.name(), "one");
  l.fall_back();
  EXPECT_EQ(l.name(), "default");
}

TEST(OpenLoop, ACurrentSolverThatDoesNotConvergeIsLeft) {
  weir::c::OpenLoop l = loop("every = 1");
  ASSERT_TRUE(l.is_race_due());
  l.decide({{false, 0, 0.1}, {true, 0, 5}, {true, 0, 6}});
  EXPECT_EQ(l.name(), "one");
  l.decide({{false, 0, 0.1}, {false, 0, 0.1}, {false, 0, 0.1}});
  EXPECT_EQ(l.name(), "one");
}

TEST(OpenLoop, RacesKeepToTheirBudget) {
  weir::c::OpenLoop l = loop("every = 2\nbudget = 0.1");
  l.add_solve(1);
  ASSERT_TRUE(l.is_race_due());  // the first is not asked for its cost
  l.add_solve(1);
  l.decide({{true, 0, 1}, {true, 0, 1}, {true, 0, 1}});  // two seconds
  int solves = 2;
  for (; !l.is_race_due(); ++solves) l.add_solve(1);
  EXPECT_EQ(solves, 20);
}

TEST(OpenLoop, WrongTablesAreRefused) {
  for (const char* text :
       {"[select]", "[select]\nsolvers = [\"one\"]", "[select]\nsolvers = [\"every\"]\nevery = 2",
        "[select]\nsolvers = [\"a\", \"a\"]\n[select.a]", "[select]\nsolvers = [\"a\"]\nevery = 0\n[select.a]",
        "[select]\nsolvers = [\"a\"]\n[select.a]\nmethod = \"gmress\"",
        "[select]\nsolvers = [\"a\"]\n[select.a]\n[select.b]"}) {
    weir_solver_t* none = nullptr;
    EXPECT_EQ(weir_create(text, &none), WEIR_BAD_INPUT) << text;
    EXPECT_EQ(none, nullptr);
  }
}

const std::string choice = gmres +
                           "\n[select]\nsolvers = [\"bicgstab\", \"hopeless\"]\nevery = 2\nbudget = 1e9\n"
                           "[select.bicgstab]\nmethod = \"bicgstab\"\npreconditioner = { type = \"jacobi\" }\n"
                           "[select.hopeless]\nmethod = \"gmres\"\nmax_iterations = 1\n"
                           "preconditioner = { type = \"none\" }\n";

// Races on every second system: the solutions are right whichever solver the times of this machine choose.
TEST(OpenLoop, SystemsOfAClientAreSolvedWhateverIsChosen) {
  System A(12, 2);
  Solver s(choice);
  const weir_csr csr = A.csr();
  ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK) << s.error();
  std::vector<double> x(A.size());
  for (int step = 0; step < 12; ++step) {
    const std::vector<double> exact = random_vector(A.size(), 7 + step), b = A.product(exact, false);
    weir_result result{};
    result.bytes = sizeof result;
    ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), &result), WEIR_OK) << s.error();
    EXPECT_EQ(result.reason, WEIR_CONVERGED);
    EXPECT_LT(distance(x, exact), 1e-8);
    EXPECT_NE(std::string(weir_describe(s.handle)).find("[select] "), std::string::npos);
    EXPECT_EQ(std::string(weir_describe(s.handle)).find("hopeless"), std::string::npos);
    for (double& v : A.value) v *= 1.25;
    ASSERT_EQ(weir_update(s.handle, A.value.data()), WEIR_OK) << s.error();
  }
  std::vector<double> two(2 * x.size(), 1.0), y(two.size());
  ASSERT_EQ(weir_solve_many(s.handle, 2, two.data(), A.size(), y.data(), A.size(), nullptr), WEIR_OK) << s.error();
  ASSERT_EQ(weir_solve_transposed(s.handle, two.data(), y.data(), nullptr), WEIR_OK) << s.error();
}

// The default cannot solve, so the first race leaves it.
TEST(OpenLoop, ADefaultThatFailsIsReplaced) {
  const System A(12, 1);
  Solver s(
      "method = \"gmres\"\nmax_iterations = 1\ntolerance = 1e-10\npreconditioner = { type = \"none\" }\n"
      "[select]\nsolvers = [\"good\"]\nevery = 2\n[select.good]\nmax_iterations = 500\n");
  const weir_csr csr = A.csr();
  ASSERT_EQ(weir_setup(s.handle, &csr), WEIR_OK) << s.error();
  const std::vector<double> b = random_vector(A.size(), 3);
  weir_result result{};
  result.bytes = sizeof result;
  for (const int reason : {WEIR_MAX_ITERATIONS, WEIR_MAX_ITERATIONS, WEIR_CONVERGED, WEIR_CONVERGED}) {
    std::vector<double> x(b.size());
    ASSERT_EQ(weir_solve(s.handle, b.data(), x.data(), &result), WEIR_OK) << s.error();
    EXPECT_EQ(result.reason, reason);
  }
  EXPECT_NE(std::string(weir_describe(s.handle)).find("[select] good"), std::string::npos);
}

TEST(OpenLoop, AnOperatorHasNoChoice) {
  Solver s(choice);
  const auto twice = [](void*, const double* x, double* y) {
    for (int i = 0; i < 4; ++i) y[i] = 2 * x[i];
    return 0;
  };
  EXPECT_EQ(weir_setup_operator(s.handle, 4, WEIR_SYMMETRIC, twice, nullptr, nullptr), WEIR_BAD_INPUT);
  EXPECT_NE(s.error().find("[select]"), std::string::npos);
}

}  // namespace
}  // namespace weir::test::c
