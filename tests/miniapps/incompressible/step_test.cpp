// Whole steps, in both spaces: what must hold on any flow.
#include <omp.h>

#include <cstring>

#include "solvers/device/ledger.hpp"
#include "tests/miniapps/incompressible/flow_case.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::step_test {
namespace {

const std::string grid_2d = "cells = [12, 10]\nstretching = [\"tanh\", { type = \"tanh_low\", factor = 1.5 }]";
const std::string grid_3d = "cells = [8, 6, 7]\nstretching = [\"tanh\", \"uniform\", \"tanh_high\"]";

template <class Space>
class Step : public ::testing::Test {};
TYPED_TEST_SUITE(Step, Spaces, SpaceName);

TYPED_TEST(Step, TheCorrectedVelocityIsFreeOfDivergenceToTheSolversTolerance) {
  for (const auto& text :
       {text_of(grid_2d, "viscosity = 0.01", cavity_2d, 0.01), text_of(grid_3d, "viscosity = 0.01", cavity_3d, 0.01)}) {
    TestFlow<TypeParam> f(text);
    f.advance(5);
    // div u = (b - A psi) / V: |b - A psi| <= 1e-11 |b|; |b| <= V |div u*|, and lid speed / smallest width bounds div
    // u*
    EXPECT_LT(f.divergence(), 1e-11 * 1e4);
    EXPECT_GT(f.energy(), 1e-5);
  }
}

// A stream along a wall loses the energy that dissipation tells, whichever of the two walls it is.
TYPED_TEST(Step, DissipationIsTheLossOfEnergyAtEitherWall) {
  const std::string between_walls =
      "x_min = { type = \"periodic\" }\nx_max = { type = \"periodic\" }\n"
      "y_min = { type = \"wall\" }\ny_max = { type = \"wall\" }\n";
  const auto of = [&](const std::string& u, const std::string& boundary, const std::string& grid) {
    TestFlow<TypeParam> f(
        text_of(grid, "viscosity = 0.1\ninitial = \"formula\"\ninitial_velocity = [" + u + "]", boundary, 1e-6));
    const double before = f.energy(), told = dissipation(f.step.flow(), f.step.metrics(), f.c.grid, 0.1);
    f.advance(1);
    EXPECT_NEAR((before - f.energy()) / 1e-6, told, 2e-3 * told) << u;
    return told;
  };
  const std::string wide = "cells = [3, 12]";
  const double low = of("\"exp(-5*y)\", \"0\"", between_walls, wide);
  EXPECT_NEAR(of("\"exp(-5*(1 - y))\", \"0\"", between_walls, wide), low, 1e-9 * low);
  std::string turned = between_walls;
  for (const auto& [from, to] : {std::pair{"x_", "t_"}, {"y_", "x_"}, {"t_", "y_"}})
    for (std::size_t at = 0; (at = turned.find(from, at)) != turned.npos; at += 2) turned.replace(at, 2, to);
  EXPECT_NEAR(of("\"0\", \"exp(-5*x)\"", turned, "cells = [12, 3]"), low, 1e-9 * low);
}

// Of a uniform shear the vorticity is 1 everywhere; where nothing enters or leaves, and nothing is a wall, dissipation
// is 2 nu times it.
TYPED_TEST(Step, EnstrophyIsThatOfTheExactFlow) {
  const std::string between_walls =
      "x_min = { type = \"periodic\" }\nx_max = { type = \"periodic\" }\n"
      "y_min = { type = \"wall\" }\ny_max = { type = \"wall\", velocity = [1.0, 0.0] }\n";
  TestFlow<TypeParam> shear(text_of("cells = [4, 7]\nstretching = [\"uniform\", \"tanh\"]",
                                    "viscosity = 0.1\ninitial = \"formula\"\ninitial_velocity = [\"y\", \"0\"]",
                                    between_walls, 0.01));
  EXPECT_NEAR(enstrophy(shear.step.flow(), shear.step.metrics(), shear.c.grid), 0.5, 1e-12);
  TestFlow<TypeParam> vortices(
      text_of("cells = [8, 12]", "viscosity = 0.1\ninitial = \"taylor_green_2d\"", periodic_2d, 0.01));
  const double told = dissipation(vortices.step.flow(), vortices.step.metrics(), vortices.c.grid, 0.1);
  EXPECT_NEAR(0.2 * enstrophy(vortices.step.flow(), vortices.step.metrics(), vortices.c.grid), told, 1e-12 * told);
}

TYPED_TEST(Step, AStepAllocatesNothingAndCopiesNothingButScalars) {
  TestFlow<TypeParam> f(text_of(grid_3d, "viscosity = 0.01", cavity_3d, 0.01));
  f.advance(2);
  const Ledger before = ledger();
  f.advance(3);
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
  EXPECT_EQ(ledger().bytes_to_device, before.bytes_to_device);
  EXPECT_EQ(ledger().bytes_to_host, before.bytes_to_host);
}

// The flow is then u^n where a momentum system failed.
TYPED_TEST(Step, AFailedSolveNamesItsSystem) {
  struct Failing {
    const char *linear, *system;
  };
  for (const auto& [linear, system] :
       {Failing{"[linear.momentum]\nmax_iterations = 2\ntolerance = 1e-12\n", "momentum"},
        {"[linear.pressure]\ntolerance = 1e-30\n", "pressure"}}) {
    Timings timings;
    const Table config = read_case_text(text_of(grid_3d, "viscosity = 0.2", cavity_3d, 0.05, linear), "test.toml");
    FractionalStep<TypeParam> step(read_incompressible_case(config), config.table("linear"));
    step.initialise(timings);
    const auto before = step.flow().velocity[0].to_vector();
    const FlowSystem<TypeParam>* failed = step.advance(0.05, timings);
    ASSERT_NE(failed, nullptr) << system;
    EXPECT_EQ(failed->name, system);
    EXPECT_EQ(step.step, 0);
    EXPECT_EQ(step.flow().velocity[0].to_vector() == before, std::string(system) == "momentum");
  }
}

TYPED_TEST(Step, NotANumberEndsTheStepAtTheFirstSystemAndTheFlowStays) {
  TestFlow<TypeParam> f(text_of(grid_3d, "viscosity = 0.01", cavity_3d, 0.01, ""));
  f.advance(2);
  auto u = f.step.flow().velocity[1].to_vector();
  u[u.size() / 2] = std::nan("");
  f.step.flow().velocity[1].upload(u);
  const FlowSystem<TypeParam>* failed = f.step.advance(0.01, f.timings);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->result.reason, Reason::not_finite);
  const auto after = f.step.flow().velocity[1].to_vector();
  EXPECT_EQ(std::memcmp(after.data(), u.data(), u.size() * sizeof(double)), 0);
}

