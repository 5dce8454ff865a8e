// A trial of [select]: the arithmetic alone.
#include "miniapps/study/select/trial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace weir::trial_test {
namespace {

const Communicator alone;
using Next = Trial::Next;

// Intervals of one step until the trial asks for something else than to go on; `observation` counts from 0.
Next until_it_asks(Trial& trial, const std::function<double(int observation)>& seconds,
                   const std::function<int(int observation)>& iterations, int* intervals = nullptr) {
  for (int observation = 0; observation < 1000; ++observation)
    if (const Next next = trial.add(seconds(observation), 1, iterations(observation)); next != Next::go_on) {
      if (intervals) *intervals = observation + 1;
      return next;
    }
  return Next::go_on;
}
int ten(int) { return 10; }

TEST(Trial, ADriftOfTheFlowCancels) {
  // Steps become cheaper by 0.2 % each; the solver on trial takes 0.95 of the in-loop solver's.
  Trial trial(alone);
  double step = 1;
  const auto in_loop = [&](int) { return step *= 0.998; };
  for (int k = 0; k < 8; ++k) in_loop(k);
  const double before = step;  // the median of the fifteen before
  for (int k = 0; k < 7; ++k) in_loop(k);
  trial.begin(1, 0, before);
  ASSERT_EQ(until_it_asks(
                trial, [&](int k) { return 0.95 * in_loop(k); }, ten),
            Next::revert);
  EXPECT_TRUE(trial.is_open());
  ASSERT_EQ(until_it_asks(trial, in_loop, ten), Next::over);
  EXPECT_FALSE(trial.is_open());
  // The later half of its intervals counts, six intervals after the middle of those between.
  EXPECT_NEAR(trial.cost() / trial.incumbent_cost(), 0.95, 0.02);
}

TEST(Trial, OutliersDoNotCount) {
  Trial trial(alone);
  trial.begin(1, 0, 1);
  const auto with_outputs = [](int observation) { return observation % 5 == 4 ? 9.0 : 1.02; };
  ASSERT_EQ(until_it_asks(trial, with_outputs, ten), Next::revert);
  ASSERT_EQ(until_it_asks(
                trial, [](int) { return 1.0; }, ten),
            Next::over);
  EXPECT_NEAR(trial.cost() / trial.incumbent_cost(), 1.02, 1e-12);
}

TEST(Trial, OneThatIsMuchSlowerEndsAtOnceAndOneThatIsMuchFasterLeadsOn) {
  int intervals = 0;
  Trial trial(alone);
  trial.begin(2, 1, 1);
  EXPECT_EQ(until_it_asks(
                trial, [](int) { return 1.5; }, ten, &intervals),
            Next::over);
  EXPECT_LT(intervals, 12);
  EXPECT_NEAR(trial.take_extra(), 0.5 * intervals, 1e-12);
  EXPECT_EQ(trial.take_extra(), 0) << "reported once";
  trial.begin(2, 1, 1);
  EXPECT_EQ(until_it_asks(
                trial, [](int) { return 0.5; }, ten, &intervals),
            Next::over);
  EXPECT_NEAR(trial.cost() / trial.incumbent_cost(), 0.5, 1e-12);
  EXPECT_EQ(trial.take_extra(), 0) << "it has saved time";
  EXPECT_EQ(trial.name(), 2);
  EXPECT_EQ(trial.incumbent(), 1);
}

// It looks fast on what the solver before has left.
TEST(Trial, GoesOnWhileIterationsGrowAndCallsNoneFasterThatGrowsToTheEnd) {
  int intervals = 0;
  Trial trial(alone);
  trial.begin(1, 0, 1);
  EXPECT_EQ(until_it_asks(
                trial, [](int) { return 0.9; }, [](int observation) { return 10 + observation; }, &intervals),
            Next::over);
  EXPECT_TRUE(std::isinf(trial.cost()));
  EXPECT_GE(intervals, Trial::most_intervals);
  trial.begin(1, 0, 1);  // grows, then settles
  const auto settles = [](int observation) { return std::min(10 + observation, 40); };
  EXPECT_EQ(until_it_asks(
                trial, [](int) { return 0.9; }, settles, &intervals),
            Next::revert);
  EXPECT_GT(intervals, 2 * Trial::intervals);
  EXPECT_LT(intervals, Trial::most_intervals);
  trial.begin(1, 0, 1);  // its cost grows with them
  const auto grows = [](int observation) { return 0.9 + 0.01 * observation; };
  EXPECT_EQ(until_it_asks(
                trial, grows, [](int observation) { return 10 + observation; }, &intervals),
            Next::over);
  EXPECT_GT(trial.cost(), 1.2);
  EXPECT_LT(intervals, Trial::most_intervals);
}

TEST(Trial, SeveralStepsInALookAreOneMeasurement) {
  Trial trial(alone);
  trial.begin(1, 0, 0.001);
  Next next = Next::go_on;
  while (next == Next::go_on) next = trial.add(0.0105, 10, 70);
  ASSERT_EQ(next, Next::revert);
  EXPECT_NEAR(trial.take_extra(), 0.0005 * (Trial::intervals + 3), 1e-12);
}

}  // namespace
}  // namespace weir::trial_test
