// Conclusions from branches, with artificial costs.
#include "miniapps/study/relay/relay_series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace weir::relay_series_test {
namespace {

constexpr int at_first = 4;

// The seconds of a candidate's k-th step of a branch, where the reference's take 1; all with noise.
using Cost = std::function<double(int k)>;

class Made {
 public:
  explicit Made(std::uint64_t seed, Cost cost, int most = at_first, double noise = 0.05)
      : series({"leader", "leader again", "other"}, {"a", "a", "b"}, {at_first, most}),
        random_(seed),
        cost_(std::move(cost)),
        noise_(noise) {}

  BranchRun run(int candidate, int steps, const Cost& cost) {
    BranchRun l;
    l.candidate = candidate;
    for (int k = 0; k < steps; ++k) l.steps.push_back({cost(k) * noise(), 0.1, 1, 10, 0, 0});
    return l;
  }
  void run(int branches) {
    const Cost one = [](int) { return 1.0; };
    for (int i = 0; i < branches; ++i) {
      const int m = series.steps(), zero = static_cast<int>(random_() % 2);
      Branch b{i + 1, m, {}};
      b.by_name = {run(zero, m, one), run(1 - zero, m, one), run(2, m, cost_)};
      series.add(std::move(b));
    }
  }
  RelayRow other() const { return series.compare(1).rows[2]; }

  RelaySeries series;

 private:
  double noise() { return std::exp(noise_ * std::normal_distribution<>()(random_)); }
  std::mt19937_64 random_;
  Cost cost_;
  double noise_;
};

// The same three on branches of two steps: what the reference's two replicas and the other have led.
struct Told {
  RelaySeries series{{"leader", "leader again", "other"}, {"a", "a", "b"}, {2, 2}};
  int branches = 0;

