// The program end to end on a coarse cylinder and a small vortex: stopped and continued, given up, refused.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/case_text.hpp"
#include "tests/support/program_test.hpp"

namespace weir::run_compressible_test {
namespace {

using testing::Finished;
using testing::read_file;
using testing::write_file;
namespace fs = std::filesystem;

const std::string cylinder = testing::cylinder_at_mach_038(32, 16, 20) + R"([pseudo_time]
cfl_max = 50.0
tolerance = 1e-3
)";

const std::string vortex = testing::vortex_12x12 + "end = 2.0\n" + testing::no_report;

// A short shock tube, whose ends follow the exact solution in time.
const char* const tube = R"([case]
miniapp = "compressible"
[mesh]
generator = { type = "box", cells = [40, 2], length = [1.0, 0.05] }
[flow]
mach = 0.8451542547285166
initial = { type = "sod", centre = [0.5, 0.0] }
[numerics]
limiter = "barth_jespersen"
[boundary]
x_min = { type = "exact" }
x_max = { type = "exact" }
y_min = { type = "symmetry" }
y_max = { type = "symmetry" }
[time]
end = 0.05
dt = 0.002
[pseudo_time]
cfl_start = 1e4
cfl_max = 1e4
first_order_tolerance = 0.0
tolerance = 1e-3
[output]
report = false
)";

// The coarsest of flat_plate_turbulent's family, to two decades.
const char* const turbulent_plate = R"([case]
miniapp = "compressible"
[mesh.generator]
type = "box"
x = { points = [-2.0, 0.0, 2.0], cells = [8, 16], spacing = [0.6, 0.03, 0.3] }
y = { points = [0.0, 1.0], cells = [20], spacing = [1e-5, 0.0] }
split = [{ side = "y_min", at = 0.0, names = ["symmetry", "plate"] }]
[flow]
mach = 0.2
reynolds = 5e6
turbulence = "spalart_allmaras"
[boundary]
x_min = { type = "farfield" }
x_max = { type = "pressure_outlet" }
y_max = { type = "farfield" }
symmetry = { type = "symmetry" }
plate = { type = "adiabatic_wall" }
[[surface]]
name = "cf"
marker = "plate"
quantity = "cf"
at = 1.0
[pseudo_time]
cfl_start = 10.0
cfl_max = 1e6
tolerance = 1e-2
[output]
report = false
fields = ["eddy_viscosity"]
)";

class WeirCompressible : public testing::ProgramTest {
 protected:
  WeirCompressible() : ProgramTest(WEIR_PROGRAM) {
    write_file(folder / "cylinder.toml", cylinder);
    write_file(folder / "vortex.toml", vortex);
    write_file(folder / "tube.toml", tube);
    write_file(folder / "plate.toml", turbulent_plate);
    std::string sst = turbulent_plate;
    const std::string model = "spalart_allmaras";
    write_file(folder / "sst.toml", sst.replace(sst.find(model), model.size(), "sst"));
    write_file(folder / "driven.toml", testing::driven_channel);
  }
};

TEST_F(WeirCompressible, ARunStartsFromTheFlowOnACoarserMeshAndNeedsFewerSteps) {
  const std::vector<std::string> coarse{"--set", "mesh.generator.around=20", "--set", "mesh.generator.outward=12"};
  std::vector<std::string> first{"run", "cylinder.toml", "-o", "coarse"};
  first.insert(first.end(), coarse.begin(), coarse.end());
  ASSERT_EQ(weir(first).code, 0);
  ASSERT_EQ(weir({"run", "cylinder.toml", "-o", "alone"}).code, 0);
  const Finished f = weir({"run", "cylinder.toml", "-o", "fine", "--set", "flow.start_from=\"coarse\""});
  ASSERT_EQ(f.code, 0) << f.out << f.err;
  EXPECT_LT(summary("fine")["steps"].get<int>(), summary("alone")["steps"].get<int>());
  EXPECT_EQ(weir({"run", "cylinder.toml", "-o", "none", "--set", "flow.start_from=\"nowhere\""}).code, 6);
}

TEST_F(WeirCompressible, AStoppedRunThatIsContinuedEndsAsOneThatWasNot) {
  for (const std::string name : {"cylinder", "vortex", "plate", "sst", "driven"}) {
    const std::string file = name + ".toml", a = name + "_a", b = name + "_b";
    const std::string last = name == "plate" || name == "sst" ? "12" : "1000";  // a turbulent step costs much
    ASSERT_EQ(weir({"run", file, "-o", a, "--steps", last}).code, 0);
    ASSERT_EQ(weir({"run", file, "-o", b, "--steps", "7"}).code, 0);
    const Finished f = weir({"restart", b, "--steps", last});
    ASSERT_EQ(f.code, 0) << f.out << f.err;
    EXPECT_EQ(summary(a)["state_hash"], summary(b)["state_hash"]) << name;
    EXPECT_EQ(summary(a)["steps"], summary(b)["steps"]) << name;
    EXPECT_EQ(summary(a)["quantities"], summary(b)["quantities"]) << name;
  }
}

