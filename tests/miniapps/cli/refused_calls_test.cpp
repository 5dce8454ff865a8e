// System calls that fail, one after another, on the toy miniapp (tests/attack/attack.py does it at random on all
// of them), and what happens to a run while its report is drawn.
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/program_test.hpp"

namespace weir::refused_calls_test {
namespace {

using testing::Finished;
using testing::Process;
using testing::read_file;
using testing::write_file;
namespace fs = std::filesystem;

class RefusedCalls : public testing::ProgramTest {
 protected:
  RefusedCalls() : ProgramTest(WEIR_TOY) {
    write_file(folder / "ring.toml", "[case]\nminiapp = \"toy\"\n[checkpoint]\nevery = 5\n[output]\nreport = false\n");
  }
  // A run whose number-th `call` on a file whose path holds `where` fails with `error`, or does half (0); and all later
  // ones where `on` is not empty.
  Finished run_with(const char* call, int number, int error, const char* where,
                    const std::vector<std::string>& more = {}, const std::string& on = "") const {
    std::vector<std::string> all = {"/usr/bin/env",
                                    "FAIL_ON=" + on,
                                    std::string("LD_PRELOAD=") + WEIR_FAILING_CALLS,
                                    std::string("FAIL_CALL=") + call,
                                    "FAIL_AT=" + std::to_string(number),
                                    "FAIL_ERRNO=" + std::to_string(error),
                                    std::string("FAIL_IN=") + where,
                                    WEIR_TOY,
                                    "run",
                                    "ring.toml",
                                    "-o",
                                    "a",
                                    "--overwrite"};
    all.insert(all.end(), more.begin(), more.end());
    return testing::run(all, folder.path());
  }
  std::vector<std::string> half_written() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "a"))
      if (entry.path().extension() == ".partial") names.push_back(entry.path());
    return names;
  }
};

// HDF5 writes small arrays when they are closed, and keeps a file that it could not close for the end of the process,
// where it crashes.
TEST_F(RefusedCalls, EveryWriteOfACheckpointMayFail) {
  constexpr int writes = 10;  // of one checkpoint, at least
  for (const char* on : {"", "and on"})
    for (int number = 1; number <= writes; ++number) {
      const Finished f = run_with("pwrite", number, ENOSPC, "checkpoints", {}, on);
      EXPECT_EQ(f.code, 6) << number << on << f.err;
      EXPECT_NE(f.err.find("cannot write a/checkpoints/"), std::string::npos) << number << on << f.err;
      EXPECT_NE(f.err.find("No space left on device"), std::string::npos) << number << on << f.err;
      EXPECT_EQ(summary("a")["exit_code"], 6) << number << on;
      EXPECT_EQ(half_written(), std::vector<std::string>{}) << number << on;
    }
}

TEST_F(RefusedCalls, AShortWriteIsGoneOnWith) {
  ASSERT_EQ(weir({"run", "ring.toml", "-o", "whole"}).code, 0);
  for (int number = 1; number <= 11; ++number) {
    const Finished f = run_with("pwrite", number, 0, "checkpoints", {"--steps", "5"});
    EXPECT_EQ(f.code, 0) << number << ": " << f.err;
    EXPECT_EQ(weir({"restart", "a"}).code, 0) << number;
    EXPECT_EQ(state_hash("a"), state_hash("whole")) << number;
  }
}

TEST_F(RefusedCalls, AReportThatCannotBeWrittenIsAnErrorAndLeavesNothing) {
  const Finished whole = weir({"run", "ring.toml", "-o", "a", "--set", "output.report=true"});
  if (whole.out.find("report not written: no python3") != std::string::npos) GTEST_SKIP() << whole.out;
  for (const char* call : {"write", "rename"}) {
    const Finished f = run_with(call, 1, ENOSPC, "report.html", {"--set", "output.report=true"});
    EXPECT_EQ(f.code, 6) << call << f.out << f.err;
    EXPECT_FALSE(fs::exists(folder / "a/report.html"));
    EXPECT_EQ(half_written(), std::vector<std::string>{}) << call;
  }
}

// Processes whose command line holds these words.
int count_processes(const std::string& words) {
  int count = 0;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone))
    count += read_file(entry.path() / "cmdline").find(words) != std::string::npos;
  return count;
}

TEST_F(RefusedCalls, ASignalWhileTheReportIsDrawnEndsItToo) {
  const std::string run = fs::absolute(folder / "drawn");
  if (weir({"run", "ring.toml", "-o", "a", "--set", "output.report=true"}).out.find("no python3") != std::string::npos)
    GTEST_SKIP();
  Process process = start({"run", "ring.toml", "-o", run, "--set", "output.report=true"});
  const auto is_drawing = [&] {
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string words = read_file(entry.path() / "cmdline");
      if (words.find("report.py") != std::string::npos && words.find(run) != std::string::npos) return true;
    }
    return false;
  };
  for (int n = 0; n < 3000 && process.is_running() && !is_drawing(); ++n)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_TRUE(process.is_running());
  process.send(SIGTERM);
  EXPECT_EQ(process.wait().code, 128 + SIGTERM);
  EXPECT_EQ(count_processes(run), 0);
}

}  // namespace
}  // namespace weir::refused_calls_test
