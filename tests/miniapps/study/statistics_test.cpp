// Claims of paired comparisons: nothing where there is nothing, and a planted difference where there is one.
#include "miniapps/study/shadow/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace weir::statistics_test {
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
  // Each time 3 % of noise, now and then a hiccup of the machine: one in N solves.
  std::vector<double> times(const std::vector<double>& cost, double factor, double hiccups) {
    std::normal_distribution<double> noise(0, 0.03);
    std::uniform_real_distribution<double> chance(0, 1);
    std::vector<double> t;
    for (const double c : cost) t.push_back(factor * c * std::exp(noise(random)) * (chance(random) < hiccups ? 5 : 1));
    return t;
  }
};

struct Compared {
  PairedComparison control, candidate;
  Verdict verdict() const { return verdict_of(candidate, noise_floor_of(control)); }
};

// A slow solve is repeated (shadow.hpp), so that few are left.
Compared compared(unsigned seed, double factor, int systems = 100, double hiccups = 0) {
  Clock clock(seed);
  const std::vector<double> cost = clock.costs(systems);
  const std::vector<double> reference = clock.times(cost, 1, hiccups);
  return {compare_pairs(clock.times(cost, 1, hiccups), reference, seed),
          compare_pairs(clock.times(cost, factor, hiccups), reference, seed)};
}

TEST(Statistics, ALeaderAgainstItselfIsNeitherFasterNorSlowerInAtLeast95Of100Repeats) {
  for (const double hiccups : {0.0, 0.03}) {
    int quiet = 0, alike = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
      const Verdict verdict = compared(seed, 1.0, 100, hiccups).verdict();
      alike += verdict == Verdict::no_difference;
      quiet += verdict == Verdict::no_difference || verdict == Verdict::undecided;
    }
    EXPECT_GE(quiet, 95) << hiccups;
    if (hiccups > 0)
      EXPECT_LT(alike, 20) << "three hiccups of five times a solve are more than 3 % of 100";
    else
      EXPECT_GT(alike, 90);
  }
}

// Times of a candidate that takes `usual` of the reference's, and in every k-th solve `rare`.
Compared planted(double usual, double rare, int k, int systems = 100) {
  Clock clock(7);
  const std::vector<double> cost = clock.costs(systems), reference = clock.times(cost, 1, 0);
  std::vector<double> candidate = clock.times(cost, usual, 0);
  for (std::size_t i = 0; i < candidate.size(); ++i)
    if (i % static_cast<std::size_t>(k) == 3) candidate[i] *= rare / usual;
  return {compare_pairs(clock.times(cost, 1, 0), reference, 1), compare_pairs(candidate, reference, 1)};
}

TEST(Statistics, OneThatIsFastAtTheMedianAndFiveTimesAsSlowInEveryTenthSolveIsNotFaster) {
  for (const int systems : {20, 50, 100}) {
    const Compared c = planted(0.9, 5 * 0.9, 10, systems);
    EXPECT_LT(c.candidate.ratio, 0.95);
    EXPECT_LT(c.candidate.interval.high, 0.95);
    EXPECT_NEAR(c.candidate.of_sums, 0.9 * 1.4, 0.1);
    EXPECT_GT(c.candidate.wins, 8 * systems / 10);
    EXPECT_NE(c.verdict(), Verdict::faster);
    EXPECT_NE(c.verdict(), Verdict::no_difference);
  }
  EXPECT_EQ(planted(0.9, 5 * 0.9, 10).verdict(), Verdict::slower);
  EXPECT_EQ(planted(0.9, 0.9, 10).verdict(), Verdict::faster);
}

TEST(Statistics, WhatFailuresCostBesideIsPaid) {
  const std::vector<double> reference(30, 1.0), candidate(30, 0.8);
  std::vector<double> beside(30, 0.0);
  EXPECT_EQ(verdict_of(compare_pairs(candidate, reference, 1, beside), 0.02), Verdict::faster);
  for (std::size_t i = 1; i < 30; i += 2) beside[i] = 1;
  const PairedComparison c = compare_pairs(candidate, reference, 1, beside);
  EXPECT_NEAR(c.ratio, 0.8, 1e-12);
  EXPECT_NEAR(c.of_sums, 1.3, 1e-12);
  EXPECT_EQ(verdict_of(c, 0.02), Verdict::slower);
}

TEST(Statistics, NoDifferenceIsSaidOnlyWhereItIsShown) {
  const auto within = [](double low, double high) {
    PairedComparison c;
    c.pairs = 100;
    c.of_sums_interval = {low, high};
    return c;
  };
  EXPECT_EQ(verdict_of(within(0.98, 1.02), 0.01), Verdict::no_difference);
  EXPECT_EQ(verdict_of(within(0.98, 1.04), 0.01), Verdict::undecided);
  EXPECT_EQ(verdict_of(within(0.96, 1.02), 0.01), Verdict::undecided);
  EXPECT_EQ(verdict_of(within(0.98, 1.02), 0.05), Verdict::undecided) << "the machine does not show 3 %";
  EXPECT_EQ(verdict_of(within(1.02, 1.03), 0.01), Verdict::slower);
  EXPECT_EQ(verdict_text(Verdict::undecided, std::log(1.05)), "undecided (noise 5.0 %)");
  EXPECT_EQ(verdict_text(Verdict::slower, std::log(1.05)), "slower");
  EXPECT_EQ(statement(Evidence::same_systems, "X", "faster", 0.71, {0.69, 0.74}),
            "X solved the same systems in 0.71 of the reference solver's time (95 % interval 0.69 to 0.74, same systems)");
  EXPECT_EQ(statement(Evidence::whole_runs, "X", "undecided", 1.1, {0.9, 1.3}),
            "undecided: X completed the runs in 1.10 times the baseline's time (95 % interval 0.90 to 1.30, whole runs)");
}

TEST(Statistics, The95thPercentileIsExceededByOneIn20) {
  std::vector<double> values;
  for (int i = 1; i <= 40; ++i) values.push_back(i);
  EXPECT_DOUBLE_EQ(percentile_95(values), 38);
  EXPECT_DOUBLE_EQ(percentile_95({3.0}), 3);
  EXPECT_TRUE(std::isnan(percentile_95({})));
}

TEST(Statistics, ASlowdownOf5PercentIsFound) {
  int found = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) found += compared(seed, 1.05).verdict() == Verdict::slower;
  EXPECT_GE(found, 19);
  const Compared faster = compared(1, 1 / 1.05);
  EXPECT_EQ(faster.verdict(), Verdict::faster);
  EXPECT_NEAR(faster.candidate.ratio, 1 / 1.05, 0.015);
  EXPECT_NEAR(faster.candidate.of_sums, 1 / 1.05, 0.015);
  EXPECT_LT(faster.candidate.sign_test_p, 0.01);
}

// Of 6 systems too: percentiles of a bootstrap alone hold it in 86 of 100, of 100 systems in 92.
TEST(Statistics, TheIntervalHoldsTheTruthAsOftenAsItSays) {
  for (const int systems : {6, 20, 60}) {
    int median = 0, sums = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
      const PairedComparison c = compared(seed, 1.2, systems).candidate;
      median += c.interval.low <= 1.2 && 1.2 <= c.interval.high;
      sums += c.of_sums_interval.low <= 1.2 && 1.2 <= c.of_sums_interval.high;
    }
    EXPECT_GE(median, 183) << systems;  // 190 expected of 200; 3.1 is the standard deviation
    EXPECT_GE(sums, 183) << systems;
    EXPECT_LE(sums, 198) << systems;
  }
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
}  // namespace weir::statistics_test
