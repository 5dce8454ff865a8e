// The program itself, end to end, on a small cavity: interrupted, killed, restarted, blown up, on one thread and on two.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir {
namespace {

using testing::Finished;
using testing::lines_of;
using testing::Process;
using testing::read_file;
using testing::ScratchFolder;
using testing::write_file;
namespace fs = std::filesystem;

const char* const cavity = R"([case]
miniapp = "incompressible"
[grid]
cells = [12, 12]
stretching = [{ type = "tanh", factor = 1.5 }, { type = "tanh", factor = 1.5 }]
[flow]
viscosity = 0.01
[boundary]
x_min = { type = "wall" }
x_max = { type = "wall" }
y_min = { type = "wall" }
y_max = { type = "wall", velocity = [1.0, 0.0] }
[time]
end = 12.0
dt = 0.01
[output]
report = false
log_every = 1000
[checkpoint]
every = 100
)";

class Weir : public ::testing::Test {
 protected:
  Weir() { write_file(folder / "cavity.toml", cavity); }

  static std::vector<std::string> arguments(std::vector<std::string> list) {
    list.insert(list.begin(), WEIR_PROGRAM);
    return list;
  }
  Finished weir(const std::vector<std::string>& list) const { return testing::run(arguments(list), folder.path()); }
  nlohmann::json summary(const std::string& directory) const {
    return nlohmann::json::parse(read_file(folder / (directory + "/run.json")));
  }
  // A CSV without its last column (the wall clock), or its first `columns`.
  std::string csv(const std::string& path, int columns = -1) const {
    std::string out;
    std::stringstream text(read_file(folder / path));
    for (std::string line; std::getline(text, line); out += "\n") {
      std::size_t end = columns < 0 ? line.rfind(',') : 0;
      for (int c = 0; c < columns; ++c) end = line.find(',', end + 1);
      out += line.substr(0, end);
    }
    return out;
  }
  // The bound on the tries is for a broken program only.
  void wait_for_steps(Process& process, const std::string& directory, int steps) const {
    for (int tries = 0; tries < 60000 && process.is_running(); ++tries) {
      if (lines_of(folder / (directory + "/history.csv")) > steps) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    FAIL() << "the run ended early";
  }
  void expect_same_end(const std::string& a, const std::string& b) const {
    EXPECT_EQ(summary(a)["state_hash"], summary(b)["state_hash"]);
    EXPECT_EQ(summary(a)["steps"], summary(b)["steps"]);
    EXPECT_EQ(summary(a)["quantities"], summary(b)["quantities"]);
    EXPECT_EQ(csv(a + "/history.csv"), csv(b + "/history.csv"));
    EXPECT_EQ(csv(a + "/solves.csv", 8), csv(b + "/solves.csv", 8));  // the others are times
  }

  ScratchFolder folder;
};

TEST_F(Weir, AnInterruptedRunEndsBitForBitAsOneThatWasNot) {
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "whole"}).code, 0);
  Process process(arguments({"run", "cavity.toml", "-o", "a", "--set", "time.end=10000.0"}), folder.path());
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

TEST_F(Weir, AKilledRunEndsBitForBitAsOneThatWasNot) {
  ASSERT_EQ(weir({"run", "cavity.toml", "-o", "whole", "--steps", "400"}).code, 0);
  Process process(arguments({"run", "cavity.toml", "-o", "a", "--steps", "400", "--set", "checkpoint.every=10"}),
                  folder.path());
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

TEST_F(Weir, MistakesInACaseAreRefusedWithFileAndLine) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"grid.cels=3", "unknown key 'cels'; did you mean 'cells'?"},
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
}  // namespace weir
