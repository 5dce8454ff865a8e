// The command line end to end, on the toy miniapp (toy.cpp): exit codes, messages, the run directory, restarts.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "backend/runtime.hpp"
#include "postproc/run/records.hpp"
#include "tests/support/program_test.hpp"
#include "tests/support/read_vtu.hpp"

namespace weir::command_line_test {
namespace {

using testing::Finished;
using testing::lines_of;
using testing::Process;
using testing::read_file;
using testing::write_file;
namespace fs = std::filesystem;

const char* const basic_case = R"([case]
miniapp = "toy"
[time]
max_steps = 20
[output]
report = false
[checkpoint]
every = 5
)";

class CommandLine : public testing::ProgramTest {
 protected:
  CommandLine() : ProgramTest(WEIR_TOY) { write_file(folder / "ring.toml", basic_case); }
  void expect_same_end(const std::string& a, const std::string& b) const {
    EXPECT_EQ(summary(a)["state_hash"], summary(b)["state_hash"]);
    EXPECT_EQ(summary(a)["steps"], summary(b)["steps"]);
    EXPECT_EQ(csv(a + "/history.csv"), csv(b + "/history.csv"));
    EXPECT_EQ(read_file(folder / (a + "/solves.csv")), read_file(folder / (b + "/solves.csv")));
  }
};

TEST_F(CommandLine, HelpAndVersionExistAtEachLevel) {
  EXPECT_EQ(weir({"--help"}).code, 0);
  EXPECT_EQ(weir({"--version"}).out.substr(0, 5), "weir ");
  for (const char* verb : {"run", "restart", "info", "mesh", "replay", "solve", "doctor", "report"}) {
    const Finished f = weir({verb, "--help"});
    EXPECT_EQ(f.code, 0) << verb;
    EXPECT_NE(f.out.find("Usage: weir " + std::string(verb)), std::string::npos) << f.out;
  }
}

TEST_F(CommandLine, ALogInAFileHasALineWhenTheLastIsLongAgoWhateverLogEverySays) {
  const auto lines = [&](const std::string& seconds) {
    const Finished f = weir({"run", "ring.toml", "-o", "log", "--overwrite", "--set", "output.log_every=1000", "--set",
                             "output.log_seconds=" + seconds});
    EXPECT_EQ(f.code, 0) << f.err;
    std::istringstream text(f.out);
    int count = 0;
    for (std::string line; std::getline(text, line);) {
      const std::size_t first = line.find_first_not_of(' ');
      count += first != std::string::npos && line.find(" ms/step") == std::string::npos && line.size() > 60 &&
               std::isdigit(static_cast<unsigned char>(line[first]));
    }
    return count;
  };
  EXPECT_EQ(lines("1e-9"), 20);  // each step
  EXPECT_EQ(lines("0"), 2);      // the first and the last
}

TEST_F(CommandLine, UsageErrorsHaveCode2) {
  const Finished unknown = weir({"rnu"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("unknown verb 'rnu'; did you mean 'run'?"), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("run, restart, info, mesh, replay, import, solve, doctor, ab, report, bench"),
            std::string::npos)
      << unknown.err;
  EXPECT_EQ(weir({}).code, 2);
  EXPECT_EQ(weir({"run"}).code, 2);
  EXPECT_EQ(weir({"run", "ring.toml", "--no-such-option"}).code, 2);
  EXPECT_EQ(weir({"run", "ring.toml", "--space", "moon"}).code, 2);
  EXPECT_EQ(weir({"run", "ring.toml", "--steps", "-3"}).code, 2);
  EXPECT_EQ(weir({"run", "missing.toml"}).code, 2);
  EXPECT_EQ(weir({"bench", "nothing"}).code, 2);
  EXPECT_EQ(weir({"report", "nowhere"}).code, 2);
}

TEST_F(CommandLine, CaseFileMistakesAreRefusedBeforeAnythingIsWritten) {
  const Finished typo = weir({"run", "ring.toml", "--set", "toy.raet=1"});
  EXPECT_EQ(typo.code, 2);
  EXPECT_NE(typo.err.find("--set toy.raet: unknown key 'raet'; did you mean 'rate'?"), std::string::npos) << typo.err;
  write_file(folder / "bad.toml", std::string(basic_case) + "[toy]\nrate = \"high\"\n");
  const Finished type = weir({"run", "bad.toml"});
  EXPECT_EQ(type.code, 2);
  EXPECT_NE(type.err.find("bad.toml:10: 'rate' must be a number, got a string"), std::string::npos) << type.err;
  EXPECT_EQ(weir({"run", "ring.toml", "--set", "case.miniapp=toi"}).code, 2);
  EXPECT_EQ(weir({"run", "ring.toml", "--set", "device.threads=-1"}).code, 2);
  EXPECT_EQ(weir({"run", "ring.toml", "--set", "checkpoint.keep=0"}).code, 2);
  const Finished check = weir({"run", "ring.toml", "--set", "check.totla={value=1,tolerance=1}"});
  EXPECT_EQ(check.code, 2);
  EXPECT_NE(check.err.find("unknown quantity 'totla'; did you mean 'total'?"), std::string::npos) << check.err;
  EXPECT_FALSE(fs::exists(folder / "weir-runs"));
}

TEST_F(CommandLine, ARunDirectoryHoldsWhatTheContractSays) {
  const Finished f = weir({"run", "ring.toml", "--threads", "1"});
  ASSERT_EQ(f.code, 0) << f.err;
  const std::string directory = folder / "weir-runs/ring/";
  for (const char* name :
       {"config.effective.toml", "run.json", "history.csv", "solves.csv", "events.jsonl", "checkpoints"})
    EXPECT_TRUE(fs::exists(directory + name)) << name;
  const auto j = summary("weir-runs/ring");
  for (const char* key : {"schema",   "status",  "exit_code",   "reason",       "case",       "miniapp",     "cells",
                          "unknowns", "steps",   "time",        "wall_seconds", "space",      "device_name", "threads",
                          "ranks",    "version", "config_hash", "state_hash",   "quantities", "timings",     "memory",
                          "fom",      "build",   "host",        "processor",    "date",       "command_line"})
    EXPECT_TRUE(j.contains(key)) << key;
  for (const char* key : {"commit", "compiler", "flags", "libraries"}) EXPECT_TRUE(j["build"].contains(key)) << key;
  EXPECT_TRUE(std::string(j["command_line"]).ends_with(" run ring.toml --threads 1")) << j["command_line"];
  EXPECT_EQ(j["status"], "finished");
  EXPECT_EQ(j["exit_code"], 0);
  EXPECT_EQ(j["steps"], 20);
  EXPECT_EQ(j["threads"], 1);
  EXPECT_TRUE(j["memory"].contains("estimate") && j["memory"].contains("peak"));
  EXPECT_TRUE(j["fom"].contains("cell_steps_per_second"));
  EXPECT_EQ(lines_of(directory + "history.csv"), 21);
  EXPECT_EQ(lines_of(directory + "solves.csv"), 21);
  std::stringstream events(read_file(directory + "events.jsonl"));
  for (std::string line; std::getline(events, line);) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
}

TEST_F(CommandLine, TheEffectiveConfigurationRepeatsTheRun) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "a", "--set", "toy.rate=0.125"}).code, 0);
  ASSERT_EQ(weir({"run", "a/config.effective.toml", "-o", "b"}).code, 0);
  expect_same_end("a", "b");
  EXPECT_EQ(summary("a")["config_hash"], summary("b")["config_hash"]);
}

