// Whole steps of the coupled scheme, in both spaces: what must hold on any flow.
#include <omp.h>

#include "base/error.hpp"
#include "solvers/device/ledger.hpp"
#include "tests/miniapps/artificial_compressibility/coupled_case.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::coupled_step_test {
namespace {

const std::string grid_2d = "cells = [7, 6]\nstretching = [\"tanh\", { type = \"tanh_low\", factor = 1.5 }]";
const std::string grid_3d = "cells = [4, 3, 3]\nstretching = [\"tanh\", \"uniform\", \"tanh_high\"]";
// Two sub-iterations per step, whatever their residual: what costs the emulated device least.
const std::string two_sub_iterations = "[pseudo_time]\ntolerance = 0.0\nmax_steps = 2\n";
const std::string pulsating = R"(
x_min = { type = "inlet", velocity = [1.0, 0.0], profile = "parabolic", modulation = { mean = 1.0, amplitude = 0.3, angular_frequency = 4.0 } }
x_max = { type = "outlet" }
y_min = { type = "wall" }
y_max = { type = "wall" })";

template <class Space>
class CoupledStep : public ::testing::Test {};
TYPED_TEST_SUITE(CoupledStep, Spaces, SpaceName);

TYPED_TEST(CoupledStep, TheFaceVelocityIsFreeOfDivergenceToTheTolerance) {
  const std::string rest = "[pseudo_time]\ntolerance = 1e-9\nmax_steps = 60\n";
  for (const auto& text : {coupled_text(grid_2d, "viscosity = 0.01", cavity_2d, 0.01, rest),
                           coupled_text(grid_3d, "viscosity = 0.01", cavity_3d, 0.01, rest)}) {
    TestCoupled<TypeParam> f(text);
    f.advance(2);
    // root mean square 1e-9 U/L by the tolerance, so at most sqrt(cells) times that in one
    EXPECT_LT(max_divergence<TypeParam>(f.scheme.view(), f.scheme.minus_residual()), 1e-9 * 1.2 * 6.5);
    EXPECT_GT(mean_kinetic_energy<TypeParam>(f.scheme.view(), f.c.grid), 0);
  }
}

TYPED_TEST(CoupledStep, AStepAllocatesNothingAndCopiesNothingButScalars) {
  TestCoupled<TypeParam> f(coupled_text(grid_3d, "viscosity = 0.01", cavity_3d, 0.01, two_sub_iterations));
  f.advance(2);
  const Ledger before = ledger();
  f.advance(2);
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
  EXPECT_EQ(ledger().bytes_to_device, before.bytes_to_device);
}

// Of Couette's flow u = y the viscosity, with either wall moving.
TYPED_TEST(CoupledStep, DissipationCountsBothWallsOnce) {
  for (const bool is_upper : {true, false}) {
    const std::string moving = "{ type = \"wall\", velocity = [1.0, 0.0] }", still = "{ type = \"wall\" }";
    const std::string boundary =
        "x_min = { type = \"periodic\" }\nx_max = { type = \"periodic\" }\ny_min = " + (is_upper ? still : moving) +
        "\ny_max = " + (is_upper ? moving : still) + "\n";
    const std::string u = is_upper ? "y" : "1 - y";
    TestCoupled<TypeParam> f(
        coupled_text("cells = [3, 8]\nstretching = [\"uniform\", \"tanh\"]",
                     "viscosity = 0.01\ninitial = \"formula\"\ninitial_velocity = [\"" + u + "\", \"0\"]", boundary,
                     0.01, two_sub_iterations));
    EXPECT_NEAR(mean_dissipation<TypeParam>(f.scheme.view(), f.c.grid), 0.01, 1e-12);
  }
}

TYPED_TEST(CoupledStep, AUniformStreamThroughInletOutletAndSlipWallsStaysUniform) {
  const std::string boundary = R"(
x_min = { type = "inlet", velocity = [1.0, 0.0, 0.0] }
x_max = { type = "outlet" }
y_min = { type = "slip" }
y_max = { type = "slip" }
z_min = { type = "slip" }
z_max = { type = "slip" })";
  TestCoupled<TypeParam> f(coupled_text(grid_3d,
                                        "viscosity = 0.01\ninitial = \"uniform\"\ninitial_velocity = [1.0, 0.0, 0.0]",
                                        boundary, 0.01, two_sub_iterations));
  f.advance(3);
  const auto x = f.unknowns();
  for (std::size_t q = 0; q < x.size(); q += 4) {
    EXPECT_NEAR(x[q + 1], 1, 1e-13);
    EXPECT_NEAR(x[q + 2], 0, 1e-13);
    EXPECT_NEAR(x[q + 3], 0, 1e-13);
  }
}

