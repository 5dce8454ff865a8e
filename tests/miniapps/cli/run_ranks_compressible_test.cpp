// The compressible miniapp under mpirun, compared with one rank.
#include "tests/miniapps/cli/over_ranks.hpp"
#include "tests/support/case_text.hpp"

namespace weir::run_ranks_compressible_test {
namespace {

using testing::Finished;
using testing::read_file;
using testing::write_file;

// Viscous, second order, limited, a wall and a far field: every kind of ghost is looked at.
const std::string cylinder = testing::cylinder_at_re_40 + R"([numerics]
limiter = "venkatakrishnan"
[pseudo_time]
cfl_max = 100.0
first_order_tolerance = 0.5
max_steps = 100
tolerance = 1e-4
[linear.flow]
method = "gmres"
tolerance = 0.01
preconditioner = { type = "block_jacobi" }
[checkpoint]
every = 4
)";

const std::vector<std::string> driven = {"drag",       "moment",       "lift_y_min", "heat_y_min",
                                         "heat_y_max", "point_middle", "drag_mean",  "lift_amplitude"};

// Periods in both directions; BDF2.
const std::string vortex = testing::vortex_12x12 +
                           "end = 1.0\n[linear.flow]\npreconditioner = { type = \"block_jacobi\" }\n" +
                           testing::no_report;

class WeirRanksCompressible : public testing::OverRanks {
 protected:
  WeirRanksCompressible() {
    write_file(folder / "cylinder.toml", cylinder);
    write_file(folder / "vortex.toml", vortex);
    write_file(folder / "driven.toml", testing::driven_channel);
  }
};

const std::vector<std::string> forces = {"drag", "drag_pressure", "drag_viscous", "cp_min", "mach_max"};

// Sums over ranks differ by round-off, which twenty steps on a flow that settles do not let grow beyond 1e-9.
TEST_F(WeirRanksCompressible, EveryNumberOfRanksGivesTheSameFlowAndTheSameIterationsInBothSpaces) {
  for (const std::string space : {"host", "device"}) {
    const std::string alone = space + "1";
    run(1, alone, "cylinder.toml", {"--space", space, "--steps", "10"});
    for (const int ranks : {2, 3, 4, 8}) {
      if (space == "device" && ranks == 8) continue;  // distributed.Ranks8 has its kernels
      const std::string name = space + std::to_string(ranks);
      run(ranks, name, "cylinder.toml", {"--space", space, "--steps", "10"});
      EXPECT_EQ(iterations(name), iterations(alone)) << name;
      expect_same(alone, name, forces, 1e-9);
    }
  }
}

TEST_F(WeirRanksCompressible, BoundaryDataForcesAndPointsAreThoseOfOneRankInBothSpaces) {
  run(1, "alone", "driven.toml", {"--space", "host"});
  run(1, "device", "driven.toml", {"--space", "device"});
  expect_same("alone", "device", driven, 1e-8);
  for (const int ranks : {2, 5}) {
    const std::string name = "on" + std::to_string(ranks);
    run(ranks, name, "driven.toml");
    expect_same("alone", name, driven, 1e-8);
  }
}

TEST_F(WeirRanksCompressible, PeriodsCloseAcrossRanks) {
  run(1, "whole", "vortex.toml");
  for (const int ranks : {2, 8}) {
    const std::string name = "on" + std::to_string(ranks);
    run(ranks, name, "vortex.toml");
    EXPECT_EQ(iterations(name), iterations("whole"));
    expect_same("whole", name, {"error_density_l2", "error_pressure_l2", "entropy_error"}, 1e-8);
  }
  run(2, "part", "vortex.toml", {"--steps", "2"});  // between two time levels: both are in the checkpoint
  ASSERT_EQ(weir(3, {"restart", "part", "-o", "again"}).code, 0);
  expect_same("whole", "again", {"error_density_l2", "error_pressure_l2", "entropy_error"}, 1e-8);
}

// Each rank preconditions its own cells: other iterations, the same steady flow. Newton without a matrix, lines,
// products in single precision go the same way.
TEST_F(WeirRanksCompressible, WhatDependsOnTheRanksSaysSoAndEndsAtTheSameDrag) {
  const std::vector<std::string> ilu = {"--set", "linear.flow.preconditioner={ type = \"block_ilu0\" }"},
                                 newton = {"--set", "linear.flow.preconditioner={ type = \"block_ilu0\" }", "--set",
                                           "pseudo_time.jacobian=\"matrix_free\""},
                                 lines = {"--set", "linear.flow.preconditioner={ type = \"line\" }",
                                          "--set", "linear.flow.matrix=\"float\"",
                                          "--set", "ordering.type=\"line_rcm\"",
                                          "--set", "ordering.anisotropy=2.0"};
  run(1, "alone", "cylinder.toml", ilu);
  int number = 0;
  for (const auto& more : {ilu, newton, lines}) {
    const std::string name = "spread" + std::to_string(number++);
    const std::string log = run(4, name, "cylinder.toml", more);
    EXPECT_NE(log.find("additive_schwarz("), std::string::npos) << log;
    EXPECT_NE(log.find("depend on the number of ranks"), std::string::npos) << log;
    expect_same("alone", name, {"drag"}, 1e-3);  // ten times the tolerance of the residual
  }
}

TEST_F(WeirRanksCompressible, AllWaysOfAHaloGiveTheSameBitsAndARestartGoesOnWithThem) {
  run(3, "whole", "cylinder.toml", {"--steps", "10"});
  for (const std::string halo : {"naive", "pairs", "neighbourhood"}) {
    run(3, halo, "cylinder.toml", {"--steps", "10", "--set", "ranks.halo=\"" + halo + "\""});
    EXPECT_EQ(summary(halo)["state_hash"], summary("whole")["state_hash"]) << halo;
  }
  run(3, "part", "cylinder.toml", {"--steps", "4"});
  for (const int ranks : {3, 1, 2}) {
    const std::string name = "on" + std::to_string(ranks);
    const Finished f = weir(ranks, {"restart", "part/checkpoints/step_00000004.h5", "-o", name, "--steps", "10"});
    ASSERT_EQ(f.code, 0) << f.out << f.err;
    expect_same("whole", name, forces, 1e-9);
    if (ranks == 3) {
      EXPECT_EQ(summary(name)["state_hash"], summary("whole")["state_hash"]);
    }
  }
}

TEST_F(WeirRanksCompressible, CoarserMeshesAreSharedOutLikeTheFinest) {
  write_file(folder / "aerofoil.toml", R"([case]
miniapp = "compressible"
[mesh.generator]
type = "naca0012"
layers = 0
far_field = 5.0
wall_faces = 40
leading_spacing = 0.03
trailing_spacing = 0.03
near_growth = 0.3
far_growth = 0.4
[flow]
mach = 0.5
[boundary]
wall = { type = "slip_wall" }
farfield = { type = "farfield" }
[pseudo_time]
coarse_meshes = 1
cfl_max = 100.0
first_order_tolerance = 0.5
coarse_tolerance = 0.5
[linear.flow]
method = "gmres"
tolerance = 0.01
preconditioner = { type = "block_jacobi" }
)");
  const std::string log = run(1, "alone", "aerofoil.toml", {"--steps", "1"});
  EXPECT_NE(log.find("coarse mesh: "), std::string::npos) << log;
  run(3, "spread", "aerofoil.toml", {"--steps", "1"});
  expect_same("alone", "spread", {"drag", "cp_min", "mach_max"}, 1e-6);
}

TEST_F(WeirRanksCompressible, RecordsOfWallsAndOfHalosAreThoseOfTheWholeFlow) {
  run(1, "one", "cylinder.toml", {"--steps", "3"});
  run(3, "three", "cylinder.toml", {"--steps", "3"});
  const std::string one = read_file(folder / "one/surface/wall.csv"),
                    three = read_file(folder / "three/surface/wall.csv");
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 25);
  EXPECT_EQ(three.substr(0, three.find(',')), one.substr(0, one.find(',')));
  EXPECT_EQ(std::count(three.begin(), three.end(), '\n'), 25);
  std::stringstream solves(read_file(folder / "three/solves.csv"));
  std::string names, values;
  std::getline(solves, names);
  std::getline(solves, values);
  const auto column =
      std::count(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(names.find("halo_ms")), ',');
  std::stringstream row(values);
  std::string cell;
  for (std::ptrdiff_t c = 0; c <= column; ++c) std::getline(row, cell, ',');
  EXPECT_GT(std::stod(cell), 0);
}