TEST_F(CommandLine, AnExistingRunIsNotTouchedWithoutOverwrite) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "a"}).code, 0);
  const std::string before = read_file(folder / "a/run.json");
  const Finished again = weir({"run", "ring.toml", "-o", "a", "--set", "time.max_steps=3"});
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("--overwrite"), std::string::npos);
  EXPECT_EQ(read_file(folder / "a/run.json"), before);

  write_file(folder / "a/my_notes.txt", "mine");
  EXPECT_EQ(weir({"run", "ring.toml", "-o", "a", "--set", "time.max_steps=3", "--overwrite"}).code, 0);
  EXPECT_EQ(summary("a")["steps"], 3);
  EXPECT_EQ(lines_of(folder / "a/history.csv"), 4);
  EXPECT_EQ(read_file(folder / "a/my_notes.txt"), "mine");
}

TEST_F(CommandLine, AFolderThatIsNoRunIsNotTouchedEvenWithOverwrite) {
  fs::create_directories(folder / "home/vtk");
  EXPECT_EQ(weir({"run", "ring.toml", "-o", "home", "--overwrite"}).code, 2);
  EXPECT_TRUE(fs::exists(folder / "home/vtk"));
  fs::create_directories(folder / "empty");
  EXPECT_EQ(weir({"run", "ring.toml", "-o", "empty"}).code, 0);
}

