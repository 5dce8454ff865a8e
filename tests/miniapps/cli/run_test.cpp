// The program itself, end to end, on a small cavity: interrupted, killed, restarted, blown up, on one thread and on
// two.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/case_text.hpp"
#include "tests/support/program_test.hpp"

namespace weir::run_test {
namespace {

using testing::Finished;
using testing::Process;
using testing::write_file;
namespace fs = std::filesystem;

const std::string cavity = R"([case]
miniapp = "incompressible"
[grid]
cells = [12, 12]
stretching = [{ type = "tanh", factor = 1.5 }, { type = "tanh", factor = 1.5 }]
[flow]
viscosity = 0.01
[time]
end = 12.0
dt = 0.01
[output]
report = false
log_every = 1000
[checkpoint]
every = 100
)" + testing::lid_driven;

// Coarse: of its body's motion it matters here that other faces are closed in each step.
const std::string ventricle = R"([case]
miniapp = "immersed"
[grid]
cells = [16, 16, 28]
length = [6.0, 6.0, 9.6]
origin = [-3.0, -3.0, -9.1]
[flow]
viscosity = 0.04
density = 1.05
initial = "rest"
)" + testing::ventricle_body + R"(mitral_centre = -0.38
mitral_radius = 0.54
aortic_centre = 0.58
aortic_radius = 0.30
position = [0.0, 0.0, 0.0]
surface_spacing = 0.35
reference_velocity = 80.0
)" + testing::closed_box + R"([time]
end = 0.33
cfl = 0.4
[linear.pressure]
norm = "max"
tolerance = 1e-5
[output]
report = false
)";

class Weir : public testing::ProgramTest {
 protected:
  Weir() : ProgramTest(WEIR_PROGRAM) { write_file(folder / "cavity.toml", cavity); }
  void expect_same_end(const std::string& a, const std::string& b) const {
    EXPECT_EQ(summary(a)["state_hash"], summary(b)["state_hash"]);
    EXPECT_EQ(summary(a)["steps"], summary(b)["steps"]);
    EXPECT_EQ(summary(a)["quantities"], summary(b)["quantities"]);
    EXPECT_EQ(csv(a + "/history.csv"), csv(b + "/history.csv"));
    EXPECT_EQ(csv(a + "/solves.csv", 8), csv(b + "/solves.csv", 8));  // the others are times
  }
};

TEST_F(Weir, AnInterruptedRunEndsBitForBitAsOneThatWasNot) {
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "whole"}).code, 0);
  Process process = start({"run", "cavity.toml", "-o", "a", "--set", "time.end=10000.0"});
  wait_for_steps(process, "a", 20);
  process.send(SIGINT);
  const Finished f = process.wait();
  ASSERT_EQ(f.code, 130) << f.err;
  const auto stopped = summary("a");
  EXPECT_EQ(stopped["status"], "stopped");
  ASSERT_TRUE(stopped["last_checkpoint"].is_string());
  const std::int64_t at = stopped["steps"];
  if (at < 1200) {
    ASSERT_EQ(weir({"restart", "a", "--set", "time.end=12.0"}).code, 0);
    expect_same_end("a", "whole");
  } else {  // a fast machine: compare where it stopped
    ASSERT_EQ(
        weir({"run", "cavity.toml", "-o", "long", "--set", "time.end=10000.0", "--steps", std::to_string(at)}).code, 0);
    EXPECT_EQ(summary("long")["state_hash"], stopped["state_hash"]);
  }
}

