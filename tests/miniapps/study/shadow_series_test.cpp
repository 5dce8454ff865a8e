// Results of the lab for its own reference solver: solves that are real, times that are made up, so that what is true
// is known. The same on the machine's own clock: `weir bench lab-aa`.
#include "miniapps/study/shadow/shadow_series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/studied_solver.hpp"

namespace weir::shadow_series_test {
namespace {

using Numbers = std::vector<double>;

// -u'' + u on a line of n cells.
BlockCsrData chain(int n) {
  BlockCsrData d;
  d.symmetric = true;
  d.row_start = {0};
  for (int i = 0; i < n; ++i) {
    for (const int j : {i - 1, i, i + 1})
      if (j >= 0 && j < n) {
        d.column.push_back(j);
        d.value.push_back(i == j ? 3 : -1);
      }
    d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
  }
  return d;
}

constexpr int unknowns = 10;
constexpr const char* leader_options = "method = \"cg\"\npreconditioner = { type = \"jacobi\" }";

// A reference solver in its loop, with two replicas and two more like it as shadows: "twin", "slow".
class Loop {
 public:
  explicit Loop(
      std::uint64_t seed, std::function<void(ShadowRecord&)> clock = [](ShadowRecord&) {}, int repeats = 1)
      : A_(chain(unknowns)),
        reference_(read_case_text(leader_options, "leader")),
        x_(unknowns),
        shadow_(alone_, seed, repeats, reference_, true, [=, this](const ShadowRecord& r) {
          ShadowRecord timed = r;
          clock(timed);
          told += series.add(timed);
        }) {
    for (const char* name : {"leader", control_name, "twin", "slow"})
      shadow_.add(name, make_any_solver<Host>(read_case_text(leader_options, name)));
    series = ShadowSeries(shadow_.names(), shadow_.solvers());
    reference_.setup(A_);
    reference_.watch(&shadow_);
  }
  void watch(SolveWatch<Host>* watch) { reference_.watch(watch); }
  void add(const std::string& name, std::unique_ptr<AnySolver<Host>> solver) {
    shadow_.add(name, std::move(solver));
    series = ShadowSeries(shadow_.names(), shadow_.solvers());
  }
  Shadow<Host>& shadow() { return shadow_; }
  void run(int steps, int first_due = 1) {
    for (int step = 1; step <= steps; ++step) {
      shadow_.begin_step(step, step >= first_due);
      Numbers b;
      for (int i = 0; i < unknowns; ++i) b.push_back(std::sin(0.1 * step * i) + 1);
      const Array<double, Host> rhs(b);
      reference_.update(A_);
      ASSERT_TRUE(reference_.solve(A_, rhs, x_).converged());
    }
  }
  View<double> x() { return x_.view(); }
  ShadowSeries series;
  int told = 0;  // that the reference solver parts from its replicas