// The checkpoint falls between two updates: the restarted run makes the factors of the old matrix again.
TEST_F(WeirCompressible, AStoppedRunWithAnOldPreconditionerGoesOnWithTheSameOne) {
  for (const std::string policy : {"every:5", "adaptive"}) {
    const std::string refresh = "linear.flow.refresh=\"" + policy + "\"", a = "a_" + policy, b = "b_" + policy;
    ASSERT_EQ(weir({"run", "cylinder.toml", "-o", a, "--set", refresh, "--steps", "22"}).code, 0);
    ASSERT_EQ(weir({"run", "cylinder.toml", "-o", b, "--set", refresh, "--steps", "13"}).code, 0);
    ASSERT_EQ(weir({"restart", b, "--steps", "22"}).code, 0);
    EXPECT_EQ(summary(a)["state_hash"], summary(b)["state_hash"]) << policy;
    EXPECT_EQ(summary(a)["quantities"], summary(b)["quantities"]) << policy;
    EXPECT_TRUE(fs::exists(folder / (a + "/lifetime.csv")));
  }
}

// Steps that are neither of the first matrix nor of today's: aggregates of the first one, factors of an old one, which
// a restart makes again with the boundary values of its time.
TEST_F(WeirCompressible, WhatASolverKeepsOverStepsGoesOn) {
  const std::pair<const char*, const char*> keeping[] = {
      {"cylinder.toml", "linear.flow.preconditioner={type=\"aggregation\"}"},
      {"cylinder.toml", "linear.flow.preconditioner={type=\"additive_schwarz\",inner={type=\"aggregation\"}}"},
      {"tube.toml", "linear.flow.refresh=\"every:3\""},
      {"tube.toml", "linear.flow.refresh=\"every:7\""},
      {"tube.toml", "linear.flow.refresh=\"adaptive\""},
  };
  int n = 0;
  for (const auto& [file, solver] : keeping) {
    const std::string a = "a" + std::to_string(++n), b = "b" + std::to_string(n);
    ASSERT_EQ(weir({"run", file, "-o", a, "--set", solver, "--steps", "23"}).code, 0) << solver;
    ASSERT_EQ(weir({"run", file, "-o", b, "--set", solver, "--steps", "4"}).code, 0);
    ASSERT_EQ(weir({"restart", b, "--steps", "23"}).code, 0);
    EXPECT_EQ(summary(a)["state_hash"], summary(b)["state_hash"]) << file << " " << solver;
    EXPECT_EQ(csv(a + "/solves.csv", 5), csv(b + "/solves.csv", 5)) << file << " " << solver;
  }
}

// Killed while its report is drawn: the last checkpoint is there, the end of the run is not in run.json yet.
TEST_F(WeirCompressible, ARunThatWasKilledAfterItsLastStepTakesNoOther) {
  for (const std::string name : {"cylinder", "tube", "vortex"}) {
    ASSERT_EQ(weir({"run", name + ".toml", "-o", name, "--set", "checkpoint.every=1"}).code, 0);
    const auto end = summary(name);
    auto running = end;
    running["status"] = "running";
    running["exit_code"] = running["state_hash"] = nullptr;
    write_file(folder / (name + "/run.json"), running.dump());
    ASSERT_EQ(weir({"restart", name}).code, 0);
    for (const char* key : {"steps", "time", "state_hash"}) EXPECT_EQ(summary(name)[key], end[key]) << name;
  }
}

// Of a time step that is given up after many of its pseudo-time steps nothing stays.
TEST_F(WeirCompressible, AnAbandonedTimeStepLeavesNoRows) {
  ASSERT_EQ(weir({"run", "vortex.toml", "-o", "a", "--steps", "3"}).code, 0);
  const Finished f = weir({"restart", "a", "--wall-limit", "1", "--set", "pseudo_time.cfl_start=1e-9", "--set",
                           "pseudo_time.cfl_max=1e-9", "--set", "pseudo_time.max_steps=100000000"});
  EXPECT_EQ(f.code, 9) << f.out << f.err;
  EXPECT_NE(read_file(folder / "a/events.jsonl").find("abandoned"), std::string::npos);
  EXPECT_EQ(rows("a/solves.csv").back().at("step"), "3");
  ASSERT_EQ(weir({"restart", "a", "--steps", "5", "--set", "pseudo_time.cfl_start=50", "--set",
                  "pseudo_time.cfl_max=1e4", "--set", "pseudo_time.max_steps=200"})
                .code,
            0);
  EXPECT_FALSE(fs::exists(folder / "a/superseded"));
}

