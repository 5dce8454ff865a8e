// Capture and replay with the program itself: each miniapp's systems repeat the recorded iterations, capturing changes
// no bit of a flow, and whatever ends badly leaves a capsule.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "miniapps/study/capture/capsule.hpp"
#include "tests/support/case_text.hpp"
#include "tests/support/program_test.hpp"

namespace weir::capture_test {
namespace {

using testing::Finished;
using testing::read_file;
using testing::write_file;
namespace fs = std::filesystem;

const std::string coupled = testing::cavity_12x12 + R"([time]
end = 0.1
dt = 0.01
)";

const std::string cavity = coupled + R"([linear.pressure]
method = "cg"
tolerance = 1e-6
preconditioner = { type = "jacobi" }
)";

const std::string cylinder = testing::cylinder_at_mach_038(24, 12, 20) + R"([pseudo_time]
cfl_max = 50.0
tolerance = 1e-3
)";

const std::string immersed = R"([case]
miniapp = "immersed"
[grid]
cells = [24, 20]
length = [8.0, 8.0]
origin = [-4.0, -4.0]
[flow]
viscosity = 0.025
initial = "uniform"
initial_velocity = [1.0, 0.0]
[body]
type = "cylinder"
position = [0.0, 0.0]
diameter = 1.5
[time]
end = 0.5
dt = 0.05
)" + testing::inlet_outlet_and_slip +
                             testing::no_report;

class CaptureRun : public testing::ProgramTest {
 protected:
  CaptureRun() : ProgramTest(WEIR_PROGRAM) {}
  void SetUp() override {
    if (!capsules_available()) GTEST_SKIP() << "built without HDF5";
  }
  Finished run(const std::string& text, const std::string& directory,
               const std::vector<std::string>& settings = {}) const {
    write_file(folder / "case.toml", text);
    std::vector<std::string> all{"run", "case.toml", "-o", directory, "--steps", "6"};
    for (const std::string& s : settings) all.insert(all.end(), {"--set", s});
    return weir(all);
  }
  std::vector<std::string> capsules(const std::string& directory) const {
    std::vector<std::string> paths;
    if (fs::exists(folder / (directory + "/capsules")))
      for (const auto& entry : fs::directory_iterator(folder / (directory + "/capsules")))
        if (is_capsule(entry.path().string())) paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    return paths;
  }
  Finished replay(const std::string& directory, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"replay"};
    for (const std::string& path : capsules(directory)) all.push_back(path);
    all.insert(all.end(), more.begin(), more.end());
    return weir(all);
  }
  // Captures, compares the flow with that of a run which does not, and replays in another folder, as on another clone.
  void expect_exact(const std::string& text, std::size_t at_least,
                    const std::vector<std::string>& settings = {}) const {
    ASSERT_EQ(run(text, "plain", settings).code, 0);
    const Finished f = run(text + "[capture]\nwhen = \"steps:2,5\"\nstate = true\n", "captured", settings);
    ASSERT_EQ(f.code, 0) << f.err;
    EXPECT_EQ(state_hash("plain"), state_hash("captured"));
    EXPECT_TRUE(capsules("plain").empty());
    const std::size_t count = capsules("captured").size();
    ASSERT_GE(count, at_least);
    fs::rename(folder / "captured", folder / "elsewhere");
    const Finished r = weir({"replay", "elsewhere", "--repeat", "1"});
    EXPECT_EQ(r.code, 0) << r.out << r.err;
    EXPECT_NE(r.out.find(std::to_string(count) + " of " + std::to_string(count) + " captured systems repeat"),
              std::string::npos)
        << r.out;
  }
};

TEST_F(CaptureRun, IncompressibleSystemsReplayExactly) { expect_exact(cavity, 6); }

TEST_F(CaptureRun, CoupledSystemsReplayExactly) {
  expect_exact(coupled, 2, {"flow.scheme=artificial_compressibility"});
}

TEST_F(CaptureRun, CompressibleSystemsReplayExactlyAlsoWithAnOldPreconditioner) {
  expect_exact(cylinder, 2);
  for (const char* directory : {"plain", "elsewhere"}) fs::remove_all(folder / directory);
  expect_exact(cylinder, 2, {"linear.flow.refresh=every:3", "linear.flow.matrix=float"});
}

TEST_F(CaptureRun, ImmersedSystemsReplayExactly) { expect_exact(immersed, 6); }