 private:
  BlockCsr<Host> A_;
  StudiedSolver<Host> reference_;
  Array<double, Host> x_;
  Communicator alone_;
  Shadow<Host> shadow_;
};

// A machine with habits: the second replica lies badly in memory, the first solver finds cold caches, the reference
// solver in the flow is far slower than its doubles; then 2 % of noise and now and then a hiccup that lasts for two
// tries. "slow" takes 5 % more.
struct Machine {
  explicit Machine(unsigned seed) : random(seed) {}
  void operator()(ShadowRecord& r) {
    std::normal_distribution<double> noise(0, 0.02);
    std::uniform_real_distribution<double> chance(0, 1);
    const double place = r.place == 1 ? 1.03 : 1, double_of_leader = r.solver == 1 ? 1.01 : 1;
    const double own = r.name == ShadowRecord::in_the_flow ? 1.5 : 1, slow = r.name == 3 ? 1.05 : 1;
    r.setup_seconds = 0;
    r.result.solve_seconds =
        place * double_of_leader * own * slow * std::exp(noise(random)) * (chance(random) < 0.001 ? 5 : 1);
  }
  std::mt19937_64 random;
};

TEST(ShadowSeries, OnAMachineWithHabitsALeaderAgainstItselfShowsNoEffectAnd5PercentAreFound) {
  int control = 0, twin = 0, slow = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Loop loop(seed, Machine(seed));
    loop.run(100);
    const ShadowComparison c = loop.series.compare(seed);
    ASSERT_EQ(c.rows.size(), 4U);
    const Interval& i = c.rows[1].with_reference.of_sums_interval;
    control += i.low <= 1 && 1 <= i.high;
    twin += c.rows[2].verdict == Verdict::no_difference || c.rows[2].verdict == Verdict::undecided;
    slow += c.rows[3].verdict == Verdict::slower;
  }
  EXPECT_GE(control, 34);  // of 38 expected; three standard deviations are 4
  EXPECT_GE(twin, 38);
  EXPECT_GE(slow, 34);
}

// Made-up clocks: what is said of candidates that differ in more than a factor. The verdict, and the row.
struct Planted {
  ShadowRow row;
  std::string table;
};
Planted planted(const std::function<void(ShadowRecord&)>& twin) {
  std::mt19937_64 random(3);
  Loop loop(3, [&](ShadowRecord& r) {
    r.setup_seconds = 0;
    r.result.solve_seconds = 1 + 0.001 * static_cast<double>(random() % 10);
    if (r.name == 2) twin(r);
  });
  loop.run(60);
  const ShadowComparison c = loop.series.compare(1);
  return {c.rows[2], shadow_table(c, "pressure")};
}

TEST(ShadowSeries, ASlowButSteadyCandidateIsSlowerAndNotFailing) {
  const Planted p = planted([](ShadowRecord& r) { r.result.solve_seconds *= 4; });
  EXPECT_EQ(p.row.verdict, Verdict::slower);
  EXPECT_EQ(p.row.failures, 0);
  EXPECT_EQ(p.table.find("did not converge"), std::string::npos) << p.table;
  EXPECT_NE(p.table.find("60 systems, each solved by 4 solvers"), std::string::npos);
}

TEST(ShadowSeries, AFailedSolveCostsTheReferencesToo) {
  const auto fails_every_other = [](double seconds) {
    return [seconds](ShadowRecord& r) {
      r.result.solve_seconds *= seconds;
      if (r.step % 2 == 0) r.result.reason = Reason::max_iterations;
    };
  };
  const Planted p = planted(fails_every_other(0.6));
  EXPECT_LT(p.row.with_reference.ratio, 0.61);
  EXPECT_NEAR(p.row.with_reference.of_sums, 1.1, 0.01);
  EXPECT_NEAR(p.row.failed_milliseconds, 800, 10);  // in every other system 0.6 s of its own and 1 s of the reference's
  EXPECT_EQ(p.row.verdict, Verdict::slower);
  EXPECT_NE(p.table.find("30 solves did not converge"), std::string::npos) << p.table;
  EXPECT_EQ(planted(fails_every_other(0.2)).row.verdict, Verdict::faster);
}

TEST(ShadowSeries, SetUpsAndTheSlowestSolvesAreShown) {
  const Planted p = planted([](ShadowRecord& r) {
    r.setup_seconds = 0.25 * r.result.solve_seconds;
    r.result.solve_seconds *= r.step % 10 == 0 ? 5 : 0.65;
  });
  EXPECT_NEAR(p.row.setup_milliseconds / p.row.mean_milliseconds, 0.25 / (0.25 + 0.5 + 0.585), 0.01);
  EXPECT_NEAR(p.row.milliseconds, 900, 20);
  EXPECT_NEAR(p.row.p95_milliseconds, 5250, 60);
  EXPECT_LT(p.row.with_reference.ratio, 0.95);
  EXPECT_EQ(p.row.verdict, Verdict::slower);
  EXPECT_NE(p.table.find("set-up 19 % of its time"), std::string::npos) << p.table;
}

// Its own clock is made up. slow_at: a step at which it is ten times as slow, `tries` times.
class Interrupted : public AnySolver<Host> {
 public:
  Interrupted(int slow_at, int tries) : slow_at_(slow_at), tries_(tries) {}
  void setup(const Matrix<Host>&) override {}
  void update(const Matrix<Host>&) override {}
  SolveResult solve(const Matrix<Host>&, View<const double>, View<double>) override {
    SolveResult result;
    result.reason = Reason::converged;
    result.solve_seconds = solves_++ >= slow_at_ && tries_-- > 0 ? 10 : 1;
    return result;
  }
  const SetupInfo& setup_info() const override { return info_; }
  std::string name() const override { return "interrupted"; }
  std::string describe() const override { return name(); }
  int solves() const { return solves_; }

 private:
  SetupInfo info_;
  int slow_at_, tries_, solves_ = 0;
};

TEST(ShadowSeries, WhatWasSlowOnceIsSolvedAgainAndWhatIsSlowTwiceCounts) {
  for (const int tries : {1, 2}) {
    std::vector<double> seconds;
    Loop loop(1, [&](ShadowRecord& r) {
      if (r.name == 4) seconds.push_back(r.seconds());
    });
    auto solver = std::make_unique<Interrupted>(15, tries);
    const Interrupted& watched = *solver;
    loop.add("interrupted", std::move(solver));
    loop.run(20);
    ASSERT_EQ(seconds.size(), 20U);
    EXPECT_DOUBLE_EQ(*std::max_element(seconds.begin(), seconds.end()), tries == 1 ? 1 : 10);
    EXPECT_EQ(watched.solves(), 22) << "one uncounted at first, and the second try";
  }
}

// Refuses its set-up, or the k-th system.
class Unfit : public Interrupted {
 public:
  explicit Unfit(int refuses_update) : Interrupted(0, 0), refuses_update_(refuses_update) {}
  void setup(const Matrix<Host>&) override {
    if (refuses_update_ == 0) throw Error(Exit::usage, "it takes square matrices, not \"oblong\", ones");
  }
  void update(const Matrix<Host>&) override {
    if (++updates_ == refuses_update_) throw Error(Exit::solver_failed, "a zero on the diagonal");
  }