// In the middle of a phase, and of the time steps of a vortex.
TEST_F(WeirCompressible, TheForcingTermIsToldWithItsReasonAndGoesOnAfterARestart) {
  for (const auto& [name, part] : {std::pair{std::string("cylinder"), "7"}, {"vortex", "4"}})
    for (const std::string guess : {"previous", "projection:3"}) {
      const std::string a = name + guess.substr(0, 3), b = "cut" + a;
      const std::vector<std::string> set = {"--set",
                                            "linear.flow.tolerance={type=\"eisenstat_walker\",initial=0.05,max=0.7}",
                                            "--set", "linear.flow.initial_guess=\"" + guess + "\""};
      const auto with = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), set.begin(), set.end());
        return weir(arguments).code;
      };
      ASSERT_EQ(with({"run", name + ".toml", "-o", a}), 0);
      ASSERT_EQ(with({"run", name + ".toml", "-o", b, "--steps", part}), 0);
      ASSERT_EQ(weir({"restart", b}).code, 0);
      EXPECT_EQ(summary(a)["state_hash"], summary(b)["state_hash"]) << a;
      EXPECT_EQ(csv(a + "/solves.csv", 8), csv(b + "/solves.csv", 8)) << a;
      const std::string solves = read_file(folder / (a + "/solves.csv"));
      EXPECT_NE(solves.find(",0.05,initial\n"), std::string::npos) << solves;
      EXPECT_NE(solves.find(",ratio\n"), std::string::npos) << solves;
      EXPECT_EQ(solves.find(",fixed\n"), std::string::npos) << solves;
    }
}

TEST_F(WeirCompressible, TheRecordsHoldForcesSurfacesAndPictures) {
  ASSERT_EQ(weir({"run", "cylinder.toml", "-o", "a"}).code, 0);
  for (const char* quantity : {"lift", "drag", "drag_pressure", "drag_viscous", "entropy_error", "cp_min"})
    EXPECT_TRUE(summary("a")["quantities"].contains(quantity)) << quantity;
  EXPECT_EQ(read_file(folder / "a/surface/wall.csv").substr(0, 13), "x,y,upper,cp\n");
  EXPECT_NE(read_file(folder / "a/surface/wall.vtu").find("Name=\"pressure\""), std::string::npos);
  EXPECT_TRUE(fs::exists(folder / "a/vtk/cylinder.pvd"));
  EXPECT_NE(read_file(folder / "a/history.csv").find("residual_energy"), std::string::npos);
}

TEST_F(WeirCompressible, ATurbulentRunIsTheSameInBothSpacesAndRecordsWhatTheModelDoes) {
  for (const std::string file : {"plate", "sst"}) {
    const std::string on_host = file + "_a", on_device = file + "_b";
    ASSERT_EQ(weir({"run", file + ".toml", "-o", on_host, "--steps", "6"}).code, 0);
    ASSERT_EQ(weir({"run", file + ".toml", "-o", on_device, "--steps", "6", "--space", "device"}).code, 0);
    EXPECT_NE(read_file(folder / (on_host + "/history.csv")).find(",order,residual_turbulence,wall"),
              std::string::npos);
    EXPECT_NE(read_file(folder / (on_host + "/surface/plate.csv")).find("heat,y_plus"), std::string::npos);
    const auto a = summary(on_host)["quantities"], b = summary(on_device)["quantities"];
    for (const char* name : {"drag", "value_cf", "y_plus_max", "eddy_viscosity_max"}) {
      const double here = a[name], there = b[name];  // differ by rounding, which the steps carry on
      EXPECT_NEAR(here, there, 1e-8 * std::abs(here)) << name;
      EXPECT_GT(here, 0) << name;
    }
  }
}

TEST_F(WeirCompressible, TheFreeStreamOfSstHasTheGivenIntensityAndViscosity) {
  ASSERT_EQ(weir({"run", "sst.toml", "-o", "a", "--steps", "0", "--set", "flow.turbulent_viscosity_ratio=0.5", "--set",
                  "flow.turbulent_intensity=0.01"})
                .code,
            0);
  EXPECT_NEAR(summary("a")["quantities"]["eddy_viscosity_max"].get<double>(), 0.5, 1e-12);
}