// Its fourth step is one solve that takes minutes.
TEST_F(Weir, ASignalOrTheWallLimitWithinALongSolveEndsTheRunAtTheStepBefore) {
  const std::string grid = "grid.cells=[256,256]";
  const std::vector<std::string> endless = {
      "--steps", "5", "--set",
      "linear.pressure={method=\"jacobi\",tolerance=1e-30,relative=false,max_iterations=100000000}"};
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "whole", "--steps", "5", "--set", grid}).code, 0);
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "a", "--steps", "3", "--set", grid}).code, 0);
  const auto go_on = [&](std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), endless.begin(), endless.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  Process process = start(go_on({"restart", "a"}, {}));
  std::this_thread::sleep_for(std::chrono::seconds(1));  // it is in that solve, or will be within the time it has
  const auto sent = std::chrono::steady_clock::now();
  process.send(SIGTERM);
  EXPECT_EQ(process.wait().code, 128 + SIGTERM);
  EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::seconds(20));
  EXPECT_EQ(summary("a")["steps"], 3);
  EXPECT_EQ(weir(go_on({"restart", "a"}, {"--wall-limit", "0.5"})).code, 9);
  EXPECT_NE(testing::read_file(folder / "a/events.jsonl").find("abandoned"), std::string::npos);
  ASSERT_EQ(weir({"restart", "a", "--steps", "5"}).code, 0);
  expect_same_end("a", "whole");
  // No step was whole: the copy of the first state goes on.
  EXPECT_EQ(weir(go_on({"run", "cavity.toml", "-o", "b", "--set", grid}, {"--wall-limit", "0.5"})).code, 9);
  ASSERT_EQ(weir({"restart", "b", "--steps", "5", "--set", "linear.pressure={tolerance=1e-8}"}).code, 0);
  expect_same_end("b", "whole");
}

TEST_F(Weir, AKilledRunEndsBitForBitAsOneThatWasNot) {
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "whole", "--steps", "400"}).code, 0);
  Process process = start({"run", "cavity.toml", "-o", "a", "--steps", "400", "--set", "checkpoint.every=10"});
  wait_for_steps(process, "a", 50);
  process.send(SIGKILL);
  EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  EXPECT_EQ(summary("a")["status"], "running");
  ASSERT_EQ(weir({"restart", "a", "--steps", "400"}).code, 0);
  expect_same_end("a", "whole");
}

TEST_F(Weir, ARestartContinuesBitForBitInBothSpacesAndWithAVariableStep) {
  for (const std::string space : {"host", "device"})
    for (const std::string step : {"time.dt=0.01", "time={end=12.0,cfl=0.4}"}) {
      const std::string name = space + std::to_string(step.size());
      ASSERT_EQ(weir({"run", "cavity.toml", "-o", name, "--space", space, "--set", step, "--steps", "60"}).code, 0);
      ASSERT_EQ(weir({"run", "cavity.toml", "-o", "cut" + name, "--space", space, "--set", step, "--steps", "23"}).code,
                0);
      ASSERT_EQ(weir({"restart", "cut" + name, "--steps", "60"}).code, 0);
      expect_same_end("cut" + name, name);
    }
}

// Sources and walls that change, on steps that do.
TEST_F(Weir, ARestartOfTwoScalarsContinuesBitForBitInBothSpaces) {
  write_file(folder / "salty.toml", cavity + R"toml([temperature]
diffusivity = 0.02
initial = "x"
[scalar.salt]
diffusivity = 0.005
initial = "y"
source = "x*sin(t)"
expansion = 1.0
gravity = [0.0, -1.0]
)toml");
  const std::string wall = "boundary.x_min={type=\"wall\",temperature=\"sin(t)\",scalar_flux={salt=\"cos(t)\"}}";
  for (const std::string space : {"host", "device"}) {
    const std::string cut = "cut_" + space;
    for (const std::string& name : {space, cut})
      ASSERT_EQ(weir({"run", "salty.toml", "-o", name, "--space", space, "--set", "time={end=12.0,cfl=0.4}", "--set",
                      wall, "--steps", name == cut ? "9" : "20"})
                    .code,
                0);
    ASSERT_EQ(weir({"restart", cut, "--steps", "20"}).code, 0);
    expect_same_end(cut, space);
  }
}

// Multigrid has met another matrix first.
TEST_F(Weir, ARestartOfAMovingBodyContinuesBitForBit) {
  write_file(folder / "ventricle.toml", ventricle);
  ASSERT_EQ(weir({"run", "ventricle.toml", "-o", "whole", "--steps", "6"}).code, 0);
  ASSERT_EQ(weir({"run", "ventricle.toml", "-o", "cut", "--steps", "3"}).code, 0);
  ASSERT_EQ(weir({"restart", "cut", "--steps", "6"}).code, 0);
  expect_same_end("cut", "whole");
}

// The wake was sampled in steps of the finest cell.
TEST_F(Weir, AGridThatIsVeryLongIsRefusedInSeconds) {
  write_file(folder / "ventricle.toml", ventricle);
  const Finished f = weir({"run", "ventricle.toml", "-o", "a", "--steps", "1", "--set", "grid.length=[1e12,6.0,9.6]",
                           "--set", "grid.cells=[8,8,8]", "--set", "body.surface_spacing=0.8"});
  EXPECT_EQ(f.code, 2) << f.err;
  EXPECT_NE(f.err.find("no cell holds fluid"), std::string::npos) << f.err;
}