 private:
  int refuses_update_, updates_ = 0;
};

struct WithUnfit {
  std::vector<LeftOut> told;
  ShadowComparison comparison;
};
WithUnfit with_unfit(int refuses_update, int first_due = 1) {
  WithUnfit w;
  Loop loop(1);
  loop.shadow().on_left_out([&](const std::string& name, const std::string& why) { w.told.push_back({name, why}); });
  loop.add("unfit", std::make_unique<Unfit>(refuses_update));
  loop.run(12, first_due);
  w.comparison = loop.series.compare(1);
  w.comparison.left_out = w.told;
  return w;
}

TEST(ShadowSeries, ACandidateWhoseSetUpIsRefusedIsLeftOutAndTheOthersGoOn) {
  const WithUnfit w = with_unfit(0);
  ASSERT_EQ(w.told.size(), 1U);
  EXPECT_EQ(w.told[0].name, "unfit");
  ASSERT_EQ(w.comparison.rows.size(), 4U);
  EXPECT_EQ(w.comparison.rows[3].with_reference.pairs, 12);
  const std::string csv = shadow_csv(w.comparison), table = shadow_table(w.comparison, "pressure");
  EXPECT_NE(csv.find("\nunfit,,0,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("left out,,,,,,,,,,,,\"it takes square matrices, not \"\"oblong\"\", ones\"\n"), std::string::npos)
      << csv;
  EXPECT_NE(table.find("  unfit left out: it takes square"), std::string::npos) << table;
  EXPECT_NE(table.find("12 systems, each solved by 4 solvers"), std::string::npos) << table;
}

TEST(ShadowSeries, ItIsFoundBeforeTheFirstSolveWhenShadowsBeginLater) {
  EXPECT_EQ(with_unfit(0, 100).told.size(), 1U);
  EXPECT_EQ(with_unfit(0, 100).comparison.rows.size(), 0U);
}

TEST(ShadowSeries, ACandidateThatALaterSystemRefusesIsLeftOutFromThereOn) {
  const WithUnfit w = with_unfit(5);
  ASSERT_EQ(w.told.size(), 1U);
  ASSERT_EQ(w.comparison.rows.size(), 5U);
  EXPECT_EQ(w.comparison.rows[4].with_reference.pairs, 4);
  EXPECT_EQ(w.comparison.rows[3].with_reference.pairs, 12);
  const std::string csv = shadow_csv(w.comparison);
  EXPECT_NE(csv.find(",\"a zero on the diagonal\"\n"), std::string::npos) << csv;
}

TEST(ShadowSeries, WhatTheDoublesDifferByIsNoise) {
  Loop loop(3, [](ShadowRecord& r) { r.setup_seconds = 0, r.result.solve_seconds = r.solver == 1 ? 1.1 : 1.0; });
  loop.run(40);
  const ShadowComparison c = loop.series.compare(1);
  EXPECT_NEAR(c.replicas.ratio, 1.1, 1e-12);
  EXPECT_GE(c.noise, std::log(1.1) - 1e-12);
  EXPECT_EQ(c.rows[1].verdict, Verdict::undecided);
  EXPECT_LT(c.rows[1].with_reference.of_sums_interval.low, 1);  // either name has the bad place as often as the other
  EXPECT_GT(c.rows[1].with_reference.of_sums_interval.high, 1);
}

// Comes after the shadows have taken their guess: from one step on the reference solver alone sees another one.
class Unsteady : public SolveWatch<Host> {
 public:
  Unsteady(View<double> x, int from) : x_(x), from_(from) {}
  void prepared(const Matrix<Host>&, bool, const SetupInfo&) override {}
  void before(const Matrix<Host>&, View<const double>, View<const double>) override {
    if (++solves_ >= from_) x_[7] += 1e-9;
  }
  void after(const Matrix<Host>&, View<const double>, View<const double>, const SolveResult&) override {}

 private:
  View<double> x_;
  int from_, solves_ = 0;
};

TEST(ShadowSeries, ALeaderThatDoesNotRepeatIsFoundWithTheStep) {
  Loop steady(1);
  steady.run(12);
  EXPECT_EQ(steady.series.repetition().systems, 12);
  EXPECT_EQ(steady.series.repetition().different, 0);
  EXPECT_NE(repetition_text(steady.series.repetition(), "").find("(12 systems)"), std::string::npos);

  Loop loop(1);
  Unsteady planted(loop.x(), 5);
  loop.watch(&planted);
  loop.run(12);
  const Repetition& r = loop.series.repetition();
  EXPECT_EQ(r.step, 5);
  EXPECT_EQ(r.different, 8);
  EXPECT_EQ(loop.told, 1);
  EXPECT_GT(r.differing, 0);
  EXPECT_GT(r.largest_difference, 0);
  EXPECT_LT(r.largest_difference, 1e-8);
  const std::string text = repetition_text(r, "");
  EXPECT_NE(text.find("in 8 of 12 systems, first at step 5"), std::string::npos) << text;
  EXPECT_NE(text.find("a race or uninitialised memory"), std::string::npos);
}

}  // namespace
}  // namespace weir::shadow_series_test