TYPED_TEST(Step, AUniformStreamThroughInletOutletAndSlipWallsStaysUniform) {
  const std::string boundary = R"(
x_min = { type = "inlet", velocity = [1.0, 0.0, 0.0] }
x_max = { type = "outlet" }
y_min = { type = "slip" }
y_max = { type = "slip" }
z_min = { type = "slip" }
z_max = { type = "slip" })";
  TestFlow<TypeParam> f(
      text_of(grid_3d, "viscosity = 0.01\ninitial = \"uniform\"\ninitial_velocity = [1.0, 0.0, 0.0]", boundary, 0.01));
  f.advance(5);
  for (double u : f.unknowns(0)) EXPECT_NEAR(u, 1, 1e-12);
  for (int e = 1; e < 3; ++e)
    for (double u : f.unknowns(e)) EXPECT_NEAR(u, 0, 1e-12);
}

TYPED_TEST(Step, AUniformStreamInAPeriodicStretchedBoxStaysUniform) {
  TestFlow<TypeParam> f(
      text_of(grid_2d, "viscosity = 0.01\ninitial = \"uniform\"\ninitial_velocity = [0.7, -0.4]", periodic_2d, 0.01));
  f.advance(5);
  for (double u : f.unknowns(0)) EXPECT_NEAR(u, 0.7, 1e-13);
  for (double v : f.unknowns(1)) EXPECT_NEAR(v, -0.4, 1e-13);
}

