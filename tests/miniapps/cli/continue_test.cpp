// How a run ends and goes on, on the toy miniapp: what has ended knows it, nothing is lost, every failure has its exit
// code.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/program_test.hpp"

namespace weir::continue_test {
namespace {

using testing::Finished;
using testing::lines_of;
using testing::Process;
using testing::read_file;
using testing::write_file;
namespace fs = std::filesystem;

const char* const ring = R"([case]
miniapp = "toy"
[time]
max_steps = 20
[output]
report = false
)";

class Continue : public testing::ProgramTest {
 protected:
  Continue() : ProgramTest(WEIR_TOY) { write_file(folder / "ring.toml", ring); }
  // A shell's view: redirections.
  int shell(const std::string& arguments) const {
    return testing::run({"/bin/sh", "-c", std::string(WEIR_TOY) + " " + arguments}, folder.path()).code;
  }
  std::string events(const std::string& run) const { return read_file(folder / (run + "/events.jsonl")); }
};

TEST_F(Continue, ARunThatHasEndedSaysSoAndChangesNothing) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "a"}).code, 0);
  EXPECT_TRUE(fs::exists(folder / "a/checkpoints/step_00000020.h5"));  // also without checkpoint.every
  const std::string before = read_file(folder / "a/run.json") + events("a") + read_file(folder / "a/manifest.txt");
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{{}, {"--set", "toy.rate=0.125"}}) {
    std::vector<std::string> arguments{"restart", "a"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished f = weir(arguments);
    EXPECT_EQ(f.code, 0) << f.err;
    EXPECT_NE(f.out.find("has already finished after step 20 (max_steps); nothing was changed"), std::string::npos)
        << f.out;
  }
  EXPECT_EQ(read_file(folder / "a/run.json") + events("a") + read_file(folder / "a/manifest.txt"), before);

  ASSERT_EQ(weir({"restart", "a", "--set", "time.max_steps=30"}).code, 0);
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "b", "--set", "time.max_steps=30"}).code, 0);
  EXPECT_EQ(summary("a")["state_hash"], summary("b")["state_hash"]);
  EXPECT_EQ(csv("a/history.csv"), csv("b/history.csv"));
  EXPECT_EQ(summary("a")["changed"], nlohmann::json::array({"time.max_steps = 30 (was 20)"}));
  EXPECT_NE(events("a").find(R"x("kind":"changed","message":"time.max_steps = 30 (was 20)")x"), std::string::npos);
}

TEST_F(Continue, ARunThatWasKilledAfterItsLastStepEndsWithoutAnother) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "a"}).code, 0);
  const auto end = summary("a");
  auto running = end;  // as it stands until the run has written its end
  running["state_hash"] = nullptr;
  for (const auto& [status, code] : {std::pair{"running", nlohmann::json()}, {"failed", nlohmann::json(6)}}) {
    running["status"] = status;  // 6: the disk was full then
    running["exit_code"] = code;
    write_file(folder / "a/run.json", running.dump());
    ASSERT_EQ(weir({"restart", "a"}).code, 0);
    EXPECT_EQ(summary("a")["steps"], 20);
    EXPECT_EQ(summary("a")["status"], "finished");
    EXPECT_EQ(summary("a")["state_hash"], end["state_hash"]);
    EXPECT_EQ(lines_of(folder / "a/history.csv"), 21);
  }
}

TEST_F(Continue, AFailedCheckIsStillFailed) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "a", "--set", "check.total={value=1e9,tolerance=1}"}).code, 5);
  EXPECT_EQ(weir({"restart", "a"}).code, 5);
}

