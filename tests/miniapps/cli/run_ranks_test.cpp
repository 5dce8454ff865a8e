// The program under mpirun: the same flow on every number of ranks, checkpoints that go from one number to another, and
// a rank that is killed.
#include <regex>

#include "tests/miniapps/cli/over_ranks.hpp"
#include "tests/support/case_text.hpp"

namespace weir::run_ranks_test {
namespace {

using testing::Finished;
using testing::Process;
using testing::write_file;

// Possible errors at the borders of ranks: a moving lid, an inlet with a profile, an outlet, a slip wall, stretched
// cells. (Nothing may be uniform across ranks: rounding at their borders would excite what cg otherwise never sees, and
// cost it iterations.)
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

// Patches whose edges lie within a rank and at borders, formulas with t, a temperature and salt that drive the flow.
const char* const step = R"toml([case]
miniapp = "incompressible"
[grid]
cells = [10, 12, 16]
length = [2.0, 1.0, 1.0]
[flow]
viscosity = 0.05
body_force = ["0.1*z*cos(t)", 0.0, 0.0]
initial = "formula"
initial_velocity = ["y*(1 - y)", 0.0, "0.1*x"]
[temperature]
diffusivity = 0.04
initial = "z"
expansion = 1.0
gravity = [0.0, -2.0, 0.5]
[scalar.salt]
diffusivity = 0.01
initial = "x*y"
source = "z*sin(9*t)"
expansion = -0.5
gravity = [0.0, -2.0, 0.0]
[boundary]
x_min = [{ type = "wall", range = [[0.0, 0.4], [0.0, 1.0]], temperature = 0.0, scalar.salt = 0.2 }, { type = "inlet", range = [[0.4, 1.0], [0.0, 0.5]], velocity = "y*z*(1 + 0.2*sin(9*t))", temperature = "1 + t", scalar.salt = "z" }, { type = "wall", range = [[0.4, 1.0], [0.5, 1.0]], temperature = 0.5, scalar.salt = "t" }]
x_max = [{ type = "outlet", range = [[0.0, 0.7], [0.0, 1.0]] }, { type = "wall", range = [[0.7, 1.0], [0.0, 1.0]], heat_flux = "z" }]
y_min = { type = "wall", temperature = "x" }
y_max = { type = "wall", velocity = [0.5, 0.0, 0.3], scalar_flux.salt = "0.1*cos(x)" }
z_min = { type = "wall" }
z_max = { type = "slip" }
[time]
end = 0.2
dt = 0.02
[linear.momentum]
tolerance = 1e-9
[linear.temperature]
tolerance = 1e-11
[linear.salt]
tolerance = 1e-11
[linear.pressure]
method = "cg"
tolerance = 1e-7
preconditioner = { type = "jacobi" }
[output]
report = false
diagnostics_every = 1
[[surface]]
name = "floor"
side = "y_min"
[checkpoint]
every = 5
)toml";

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

const std::string body = testing::cylinder_in_a_stream(28, 32, testing::swings) + R"([linear.advection_diffusion]
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
    write_file(folder / "step.toml", step);
    write_file(folder / "vortices.toml", vortices);
    write_file(folder / "body.toml", body);
  }
  void expect_same_flow(const std::string& a, const std::string& b) const {
    // The pressure's tolerance leaves more than round-off of cg.
    expect_same(a, b, {"kinetic_energy", "dissipation", "rate"}, 1e-8);
  }
  void expect_same_forces(const std::string& a, const std::string& b) const {
    // Round-off, magnified by cg.
    expect_same(a, b, {"drag_mean", "drag_max", "drag_control_volume", "lift_mean", "lift_amplitude"}, 1e-9,
                "drag_max");
  }
};

TEST_F(WeirRanks, ABodyThatCrossesBordersFeelsTheSameOnEveryNumberOfRanksInBothSpaces) {
  for (const std::string space : {"host", "device"}) {
    const std::string alone = space + "1";
    run(1, alone, "body.toml", {"--space", space});
    struct Way {
      int ranks;
      std::string partition, halo, path;
    };
    for (const auto& [ranks, partition, halo, path] : {Way{2, "slabs", "naive", "staged"},
                                                       {3, "slabs", "pairs", "probe"},
                                                       {4, "blocks", "neighbourhood", "probe"},
                                                       {8, "slabs", "persistent", "probe"}}) {
      const std::string name = space + std::to_string(ranks);
      run(ranks, name, "body.toml",
          {"--space", space, "--set",
           "ranks={partition=\"" + partition + "\",halo=\"" + halo + "\",device_path=\"" + path + "\"}"});
      EXPECT_EQ(iterations(name), iterations(alone)) << name;
      expect_same_forces(alone, name);
    }
  }
}

