// The program under mpirun: the same flow on every number of ranks, checkpoints that go from one number to another, and a
// rank that is killed.
#include "tests/shell/over_ranks.hpp"

namespace weir {
namespace {

using testing::Finished;
using testing::write_file;

// What ranks may do wrong at their borders: a moving lid, an inlet with a profile, an outlet, a slip wall, stretched cells.
// (Nothing may be uniform across ranks: rounding at their borders would excite what cg otherwise never sees, and cost it
// iterations.)
const char* const channel = R"([case]
miniapp = "incompressible"
[grid]
cells = [10, 12, 16]
length = [2.0, 1.0, 1.0]
stretching = ["uniform", { type = "tanh", factor = 1.2 }, "uniform"]
[flow]
viscosity = 0.05
[boundary]
x_min = { type = "inlet", velocity = [1.0, 0.0, 0.0], profile = "parabolic" }
x_max = { type = "outlet" }
y_min = { type = "wall" }
y_max = { type = "wall", velocity = [0.5, 0.0, 0.3] }
z_min = { type = "wall" }
z_max = { type = "slip" }
[time]
end = 0.2
dt = 0.02
[linear.momentum]
method = "chebyshev"
tolerance = 1e-9
[linear.pressure]
method = "cg"
tolerance = 1e-7
preconditioner = { type = "jacobi" }
[output]
report = false
diagnostics_every = 1
[checkpoint]
every = 5
)";

// Periods within a rank and across ranks; solved exactly, by transposes.
const char* const vortices = R"([case]
miniapp = "incompressible"
[grid]
cells = [10, 12, 16]
length = [6.283185307179586, 6.283185307179586, 6.283185307179586]
[flow]
viscosity = 0.05
initial = "taylor_green_3d"
[boundary]
x_min = { type = "periodic" }
x_max = { type = "periodic" }
y_min = { type = "periodic" }
y_max = { type = "periodic" }
z_min = { type = "periodic" }
z_max = { type = "periodic" }
[time]
end = 0.2
cfl = 0.5
[output]
report = false
diagnostics_every = 1
)";

// A cylinder that swings across the borders of the boxes of any number of ranks.
const char* const body = R"([case]
miniapp = "immersed"
[grid]
cells = [28, 32]
length = [4.0, 4.0]
origin = [-2.0, -2.0]
stretching = ["uniform", { type = "tanh", factor = 0.7 }]
[flow]
viscosity = 0.05
initial = "uniform"
initial_velocity = [1.0, 0.0]
[boundary]
x_min = { type = "inlet", velocity = [1.0, 0.0] }
x_max = { type = "outlet" }
y_min = { type = "slip" }
y_max = { type = "slip" }
[time]
end = 0.12
dt = 0.02
[body]
type = "cylinder"
diameter = 1.0
position = [0.03, 0.01]
motion = { type = "oscillation", amplitude = [0.2, 0.4, 0.0], frequency = 1.0 }
[linear.advection_diffusion]
tolerance = 1e-10
[linear.pressure]
tolerance = 1e-7
preconditioner = { type = "jacobi" }
[output]
report = false
diagnostics_every = 1
[checkpoint]
every = 3
)";

class WeirRanks : public testing::OverRanks {
 protected:
  WeirRanks() {
    write_file(folder / "channel.toml", channel);
    write_file(folder / "vortices.toml", vortices);
    write_file(folder / "body.toml", body);
  }
  void expect_same_flow(const std::string& a, const std::string& b) const {
    const auto qa = summary(a)["quantities"], qb = summary(b)["quantities"];
    for (const char* name : {"kinetic_energy", "dissipation", "rate"})
      EXPECT_NEAR(qa[name].get<double>(), qb[name].get<double>(), 1e-8 * std::abs(qa[name].get<double>()))
          << name << " of " << a << " and " << b;  // the pressure's tolerance leaves more than round-off of cg
  }
  void expect_same_forces(const std::string& a, const std::string& b) const {
    const auto qa = summary(a)["quantities"], qb = summary(b)["quantities"];
    for (const char* name : {"drag_mean", "drag_max", "drag_control_volume", "lift_mean", "lift_amplitude"})
      EXPECT_NEAR(qa[name].get<double>(), qb[name].get<double>(), 1e-9 * std::abs(qa["drag_max"].get<double>()))
          << name << " of " << a << " and " << b;  // round-off, magnified by cg
  }
};

TEST_F(WeirRanks, ABodyThatCrossesBordersFeelsTheSameOnEveryNumberOfRanksInBothSpaces) {
  for (const std::string space : {"host", "device"}) {
    const std::string alone = space + "1";
    ASSERT_EQ(weir(1, {"run", "body.toml", "-o", alone, "--space", space}).code, 0);
    struct Way {
      int ranks;
      std::string partition, halo;
    };
    for (const auto& [ranks, partition, halo] : {Way{2, "slabs", "naive"},
                                                 {3, "slabs", "pairs"},
                                                 {4, "blocks", "neighbourhood"},
                                                 {8, "slabs", "persistent"}}) {
      const std::string name = space + std::to_string(ranks);
      const Finished f = weir(ranks, {"run", "body.toml", "-o", name, "--space", space, "--set",
                                      "ranks={partition=\"" + partition + "\",halo=\"" + halo + "\"}"});
      ASSERT_EQ(f.code, 0) << f.out << f.err;
      EXPECT_EQ(iterations(name), iterations(alone)) << name;
      expect_same_forces(alone, name);
    }
  }
}