TEST_F(WeirRanksCompressible, WhatIsNotPossibleOverRanksIsRefusedOnce) {
  const Finished many =
      weir(3, {"run", "cylinder.toml", "-o", "x", "--set",
               "mesh.generator={ type = \"box\", cells = [1, 2], length = [1.0, 1.0] }", "--set", "boundary={}"});
  EXPECT_EQ(many.code, 2) << many.err;
  expect_refused_once(2, {"run", "cylinder.toml", "-o", "x", "--set", "linear.flow.refresh=\"every:5\""},
                      "'refresh' must be \"always\" on more than one rank");
}

TEST_F(WeirRanksCompressible, StepsThatAreRejectedAreRejectedByAllRanksAndToldWithTheirPlace) {
  std::vector<std::string> steep = {"run", "cylinder.toml", "-o", "x"};
  for (const char* set : {"flow.mach=3.0", "flow.reynolds=0.0", "boundary.wall.type=\"slip_wall\"",
                          "pseudo_time.cfl_start=1e8", "pseudo_time.cfl_max=1e8", "pseudo_time.least_relaxation=1.0",
                          "pseudo_time.rejected_cut=0.9", "pseudo_time.max_rejections=2"})
    steep.insert(steep.end(), {"--set", set});
  const Finished f = weir(3, steep);
  EXPECT_EQ(f.code, 3) << f.out << f.err;
  EXPECT_NE(f.out.find("is not positive in the cell at ("), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("3 attempts rejected at step"), std::string::npos) << f.out;
}

TEST_F(WeirRanksCompressible, ARankThatIsKilledEndsTheJobWhichNamesItAndTheCheckpointRestarts) {
  expect_end_when_rank_1_is_killed({"run", "cylinder.toml", "-o", "killed", "--set", "pseudo_time.tolerance=1e-300",
                                    "--set", "pseudo_time.max_steps=1000000"},
                                   "killed/checkpoints");
  const Finished again = weir(2, {"restart", "killed", "-o", "again", "--set", "pseudo_time.tolerance=1e-3"});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
}

TEST_F(WeirRanksCompressible, StepsThatRanOutGetAVerdict) {
  const Finished failed = weir(2, {"run", "cylinder.toml", "-o", "failed", "--set", "pseudo_time.max_steps=3"});
  EXPECT_EQ(failed.code, 3) << failed.out;
  EXPECT_NE(failed.out.find("diagnosis: steps_exhausted"), std::string::npos) << failed.out;
}

}  // namespace
}  // namespace weir::run_ranks_compressible_test