TYPED_TEST(Step, ARestartedFlowEqualsOneThatWasNotStoppedBitForBit) {
  const std::string boundary = R"(
x_min = { type = "inlet", velocity = [1.0, 0.0], profile = "parabolic", modulation = { mean = 1.0, amplitude = 0.3, angular_frequency = 4.0 } }
x_max = { type = "outlet" }
y_min = { type = "wall" }
y_max = { type = "wall" })";
  const std::string text = text_of(grid_2d, "viscosity = 0.02", boundary, 0.01);
  TestFlow<TypeParam> whole(text), first(text), second(text);
  whole.advance(9);
  first.advance(4);
  auto from = first.step.state();
  auto to = second.step.state();
  ASSERT_EQ(from.size(), to.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i].second->upload(from[i].second->to_vector());
  second.step.time = first.step.time;
  second.step.step = first.step.step;
  second.step.dt_before = first.step.dt_before;
  second.step.after_loading();
  second.advance(5);
  EXPECT_EQ(second.step.time, whole.step.time);
  auto expected = whole.step.state();
  for (std::size_t i = 0; i < to.size(); ++i)
    EXPECT_EQ(to[i].second->to_vector(), expected[i].second->to_vector()) << to[i].first;
}

TEST(StepOnHost, TheNumberOfThreadsChangesNoBit) {
  // large enough for parallel loops (more than parallel_grain cells)
  const std::string text = text_of("cells = [100, 100]", "viscosity = 0.01", cavity_2d, 0.005, "");
  const int threads = omp_get_max_threads();
  std::vector<std::vector<double>> u;
  for (int n : {1, 2, 3}) {
    omp_set_num_threads(n);
    TestFlow<Host> f(text);
    f.advance(3);
    u.push_back(f.all_unknowns());
  }
  omp_set_num_threads(threads);
  EXPECT_EQ(u[0], u[1]);
  EXPECT_EQ(u[0], u[2]);
}

TEST(StepInBothSpaces, ResidualHistoriesAndFieldsAgreeToRoundOff) {
  const std::string text = text_of(grid_3d, "viscosity = 0.01", cavity_3d, 0.01);
  TestFlow<Host> host(text);
  TestFlow<Device> device(text);
  for (int i = 0; i < 8; ++i) {
    host.advance(1);
    device.advance(1);
    for (std::size_t s = 0; s < host.step.systems().size(); ++s) {
      const SolveResult &a = host.step.systems()[s]->result, &b = device.step.systems()[s]->result;
      EXPECT_NEAR(a.iterations, b.iterations, 1);
      // both start from guesses that agree to the solvers' tolerance (1e-11 of the right-hand side)
      EXPECT_NEAR(a.residual0, b.residual0, 1e-9 * a.residual0 + 1e-15);
    }
  }
  EXPECT_LT(max_difference_of(host.all_unknowns(), device.all_unknowns()), 1e-10);
}

TEST(StepOnHost, AChannelFromRestGoesToPoiseuillesProfile) {
  const std::string boundary = R"(
x_min = { type = "periodic" }
x_max = { type = "periodic" }
y_min = { type = "wall" }
y_max = { type = "wall" })";
  TestFlow<Host> f(
      text_of("cells = [4, 20]", "viscosity = 1.0\nbody_force = [8.0, 0.0]\nexact = \"poiseuille\"", boundary, 0.02));
  f.advance(200);
  // K u = f V holds with the parabola shifted by f h^2 / (8 nu): the half cell at the wall
  const double shift = 8.0 / 8 / 400;
  EXPECT_NEAR(solution_errors(f.c, f.step.flow(), f.step.time, 0.02).at("error_velocity_max"), shift, 1e-9);
}

TEST(StepOnHost, WhatFlowsInFlowsOutEveryStep) {
  const std::string boundary = R"(
x_min = { type = "inlet", velocity = [1.0, 0.0], modulation = { mean = 1.0, amplitude = 0.5, angular_frequency = 3.0 } }
x_max = { type = "outlet" }
y_min = { type = "wall" }
y_max = { type = "outlet" })";
  TestFlow<Host> f(text_of(grid_2d, "viscosity = 0.05", boundary, 0.005));
  for (int i = 0; i < 10; ++i) {
    f.advance(1);
    EXPECT_LT(f.divergence(), 1e-8);  // a box whose fluxes do not cancel cannot be free of divergence
    for (double u : f.all_unknowns()) ASSERT_LT(std::abs(u), 3);
  }
}

}  // namespace
}  // namespace weir::test::step_test