  // unfinished: seconds in the step at which the other was cut off; 0: it was not.
  void add(const std::vector<BranchStep>& reference, const std::vector<BranchStep>& others, double unfinished = 0) {
    BranchRun one, two, other;
    two.candidate = 1;
    other.candidate = 2;
    one.steps = two.steps = reference;
    other.steps = others;
    other.rest = unfinished;
    if (unfinished > 0) other.end = BranchRunEnd::cut;
    Branch b{++branches, 2, {}};
    b.by_name = {one, two, other};
    series.add(std::move(b));
  }
  RelayRow other() const { return series.compare(1).rows[2]; }
};

TEST(RelaySeries, FindsNothingInTheReferenceItselfAndFivePercentInATwinThatHasThem) {
  int holds_1 = 0, found = 0;
  constexpr int repeats = 50, branches = 60;
  for (int i = 0; i < repeats; ++i) {
    Made same(i, [](int) { return 1.0; }), slow(1000 + i, [](int) { return 1.05; });
    same.run(branches);
    slow.run(branches);
    const Interval interval = same.series.compare(1).rows[1].closed_interval;
    holds_1 += interval.low <= 1 && interval.high >= 1;
    found += slow.other().verdict == Verdict::slower;
  }
  EXPECT_GE(holds_1, 44) << "47.5 expected; 1.5 is the standard deviation";
  EXPECT_GE(found, 45);
}

// Fast on the reference's systems, slower with each step that it leads.
TEST(RelaySeries, CatchesWhatIsFastOpenAndSlowClosedAndLengthensTheBranches) {
  Made m(
      1, [](int k) { return 0.6 * (1 + 0.1 * k); }, 64);
  m.run(30);
  EXPECT_EQ(m.series.steps(), 64);
  const RelayRow r = m.other();
  EXPECT_NEAR(r.open, 0.6, 0.05);
  EXPECT_GT(r.closed_interval.low, 1.5);
  EXPECT_GT(r.gain_interval.low, 2);
  EXPECT_FALSE(r.has_settled);
  EXPECT_EQ(r.verdict, Verdict::slower);
}

// It would be called faster where the branch ends before it has become slow: the page says that it has not settled.
TEST(RelaySeries, DoesNotCallFasterWhatStillGrows) {
  Made m(2, [](int k) { return 0.6 * (1 + 0.1 * k); });
  m.run(30);
  EXPECT_LT(m.other().closed, 1);
  EXPECT_EQ(m.other().verdict, Verdict::not_settled);
}

TEST(RelaySeries, CallsWhatShrinksSlowerWhereItsLaterHalfIs) {
  Made pays_back(2, [](int k) { return k < at_first / 2 ? 4.0 : 0.5; }),
      stays(2, [](int k) { return k < 2 ? 6.0 : 3.0; });
  pays_back.run(30);
  stays.run(30);
  EXPECT_EQ(pays_back.other().verdict, Verdict::not_settled);
  EXPECT_EQ(stays.other().verdict, Verdict::slower);
}

TEST(RelaySeries, LeavesAloneWhatIsSlowButSteady) {
  Made m(
      3, [](int) { return 2.0; }, 64, 0.02);
  m.run(30);
  EXPECT_EQ(m.series.steps(), at_first);
  EXPECT_TRUE(m.other().has_settled);
  EXPECT_NEAR(m.other().gain, 1, 0.05);
  EXPECT_EQ(m.other().verdict, Verdict::slower);
}

// The median step of this one is faster; what the run pays is not.
TEST(RelaySeries, PaysForRareSteps) {
  int calls = 0;
  Made m(4, [&](int) { return ++calls % 10 == 0 ? 5.0 : 0.9; });
  m.run(100);
  EXPECT_NE(m.other().verdict, Verdict::faster);
  EXPECT_NEAR(m.other().closed, 1.31, 0.1);
}

// Time without progress is paid all the same: half as fast a step, a third of the progress.
TEST(RelaySeries, ComparesCostAUnitOfProgress) {
  Told t;
  for (int i = 0; i < 8; ++i)
    t.add({{1, 0.3, 1, 5, 0, 0}, {1, 0.3, 1, 5, 0, 0}}, {{0.5, 0.1, 1, 2, 0, 0}, {0.5, 0.1, 1, 2, 0, 0}});
  EXPECT_NEAR(t.other().closed, 1.5, 1e-12);
  EXPECT_NEAR(t.other().open, 0.5, 1e-12);
}

// A candidate like `made`, which the reference's equals leave alone: what is said of its loop gain.
std::string why(const std::vector<BranchStep>& made) {
  Told t;
  for (int i = 0; i < 8; ++i) t.add({{1, 0.3, 1, 5, 0, 0, {0.2, 0.5}}, {1, 0.3, 1, 5, 0, 0, {0.2, 0.5}}}, made);
  return t.other().why;
}

TEST(RelaySeries, TellsWhyLeadingCostsOtherThanTheReferencesSystemsDo) {
  EXPECT_EQ(why({{1, 0.3, 1, 5, 0, 0, {0.2, 0.5}}, {1, 0.3, 1, 5, 0, 0, {0.2, 0.5}}}), "") << "it does not";
  EXPECT_EQ(
      why({{1, 0.3, 1, 5, 0, 0, {0.2, 0.5}}, {5, 0.3, 1, 20, 2, 0, {0.75, 0.875}}}),
      "when it leads other costs 3.00 times what it does on the reference's systems: its iterations a step go from 5.0 "
      "to 20.0 (the reference's from 5.0 to 5.0); of the error that stays from step to step 0.75 is long waves (0.20 "
      "when the reference leads); one application of its preconditioner leaves 0.88 of a residual (the reference's "
      "0.50); 16 solves miss the tolerance");
  EXPECT_EQ(why({{0.5, 0.1, 1, 5, 0, 0}, {0.5, 0.1, 1, 5, 0, 0}}),
            "when it leads other costs 3.00 times what it does on the reference's systems: a step makes 0.33 of the "
            "reference's progress");
  EXPECT_NE(why({{1, 0.3, 1, 5, 0, 0}, {3, 0.3, 1, 5, 0, 0}}).find("nothing that was measured"), std::string::npos);
}

// A run that has stalled goes up and down: what is divided by the sum of that is chance.
TEST(RelaySeries, DecidesNothingWhereTheReferenceMakesNoClearProgress) {
  Told t;
  for (int i = 0; i < 20; ++i)
    t.add({{1, i % 5 < 3 ? 0.3 : -0.4, 1, 5, 0, 0}, {1, 0, 1, 5, 0, 0}}, {{1, 0.3, 1, 5, 0, 0}, {1, 0.3, 1, 5, 0, 0}});
  const RelayComparison c = t.series.compare(1);
  EXPECT_FALSE(c.has_clear_progress);
  EXPECT_EQ(c.rows[2].verdict, Verdict::undecided);
  EXPECT_EQ(c.rows[2].why, "");
}

TEST(RelaySeries, LeavesOutWhoComesToNoEndThreeTimesInARow) {
  Told t;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(t.series.is_hopeless(2));
    t.add({{1, 0.3, 1, 5, 0, 0}, {1, 0.3, 1, 5, 0, 0}}, {}, 10);
  }
  EXPECT_TRUE(t.series.is_hopeless(2));
  EXPECT_FALSE(t.series.is_hopeless(0));
  EXPECT_EQ(t.other().verdict, Verdict::slower);
}

}  // namespace
}  // namespace weir::relay_series_test