TEST_F(CommandLine, AFailedCheckHasCode5) {
  const Finished f = weir({"run", "ring.toml", "--set", "check.total={value=1e9,tolerance=1}"});
  EXPECT_EQ(f.code, 5);
  EXPECT_NE(f.out.find("FAIL"), std::string::npos);
  EXPECT_EQ(summary("weir-runs/ring")["exit_code"], 5);
  EXPECT_EQ(weir({"run", "ring.toml", "-o", "b", "--set", "check.total={value=0,tolerance=1e9}"}).code, 0);
}

TEST_F(CommandLine, NotFiniteHasCode4AndKeepsTheLastGoodCheckpoint) {
  EXPECT_EQ(weir({"run", "ring.toml", "-o", "a", "--set", "toy.blow_up_at=13"}).code, 4);
  const auto j = summary("a");
  EXPECT_EQ(j["status"], "failed");
  EXPECT_EQ(j["last_checkpoint"], "a/checkpoints/step_00000010.h5");
  EXPECT_EQ(j["steps"], 13);
  ASSERT_EQ(weir({"restart", "a", "--set", "toy.blow_up_at=-1"}).code, 0);
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "b"}).code, 0);
  expect_same_end("a", "b");
}

TEST_F(CommandLine, AFullDiskHasCode6NamesTheFileAndKeepsTheLastCheckpoint) {
  const std::vector<std::string> longer{"--set", "time.max_steps=5000", "--set", "output.log_every=1000",
                                        "--set", "checkpoint.every=500"};
  std::vector<std::string> arguments{"run", "ring.toml", "-o", "a"};
  arguments.insert(arguments.end(), longer.begin(), longer.end());
  const Finished f = weir(arguments, 90000);  // solves.csv reaches this first, near step 1500
  EXPECT_EQ(f.code, 6);
  EXPECT_NE(f.err.find("cannot write a/solves.csv: File too large"), std::string::npos) << f.err;
  ASSERT_EQ(weir({"restart", "a", "--steps", "3000"}).code, 0);
  EXPECT_EQ(summary("a")["steps"], 3000);
  EXPECT_EQ(lines_of(folder / "a/history.csv"), 3001);

  const Finished big = weir({"run", "ring.toml", "-o", "b", "--set", "toy.n=100000"}, 65536);
  EXPECT_EQ(big.code, 6);
  EXPECT_NE(big.err.find("cannot write b/checkpoints/step_00000005.h5"), std::string::npos) << big.err;
  EXPECT_NE(big.err.find("File too large"), std::string::npos) << big.err;
  EXPECT_EQ(summary("b")["exit_code"], 6);
}

TEST_F(CommandLine, ACaseThatIsTooLargeForTheMachineHasCode7) {
  const Finished f = weir({"run", "ring.toml", "--set", "toy.claims=1000000000000000000"});
  EXPECT_EQ(f.code, 7);
  EXPECT_NE(f.err.find("this case needs about 1000000000.00 GB"), std::string::npos) << f.err;
  EXPECT_FALSE(fs::exists(folder / "weir-runs"));
  EXPECT_EQ(weir({"run", "ring.toml", "--space", "device", "--set", "toy.claims=1000000000000000000"}).code, 7);
}

TEST_F(CommandLine, ACaseThatFitsTheMachineAndNotTheDeviceHasCode7) {
  if (!backend::emulated) GTEST_SKIP() << "WEIR_SIMT_MEMORY is the emulated device's";
  setenv("WEIR_SIMT_MEMORY", "2000000", 1);
  const Finished large = weir({"run", "ring.toml", "--space", "device", "--set", "toy.claims=2000001"});
  const Finished fits = weir({"run", "ring.toml", "--space", "device", "-o", "a", "--set", "toy.claims=2000000"});
  const Finished host = weir({"run", "ring.toml", "--space", "host", "-o", "b", "--set", "toy.claims=2000001"});
  unsetenv("WEIR_SIMT_MEMORY");
  EXPECT_EQ(large.code, 7);
  EXPECT_NE(large.err.find("needs about 2.0 MB, but only 2.0 MB are free on the device"), std::string::npos)
      << large.err;
  EXPECT_EQ(fits.code, 0) << fits.err;
  EXPECT_EQ(host.code, 0) << host.err;
}

