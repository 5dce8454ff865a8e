// The solver that races select: the arithmetic alone.
#include "miniapps/study/select/race_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace weir::race_scores_test {
namespace {

// Races in which the second costs `ratio` times what the first does, both with some noise.
RaceScores raced(int races, double ratio, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 1);
  RaceScores scores(2, {});
  for (int race = 0; race < races; ++race)
    scores.add({std::exp(noise * normal(random)), ratio * std::exp(noise * normal(random))}, 0, race);
  return scores;
}

TEST(RaceScores, ATwinTakesTheLeadInFewOfHundredRunsAndAFasterOneInMost) {
  int twins = 0, faster = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    twins += raced(4, 1.0, 0.03, seed).best_against(0) == 1;
    faster += raced(4, 0.85, 0.03, seed).best_against(0) == 1;
  }
  EXPECT_LE(twins, 3);
  EXPECT_GE(faster, 95);
}

TEST(RaceScores, OneRaceIsNotEnoughAndAMarginIsAskedFor) {
  EXPECT_EQ(raced(1, 0.5, 0, 1).best_against(0), -1);
  EXPECT_EQ(raced(2, 0.5, 0, 1).best_against(0), 1);
  EXPECT_EQ(raced(8, 0.99, 0.001, 1).best_against(0), -1) << "faster, but not by 2 %";
}

TEST(RaceScores, WhoFailsPausesLongerEachTimeAndCountsFromThenOn) {
  RaceScores scores(2, {});
  for (const double when : {0.0, 0.5}) scores.add({1, 0.5}, 0, when);
  ASSERT_EQ(scores.best_against(0), 1);
  scores.add({1, INFINITY}, 0, 1);
  EXPECT_EQ(scores.best_against(0), -1) << "what was before the failure is no argument";
  EXPECT_FALSE(scores.takes_part(1, 1.9));
  EXPECT_TRUE(scores.takes_part(1, 2));
  scores.add({1, INFINITY}, 0, 2);
  EXPECT_FALSE(scores.takes_part(1, 3.4));
  EXPECT_TRUE(scores.takes_part(1, 3.5));
}

TEST(RaceScores, OfOtherSystemsNothingIsKnown) {
  RaceScores scores(4, {});
  for (int race = 0; race < 3; ++race) scores.add({1.0, 0.5, 2.0, INFINITY}, 0, race);
  ASSERT_EQ(scores.best_against(0), 1);
  ASSERT_FALSE(scores.takes_part(2, 3));
  scores.forget(3);
  EXPECT_EQ(scores.best_against(0), -1);
  EXPECT_EQ(scores.duel(1, 0).races, 0);
  EXPECT_TRUE(scores.takes_part(2, 3));
  EXPECT_FALSE(scores.takes_part(3, 3)) << "it failed last";
}

// A cost of a step that stays the same, as a direct solver's does, does not tell that the others' has changed.
TEST(RaceScores, WhatWasLongAgoCountsNoMore) {
  RaceScores scores(2, {});
  double when = 0;
  for (; when < 7; ++when) scores.add({1, 2}, 0, when);
  ASSERT_FALSE(scores.takes_part(1, when));
  while (!scores.takes_part(1, when)) ++when;
  for (int race = 0; race < 2; ++race) scores.add({1, 0.7}, 0, when + 0.1 * race);
  EXPECT_EQ(scores.best_against(0), 1);
  EXPECT_NEAR(scores.duel(1, 0).ratio, 0.7, 1e-12);
}

TEST(RaceScores, WhoCatchesUpRacesAgainWhenItWouldBreakEven) {
  RaceScores steady(2, {}), catching_up(2, {});
  for (int race = 0; race < 6; ++race) {
    steady.add({1, std::exp(0.6)}, 0, 10.0 * race);
    catching_up.add({1, std::exp(0.6 - 0.1 * race)}, 0, 10.0 * race);  // even at 60
  }
  EXPECT_FALSE(steady.takes_part(1, 57));
  EXPECT_FALSE(catching_up.takes_part(1, 57)) << "its pauses are no longer than before";
  RaceScores near(2, {});
  for (int race = 0; race < 6; ++race) near.add({1, std::exp(0.6 - 0.11 * race)}, 0, 10.0 * race);  // even at 54.5
  EXPECT_FALSE(near.takes_part(1, 54));
  EXPECT_TRUE(near.takes_part(1, 55));
}

TEST(RaceScores, ComparisonsHoldWhoeverLed) {
  RaceScores scores(3, {});
  for (int race = 0; race < 3; ++race) scores.add({1.0, 0.8, 0.9}, 0, race);
  EXPECT_EQ(scores.best_against(0), 1);
  EXPECT_EQ(scores.best_against(1), -1);
  EXPECT_NEAR(scores.duel(2, 1).ratio, 0.9 / 0.8, 1e-12);
  EXPECT_NEAR(scores.duel(0, 1).ratio, 1.25, 1e-12);
}

TEST(RaceScores, ATrialIsAsGoodAsSeveralRacesAndForThoseThatDoNotLookSlower) {
  RaceScores scores(2, {});
  EXPECT_FALSE(scores.deserves_trial(1, 0)) << "no race yet";
  scores.add({1, 0.93}, 0, 0);
  EXPECT_TRUE(scores.deserves_trial(1, 0));
  scores.add({1, 0.93}, 0, 1);
  EXPECT_EQ(scores.best_against(0), -1);
  scores.add({1, 0.93}, 0, 2, RaceScores::races_per_trial);
  EXPECT_EQ(scores.best_against(0), 1);
  EXPECT_EQ(scores.duel(1, 0).races, 2 + RaceScores::races_per_trial);
  for (const auto& [ratio, deserves] : {std::pair{0.5, true}, {1.05, true}, {1.3, false}}) {
    RaceScores raced(2, {});
    raced.add({1, ratio}, 0, 0);
    EXPECT_EQ(raced.deserves_trial(1, 0), deserves) << ratio;
  }
}

TEST(RaceScores, GoOnAfterTheirStateIsLoaded) {
  RaceScores one = raced(5, 0.97, 0.05, 3), other(2, {});
  one.add({1, 0.9}, 0, 4.5, RaceScores::races_per_trial);
  one.add({1, INFINITY}, 0, 5);
  ASSERT_TRUE(other.load(one.state()));
  EXPECT_EQ(other.state(), one.state());
  for (RaceScores* s : {&one, &other})
    for (int race = 6; race < 9; ++race) s->add({1, 0.7}, 0, race);
  EXPECT_EQ(one.best_against(0), other.best_against(0));
  EXPECT_EQ(one.duel(1, 0).is_faster, other.duel(1, 0).is_faster);
  EXPECT_FALSE(RaceScores(3, {}).load(one.state())) << "of two names, not of three";
  EXPECT_FALSE(other.load(std::vector<double>{2, 1}));
}

}  // namespace
}  // namespace weir::race_scores_test