TEST_F(WeirRanks, AFlowAroundABodyRestartsOnAnotherNumberOfRanks) {
  ASSERT_EQ(weir(1, {"run", "body.toml", "-o", "whole"}).code, 0);
  ASSERT_EQ(weir(4, {"run", "body.toml", "-o", "part", "--steps", "3"}).code, 0);
  for (const int ranks : {1, 3}) {
    const std::string name = "on" + std::to_string(ranks);
    const Finished f = weir(ranks, {"restart", "part/checkpoints/step_00000003.h5", "-o", name});
    ASSERT_EQ(f.code, 0) << f.out << f.err;
    expect_same_forces("whole", name);
  }
}

TEST_F(WeirRanks, TooFewLayersAroundABodyAreRefusedWithTheKeyToRaise) {
  const Finished f = weir(3, {"run", "body.toml", "-o", "x", "--set", "ranks.body_layers=1"});
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("raise [ranks] body_layers"), std::string::npos) << f.err;
}

TEST_F(WeirRanks, EveryNumberOfRanksGivesTheSameFlowAndTheSameIterationsInBothSpaces) {
  for (const std::string space : {"host", "device"}) {
    const std::string alone = space + "1";
    ASSERT_EQ(weir(1, {"run", "channel.toml", "-o", alone, "--space", space}).code, 0);
    for (const int ranks : {2, 3, 4, 8})
      for (const std::string partition : {"slabs", "blocks"}) {
        if (partition == "blocks" && ranks < 4) continue;
        const std::string name = space + std::to_string(ranks) + partition;
        const Finished f = weir(ranks, {"run", "channel.toml", "-o", name, "--space", space, "--set",
                                        "ranks.partition=\"" + partition + "\""});
        ASSERT_EQ(f.code, 0) << f.out << f.err;
        EXPECT_EQ(summary(name)["ranks"], ranks);
        EXPECT_EQ(iterations(name), iterations(alone)) << name;
        expect_same_flow(alone, name);
      }
  }
}

TEST_F(WeirRanks, ACheckpointRestartsOnAnotherNumberOfRanks) {
  ASSERT_EQ(weir(1, {"run", "channel.toml", "-o", "whole"}).code, 0);
  ASSERT_EQ(weir(4, {"run", "channel.toml", "-o", "part", "--steps", "5"}).code, 0);
  for (const int ranks : {1, 2, 3}) {
    const std::string name = "on" + std::to_string(ranks);
    const Finished f = weir(ranks, {"restart", "part/checkpoints/step_00000005.h5", "-o", name});
    ASSERT_EQ(f.code, 0) << f.out << f.err;
    expect_same_flow("whole", name);
  }
}

TEST_F(WeirRanks, PeriodsCloseAcrossRanksAndASolverTellsHowItGoesOverThem) {
  ASSERT_EQ(weir(1, {"run", "vortices.toml", "-o", "whole"}).code, 0);
  for (const int ranks : {2, 8}) {
    const std::string name = "on" + std::to_string(ranks);
    const Finished f = weir(ranks, {"run", "vortices.toml", "-o", name, "--set", "ranks.partition=\"blocks\""});
    ASSERT_EQ(f.code, 0) << f.out << f.err;
    EXPECT_NE(f.out.find(", on all ranks"), std::string::npos) << f.out;
    EXPECT_EQ(iterations(name), iterations("whole"));
    expect_same_flow("whole", name);
  }
  const Finished f =  // too few unknowns for levels of their own
      weir(2,
           {"run", "vortices.toml", "-o", "levels", "--steps", "1", "--set", "linear.pressure.method=\"multigrid\""});
  ASSERT_EQ(f.code, 0) << f.out << f.err;
  EXPECT_NE(f.out.find(", gathered on rank 0"), std::string::npos) << f.out;
}

TEST_F(WeirRanks, AMistakeIsToldOnceAndEndsAllRanks) {
  const Finished f = weir(3, {"run", "channel.toml", "-o", "x", "--set", "ranks.halo=\"carrier_pigeon\""});
  EXPECT_EQ(f.code, 2) << f.err;
  const auto first = f.err.find("carrier_pigeon");
  ASSERT_NE(first, std::string::npos) << f.err;
  EXPECT_EQ(f.err.find("carrier_pigeon", first + 1), std::string::npos) << f.err;
}

TEST_F(WeirRanks, ARankThatIsKilledEndsTheJobWhichNamesItAndTheCheckpointRestarts) {
  expect_end_when_rank_1_is_killed({"run", "channel.toml", "-o", "killed", "--set", "time.end=1000.0"},
                                   "killed/checkpoints");
  const Finished again = weir(2, {"restart", "killed", "-o", "again", "--steps", "20", "--set", "time.end=1000.0"});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
}

}  // namespace
}  // namespace weir