TEST_F(CaptureRun, EveryBadEndLeavesTheSystemItEndedWith) {
  const Finished f = run(cavity, "a", {"linear.pressure.max_iterations=3"});
  EXPECT_EQ(f.code, 3);
  ASSERT_EQ(capsules("a").size(), 1U) << f.out;
  const Capsule c = read_capsule(capsules("a").front());
  EXPECT_EQ(c.origin.system, "pressure");
  EXPECT_EQ(c.origin.trigger, "failure: pressure: max_iterations at step 1");
  EXPECT_EQ(c.reference.result->reason, Reason::max_iterations);
  EXPECT_EQ(replay("a").code, 0) << "it fails in the same way";
  EXPECT_EQ(run(cylinder, "b", {"pseudo_time.largest_growth=1e-9"}).code, 3);
  EXPECT_EQ(capsules("b").size(), 1U);
  EXPECT_EQ(run(immersed, "c", {"linear.pressure.max_iterations=1"}).code, 3);
  EXPECT_EQ(capsules("c").size(), 1U);
  EXPECT_EQ(run(cavity, "d", {"linear.pressure.max_iterations=3", "capture.on_failure=false"}).code, 3);
  EXPECT_TRUE(capsules("d").empty());
}

TEST_F(CaptureRun, AFailureOfAMethodThatAnyGuessServesHasTheGuessZero) {
  EXPECT_EQ(run(cavity, "a", {"linear.momentum.max_iterations=2", "linear.momentum.tolerance=1e-14"}).code, 3);
  ASSERT_EQ(capsules("a").size(), 1U);
  const Capsule c = read_capsule(capsules("a").front());
  EXPECT_EQ(c.origin.system, "momentum");
  for (const double guess : c.x0) EXPECT_EQ(guess, 0);
}

TEST_F(CaptureRun, RulesAboutTheResultPickTheSolvesThatMeetThem) {
  const std::vector<std::string> settings{"capture.system=pressure", "capture.when=\"iterations>39 | time>1000 s\""};
  ASSERT_EQ(run(cavity, "a", settings).code, 0);
  const std::string solves = read_file(folder / "a/solves.csv");
  std::size_t met = 0;
  for (const std::string& path : capsules("a")) {
    const Capsule c = read_capsule(path);
    EXPECT_EQ(c.origin.trigger, "iterations>39");
    EXPECT_GT(c.reference.result->iterations, 39);
    const std::string row = "\n" + std::to_string(c.origin.step) + ",pressure,cg+jacobi,144," +
                            std::to_string(c.reference.result->iterations) + ",";
    met += solves.find(row) != std::string::npos;
  }
  EXPECT_GT(met, 0U);
  EXPECT_EQ(met, capsules("a").size()) << solves;
}

TEST_F(CaptureRun, WhatCannotBeWrittenIsToldAndTheRunGoesOnToItsLastCheckpoint) {
  write_file(folder / "case.toml", cavity);
  const long full_disk =
      50000;  // bytes of a file: enough for the records, not for what a capsule or a checkpoint reserves
  const Finished f =
      weir({"run", "case.toml", "-o", "a", "--set", "time.end=0.05", "--set", "capture.when=every:1"}, full_disk);
  EXPECT_NE(f.out.find("no further systems are captured"), std::string::npos) << f.out;
  EXPECT_EQ(f.code, 6) << f.err;
  EXPECT_NE(f.err.find("step_00000005.h5"), std::string::npos) << f.err;
}

TEST_F(CaptureRun, LimitsHoldAndAreTold) {
  const Finished f = run(cavity, "a", {"capture.when=every:1", "capture.system=pressure", "capture.most=2"});
  ASSERT_EQ(f.code, 0) << f.err;
  EXPECT_EQ(capsules("a").size(), 2U);
  EXPECT_NE(f.out.find("limit reached after 2 captured systems"), std::string::npos) << f.out;
  EXPECT_EQ(run(cavity, "b", {"capture.system=presure", "capture.when=every:1"}).code, 2);
  ASSERT_EQ(run(cavity, "c", {"capture.when=every:1", "capture.system=pressure", "capture.most_mb=1e-3"}).code, 0);
  EXPECT_EQ(capsules("c").size(), 1U) << "the one that exceeds the limit is whole";
}

TEST_F(CaptureRun, TheAnswerSolvesTheSystemAndWithoutTimingsFilesAreEqual) {
  const std::vector<std::string> keys{"capture.when=steps:2", "capture.system=pressure", "capture.answer=true",
                                      "capture.timings=false"};
  ASSERT_EQ(run(cavity, "a", keys).code, 0);
  ASSERT_EQ(run(cavity, "b", keys).code, 0);
  EXPECT_EQ(read_file(capsules("a").front()), read_file(capsules("b").front()));
  const Capsule c = read_capsule(capsules("a").front());
  const auto A = rebuild_matrix<Host>(c.A);
  Array<double, Host> x(c.x), y(A->size());
  A->apply(x, y);
  double residual = 0, norm = 0;
  for (std::size_t i = 0; i < c.b.size(); ++i) {
    residual += std::pow(c.b[i] - y.to_vector()[i], 2);
    norm += std::pow(c.b[i], 2);
  }
  EXPECT_LE(std::sqrt(residual), 1.01e-6 * std::sqrt(norm)) << "the case's tolerance";
  EXPECT_EQ(c.reference.result->tolerance, 1e-6);
  EXPECT_EQ(c.reference.result->solve_seconds, 0);
}