// Wider stencils and ghost cells of the temperature reach further over the borders.
TEST_F(WeirRanks, AWarmBodyOfFourthOrderFeelsTheSameOnEveryNumberOfRanksInBothSpaces) {
  const auto warm = [&](int ranks, const std::string& space) {
    const std::string name = space + std::to_string(ranks);
    std::vector<std::string> more = {"--space", space, "--unset", "body.motion"};
    for (const char* set :
         {"numerics.order=4", "temperature={diffusivity=0.04,initial=\"0.1*x*y\"}", "body.temperature=1.0",
          "boundary.x_min.temperature=0.0", "linear.temperature.tolerance=1e-11",
          "scalar={salt={diffusivity=0.02,initial=\"0.1*y\"},dye={diffusivity=0.1}}", "body.scalar_flux={salt=1.0}",
          "body.scalar={dye=1.0}", "boundary.x_min.scalar={salt=0.0,dye=0.0}", "linear.salt.tolerance=1e-11",
          "linear.dye.tolerance=1e-11", "time.end=0.06"})
      more.insert(more.end(), {"--set", set});
    run(ranks, name, "body.toml", more);
    return name;
  };
  for (const std::string space : {"host", "device"}) {
    const std::string alone = warm(1, space);
    for (int ranks = 2; ranks <= (space == "host" ? 3 : 2); ++ranks) {
      const std::string name = warm(ranks, space);
      EXPECT_EQ(iterations(name), iterations(alone)) << name;
      expect_same_forces(alone, name);
      expect_same(alone, name, {"nusselt", "body_heat_flux", "body_salt", "body_dye_flux", "sherwood_dye"}, 1e-11);
    }
  }
}

TEST_F(WeirRanks, AFlowAroundABodyRestartsOnAnotherNumberOfRanks) {
  run(1, "whole", "body.toml");
  run(4, "part", "body.toml", {"--steps", "3"});
  for (const int ranks : {1, 3}) {
    const std::string name = "on" + std::to_string(ranks);
    const Finished f = weir(ranks, {"restart", "part/checkpoints/step_00000003.h5", "-o", name});
    ASSERT_EQ(f.code, 0) << f.out << f.err;
    expect_same_forces("whole", name);
  }
}

// Another body next to the first, which moves in its own way, turns in place and has a temperature of its own.
TEST_F(WeirRanks, SeveralBodiesFeelTheSameOnEveryNumberOfRanksAndAfterARestart) {
  std::string text = std::regex_replace(body, std::regex("\\[body\\]"), "[[body]]\nname = \"one\"\ntemperature = 1.0");
  text +=
      "[temperature]\ndiffusivity = 0.04\n[linear.temperature]\ntolerance = 1e-11\n"
      "[[body]]\nname = \"two\"\ndiameter = 0.7\nposition = [1.1, -1.0]\nangular_velocity = 0.7\n"
      "motion = { type = \"translation\", velocity = [-0.3, 0.2] }\nheat_flux = 0.4\n";
  write_file(folder / "bodies.toml", text);
  const std::vector<std::string> inlet = {"--set", "boundary.x_min.temperature=0.0", "--space"};
  const auto in = [&](int ranks, const std::string& name, const std::string& space) {
    std::vector<std::string> options = inlet;
    options.push_back(space);
    run(ranks, name, "bodies.toml", options);
  };
  in(1, "whole", "host");
  for (const int ranks : {2, 4}) {
    const std::string name = "on" + std::to_string(ranks), space = ranks == 2 ? "device" : "host";
    in(ranks, name, space);
    EXPECT_EQ(iterations(name), iterations("whole")) << name;
    expect_same_forces("whole", name);
    expect_same("whole", name, {"nusselt_one", "body_temperature_two", "torque_mean_two"}, 1e-8);
  }
  const Finished f = weir(1, {"restart", "whole/checkpoints/step_00000003.h5", "-o", "again"});
  ASSERT_EQ(f.code, 0) << f.out << f.err;
  EXPECT_EQ(summary("again")["state_hash"], summary("whole")["state_hash"]);
  EXPECT_EQ(summary("again")["quantities"], summary("whole")["quantities"]);
}

TEST_F(WeirRanks, TooFewLayersAroundABodyAreRefusedWithTheKeyToRaise) {
  const Finished f = weir(3, {"run", "body.toml", "-o", "x", "--set", "ranks.body_layers=1"});
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("increase [ranks] body_layers"), std::string::npos) << f.err;
}

