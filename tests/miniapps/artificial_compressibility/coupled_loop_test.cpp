// The loop that the benchmarks break down: all its sub-iterations are done, or it is an error.
#include "tests/support/coupled_loop.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/miniapps/artificial_compressibility/coupled_case.hpp"

namespace weir::test::coupled_loop_test {
namespace {

std::string loop_text(const std::string& linear, const std::string& pseudo_time = "tolerance = 0.0\nmax_steps = 7\n") {
  return coupled_text("cells = [8, 8]", "viscosity = 0.01", cavity_2d, 0.02,
                      "[pseudo_time]\n" + pseudo_time + "[linear.flow]\ntolerance = 0.0\n" + linear);
}

std::string refusal_of(const std::string& text) {
  try {
    coupled_loop<Host>(text, 2);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST(CoupledLoopOnHost, DoesAllSubIterationsOfEveryStep) {
  const CoupledLoop loop = coupled_loop<Host>(loop_text("method = \"correction\"\nmax_iterations = 4\n"), 3);
  EXPECT_EQ(loop.steps, 3);
  EXPECT_EQ(loop.sub_iterations, 3 * 7);
  EXPECT_EQ(loop.linear_iterations, 3 * 7 * 4);
  EXPECT_EQ(loop.describe(), "3 steps of 7 sub-iterations, each 4 linear iterations");
}

TEST(CoupledLoopOnHost, ThePartsMakeUpTheWhole) {
  const CoupledLoop loop = coupled_loop<Host>(loop_text("max_iterations = 3\n"), 2);
  double sum = 0;
  for (const LoopPart& p : loop.parts) sum += p.seconds;
  EXPECT_NEAR(sum, loop.seconds, 1e-12 * loop.seconds);
  EXPECT_GT(loop.solver_seconds(), 0);
}

TEST(CoupledLoopOnHost, AStepThatStopsEarlyIsAnErrorAndNoFigure) {
  const std::string refusal = refusal_of(loop_text("max_iterations = 0\n"));
  EXPECT_NE(refusal.find("sub-iteration 1 of 7"), std::string::npos) << refusal;
}

TEST(CoupledLoopOnHost, ANumberOfSubIterationsThatIsNotFixedIsRefused) {
  const std::string refusal = refusal_of(loop_text("max_iterations = 3\n", "tolerance = 1e-8\n"));
  EXPECT_NE(refusal.find("tolerance = 0"), std::string::npos) << refusal;
}

}  // namespace weir::test::coupled_loop_test
