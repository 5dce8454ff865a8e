// The recorder next to a made-up flow: what a step costs in allocations, what the verdict makes of the last steps.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "inputs/case.hpp"
#include "miniapps/study/recorder/flight_recorder.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "tests/support/allocations.hpp"

namespace weir::test::flight_verdict_test {
namespace {

// A state of one variable, and one system a step.
class MadeUpFlow {
 public:
  MadeUpFlow() : u_(std::vector<double>(100, 1.0)), b_(std::vector<double>(3, 1.0)), x_(3), A_(identity()) {
    FlowFacts<Host> facts;
    facts.time = [this] { return time_; };
    facts.dt = [] { return 0.1; };
    facts.cfl = [this] { return cfl; };
    facts.courant_limit = 1;
    facts.watched.push_back({"u", false, [this] { return range_of<Host>(u_.view()); },
                             [this] { return u_.to_vector(); },
                             [](std::int64_t i) { return "cell " + std::to_string(i); }});
    recorder.describe(facts);
    recorder.attach({"s", 0, &solver_, read_case_text("", "s.toml"), "cg", "none", 1e-8});
    solver_.setup(A_);
  }
  void step() {
    recorder.begin_step(++steps_);
    solver_.solve(A_, b_, x_);
    time_ += 0.1;
  }
  void scale(double by) {
    for (std::int64_t i = 0; i < u_.size(); ++i) u_.data()[i] *= by;
  }
  void put(int cell, double value) { u_.data()[cell] = value; }
  Finding verdict() {
    weir::Outcome outcome;
    outcome.exit = Exit::not_finite;
    return recorder.verdict(outcome, false);
  }

  Communicator alone;
  FlightRecorder<Host> recorder{read_case_text("", "case.toml"), alone};
  double cfl = 0.5;

 private:
  static BlockCsr<Host> identity() {
    BlockCsrData d;
    d.symmetric = true;
    d.row_start = {0, 1, 2, 3};
    d.column = {0, 1, 2};
    d.value = {1, 2, 3};
    return BlockCsr<Host>(d);
  }
  Array<double, Host> u_, b_, x_;
  BlockCsr<Host> A_;
  StudiedSolver<Host> solver_{read_case_text("", "s.toml")};
  double time_ = 0;
  std::int64_t steps_ = 0;
};

TEST(FlightVerdict, AStepAllocatesNothing) {
  MadeUpFlow flow;
  for (int i = 0; i < 40; ++i) flow.step();  // the ring of 32 has gone round
  const std::int64_t before = allocations();
  for (int i = 0; i < 100; ++i) flow.step();
  EXPECT_EQ(allocations(), before);
}

TEST(FlightVerdict, AFlowThatGrowsBeyondTheLimitHasTooLargeAStep) {
  MadeUpFlow flow;
  flow.cfl = 3;
  for (int i = 0; i < 50; ++i) {
    flow.step();
    if (i > 20) flow.scale(1.5);
  }
  const Finding f = flow.verdict();
  EXPECT_EQ(f.cause, Cause::time_step);
  EXPECT_EQ(f.key, "time.dt");
}

// The CFL number alone proves nothing: here it is too large all the time, and the flow is calm until one value breaks.
TEST(FlightVerdict, AFlowThatBeganAtRestMayGrowToo) {
  MadeUpFlow flow;
  flow.cfl = 3;
  flow.scale(0);
  for (int i = 0; i < 50; ++i) {
    flow.step();
    if (i == 3)
      for (int cell = 0; cell < 100; ++cell) flow.put(cell, 1);
    if (i > 20) flow.scale(1.5);
  }
  EXPECT_EQ(flow.verdict().cause, Cause::time_step);
}

TEST(FlightVerdict, ASuddenNaNIsNotBlamedOnTheStep) {
  MadeUpFlow flow;
  flow.cfl = 3;
  for (int i = 0; i < 20; ++i) flow.step();
  flow.put(42, std::numeric_limits<double>::quiet_NaN());
  flow.step();
  const Finding f = flow.verdict();
  EXPECT_EQ(f.cause, Cause::first_not_finite);
  EXPECT_NE(f.what.find("u of cell 42"), std::string::npos) << f.what;
}

TEST(FlightVerdict, AFlowThatGrowsWithinTheLimitIsNotBlamedOnTheStep) {
  MadeUpFlow flow;
  for (int i = 0; i < 60; ++i) {
    flow.step();
    flow.scale(1.3);
  }
  EXPECT_EQ(flow.verdict().cause, Cause::growing_state);
}

TEST(FlightVerdict, GrowthIsDatedToWhereItBegan) {
  MadeUpFlow flow;
  flow.scale(0.3);  // it starts slowly, and is calm for long
  for (int i = 0; i < 3000; ++i) {
    flow.step();
    if (i < 10) flow.scale(1.1);
    if (i >= 1800) flow.scale(1.02);
  }
  const Finding f = flow.verdict();
  EXPECT_EQ(f.cause, Cause::growing_state);
  int from = 0;  // a factor of two: 35 steps; and moments that old are some steps apart
  for (const auto& [what, value] : f.evidence)
    if (what == "growth from step") from = std::stoi(value);
  EXPECT_GE(from, 1800);
  EXPECT_LE(from, 1850);
}

TEST(FlightVerdict, AHistoryOfAnyLengthIsSpreadEvenlyAndBounded) {
  for (const std::int64_t steps : {5, 16, 17, 1000, 12345}) {
    FlightHistory history(16);
    for (std::int64_t s = 1; s <= steps; ++s) {
      FlightMoment m;
      m.step = s;
      history.add(m);
    }
    const auto& kept = history.kept();
    ASSERT_LE(kept.size(), 16u);
    ASSERT_GE(kept.size(), std::min<std::size_t>(8, static_cast<std::size_t>(steps)));
    EXPECT_EQ(kept.front().step, 1);
    const std::int64_t stride = kept[1].step - kept[0].step;
    for (std::size_t k = 1; k < kept.size(); ++k) EXPECT_EQ(kept[k].step - kept[k - 1].step, stride);
    EXPECT_LT(steps - kept.back().step, stride);
  }
}

TEST(FlightVerdict, TheRangeOfAVariableIsExactAndSeesWhatIsNotFinite) {
  for (const int stride : {1, 3}) {
    std::vector<double> v(10000);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = 2 + std::sin(static_cast<double>(i));
    v[static_cast<std::size_t>(stride * 100)] = 0.25;
    v[static_cast<std::size_t>(stride * 200)] = 7.5;
    const Array<double, Host> host(v);
    const Array<double, Device> device(v);
    for (const ValueRange& r : {range_of<Host>(host.view(), 0, stride), range_of<Device>(device.view(), 0, stride)}) {
      EXPECT_DOUBLE_EQ(r.least, 0.25);
      EXPECT_DOUBLE_EQ(r.most, 7.5);
      EXPECT_TRUE(r.all_finite);
    }
    for (const double bad : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
      v[static_cast<std::size_t>(stride * 300)] = bad;
      EXPECT_FALSE(range_of<Host>(Array<double, Host>(v).view(), 0, stride).all_finite);
      EXPECT_FALSE(range_of<Device>(Array<double, Device>(v).view(), 0, stride).all_finite);
    }
  }
}

}  // namespace
}  // namespace weir::test::flight_verdict_test