TEST_F(WeirRanks, EveryNumberOfRanksGivesTheSameFlowAndTheSameIterationsInBothSpaces) {
  for (const std::string space : {"host", "device"}) {
    const std::string alone = space + "1";
    run(1, alone, "channel.toml", {"--space", space});
    for (const int ranks : {2, 3, 4, 8})
      for (const std::string partition : {"slabs", "blocks"}) {
        if (partition == "blocks" && ranks < 4) continue;
        if (space == "device" && ranks != 3 && partition == "slabs") continue;  // distributed.RanksN has its kernels
        const std::string name = space + std::to_string(ranks) + partition;
        run(ranks, name, "channel.toml", {"--space", space, "--set", "ranks.partition=\"" + partition + "\""});
        EXPECT_EQ(iterations(name), iterations(alone)) << name;
        expect_same_flow(alone, name);
      }
  }
}

TEST_F(WeirRanks, ACheckpointRestartsOnAnotherNumberOfRanks) {
  run(1, "whole", "channel.toml");
  run(4, "part", "channel.toml", {"--steps", "5"});
  for (const int ranks : {1, 2, 3}) {
    const std::string name = "on" + std::to_string(ranks);
    const Finished f = weir(ranks, {"restart", "part/checkpoints/step_00000005.h5", "-o", name});
    ASSERT_EQ(f.code, 0) << f.out << f.err;
    expect_same_flow("whole", name);
  }
}

TEST_F(WeirRanks, PatchesFormulasTemperatureAndSaltAreTheSameOnEveryNumberOfRanksAndRestart) {
  const std::vector<std::string> all{"kinetic_energy", "dissipation", "rate",           "floor_heat_flux",
                                     "salt_total",     "salt_max",    "salt_variance_z"};
  run(1, "one", "step.toml");
  run(4, "four", "step.toml", {"--set", "ranks.partition=\"blocks\""});
  expect_same("one", "four", all, 1e-8);  // the pressure's tolerance
  run(3, "part", "step.toml", {"--steps", "5"});
  const Finished f = weir(2, {"restart", "part/checkpoints/step_00000005.h5", "-o", "two"});
  ASSERT_EQ(f.code, 0) << f.out << f.err;
  expect_same("one", "two", all, 1e-8);
}

TEST_F(WeirRanks, PeriodsCloseAcrossRanksAndASolverTellsHowItGoesOverThem) {
  run(1, "whole", "vortices.toml");
  for (const int ranks : {2, 8}) {
    const std::string name = "on" + std::to_string(ranks);
    const std::string log = run(ranks, name, "vortices.toml", {"--set", "ranks.partition=\"blocks\""});
    EXPECT_NE(log.find(", distributed over all ranks"), std::string::npos) << log;
    EXPECT_EQ(iterations(name), iterations("whole"));
    expect_same_flow("whole", name);
  }
  const std::string log =  // too few unknowns for levels of their own
      run(2, "levels", "vortices.toml", {"--steps", "1", "--set", "linear.pressure.method=\"multigrid\""});
  EXPECT_NE(log.find(", solved on the root rank"), std::string::npos) << log;
}

TEST_F(WeirRanks, AMistakeIsToldOnceAndEndsAllRanks) {
  expect_refused_once(3, {"run", "channel.toml", "-o", "x", "--set", "ranks.halo=\"carrier_pigeon\""},
                      "carrier_pigeon");
}

TEST_F(WeirRanks, ARankThatIsKilledEndsTheJobWhichNamesItAndTheCheckpointRestarts) {
  expect_end_when_rank_1_is_killed({"run", "channel.toml", "-o", "killed", "--set", "time.end=1000.0"},
                                   "killed/checkpoints");
  const Finished again = weir(2, {"restart", "killed", "-o", "again", "--steps", "20", "--set", "time.end=1000.0"});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
}