// A run stopped before its first step, and one killed after it met its tolerance but before it recorded this.
TEST_F(Weir, ARestartBeforeTheFirstStepOrAfterTheLastEndsAsTheRun) {
  const std::string tolerance = "time.steady_tolerance=0.1";
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "whole", "--set", tolerance}).code, 0);
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "a", "--set", tolerance, "--wall-limit", "0"}).code, 9);
  EXPECT_TRUE(fs::exists(folder / "a/checkpoints/step_00000000.h5"));
  ASSERT_EQ(weir({"restart", "a"}).code, 0);
  expect_same_end("a", "whole");
  auto running = summary("a");
  running["status"] = "running";
  running["state_hash"] = running["exit_code"] = nullptr;
  write_file(folder / "a/run.json", running.dump());
  ASSERT_EQ(weir({"restart", "a"}).code, 0);
  expect_same_end("a", "whole");
}

TEST_F(Weir, TheSteadyStateIsLookedForAtItsInterval) {
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "a", "--steps", "7", "--set", "time.steady_tolerance=1e-9", "--set",
                  "time.steady_every=3"})
                .code,
            0);
  for (const Row& row : rows("a/history.csv"))
    EXPECT_EQ(row.at("rate").empty(), std::stoi(row.at("step")) % 3 != 0) << row.at("step");
}

// The columns that [output] history names, and no others; the flow is the same.
TEST_F(Weir, DissipationAndEnstrophyAreInTheHistoryIfNamed) {
  const std::string both = "output.history=[\"dissipation\",\"enstrophy\"]";
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "plain", "--steps", "20"}).code, 0);
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "more", "--steps", "20", "--set", both}).code, 0);
  EXPECT_EQ(summary("plain")["state_hash"], summary("more")["state_hash"]);
  EXPECT_EQ(rows("plain/history.csv").back().count("dissipation"), 0u);
  for (const std::string name : {"dissipation", "enstrophy"}) {
    const double end = summary("more")["quantities"][name];
    EXPECT_NEAR(std::stod(rows("more/history.csv").back().at(name)), end, 1e-6 * end);
    EXPECT_TRUE(rows("more/history.csv").front().at(name).empty());  // not a step of diagnostics_every
  }
  const Finished f = weir(
      {"run", "cavity.toml", "-o", "coupled", "--set", both, "--set", "flow.scheme=\"artificial_compressibility\""});
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("enstrophy needs scheme"), std::string::npos) << f.err;
}

TEST_F(Weir, AClosedOutputHarmsNoRun) {
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "whole", "--steps", "30"}).code, 0);
  const Finished f =
      testing::run({"/bin/sh", "-c", WEIR_PROGRAM " run cavity.toml -o a --steps 30 >&-"}, folder.path());
  EXPECT_EQ(f.code, 6) << f.err;
  expect_same_end("a", "whole");
}

// The matrix of the momentum is assembled again by a restart, and by the run itself where the step varies.
TEST_F(Weir, ARestartKnowsTheEarlierSolutionsThatItsGuessesAreMadeFrom) {
  for (const std::string space : {"host", "device"})
    for (const std::string step : {"time.dt=0.01", "time={end=12.0,cfl=0.4}"})
      for (const std::string guess : {"projection:4", "extrapolation:2"}) {
        const std::string name = space + std::to_string(step.size()) + guess.substr(0, 2), quoted = "\"" + guess + "\"";
        const std::vector<std::string> more = {
            "--space", space,
            "--set",   step,
            "--set",   "linear.momentum.initial_guess=" + quoted,
            "--set",   "linear.pressure={method=\"cg\",initial_guess=" + quoted + "}",
            "--steps"};
        const auto go = [&](const char* verb, const std::string& of, const std::string& run, const char* steps) {
          std::vector<std::string> arguments = {verb, of};
          if (!run.empty()) arguments.insert(arguments.end(), {"-o", run});
          if (!run.empty()) arguments.insert(arguments.end(), more.begin(), more.end());
          if (run.empty()) arguments.push_back("--steps");
          arguments.emplace_back(steps);
          return weir(arguments).code;
        };
        ASSERT_EQ(go("run", "cavity.toml", name, "30"), 0);
        ASSERT_EQ(go("run", "cavity.toml", "cut" + name, "13"), 0);
        ASSERT_EQ(go("restart", "cut" + name, "", "30"), 0);
        expect_same_end("cut" + name, name);
        EXPECT_EQ(testing::read_file(folder / ("cut" + name + "/events.jsonl")).find("without its earlier state"),
                  std::string::npos);
      }
}

