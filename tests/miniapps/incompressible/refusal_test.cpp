// Case files that cannot be meant: refused with file and line, and saying what was expected.
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "miniapps/structured/run_structured.hpp"
#include "miniapps/structured/time/clock.hpp"
#include "tests/miniapps/incompressible/flow_case.hpp"

namespace weir::test::refusal_test {
namespace {

const std::string good = R"([grid]
cells = [8, 8]
[flow]
viscosity = 0.1
[boundary]
x_min = { type = "wall" }
x_max = { type = "wall" }
y_min = { type = "wall" }
y_max = { type = "wall", velocity = [1.0, 0.0] }
[time]
end = 1.0
dt = 0.1
)";

// The message for the good case with one piece of text replaced.
std::string refusal(const std::string& from, const std::string& to) {
  std::string text = good;
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  text.replace(at, from.size(), to);
  try {
    read_incompressible_case(read_case_text(text, "case.toml"));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::usage);
    return e.what();
  }
  return "accepted";
}

#define EXPECT_REFUSED(from, to, place, words)               \
  do {                                                       \
    const std::string message = refusal(from, to);           \
    EXPECT_EQ(message.find(place), 0u) << message;           \
    EXPECT_NE(message.find(words), message.npos) << message; \
  } while (false)

TEST(Refusal, ACheckpointOfOtherCellsOrWithoutTheirPlace) {
  const auto code = [](const std::vector<double>& places, const Grid& grid) {
    Checkpoint c;
    c.arrays = {{"places_x", places}};
    try {
      require_same_grid(c, grid);
    } catch (const Error& e) {
      return e.code();
    }
    return Exit::finished;
  };
  Grid grid, other;
  for (GridLine& line : grid.line) line = make_grid_line(8, 0, 1, {});
  other = grid;
  other.line[0] = make_grid_line(8, 0.125, 1, {});
  const double places = places_of(grid.line[0]);
  EXPECT_EQ(code({places}, grid), Exit::finished);
  EXPECT_EQ(code({places}, other), Exit::usage);
  EXPECT_EQ(code({}, grid), Exit::file_io);
  EXPECT_EQ(code({places, places}, grid), Exit::file_io);
}

TEST(Refusal, AGoodCaseIsAccepted) { EXPECT_EQ(refusal("0.1", "0.2"), "accepted"); }

TEST(Refusal, MissingBoundary) { EXPECT_REFUSED("y_min = { type = \"wall\" }\n", "", "case.toml:", "y_min"); }

TEST(Refusal, PeriodicOnOneSideOnly) {
  EXPECT_REFUSED("x_max = { type = \"wall\" }", "x_max = { type = \"periodic\" }", "case.toml:7",
                 "opposite side is not");
}

TEST(Refusal, ASideThatA2DGridDoesNotHave) {
  EXPECT_REFUSED("x_min =", "z_min = { type = \"wall\" }\nx_min =", "case.toml:6", "2D");
}

TEST(Refusal, UnknownBoundaryType) { EXPECT_REFUSED("\"wall\" }", "\"wal\" }", "case.toml:6", "did you mean 'wall'"); }

TEST(Refusal, AWallThatMovesThroughItself) { EXPECT_REFUSED("[1.0, 0.0]", "[1.0, 0.5]", "case.toml:9", "own plane"); }

TEST(Refusal, AnInletWithoutVelocityOrWithoutAWayOut) {
  EXPECT_REFUSED("x_min = { type = \"wall\" }", "x_min = { type = \"inlet\" }", "case.toml:6", "needs a velocity");
  EXPECT_REFUSED("x_min = { type = \"wall\" }", "x_min = { type = \"inlet\", profile = \"logarithmic\" }",
                 "case.toml:6", "\"constant\", \"parabolic\", got \"logarithmic\"");
  EXPECT_REFUSED("x_min = { type = \"wall\" }", "x_min = { type = \"inlet\", velocity = [1.0, 0.0] }", "case.toml:6",
                 "no way out");
  EXPECT_REFUSED("x_min = { type = \"wall\" }\nx_max = { type = \"wall\" }",
                 "x_min = { type = \"inlet\", velocity = [-1.0, 0.0] }\nx_max = { type = \"outlet\" }", "case.toml:6",
                 "point into the domain");
}

TEST(Refusal, InitialAndExactFlowsThatTheCaseCannotHave) {
  EXPECT_REFUSED("viscosity = 0.1\n", "viscosity = 0.1\ninitial = \"uniform\"\n", "case.toml:5",
                 "needs initial_velocity");
  EXPECT_REFUSED("viscosity = 0.1\n[boundary]\nx_min = { type = \"wall\" }\nx_max = { type = \"wall\" }",
                 "viscosity = 0.1\nexact = \"poiseuille\"\n[boundary]\nx_min = { type = \"inlet\", velocity = [1.0, "
                 "0.0] }\nx_max = { type = \"outlet\" }",
                 "case.toml:5", "not an exact solution, because of the inlet");
}