TEST_F(CaptureRun, DevicesCapturesAreThoseOfTheHostToRounding) {
  ASSERT_EQ(run(cavity, "a", {"capture.when=steps:2", "capture.system=pressure", "device.space=device"}).code, 0);
  EXPECT_EQ(read_capsule(capsules("a").front()).origin.space, "device");
  const Finished f = replay("a", {"--space", "device"});
  EXPECT_EQ(f.code, 0) << f.out;
  EXPECT_NE(f.out.find("as recorded"), std::string::npos) << f.out;
}

TEST_F(CaptureRun, ReplayComputesWhereTheRunDidUnlessToldOtherwise) {
  ASSERT_EQ(run(cavity, "a", {"capture.when=steps:2", "capture.system=pressure", "device.space=device"}).code, 0);
  Capsule c = read_capsule(capsules("a").front());
  ++c.reference.result->iterations;
  write_capsule(folder / "a/capsules", c);
  EXPECT_EQ(replay("a").code, 5) << "in the same space another count is a fault";
  const Finished elsewhere = replay("a", {"--space", "host"});
  EXPECT_EQ(elsewhere.code, 0) << elsewhere.out;
  EXPECT_NE(elsewhere.out.find("converged on the device"), std::string::npos) << elsewhere.out;
}

TEST_F(CaptureRun, ReplayTellsWhatWasNotRepeatedAndTakesOtherSolvers) {
  ASSERT_EQ(run(cavity, "a", {"capture.when=steps:2", "capture.system=pressure"}).code, 0);
  Capsule c = read_capsule(capsules("a").front());
  ++c.reference.result->iterations;
  write_capsule(folder / "a/capsules", c);
  const Finished f = replay("a");
  EXPECT_EQ(f.code, 5);
  EXPECT_NE(f.out.find(", recorded: " + std::to_string(c.reference.result->iterations) + ", converged"),
            std::string::npos)
      << f.out;

  write_file(folder / "s.toml", "[direct]\nmethod = \"fast_poisson\"\n[weak]\nmethod = \"cg\"\nmax_iterations = 2\n");
  const Finished others = replay("a", {"--solvers", "s.toml"});
  EXPECT_EQ(others.code, 3);
  EXPECT_NE(others.out.find("direct (fast_poisson)"), std::string::npos);
  EXPECT_NE(others.out.find("max_iterations"), std::string::npos);
  write_file(folder / "s.toml", "[shadow.direct]\nmethod = \"fast_poisson\"\n");
  EXPECT_NE(replay("a", {"--solvers", "s.toml"}).out.find("direct (fast_poisson)"), std::string::npos);
  write_file(folder / "s.toml", "[direct]\nmetod = \"fast_poisson\"\n");
  EXPECT_EQ(replay("a", {"--solvers", "s.toml"}).code, 2);

  fs::resize_file(c.path, 5000);
  EXPECT_EQ(replay("a").code, 6);
}

TEST_F(CaptureRun, OthersReadTheSystem) {
  ASSERT_EQ(run(cavity, "a", {"capture.when=steps:2", "capture.system=pressure"}).code, 0);
  const std::string capsule = capsules("a").front();
  ASSERT_EQ(weir({"replay", capsule, "--export", "mtx", "-o", "x"}).code, 0);
  ASSERT_EQ(weir({"replay", capsule, "--export", "petsc", "-o", "x"}).code, 0);
  EXPECT_TRUE(fs::exists(folder / "x/pressure_00000002_0.petsc"));
  const std::vector<std::string> how{"--solver", "cg+jacobi", "--tolerance", "1e-6"};
  std::vector<std::string> from_capsule{"solve", capsule},
      from_files{"solve", "x/pressure_00000002_0.mtx", "--rhs", "x/pressure_00000002_0_b.mtx"};
  from_capsule.insert(from_capsule.end(), how.begin(), how.end());
  from_files.insert(from_files.end(), how.begin(), how.end());
  for (const auto& command : {from_capsule, from_files}) {
    const Finished f = weir(command);
    EXPECT_EQ(f.code, 0) << f.out << f.err;
    EXPECT_NE(f.out.find("144 rows, 672 entries"), std::string::npos) << f.out;
  }
  const Finished doctor = weir({"doctor", capsule});
  EXPECT_EQ(doctor.code, 0);
  EXPECT_NE(doctor.out.find("reference solver: cg + jacobi, 1e-06 relative to |b| in the l2 norm: "), std::string::npos)
      << doctor.out;
}

}  // namespace
}  // namespace weir::capture_test
