// When solvers race again and what that may cost: the arithmetic alone.
#include "miniapps/study/select/race_pace.hpp"

#include <gtest/gtest.h>

namespace weir::race_pace_test {
namespace {

const Communicator alone;

TEST(RacePace, OtherSystemsAreSeenByTheCostOfSteps) {
  RacePace pace(alone, 2, 2, 0.04);
  for (int k = 0; k < 20; ++k) pace.add(1.0);
  pace.raced();
  EXPECT_FALSE(pace.has_changed());
  for (int k = 0; k < 7; ++k) pace.add(9.0);  // outputs, checkpoints: not half of the last ones
  EXPECT_FALSE(pace.has_changed());
  for (int k = 0; k < 15; ++k) pace.add(1.2);
  EXPECT_FALSE(pace.has_changed());
  for (int k = 0; k < 15; ++k) pace.add(1.4);
  EXPECT_TRUE(pace.has_changed());
  EXPECT_FALSE(pace.has_changed()) << "said once";
  for (int k = 0; k < 15; ++k) pace.add(0.7);
  EXPECT_TRUE(pace.has_changed());
  pace.solver_changed();
  for (int k = 0; k < 15; ++k) pace.add(0.1);
  EXPECT_FALSE(pace.has_changed()) << "its steps cost other than those of the one before";
}

TEST(RacePace, BudgetIsAShareOfTheWholeRunWhereThatIsKnown) {
  RacePace pace(alone, 2, 2, 0.04);
  for (int k = 0; k < 10; ++k) pace.add(1.0);
  EXPECT_NEAR(pace.left(0, false), 0.4, 1e-12);
  EXPECT_NEAR(pace.left(0.01, false), 20, 1e-9) << "half of what the first steps promise";
  EXPECT_NEAR(pace.left(0.05, false), 8, 1e-9);
  pace.spend(5);
  EXPECT_NEAR(pace.left(0.05, false), 3, 1e-9);
  for (const int name : {0, 1}) pace.warm(name);
  EXPECT_NEAR(pace.left(0.05, false), 8 * (0.25 + 0.75 * 0.05) - 5, 1e-9) << "three quarters are for later";
  EXPECT_NEAR(pace.left(0.05, true), 3, 1e-9);
  RacePace again(alone, 2, 2, 0.04);
  ASSERT_EQ(pace.state().size(), RacePace::state_size);
  again.load(pace.state().data());
  for (const int name : {0, 1}) again.warm(name);
  EXPECT_EQ(again.left(0.01, false), pace.left(0.01, false));
}

TEST(RacePace, ARunWhoseFirstStepsAreDearIsNotTakenForALongOne) {
  RacePace pace(alone, 2, 2, 0.04);
  constexpr int steps = 1000;
  auto go = [&pace, done = 0](int until, double seconds) mutable {
    while (done < until) pace.add(seconds, 1, static_cast<double>(++done) / steps);
  };
  go(100, 3.0);
  EXPECT_NEAR(pace.left(0.1, true), 0.04 * 3000, 1e-9);
  go(200, 1.0);
  EXPECT_NEAR(pace.left(0.2, true), 0.04 * (300 + 900), 0.04 * 160) << "the second half of what is done tells the rest";
  go(400, 1.0);
  EXPECT_NEAR(pace.left(0.4, true), 0.04 * (300 + 900), 1e-9);
}

// It looked faster on the systems of the one before.
TEST(RacePace, WhoComesToCostMoreThanTheOneBeforeIsToldInTime) {
  RacePace pace(alone, 2, 2, 0.04);
  for (int k = 0; k < 20; ++k) pace.add(1.0);
  pace.solver_changed();
  for (int k = 0; k < 20; ++k) pace.add(0.85);
  EXPECT_EQ(pace.over_former(), 0);
  for (int k = 0; k < 10; ++k) pace.add(1.2);
  EXPECT_NEAR(pace.over_former(), 1.2, 1e-12);
  for (int k = 0; k < 500; ++k) pace.add(1.2);
  EXPECT_EQ(pace.over_former(), 0) << "by now the flow may be another";
}

TEST(RacePace, ShortStepsAreLedInGreaterNumberAndFirstStepsCostMore) {
  RacePace fast(alone, 2, 2, 0.04), slow(alone, 2, 2, 0.04);
  fast.add(1e-5);
  slow.add(0.1);
  EXPECT_EQ(fast.race_steps(), 16);
  EXPECT_EQ(slow.race_steps(), 2);
  const double cold = slow.least(1);
  slow.was_too_short(1);
  EXPECT_GT(slow.least(1), cold);
  slow.warm(1);
  EXPECT_NEAR(slow.least(1), 0.2, 1e-12);
}

TEST(RacePace, SetupsAreExpectedToCostWhatTheRunsOwnFirstStepDid) {
  RacePace dear(alone, 2, 2, 0.04), cheap(alone, 2, 2, 0.04);
  dear.add(6.0);
  cheap.add(1.0);
  for (RacePace* pace : {&dear, &cheap}) pace->add(1.0);
  EXPECT_NEAR(dear.least(1), 2 + 6, 1e-12);
  EXPECT_NEAR(cheap.least(1), 2 + 1, 1e-12);
  for (int k = 0; k < 300; ++k) dear.add(1.0), cheap.add(1.0);
  EXPECT_TRUE(dear.can_afford_trial(0));  // 4 % of 307 s: two set-ups are 12
  dear.spend(1);
  EXPECT_FALSE(dear.can_afford_trial(0));
  cheap.spend(1);
  EXPECT_TRUE(cheap.can_afford_trial(0));
}

TEST(RacePace, OfShortStepsSeveralGoByBetweenTwoLooks) {
  RacePace fast(alone, 2, 2, 0.04), slow(alone, 2, 2, 0.04);
  EXPECT_EQ(fast.steps_per_interval(), 1);
  fast.add(1e-3);
  EXPECT_EQ(fast.steps_per_interval(), 1) << "the first ones";
  fast.add(20 * 2.5e-4, 20);
  slow.add(21 * 0.1, 21);
  EXPECT_EQ(fast.own_steps(), 21);
  EXPECT_EQ(fast.steps_per_interval(), 4);
  EXPECT_EQ(slow.steps_per_interval(), 1);
}

}  // namespace
}  // namespace weir::race_pace_test