TEST(Refusal, AVelocityWhereItMeansNothing) {
  EXPECT_REFUSED("x_min = { type = \"wall\" }", "x_min = { type = \"slip\", velocity = [1.0, 0.0] }", "case.toml:6",
                 "cannot be used");
}

TEST(Refusal, ImpossibleSizes) {
  EXPECT_REFUSED("[8, 8]", "[8, 0]", "case.toml:2", "must be at least 1");
  EXPECT_REFUSED("[8, 8]", "[8, 1]", "case.toml:2", "at least two cells");
  EXPECT_REFUSED("[8, 8]", "[8]", "case.toml:2", "nx, ny");
  EXPECT_REFUSED("[8, 8]", "[100000, 100000]", "case.toml:2", "32-bit");
  EXPECT_REFUSED("[8, 8]", "[8, 8]\nlength = [1.0, -1.0]", "case.toml:3", "positive");
}

TEST(Refusal, ContradictoryOrMissingTimeSteps) {
  EXPECT_REFUSED("dt = 0.1", "dt = 0.1\ncfl = 0.5", "case.toml:13", "are alternatives");
  EXPECT_REFUSED("dt = 0.1", "", "case.toml:", "dt or cfl");
  EXPECT_REFUSED("dt = 0.1", "dt = -0.1", "case.toml:12", "positive");
  EXPECT_REFUSED("dt = 0.1", "cfl = 1.5", "case.toml:12", "at most 1");
}

TEST(Refusal, AnInitialVelocityThatNothingUses) {
  EXPECT_REFUSED("viscosity = 0.1", "viscosity = 0.1\ninitial_velocity = [1.0, 0.0]", "case.toml:5", "has no effect");
}

TEST(Refusal, FlowsThatDoNotExistHere) {
  EXPECT_REFUSED("viscosity = 0.1", "viscosity = -0.1", "case.toml:4", "negative");
  EXPECT_REFUSED("viscosity = 0.1", "viscosity = 0.1\ninitial = \"taylor_green_3d\"", "case.toml:5", "3D");
  EXPECT_REFUSED("viscosity = 0.1", "viscosity = 0.1\ninitial = \"womersley\"", "case.toml:", "oscillating");
}

TEST(StepSizes, AFixedStepEndsOnTime) {
  IncompressibleCase c = read_incompressible_case(read_case_text(good, "case.toml"));
  c.time.end = 0.25;
  StepSize clock(c);
  double t = 0;
  std::vector<double> steps;
  while (!clock.finished(t)) t += steps.emplace_back(clock.next(t, 0));
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_DOUBLE_EQ(steps[0], 0.1);
  EXPECT_NEAR(steps[1], 0.075, 1e-15);
  EXPECT_NEAR(steps[2], 0.075, 1e-15);  // the rest in two: no sliver at the end
}

TEST(StepSizes, NoSliverIsLeftForTheLastStep) {
  IncompressibleCase c = read_incompressible_case(read_case_text(good, "case.toml"));
  for (const double end : {0.999, 1.0, 1.0005, 1.002, 1.05}) {
    c.time.end = end;
    StepSize clock(c);
    double t = 0, smallest = 1, largest = 0;
    while (!clock.finished(t)) {
      const double dt = clock.next(t, 0);
      t += dt;
      smallest = std::min(smallest, dt);
      largest = std::max(largest, dt);
    }
    EXPECT_DOUBLE_EQ(t, end);
    EXPECT_GE(smallest, 0.05 - 1e-12) << end;
    EXPECT_LE(largest, 0.101 + 1e-12) << end;
  }
}

TEST(StepSizes, ACourantNumberIsKeptAndGrowthIsLimited) {
  IncompressibleCase c = read_incompressible_case(read_case_text(good, "case.toml"));
  c.time.dt = 0;
  c.time.cfl = 0.5;
  StepSize clock(c);
  const double first = clock.next(0, 0);  // at rest: the lid's speed counts
  EXPECT_DOUBLE_EQ(first, 0.5 / 8);
  EXPECT_LE(clock.next(0, 100.0) * 100.0, 0.5);
  const double small = clock.dt;
  EXPECT_DOUBLE_EQ(clock.next(0, 1.0), 1.2 * small);
  EXPECT_DOUBLE_EQ(clock.next(0, 0.45 / clock.dt), 1.2 * small);  // within the band: unchanged
}

