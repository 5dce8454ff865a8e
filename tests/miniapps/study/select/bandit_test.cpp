// The rules of [select] that choose without races, on costs that are known.
#include "miniapps/study/select/bandit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace weir {
namespace {

const std::vector<std::string> rules{Bandit::tsallis_inf, Bandit::thompson, Bandit::probe};

// Costs of 1.5, 1 and 3 seconds per step with noise of 10 %.
struct Machine {
  std::mt19937_64 random{7};
  double cost(int candidate) {
    constexpr double of[] = {1.5, 1.0, 3.0};
    return of[candidate] * (0.9 + 0.2 * std::generate_canonical<double, 53>(random));
  }
};

std::vector<int> choices(Bandit& bandit, Machine& machine, int periods) {
  std::vector<int> all;
  for (int i = 0; i < periods; ++i) {
    all.push_back(bandit.next());
    bandit.observe(machine.cost(all.back()));
  }
  return all;
}

TEST(Bandits, TheFastestCandidateIsChosenMostOften) {
  for (const std::string& rule : rules) {
    Bandit bandit(rule, 3, 1, 20);
    Machine machine;
    const std::vector<int> all = choices(bandit, machine, 4000);
    const auto fastest = std::count(all.begin() + 2000, all.end(), 1);
    EXPECT_GT(fastest, rule == Bandit::tsallis_inf ? 1400 : 1700) << rule;
    EXPECT_EQ(all[0], 0) << rule << ": the default gives the scale";
  }
}

// Thompson sampling has a regret of order log(n): almost no choice of a candidate that is three times slower.
TEST(Bandits, ThompsonRarelyReturnsToASlowCandidate) {
  Bandit bandit(Bandit::thompson, 3, 1, 20);
  Machine machine;
  const std::vector<int> all = choices(bandit, machine, 1000);
  EXPECT_LE(std::count(all.begin(), all.end(), 2), 4);
}

TEST(Bandits, AProbeTriesEachCandidateOncePerCycle) {
  Bandit bandit(Bandit::probe, 3, 1, 10);
  Machine machine;
  const std::vector<int> all = choices(bandit, machine, 30);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i % 10 < 3 ? static_cast<int>(i % 10) : 1) << i;
}

TEST(Bandits, AProbeFollowsACostThatChanges) {
  Bandit bandit(Bandit::probe, 2, 1, 5);
  const auto choose = [&](double a, double b) {
    int last = 0;
    for (int i = 0; i < 5; ++i) {
      last = bandit.next();
      bandit.observe(last == 0 ? a : b);
    }
    return last;
  };
  EXPECT_EQ(choose(1, 2), 0);
  EXPECT_EQ(choose(2, 1), 1);
  EXPECT_EQ(choose(1, 2), 0);
}

// Without any difference the probabilities stay equal: 1/K each (the closed form of the update).
TEST(Bandits, EqualLossesGiveEqualFrequencies) {
  Bandit bandit(Bandit::tsallis_inf, 4, 3, 20);
  std::vector<int> counts(4);
  for (int i = 0; i < 4000; ++i) {
    ++counts[static_cast<std::size_t>(bandit.next())];
    bandit.observe(1);
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 500);
}

TEST(Bandits, ACandidateThatFailsIsAvoided) {
  for (const std::string& rule : rules) {
    Bandit bandit(rule, 2, 1, 50);
    int failures = 0;
    for (int i = 0; i < 500; ++i) {
      const int candidate = bandit.next();
      failures += candidate;
      bandit.observe(candidate == 1 ? INFINITY : 1);
    }
    EXPECT_LT(failures, rule == Bandit::tsallis_inf ? 150 : 12) << rule;
  }
}

TEST(Bandits, ARestartContinuesWithTheSameChoices) {
  for (const std::string& rule : rules) {
    Bandit whole(rule, 3, 5, 12), first(rule, 3, 5, 12), second(rule, 3, 5, 12), other(rule, 2, 5, 12);
    Machine a, b;
    std::vector<int> expected = choices(whole, a, 200);
    choices(first, b, 77);
    ASSERT_TRUE(second.load(first.state()));
    EXPECT_FALSE(other.load(first.state()));
    EXPECT_EQ(choices(second, b, 123), std::vector<int>(expected.begin() + 77, expected.end())) << rule;
  }
}

TEST(Bandits, RacesNeedNoBandit) { EXPECT_FALSE(Bandit(Bandit::races, 3, 1, 20).is_on()); }

}  // namespace
}  // namespace weir