// Its third step is one solve that takes minutes.
TEST_F(WeirRanks, ASignalToOneRankWithinALongSolveEndsAllAtTheStepBefore) {
  const std::vector<std::string> grid{
      "--set",  "grid.cells=[640,6,8]", "--set", "time.dt=0.002", "--set", "linear.pressure={tolerance=1e-7}",
      "--steps"};
  const auto steps = [&](const char* last) {
    std::vector<std::string> more = grid;
    more.emplace_back(last);
    return more;
  };
  run(2, "whole", "channel.toml", steps("3"));
  run(2, "cut", "channel.toml", steps("2"));
  Process job(
      arguments(2, {"restart", "cut", "--steps", "3", "--set",
                    "linear.pressure={method=\"jacobi\",tolerance=1e-30,relative=false,max_iterations=100000000}"}),
      folder.path());
  const auto is_running = [&] { return job.is_running() && summary("cut")["status"] == "running"; };
  for (int n = 0; n < 3000 && !is_running(); ++n) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const int rank = pid_of_rank(1);
  ASSERT_GT(rank, 0);
  kill(rank, SIGTERM);
  EXPECT_EQ(job.wait().code, 128 + SIGTERM);
  EXPECT_NE(testing::read_file(folder / "cut/events.jsonl").find("abandoned"), std::string::npos);
  const Finished f = weir(2, {"restart", "cut", "--steps", "3"});
  EXPECT_EQ(f.code, 0) << f.out << f.err;
  EXPECT_EQ(summary("cut")["state_hash"], summary("whole")["state_hash"]);
}

// The others wait for it: it writes down itself why the run ended.
TEST_F(WeirRanks, AnErrorThatOneRankMeetsAloneIsToldWithTheRankAndTheCheckpointStays) {
  write_file(folder / "ring.toml",
             "[case]\nminiapp = \"toy\"\n[toy]\nstarved_rank = 2\n[checkpoint]\nevery = 4\n" + testing::no_report);
  const Finished f = testing::run(arguments(3, {"run", "ring.toml", "-o", "alone"}, WEIR_TOY), folder.path());
  EXPECT_EQ(f.code, 7) << f.out << f.err;
  EXPECT_NE(f.err.find("weir: rank 2: out of memory"), std::string::npos) << f.err;
  const nlohmann::json s = summary("alone");
  EXPECT_EQ(s["status"], "failed");
  EXPECT_EQ(s["exit_code"], 7);
  const std::string reason = s["reason"];
  EXPECT_EQ(reason.find("rank 2: out of memory"), 0U) << reason;
  EXPECT_NE(reason.find("step_00000008.h5"), std::string::npos) << reason;
  EXPECT_EQ(
      testing::run(arguments(1, {"restart", "alone", "--set", "toy.starved_rank=-1"}, WEIR_TOY), folder.path()).code,
      0);
}

// A disk that is full for rank 0, which alone writes: all ranks end, the lab leaves what it has, the last checkpoint
// stays.
TEST_F(WeirRanks, AFullDiskEndsAllRanksTogether) {
  write_file(folder / "full.toml", testing::channel_10x17() + testing::cg_with_jacobi + "tolerance = 0.01\n" +
                                       testing::no_report +
                                       "[shadow]\nsystem = \"pressure\"\nevery = 1\nsolvers = [\"twin\"]\n"
                                       "[shadow.twin]\nlike_leader = true\n[checkpoint]\nevery = 2\n");
  run(1, "full", "full.toml", {"--steps", "2"});
  std::filesystem::remove(folder / "full/shadow_summary.csv");
  // A write beyond the limit, which no checkpoint keeps to, fails and does not kill. Memory that ranks share would be a
  // file beyond it too.
  setenv("OMPI_MCA_btl", "self,tcp", 1);
  const std::string limited =
      "trap '' XFSZ; [ $OMPI_COMM_WORLD_RANK = 0 ] && ulimit -f 16; exec " WEIR_PROGRAM " restart full";
  const Finished f = testing::run(arguments(2, {"-c", limited}, "bash"), folder.path());
  unsetenv("OMPI_MCA_btl");
  const std::string what = "cannot write full/checkpoints/step_00000004.h5.", why = ".partial: File too large (rank 0)";
  EXPECT_EQ(f.code, 6) << f.out << f.err;
  EXPECT_NE(f.err.find("weir: " + what), std::string::npos) << f.err;
  EXPECT_NE(f.err.find(why), std::string::npos) << f.err;
  const std::string reason = summary("full")["reason"];
  EXPECT_EQ(reason.find(what), 0U) << reason;
  EXPECT_NE(reason.find("step_00000002.h5"), std::string::npos) << reason;
  EXPECT_TRUE(std::filesystem::exists(folder / "full/shadow_summary.csv"));
  EXPECT_NE(f.out.find("no further systems are captured"), std::string::npos) << "a capsule was tried: " << f.out;
  EXPECT_EQ(weir(2, {"restart", "full", "--steps", "3"}).code, 0);
}

}  // namespace
}  // namespace weir::run_ranks_test