TYPED_TEST(CoupledStep, AUniformStreamInAPeriodicStretchedBoxStaysUniform) {
  TestCoupled<TypeParam> f(coupled_text(grid_2d,
                                        "viscosity = 0.01\ninitial = \"uniform\"\ninitial_velocity = [0.7, -0.4]",
                                        periodic_2d, 0.01, tight_pseudo_time));
  f.advance(3);
  const auto x = f.unknowns();
  for (std::size_t q = 0; q < x.size(); q += 3) {
    EXPECT_NEAR(x[q + 1], 0.7, 1e-13);
    EXPECT_NEAR(x[q + 2], -0.4, 1e-13);
  }
}

TYPED_TEST(CoupledStep, ARestartedFlowEqualsOneThatWasNotStoppedBitForBit) {
  const std::string text = coupled_text(grid_2d, "viscosity = 0.02", pulsating, 0.01, two_sub_iterations);
  TestCoupled<TypeParam> whole(text), first(text), second(text);
  whole.advance(5);
  first.advance(2);
  auto from = first.scheme.state();
  auto to = second.scheme.state();
  ASSERT_EQ(from.size(), to.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i].second->upload(from[i].second->to_vector());
  second.scheme.time = first.scheme.time;
  second.scheme.step = first.scheme.step;
  second.scheme.dt_before = first.scheme.dt_before;
  second.scheme.cfl = first.scheme.cfl;
  second.scheme.residual_before = first.scheme.residual_before;
  second.scheme.evaluate_steady();
  second.advance(3);
  EXPECT_EQ(second.unknowns(), whole.unknowns());
}

TEST(CoupledStepOnHost, TheNumberOfThreadsChangesNoBit) {
  const std::string text = coupled_text("cells = [100, 100]", "viscosity = 0.01", cavity_2d, 0.005, two_sub_iterations);
  const int threads = omp_get_max_threads();
  std::vector<std::vector<double>> x;
  for (int n : {1, 3}) {
    omp_set_num_threads(n);
    TestCoupled<Host> f(text);
    f.advance(1);
    x.push_back(f.unknowns());
  }
  omp_set_num_threads(threads);
  EXPECT_EQ(x[0], x[1]);
}

TEST(CoupledStepInBothSpaces, FieldsAgreeToTheTolerance) {
  const std::string text = coupled_text(grid_3d, "viscosity = 0.01", cavity_3d, 0.01);
  TestCoupled<Host> host(text);
  TestCoupled<Device> device(text);
  for (int i = 0; i < 2; ++i) {
    host.advance(1);
    device.advance(1);
    EXPECT_EQ(host.scheme.sub_iterations, device.scheme.sub_iterations);
  }
  EXPECT_LT(max_difference_of(host.velocities(), device.velocities()), 1e-11);
}

const std::string steady_channel = R"([grid]
cells = [4, 20]
[flow]
scheme = "artificial_compressibility"
viscosity = 1.0
body_force = [8.0, 0.0]
exact = "poiseuille"
[boundary]
x_min = { type = "periodic" }
x_max = { type = "periodic" }
y_min = { type = "wall" }
y_max = { type = "wall" }
[time]
steady = true
[pseudo_time]
tolerance = 1e-12
)";

TEST(CoupledStepOnHost, ASteadyChannelIsPoiseuillesProfile) {
  TestCoupled<Host> f(steady_channel);
  StepEnd end = StepEnd::advanced;
  while (end == StepEnd::advanced) end = f.scheme.advance(0, f.timings, [] {});
  ASSERT_EQ(end, StepEnd::converged);
  EXPECT_LT(f.scheme.step, 40);
  // the parabola shifted by f h^2 / (8 nu): the half cell at the wall
  EXPECT_NEAR(f.errors().at("error_velocity_max"), 8.0 / 8 / 400, 1e-9);
}