// Speeds that grow from step to step: the run is to end, not to follow them.
TEST(StepSizes, AStepThatCollapsesIsTold) {
  IncompressibleCase c = read_incompressible_case(read_case_text(good, "case.toml"));
  c.time.dt = 0;
  c.time.cfl = 0.5;
  c.time.end = 20;
  StepSize clock(c);
  double t = 0, rate = 8;
  int steps = 0;
  for (; steps < 10000 && clock.why_collapsed(t, steps).empty(); ++steps) {
    t += clock.next(t, rate);
    if (steps > 50) rate *= 1.1;
  }
  EXPECT_GT(clock.dt, 1e-12);
  EXPECT_LT(steps, 300);
  EXPECT_EQ(clock.next(t, std::numeric_limits<double>::infinity()), 0);
  EXPECT_NE(clock.why_collapsed(t, steps), "");
  StepSize restarted(c);  // by the step at hand alone nothing has collapsed
  restarted.dt = clock.dt;
  EXPECT_EQ(restarted.why_collapsed(t, steps), "");
  restarted.largest = clock.largest;
  EXPECT_NE(restarted.why_collapsed(t, steps), "");
  // A flow that starts from rest is none: the steps that are left are few enough, however small they have become.
  c.patches = {};
  StepSize slow(c);
  EXPECT_EQ(slow.next(0, 1e-9), 20);
  EXPECT_LT(slow.next(0, 1e6), 1e-6);
  EXPECT_EQ(slow.why_collapsed(0, 2), "");
}

// From rest what drives the flow bounds the first step: the initial field, a source, a flux, a force that begins at
// nought.
TEST(StepSizes, TheFirstStepFromRestIsShortEnoughForWhatDrivesTheFlow) {
  const std::string walls =
      "[boundary]\nx_min = { type = \"wall\" }\nx_max = { type = \"wall\" }\ny_min = { type = \"wall\"WARM }\n"
      "y_max = { type = \"wall\" }\n[time]\nend = 50.0\ncfl = 0.7\n";
  const auto first = [&](const std::string& flow, const std::string& warm = "") {
    std::string text = "[grid]\ncells = [16, 16]\n[flow]\nviscosity = 0.001\n" + flow + walls;
    text.replace(text.find("WARM"), 4, warm);
    const IncompressibleCase c = read_incompressible_case(read_case_text(text, "case.toml"));
    StepSize clock(c);
    return clock.next(0, 0);
  };
  const std::string heat = "[temperature]\ndiffusivity = 0.01\nexpansion = 1.0\ngravity = [0.0, -1.0]\n";
  const double h = 1.0 / 16;
  // Steps in which the drive would move the fluid by at most a cell: a t^2 / h = 0.7 or less.
  EXPECT_LE(first(heat + "initial = \"exp(-100*((x - 0.5)^2 + (y - 0.3)^2))\"\n"), 1.1 * 0.7 * std::sqrt(h));
  EXPECT_LE(first(heat + "source = 2.0\n"), 0.7 * std::cbrt(h / 2) * 1.01);
  EXPECT_LE(first(heat, ", heat_flux = 1.0"), 0.7 * std::pow(0.1 * h, 0.4) * 1.01);
  const double swinging = first("body_force = [\"sin(t)\", \"0\"]\n");
  EXPECT_LE(std::sin(swinging) * swinging * swinging, 1.01 * 0.49 * h);
  EXPECT_GT(swinging, 0.1);
}

TEST(StepSizes, ABlowUpIsToldAtTheVeryFirstLooks) {
  IncompressibleCase c = read_incompressible_case(read_case_text(good, "case.toml"));
  StepSize clock(c);
  clock.saw(0.3);
  clock.saw(1e9);
  EXPECT_NE(clock.why_collapsed(1, 3), "");
  StepSize lost(c);
  lost.saw(std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(lost.why_collapsed(1, 2), "");
  c.time.dt = 0;
  c.time.cfl = 0.5;
  StepSize followed(c);
  followed.next(0, 1);
  followed.saw(292);
  EXPECT_NE(followed.why_collapsed(1, 2), "");
}

TEST(StepSizes, AFixedStepWhoseCourantNumberExplodesIsTold) {
  IncompressibleCase c = read_incompressible_case(read_case_text(good, "case.toml"));
  StepSize clock(c);
  for (const double cfl : {1e-9, 0.3, 5.0, 9e5}) {  // from rest, beyond the limit
    clock.saw(cfl);
    EXPECT_EQ(clock.why_collapsed(0, 5), "") << cfl;
  }
  clock.saw(2e6);
  EXPECT_NE(clock.why_collapsed(0, 5), "");
}

// A wall that swings from rest: its rate at the step's end counts, though the fluid tells nothing of it yet.
TEST(StepSizes, ACourantNumberIsKeptWhereAWallStartsFromRest) {
  IncompressibleCase c = read_incompressible_case(read_case_text(good, "case.toml"));
  c.patches = {};
  c.time.dt = 0;
  c.time.cfl = 0.5;
  c.time.end = 2;
  const auto rate = [](double t) { return 40 * std::pow(std::sin(std::numbers::pi * t), 2); };
  StepSize clock(c, rate);
  double t = 0;
  int steps = 0;
  while (!clock.finished(t)) {
    const double dt = clock.next(t, rate(t));
    EXPECT_LE(dt * std::max(rate(t), rate(t + dt)), 0.5 * (1 + 1e-12)) << t;
    t += dt;
    ++steps;
  }
  EXPECT_DOUBLE_EQ(t, 2);
  EXPECT_LT(steps, 40 / 0.5 * 2 * 1.3);  // half of that would do: the mean rate is 20
}

}  // namespace
}  // namespace weir::test::refusal_test