TEST_F(Continue, ABranchThatWasGivenUpIsKeptAsideAndDoesNotComeBack) {
  ASSERT_EQ(
      weir({"run", "ring.toml", "-o", "a", "--set", "checkpoint={every=5,keep=4}", "--set", "toy.pictures_every=4"})
          .code,
      0);
  const std::string whole = csv("a/history.csv");
  // Stopped before its first checkpoint: the newest one of the old branch must not be taken for its own.
  ASSERT_EQ(weir({"restart", "a/checkpoints/step_00000005.h5", "--wall-limit", "0"}).code, 9);
  EXPECT_EQ(lines_of(folder / "a/history.csv"), 6);
  EXPECT_EQ(lines_of(folder / "a/superseded/5/history.csv"), 16);
  EXPECT_TRUE(fs::exists(folder / "a/superseded/5/checkpoints/step_00000020.h5"));
  EXPECT_TRUE(fs::exists(folder / "a/superseded/5/vtk/ring_00000008.vtr"));
  EXPECT_EQ(json("a/superseded/5/run.json")["status"], "finished");
  ASSERT_EQ(weir({"restart", "a"}).code, 0);
  EXPECT_EQ(csv("a/history.csv"), whole);
  EXPECT_EQ(read_file(folder / "a/vtk/ring.pvd").find("superseded"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder / "a/vtk/ring_00000020.vtr"));
}

TEST_F(Continue, AWallLimitBeforeTheFirstStepLeavesACheckpoint) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "a", "--wall-limit", "0"}).code, 9);
  ASSERT_EQ(weir({"restart", "a"}).code, 0);
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "b"}).code, 0);
  EXPECT_EQ(summary("a")["state_hash"], summary("b")["state_hash"]);
  EXPECT_EQ(csv("a/history.csv"), csv("b/history.csv"));
}

TEST_F(Continue, ASecondProcessIsRefusedWhileTheFirstWrites) {
  Process first = start({"run", "ring.toml", "-o", "a", "--set", "toy.wait_ms=150", "--set", "checkpoint.every=2"});
  wait_for_steps(first, "a", 4);
  const Finished second = weir({"restart", "a"});
  EXPECT_EQ(second.code, 2);
  EXPECT_NE(second.err.find("is writing into it"), std::string::npos) << second.err;
  EXPECT_EQ(weir({"run", "ring.toml", "-o", "a", "--overwrite"}).code, 2);
  EXPECT_EQ(first.wait().code, 0);
  EXPECT_EQ(lines_of(folder / "a/history.csv"), 21);
}

TEST_F(Continue, ADirectoryWithoutItsCaseIsStillARun) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "a", "--steps", "7"}).code, 0);
  fs::remove(folder / "a/config.effective.toml");  // killed before it was there
  EXPECT_EQ(weir({"restart", "a"}).code, 0);
}

TEST_F(Continue, OutputThatCannotBePrintedHasCode6AndHarmsNoRun) {
  EXPECT_EQ(shell("--help >/dev/full 2>/dev/null"), 6);
  EXPECT_EQ(shell("info ring.toml >/dev/full 2>&1"), 6);
  EXPECT_EQ(shell("solve banded:100 >/dev/full 2>&1"), 6);
  EXPECT_EQ(shell("doctor banded:60 >/dev/full 2>&1"), 6);
  EXPECT_EQ(shell("run nosuch.toml >/dev/full 2>&1"), 2);
  EXPECT_EQ(shell("solve nosuch.mtx >/dev/full 2>&1"), 2);  // its own code stays: nothing was lost but the words
  EXPECT_EQ(shell("run ring.toml -o a >/dev/full 2>&1"), 6);
  EXPECT_EQ(summary("a")["status"], "finished");
  EXPECT_EQ(shell("run ring.toml -o b >&- 2>&-"), 6);
  EXPECT_EQ(summary("b")["status"], "finished");
  EXPECT_EQ(csv("b/history.csv"), csv("a/history.csv"));  // nothing was printed into it
  EXPECT_EQ(shell("run ring.toml -o c <&- >/dev/null"), 0);
  EXPECT_EQ(
      testing::run({"/bin/bash", "-c", std::string(WEIR_TOY) + " run ring.toml -o d | true; exit ${PIPESTATUS[0]}"},
                   folder.path())
          .code,
      6);
  EXPECT_EQ(summary("d")["status"], "finished");
}

}  // namespace
}  // namespace weir::continue_test
