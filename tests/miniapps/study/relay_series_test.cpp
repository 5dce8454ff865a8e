// What branches are said to show, with costs that are made up.
#include "miniapps/study/relay/relay_series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace weir {
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

  Lead lead(int crew, int steps, const Cost& cost) {
    Lead l;
    l.crew = crew;
    for (int k = 0; k < steps; ++k) l.steps.push_back({cost(k) * noise(), 0.1, 1, 10, 0, 0});
    return l;
  }
  void run(int branches) {
    const Cost one = [](int) { return 1.0; };
    for (int i = 0; i < branches; ++i) {
      const int m = series.steps(), zero = static_cast<int>(random_() % 2);
      Branch b{i + 1, m, {}};
      b.by_name = {lead(zero, m, one), lead(1 - zero, m, one), lead(2, m, cost_)};
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

TEST(RelaySeries, FindsNothingInTheReferenceItselfAndFivePercentInATwinThatHasThem) {
  int holds_1 = 0, found = 0;
  constexpr int repeats = 50, branches = 60;
  for (int i = 0; i < repeats; ++i) {
    Made same(i, [](int) { return 1.0; }), slow(1000 + i, [](int) { return 1.05; });
    same.run(branches);
    slow.run(branches);
    const Interval interval = same.series.compare(1).rows[1].closed_interval;
    holds_1 += interval.low <= 1 && interval.high >= 1;
    found += slow.other().verdict == RelayVerdict::slower;
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
  EXPECT_EQ(r.verdict, RelayVerdict::slower);
}

// It would be called faster where the branch ends before it has become slow: the page says that it has not settled.
TEST(RelaySeries, DoesNotCallFasterWhatStillGrows) {
  Made m(2, [](int k) { return 0.6 * (1 + 0.1 * k); });
  m.run(30);
  EXPECT_LT(m.other().closed, 1);
  EXPECT_EQ(m.other().verdict, RelayVerdict::not_settled);
}

TEST(RelaySeries, CallsWhatShrinksSlowerWhereItsLaterHalfIs) {
  Made pays_back(2, [](int k) { return k < at_first / 2 ? 4.0 : 0.5; }),
      stays(2, [](int k) { return k < 2 ? 6.0 : 3.0; });
  pays_back.run(30);
  stays.run(30);
  EXPECT_EQ(pays_back.other().verdict, RelayVerdict::not_settled);
  EXPECT_EQ(stays.other().verdict, RelayVerdict::slower);
}

TEST(RelaySeries, LeavesAloneWhatIsSlowButSteady) {
  Made m(
      3, [](int) { return 2.0; }, 64, 0.02);
  m.run(30);
  EXPECT_EQ(m.series.steps(), at_first);
  EXPECT_TRUE(m.other().has_settled);
  EXPECT_NEAR(m.other().gain, 1, 0.05);
  EXPECT_EQ(m.other().verdict, RelayVerdict::slower);
}

// The median step of this one is faster; what the run pays is not.
TEST(RelaySeries, PaysForRareSteps) {
  int calls = 0;
  Made m(4, [&](int) { return ++calls % 10 == 0 ? 5.0 : 0.9; });
  m.run(100);
  EXPECT_NE(m.other().verdict, RelayVerdict::faster);
  EXPECT_NEAR(m.other().closed, 1.31, 0.1);
}

// Time without progress is paid all the same: half as fast a step, a third of the progress.
TEST(RelaySeries, ComparesCostAUnitOfProgress) {
  RelaySeries s({"leader", "leader again", "other"}, {"a", "a", "b"}, {2, 2});
  for (int i = 0; i < 8; ++i) {
    Lead one, two, other;
    two.crew = 1;
    other.crew = 2;
    one.steps = two.steps = {{1, 0.3, 1, 5, 0, 0}, {1, 0.3, 1, 5, 0, 0}};
    other.steps = {{0.5, 0.1, 1, 2, 0, 0}, {0.5, 0.1, 1, 2, 0, 0}};
    Branch b{i + 1, 2, {}};
    b.by_name = {one, two, other};
    s.add(std::move(b));
  }
  EXPECT_NEAR(s.compare(1).rows[2].closed, 1.5, 1e-12);
  EXPECT_NEAR(s.compare(1).rows[2].open, 0.5, 1e-12);
}

// A candidate like `made`, which the reference's equals leave alone: what is said of its loop gain.
std::string why(const std::vector<LedStep>& made) {
  RelaySeries s({"leader", "leader again", "other"}, {"a", "a", "b"}, {2, 2});
  for (int i = 0; i < 8; ++i) {
    Lead one, two, other;
    two.crew = 1;
    other.crew = 2;
    one.steps = two.steps = {{1, 0.3, 1, 5, 0, 0, {0.2, 0.5}}, {1, 0.3, 1, 5, 0, 0, {0.2, 0.5}}};
    other.steps = made;
    Branch b{i + 1, 2, {}};
    b.by_name = {one, two, other};
    s.add(std::move(b));
  }
  return s.compare(1).rows[2].why;
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
  RelaySeries s({"leader", "leader again", "other"}, {"a", "a", "b"}, {2, 2});
  for (int i = 0; i < 20; ++i) {
    Lead one, two, other;
    two.crew = 1;
    other.crew = 2;
    const double progress = i % 5 < 3 ? 0.3 : -0.4;
    one.steps = two.steps = {{1, progress, 1, 5, 0, 0}, {1, 0, 1, 5, 0, 0}};
    other.steps = {{1, 0.3, 1, 5, 0, 0}, {1, 0.3, 1, 5, 0, 0}};
    Branch b{i + 1, 2, {}};
    b.by_name = {one, two, other};
    s.add(std::move(b));
  }
  const RelayComparison c = s.compare(1);
  EXPECT_FALSE(c.has_clear_progress);
  EXPECT_EQ(c.rows[2].verdict, RelayVerdict::undecided);
  EXPECT_EQ(c.rows[2].why, "");
}

TEST(RelaySeries, LeavesOutWhoComesToNoEndThreeTimesInARow) {
  RelaySeries s({"leader", "leader again", "other"}, {"a", "a", "b"}, {2, 2});
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(s.is_hopeless(2));
    Lead one, two, other;
    two.crew = 1;
    other.crew = 2;
    other.end = LeadEnd::cut;
    other.rest = 10;
    one.steps = two.steps = {{1, 0.3, 1, 5, 0, 0}, {1, 0.3, 1, 5, 0, 0}};
    Branch b{i + 1, 2, {}};
    b.by_name = {one, two, other};
    s.add(std::move(b));
  }
  EXPECT_TRUE(s.is_hopeless(2));
  EXPECT_FALSE(s.is_hopeless(0));
  EXPECT_EQ(s.compare(1).rows[2].verdict, RelayVerdict::slower);
}

}  // namespace
}  // namespace weir