TEST_F(CommandLine, StepsCountFromTheVeryStartAlsoAfterARestart) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "a", "--steps", "7"}).code, 0);
  EXPECT_EQ(summary("a")["steps"], 7);
  EXPECT_EQ(summary("a")["status"], "stopped");
  ASSERT_EQ(weir({"restart", "a/checkpoints/step_00000007.h5", "--steps", "12"}).code, 0);
  EXPECT_EQ(summary("a")["steps"], 12);
  ASSERT_EQ(weir({"restart", "a", "--steps", "3"}).code, 0);  // is past that: nothing happens, nothing is lost
  EXPECT_EQ(summary("a")["steps"], 12);
  EXPECT_EQ(summary("a")["last_checkpoint"], "a/checkpoints/step_00000012.h5");
  ASSERT_EQ(weir({"restart", "a"}).code, 0);
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "b"}).code, 0);
  expect_same_end("a", "b");
}

TEST_F(CommandLine, ARestartIntoANewDirectoryLeavesTheOldOne) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "a"}).code, 0);
  const std::string before = read_file(folder / "a/history.csv");
  ASSERT_EQ(weir({"restart", "a/checkpoints/step_00000015.h5", "-o", "b"}).code, 0);
  EXPECT_EQ(summary("b")["state_hash"], summary("a")["state_hash"]);
  EXPECT_EQ(read_file(folder / "a/history.csv"), before);
  EXPECT_EQ(lines_of(folder / "b/history.csv"), 6);
  EXPECT_EQ(weir({"restart", "a/checkpoints/step_00000015.h5", "-o", "b"}).code, 2);  // b exists now
}

TEST_F(CommandLine, DamagedCheckpointsHaveCode6AndADirectoryFallsBackToTheOneBefore) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "a"}).code, 0);
  const std::string newest = folder / "a/checkpoints/step_00000020.h5";
  fs::resize_file(newest, fs::file_size(newest) - 100);
  const Finished f = weir({"restart", newest});
  EXPECT_EQ(f.code, 6);
  EXPECT_NE(f.err.find("is truncated"), std::string::npos) << f.err;
  const Finished fallback = weir({"restart", "a"});
  EXPECT_EQ(fallback.code, 0);
  EXPECT_NE(fallback.err.find("using the previous one"), std::string::npos) << fallback.err;
  EXPECT_EQ(summary("a")["restarted_from"], "a/checkpoints/step_00000015.h5");
  EXPECT_EQ(weir({"restart", "nowhere.h5"}).code, 6);
  fs::create_directories(folder / "none");
  EXPECT_EQ(weir({"restart", "none"}).code, 6);
}

TEST_F(CommandLine, ARestartOnAnotherGridIsRefused) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "a"}).code, 0);
  const std::string before = read_file(folder / "a/history.csv");
  const Finished f = weir({"restart", "a", "--set", "toy.n=65"});
  EXPECT_EQ(f.code, 6);
  EXPECT_NE(f.err.find("'u' has 64 values instead of 65"), std::string::npos) << f.err;
  EXPECT_EQ(read_file(folder / "a/history.csv"), before);
}

TEST_F(CommandLine, SignalsStopWithACheckpointAndTheRestartEndsBitForBit) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "whole", "--set", "time.max_steps=60", "--set", "checkpoint.every=0"}).code,
            0);
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string name = "by" + std::to_string(signal);
    Process process = start({"run", "ring.toml", "-o", name, "--set", "time.max_steps=60", "--set",
                             "checkpoint.every=0", "--set", "toy.wait_ms=100"});
    wait_for_steps(process, name, 3);
    process.send(signal);
    const Finished f = process.wait();
    EXPECT_EQ(f.code, 128 + signal) << f.err;
    EXPECT_EQ(summary(name)["status"], "stopped");
    EXPECT_EQ(summary(name)["exit_code"], 128 + signal);
    ASSERT_EQ(weir({"restart", name, "--set", "toy.wait_ms=0"}).code, 0);
    expect_same_end(name, "whole");
  }
}

TEST_F(CommandLine, KilledAtAnyMomentItLosesOnlyTheStepsSinceTheLastCheckpoint) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "whole", "--set", "time.max_steps=30"}).code, 0);
  for (const int steps : {3, 9, 16}) {
    const std::string name = "a" + std::to_string(steps);
    Process process = start({"run", "ring.toml", "-o", name, "--set", "time.max_steps=30", "--set",
                             "checkpoint.every=2", "--set", "toy.wait_ms=50"});
    wait_for_steps(process, name, steps);
    process.send(SIGKILL);
    EXPECT_EQ(process.wait().code, 128 + SIGKILL);
    EXPECT_EQ(summary(name)["status"], "running");
    ASSERT_EQ(weir({"restart", name, "--set", "toy.wait_ms=0"}).code, 0);
    expect_same_end(name, "whole");
  }
}