TEST(CoupledStepOnHost, ASolveThatHardlyLowersItsResidualCutsTheCflNumber) {
  const std::string one_iteration =
      "cfl_start = 1e6\n[linear.flow]\nmethod = \"gmres\"\nmax_iterations = 1\ntolerance = 1e-9\n"
      "preconditioner = { type = \"jacobi\" }\n";
  TestCoupled<Host> f(steady_channel + one_iteration);
  ASSERT_EQ(f.scheme.advance(0, f.timings, [] {}), StepEnd::advanced);
  ASSERT_GT(f.scheme.result.true_residual, 0.9 * f.scheme.result.residual0);
  EXPECT_EQ(f.scheme.cfl, 1e5);
}

TEST(CoupledStepOnHost, WhatFlowsInFlowsOut) {
  TestCoupled<Host> f(coupled_text(grid_2d, "viscosity = 0.05", pulsating, 0.01));
  f.advance(3);
  EXPECT_LT(max_divergence<Host>(f.scheme.view(), f.scheme.minus_residual()), 1e-11);
}

TEST(CoupledFailure, ASingularDiagonalBlockIsNamedByItsCell) {
  const std::string text = coupled_text(grid_2d, "viscosity = 0.01", cavity_2d, 0.01);
  TestEquations<Host> e(text, 3);
  e.assemble(1);
  for (int q = 0; q < 9; ++q) e.A.stencil().block(0, slot::delta)[q] = 0;
  const Table config = read_case_text(text, "test.toml");
  auto solver = coupled_system.solver<Host>(config.table("linear"));
  try {
    solver.setup(e.A);
    FAIL() << "a zero block was inverted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::solver_failed);
    EXPECT_NE(std::string(error.what()).find("cell (0, 0, 0)"), std::string::npos) << error.what();
  }
}

TEST(CoupledFailure, AStateThatIsNotFiniteEndsTheStepAndIsNotTakenForASolution) {
  TestCoupled<Host> f(coupled_text(grid_2d, "viscosity = 0.01", cavity_2d, 0.01));
  f.advance(1);
  f.scheme.field().origin()[5] = std::nan("");
  EXPECT_EQ(f.scheme.advance(0.01, f.timings, [] {}), StepEnd::not_finite);
}

TEST(CoupledFailure, SubIterationsThatMissTheToleranceAreReported) {
  TestCoupled<Host> f(
      coupled_text(grid_2d, "viscosity = 0.01", cavity_2d, 0.01, "[pseudo_time]\ntolerance = 1e-12\nmax_steps = 2\n"));
  EXPECT_EQ(f.scheme.advance(0.01, f.timings, [] {}), StepEnd::not_converged);
  EXPECT_EQ(f.scheme.step, 0);
}

TEST(CoupledStepOnHost, AGridOfTwoCellsRuns) {
  TestCoupled<Host> walls(coupled_text("cells = [2, 2]", "viscosity = 0.1", cavity_2d, 0.1));
  walls.advance(2);
  for (double x : walls.unknowns()) EXPECT_TRUE(std::isfinite(x));
}

TEST(CoupledFailure, KeysThatContradictEachOtherAreRefusedWithTheirLine) {
  const auto refusal = [](const std::string& time, const std::string& rest) {
    const std::string text =
        "[grid]\ncells = [4, 4]\n[flow]\nscheme = \"artificial_compressibility\"\nviscosity = 1.0\n"
        "[boundary]" +
        cavity_2d + "\n[time]\n" + time + "\n" + rest;
    try {
      read_incompressible_case(read_case_text(text, "case.toml"));
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::usage);
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal("steady = true", ""), "accepted");
  EXPECT_EQ(refusal("end = 1.0\ncfl = 5.0", ""), "accepted");
  EXPECT_EQ(refusal("steady = true\ndt = 0.1", "").find("case.toml:13: dt has no effect"), 0u);
  EXPECT_EQ(refusal("steady = true", "[pseudo_time]\ncfl_max = 1.0").find("case.toml:14: 'cfl_max'"), 0u);
  EXPECT_EQ(
      refusal("steady = true", "[pseudo_time]\nmax_steps = 0").find("case.toml:14: 'max_steps' must be at least 1"),
      0u);
  EXPECT_EQ(refusal("steady = true", "[numerics]\npressure_dissipation = 0.0").find("case.toml:14: "), 0u);
}

TEST(CoupledFailure, AGridOfOneCellIsRefused) {
  try {
    TestCoupled<Host> f(coupled_text("cells = [1, 1]", "viscosity = 0.1", cavity_2d, 0.1));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::usage);
    EXPECT_NE(std::string(error.what()).find("at least two cells"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weir::test::coupled_step_test
