// The coupled scheme of the incompressible miniapp under mpirun, compared with one rank: the whole program. The steps
// on every number of ranks in both spaces are tested by tests/solvers/distributed.
#include "tests/miniapps/cli/over_ranks.hpp"
#include "tests/support/case_text.hpp"

namespace weir::run_ranks_coupled_test {
namespace {

using testing::Finished;
using testing::write_file;

const std::string channel = testing::channel_10x17("scheme = \"artificial_compressibility\"\n") + R"([pseudo_time]
tolerance = 0.0
max_steps = 2
[linear.flow]
preconditioner = { type = "block_jacobi" }
[output]
report = false
diagnostics_every = 1
[checkpoint]
every = 3
)";

// Wilcox's model between walls that lie on other ranks, periods along the channel; steady, each rank with factors of
// its own.
const char* const turbulent = R"([case]
miniapp = "incompressible"
[grid]
cells = [4, 24]
length = [1.0, 2.0]
stretching = ["uniform", { type = "tanh", factor = 2.2 }]
[flow]
scheme = "artificial_compressibility"
turbulence = "k_omega"
viscosity = 0.01
body_force = [1.0, 0.0]
initial = "turbulent_channel"
[boundary]
x_min = { type = "periodic" }
x_max = { type = "periodic" }
y_min = { type = "wall" }
y_max = { type = "wall" }
[time]
steady = true
[pseudo_time]
speed = 15.0
[output]
report = false
)";

class WeirRanksCoupled : public testing::OverRanks {
 protected:
  WeirRanksCoupled() {
    write_file(folder / "channel.toml", channel);
    write_file(folder / "turbulent.toml", turbulent);
  }
  void expect_same_flow(const std::string& a, const std::string& b, double tolerance) const {
    expect_same(a, b, {"kinetic_energy", "dissipation"}, tolerance);
  }
};

TEST_F(WeirRanksCoupled, RanksGiveTheSameIterationsAndTheSameFlowAndRestartEachOthersCheckpoints) {
  run(1, "whole", "channel.toml");
  run(3, "three", "channel.toml", {"--space", "device"});
  EXPECT_EQ(iterations("three"), iterations("whole"));
  expect_same_flow("whole", "three", 1e-8);  // round-off, magnified by gmres
  EXPECT_TRUE(std::filesystem::exists(folder / "three/vtk/channel.pvd"));
  const Finished f = weir(2, {"restart", "three/checkpoints/step_00000003.h5", "-o", "two", "--space", "host", "--set",
                              "ranks.partition=\"blocks\""});
  ASSERT_EQ(f.code, 0) << f.out << f.err;
  expect_same_flow("whole", "two", 1e-8);
  const Finished one = weir(1, {"restart", "three/checkpoints/step_00000003.h5", "-o", "one", "--space", "host"});
  ASSERT_EQ(one.code, 0) << one.out << one.err;
  expect_same_flow("whole", "one", 1e-8);
}

TEST_F(WeirRanksCoupled, ARestartOnTheSameRanksGoesOnBitForBitWithEveryHalo) {
  run(2, "whole", "channel.toml");
  run(2, "part", "channel.toml", {"--steps", "3", "--set", "ranks.halo=\"naive\""});
  ASSERT_EQ(weir(2, {"restart", "part", "-o", "again", "--set", "ranks.halo=\"neighbourhood\""}).code, 0);
  EXPECT_EQ(summary("again")["state_hash"], summary("whole")["state_hash"]);
}

TEST_F(WeirRanksCoupled, ForcingTermsAndEarlierSolutionsGoOnBitForBitOnTheSameRanks) {
  const std::string tolerance = "linear.flow.tolerance=\"eisenstat_walker\"",
                    guess = "linear.flow.initial_guess=\"projection:3\"";
  run(2, "whole", "channel.toml", {"--set", tolerance, "--set", guess});
  run(2, "part", "channel.toml", {"--set", tolerance, "--set", guess, "--steps", "3"});
  ASSERT_EQ(weir(2, {"restart", "part"}).code, 0);
  EXPECT_EQ(summary("part")["state_hash"], summary("whole")["state_hash"]);
  EXPECT_EQ(csv("part/solves.csv", 8), csv("whole/solves.csv", 8));
}

TEST_F(WeirRanksCoupled, AChannelOfTheKOmegaModelIsTheSameSteadyFlowWithFactorsOfEachRank) {
  run(1, "whole", "turbulent.toml");
  const std::string log = run(3, "three", "turbulent.toml");
  EXPECT_NE(log.find("additive_schwarz("), std::string::npos) << log;
  EXPECT_NE(log.find("depend on the number of ranks"), std::string::npos) << log;
  EXPECT_LT(summary("three")["quantities"]["residual"].get<double>(), 1e-8);
  expect_same_flow("whole", "three", 1e-5);  // 1e-8 U^2 / L of the residual, 225 times the force, in both
}

TEST_F(WeirRanksCoupled, WhatIsNotPossibleOverRanksIsRefusedOnce) {
  expect_refused_once(2, {"run", "channel.toml", "-o", "x", "--set", "linear.flow.refresh=\"every:5\""},
                      "'refresh' must be \"always\" on more than one rank");
  const Finished thin = weir(3, {"run", "channel.toml", "-o", "x", "--set", "grid.cells=[10, 5]"});
  EXPECT_EQ(thin.code, 2) << thin.err;
  EXPECT_NE(thin.err.find("too few for 3 slabs"), std::string::npos) << thin.err;
}

}  // namespace
}  // namespace weir::run_ranks_coupled_test