TEST_F(CommandLine, TheWallLimitHasCode9) {
  const Finished f =
      weir({"run", "ring.toml", "-o", "a", "--set", "time.max_steps=1000000", "--set", "time.wall_limit=0.05"});
  EXPECT_EQ(f.code, 9) << f.err;
  EXPECT_EQ(summary("a")["status"], "stopped");
}

TEST_F(CommandLine, ReportIsMadeFromARunDirectoryAndNeverFailsARun) {
  const Finished f = weir({"run", "ring.toml", "-o", "a", "--set", "output.report=true"});
  EXPECT_EQ(f.code, 0) << f.err;
  const bool said_why_not = f.out.find("report not written: ") != std::string::npos;
  EXPECT_TRUE(fs::exists(folder / "a/report.html") || said_why_not) << f.out;
  if (said_why_not) return;
  fs::remove(folder / "a/report.html");
  EXPECT_EQ(weir({"report", "a"}).code, 0);
  EXPECT_TRUE(fs::exists(folder / "a/report.html"));
}

TEST_F(CommandLine, InfoWritesNothing) {
  const Finished f = weir({"info", "ring.toml", "--set", "toy.n=5"});
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_EQ(f.out, "ring of 5\n");
  EXPECT_FALSE(fs::exists(folder / "weir-runs"));
  EXPECT_EQ(weir({"info", "ring.toml", "--set", "toy.m=5"}).code, 2);
}

TEST_F(CommandLine, UnsetTakesAKeyOutOfTheCaseAndTheRunKnowsIt) {
  write_file(folder / "ring.toml", "[case]\nminiapp = \"toy\"\n[toy]\nn = 7\n[time]\nmax_steps = 4\n");
  EXPECT_EQ(weir({"info", "ring.toml", "--unset", "toy.n"}).out, "ring of 64\n");
  EXPECT_EQ(weir({"info", "ring.toml", "--set", "toy.n=5", "--unset", "toy"}).out, "ring of 5\n");
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "a", "--unset", "toy.n"}).code, 0);
  EXPECT_EQ(summary("a")["cells"], 64);
  EXPECT_NE(summary("a")["command_line"].get<std::string>().find("--unset toy.n"), std::string::npos);
  ASSERT_EQ(weir({"restart", "a", "--unset", "time.max_steps"}).code, 0);
  EXPECT_EQ(summary("a")["changed"], nlohmann::json::array({"time.max_steps = (default) (was 4)"}));
  const Finished f = weir({"run", "ring.toml", "-o", "b", "--unset", "toy.m"});
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("--unset toy.m: the case does not set 'm'"), std::string::npos) << f.err;
}

TEST_F(CommandLine, MeshWritesTheMeshWithOrderingsLinesAndPartsAsFields) {
  write_file(folder / "wing.toml",
             "[mesh]\ngenerator = { type = \"naca0012\", refinement = 0.3 }\n[ordering]\ntype = \"line_rcm\"\n");
  const Finished f = weir({"mesh", "wing.toml", "--parts", "3", "--set", "mesh.generator.far_field=5"});
  ASSERT_EQ(f.code, 0) << f.err;
  for (const char* words : {"generator naca0012", "wall 60, farfield", "lines ", "line_rcm", "<- this case", "balanced",
                            "3 parts of ", "written       mesh.vtu"})
    EXPECT_NE(f.out.find(words), std::string::npos) << words << f.out;
  const auto vtu = testing::read_vtu(folder / "mesh.vtu");
  const auto& order = vtu.array.at("order");
  EXPECT_EQ(order, vtu.array.at("order_line_rcm"));
  std::vector<double> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], static_cast<double>(i));
  for (const char* name : {"line", "level", "colour_largest_first", "colour_balanced", "colour_jones_plassmann",
                           "partition", "aspect_ratio", "volume", "order_1wd", "level_nd"})
    EXPECT_EQ(vtu.array.at(name).size(), order.size()) << name;

  EXPECT_EQ(weir({"mesh", "wing.toml", "-o", "wing.su2"}).code, 0);
  EXPECT_EQ(weir({"mesh", "wing.toml", "--set", "mesh.generator={}", "--set", "mesh.file=wing.su2"}).code, 2);
  const Finished none = weir({"mesh", "ring.toml"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("ring.toml: "), std::string::npos) << none.err;
}

}  // namespace
}  // namespace weir::command_line_test