TEST_F(Weir, DeterministicRunsHaveEqualStateHashesOverThreadCounts) {
  std::string first;
  int run = 0;
  for (const char* threads : {"1", "2", "1", "2", "2"}) {
    const std::string name = "r" + std::to_string(run++);
    ASSERT_EQ(weir({"run", "cavity.toml", "-o", name, "--deterministic", "--threads", threads, "--steps", "3", "--set",
                    "linear.pressure={method=\"cg\",tolerance=1e-3,preconditioner={type=\"jacobi\"}}", "--set",
                    "grid.cells=[100,100]"})  // more than the grain below which one thread does it all
                  .code,
              0);
    const std::string hash = summary(name)["state_hash"];
    if (first.empty()) first = hash;
    EXPECT_EQ(hash, first) << threads << " threads";
  }
}

TEST_F(Weir, ABlownUpRunHasCode4AndKeepsTheLastGoodCheckpoint) {
  // Far above the stability limit of explicit advection.
  const Finished f = weir({"run", "cavity.toml", "-o", "a", "--set", "flow.viscosity=1e-6", "--set", "time.dt=5.0",
                           "--set", "time.end=5000.0", "--set", "checkpoint.every=2"});
  EXPECT_EQ(f.code, 4) << f.out << f.err;
  const auto j = summary("a");
  EXPECT_EQ(j["status"], "failed");
  ASSERT_TRUE(j["last_checkpoint"].is_string());
  EXPECT_TRUE(fs::exists(folder / j["last_checkpoint"].get<std::string>()));
}

TEST_F(Weir, InfoTellsMemoryAndWritesNothing) {
  const Finished f = weir({"info", "cavity.toml"});
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_NE(f.out.find("memory"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "weir-runs"));
}

// With the copy of the state that an interruption goes back to: without it, it is little more than half.
TEST_F(Weir, TheEstimateOfMemoryIsThatOfTheRun) {
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "a", "--steps", "1", "--space", "host", "--set", "grid.cells=[600,600]",
                  "--set", "linear.pressure={method=\"fast_poisson\"}"})
                .code,
            0);
  const auto memory = summary("a")["memory"];
  EXPECT_LT(memory["peak"].get<double>(), 1.4 * memory["estimate"].get<double>());
}

TEST_F(Weir, MistakesInACaseAreRefusedWithFileAndLine) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"grid.cels=3", "unknown key 'cels'; did you mean 'cells'?"},
      {"body.diametr=1", "unknown key 'diametr' ([body] belongs to immersed); did you mean 'diameter'?"},
      {"body.diameter=1", "--set body.diameter: unknown key 'body': [body] belongs to immersed"},
      {"pseudo_time.cfl_strat=1",
       "'cfl_strat' ([pseudo_time] belongs to incompressible with artificial_compressibility, or to compressible); "
       "did you mean 'cfl_start'?"},
      {"flow.viscosity=thick", "'viscosity' must be a number, got a string"},
      {"linear.pressure={method=\"cgg\"}", "--set linear.pressure"},
      {"grid.cells=[0,12]", "--set grid.cells"},
      {"time.dt=-1.0", "--set time.dt"},
      {"boundary.x_min={type=\"wal\"}", "--set boundary.x_min"},
  };
  for (const auto& [override_text, message] : mistakes) {
    const Finished f = weir({"run", "cavity.toml", "--set", override_text});
    EXPECT_EQ(f.code, 2) << override_text;
    EXPECT_NE(f.err.find(message), std::string::npos) << f.err;
  }
  std::string text = cavity;
  text.replace(text.find("y_min = "), 8, "#");
  write_file(folder / "open.toml", text);
  const Finished f = weir({"run", "open.toml"});
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("y_min"), std::string::npos) << f.err;
}

}  // namespace
}  // namespace weir::run_test
