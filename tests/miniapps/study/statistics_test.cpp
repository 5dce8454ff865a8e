// What paired comparisons may claim: nothing where there is nothing, and a planted difference where there is one.
#include "miniapps/study/shadow/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace weir {
namespace {

// Times of n systems: a cost that wanders with the flow, which all solvers share, times a solver's own noise.
struct Clock {
  explicit Clock(unsigned seed) : random(seed) {}
  std::mt19937_64 random;
  std::vector<double> costs(int n) {
    std::vector<double> cost;
    std::normal_distribution<double> step(0, 0.05);
    double level = 0;
    for (int i = 0; i < n; ++i) cost.push_back(std::exp(level += step(random)));
    return cost;
  }
  // Each time 3 % of noise, now and then a hiccup of the machine.
  std::vector<double> times(const std::vector<double>& cost, double factor) {
    std::normal_distribution<double> noise(0, 0.03);
    std::uniform_real_distribution<double> chance(0, 1);
    std::vector<double> t;
    for (const double c : cost) t.push_back(factor * c * std::exp(noise(random)) * (chance(random) < 0.03 ? 5 : 1));
    return t;
  }
};

struct Compared {
  PairedComparison control, candidate;
  Verdict verdict() const { return verdict_of(candidate, noise_floor_of(control)); }
};

Compared compared(unsigned seed, double factor, int systems = 100) {
  Clock clock(seed);
  const std::vector<double> cost = clock.costs(systems);
  const std::vector<double> leader = clock.times(cost, 1);
  return {compare_pairs(clock.times(cost, 1), leader, seed), compare_pairs(clock.times(cost, factor), leader, seed)};
}

TEST(Statistics, ALeaderAgainstItselfShowsNoEffectInAtLeast95Of100Repeats) {
  int quiet = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) quiet += compared(seed, 1.0).verdict() == Verdict::not_significant;
  EXPECT_GE(quiet, 95);
}

TEST(Statistics, ASlowdownOf5PercentIsFound) {
  int found = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) found += compared(seed, 1.05).verdict() == Verdict::slower;
  EXPECT_GE(found, 19);
  const Compared faster = compared(1, 1 / 1.05);
  EXPECT_EQ(faster.verdict(), Verdict::faster);
  EXPECT_NEAR(faster.candidate.ratio, 1 / 1.05, 0.015);
  EXPECT_LT(faster.candidate.sign_test_p, 0.01);
}

TEST(Statistics, TheIntervalHoldsTheTruthAboutAsOftenAsItSays) {
  int inside = 0;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const PairedComparison c = compared(seed, 1.2, 60).candidate;
    inside += c.interval.low <= 1.2 && 1.2 <= c.interval.high;
  }
  EXPECT_GE(inside, 43);  // 47.5 expected of 50; 3 standard deviations are 4.6
}

TEST(Statistics, FewSystemsAllowNoVerdict) {
  EXPECT_EQ(compared(1, 3.0, 5).verdict(), Verdict::too_few_systems);
  EXPECT_EQ(compare_pairs({}, {}, 1).pairs, 0);
}

TEST(Statistics, TheSignTestIsTheBinomialOne) {
  EXPECT_DOUBLE_EQ(sign_test(0, 0), 1);
  EXPECT_NEAR(sign_test(0, 6), 2.0 / 64, 1e-12);
  EXPECT_NEAR(sign_test(9, 10), 2 * 11.0 / 1024, 1e-12);
  EXPECT_DOUBLE_EQ(sign_test(5, 10), 1);
}

}  // namespace
}  // namespace weir