TEST_F(WeirCompressible, ATurbulentFlowWithoutViscosityOrWallIsRefused) {
  const Finished inviscid = weir({"run", "plate.toml", "-o", "a", "--unset", "flow.reynolds"});
  EXPECT_EQ(inviscid.code, 2);
  EXPECT_NE(inviscid.err.find("turbulent flow requires [flow] reynolds"), std::string::npos) << inviscid.err;
  const Finished slip =
      weir({"run", "plate.toml", "-o", "a", "--set", "boundary.plate.type=slip_wall", "--unset", "surface"});
  EXPECT_EQ(slip.code, 2);
  EXPECT_NE(slip.err.find("requires a no-slip wall in [boundary]"), std::string::npos) << slip.err;
}

TEST_F(WeirCompressible, ARunWhoseStepsAreAllRejectedSaysSoAndGivesUp) {
  const Finished f = weir({"run", "cylinder.toml", "-o", "a", "--set", "pseudo_time.largest_growth=1e-9", "--set",
                           "pseudo_time.max_rejections=3"});
  EXPECT_EQ(f.code, 3) << f.err;
  EXPECT_NE(summary("a")["reason"].get<std::string>().find("4 attempts rejected at step 1"), std::string::npos);
  EXPECT_NE(read_file(folder / "a/events.jsonl").find("\"kind\":\"rejected\""), std::string::npos);
}

TEST_F(WeirCompressible, ACflNumberThatCollapsesEndsTheRunWithTheReason) {
  const Finished f = weir({"run", "cylinder.toml", "-o", "a", "--set", "pseudo_time.largest_growth=1e-9"});
  EXPECT_EQ(f.code, 3) << f.err;
  EXPECT_NE(summary("a")["reason"].get<std::string>().find("the CFL number has fallen to 5e-06 at step 1"),
            std::string::npos)
      << summary("a")["reason"];
  EXPECT_EQ(f.err.find("CFL 0.000000"), std::string::npos) << f.err;
}

TEST_F(WeirCompressible, ARestartOnOtherCellsIsRefused) {
  ASSERT_EQ(weir({"run", "cylinder.toml", "-o", "a", "--set", "pseudo_time.max_steps=2"}).code, 3);
  const Finished f = weir({"restart", "a", "--set", "ordering.type=\"natural\""});
  EXPECT_EQ(f.code, 2) << f.err;
  EXPECT_NE(f.err.find("another cell order"), std::string::npos) << f.err;
  const Finished turned = weir({"restart", "a", "--set", "mesh.generator.far_field=11.0"});
  EXPECT_EQ(turned.code, 2) << turned.err;
}

TEST_F(WeirCompressible, MistakesInACaseAreRefusedWithTheNearestName) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"boundary.wal={type=\"slip_wall\"}", "there is no marker 'wal' in the mesh; did you mean 'wall'?"},
      {"boundary.wall={type=\"slipwall\"}", "did you mean 'slip_wall'?"},
      {"boundary.wall={type=\"adiabatic_wall\"}", "reynolds"},
      {"boundary.farfield={type=\"pressure_outlet\",pressure=0.0}", "'pressure' must be positive"},
      {"boundary.farfield={type=\"pressure_outlet\",density=1.0}", "density"},
      {"flow.mach=-1.0", "'mach' must be positive"},
      {"flow.mach=1e300", "'mach' must be between"},
      {"flow.gamma=1e308", "'gamma' must be at most"},
      {"surface=[{name=\"a\",marker=\"wall\",quantity=\"cp\",reference={file=\"nothing.csv\",column=\"cp\"}}]",
       ": published data nothing.csv: no such file"},
      {"numerics.flux=\"row\"", "did you mean 'roe'?"},
      {"pseudo_time.cfl_maxx=3.0", "did you mean 'cfl_max'?"},
      {"check.dragg={value=0.0,tolerance=1.0}", "did you mean 'drag'?"},
  };
  for (const auto& [override_text, message] : mistakes) {
    const Finished f = weir({"run", "cylinder.toml", "-o", "x", "--set", override_text});
    EXPECT_EQ(f.code, 2) << override_text;
    EXPECT_NE(f.err.find(message), std::string::npos) << f.err;
  }
  std::string text = cylinder;
  text.replace(text.find("farfield = {"), 12, "#");
  write_file(folder / "open.toml", text);
  const Finished f = weir({"run", "open.toml"});
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("marker 'farfield'"), std::string::npos) << f.err;
}

}  // namespace
}  // namespace weir::run_compressible_test
