// Paired A/B runs of a miniapp that costs nothing: what is compared, what fails, what is not repeated, what is refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>

#include "tests/support/program_test.hpp"

namespace weir::ab_test {
namespace {

using testing::Finished;
using testing::read_file;
using testing::write_file;
namespace fs = std::filesystem;

const char* const heat = R"([case]
miniapp = "toy"
[toy]
wait_ms = 1
[time]
max_steps = 8
)";

const char* const study = R"([study]
title = "Heat on a ring"
cases = ["cases/heat.toml"]
configurations = ["slow", "fast", "broken"]
repeats = 2
seed = 5
report = false
[configuration.slow]
set = ["toy.wait_ms=20"]
[configuration.fast]
set = ["toy.rate=0.2"]
[configuration.broken]
set = ["toy.blow_up_at=3"]
)";

class TwinRuns : public testing::ProgramTest {
 protected:
  TwinRuns() : ProgramTest(WEIR_TOY) {
    fs::create_directories(folder / "cases");
    write_file(folder / "cases/heat.toml", heat);
    write_file(folder / "study.toml", study);
  }
  Finished ab(const std::string& directory) const { return weir({"ab", "study.toml", "-o", directory}); }
  void replace(const std::string& a, const std::string& b) const {
    std::string text = read_file(folder / "study.toml");
    ASSERT_NE(text.find(a), std::string::npos);
    text.replace(text.find(a), a.size(), b);
    write_file(folder / "study.toml", text);
  }
  void with_one_that_crawls() const {
    replace("[\"slow\", \"fast\", \"broken\"]", "[\"slow\", \"crawl\"]");
    replace("[configuration.fast]\nset = [\"toy.rate=0.2\"]\n[configuration.broken]\nset = [\"toy.blow_up_at=3\"]",
            "[configuration.crawl]\nset = [\"toy.wait_ms=1000\"]");
  }
};

TEST_F(TwinRuns, CompareConfigurationsAndTheFirstWithItself) {
  const Finished f = ab("out");
  ASSERT_EQ(f.code, 0) << f.out << f.err;
  const auto runs = cells("out/ab.csv"), summary = cells("out/ab_summary.csv"),
             quantities = cells("out/ab_quantities.csv");
  ASSERT_EQ(runs.size(), 9U);  // a title, four configurations with the first one's double, twice
  std::set<std::string> places;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const bool broken = runs[i][1] == "broken";
    places.insert(runs[i][3]);
    EXPECT_EQ(runs[i][4], broken ? "4" : "0");
    EXPECT_EQ(runs[i][6], broken ? "0" : "1");
    EXPECT_EQ(runs[i][7], broken ? "" : "8") << "steps";
  }
  EXPECT_EQ(places.size(), 8U);
  ASSERT_EQ(summary.size(), 5U);
  EXPECT_EQ(summary[1][15], "baseline");
  EXPECT_EQ(summary[2][1], "slow again");
  EXPECT_EQ(summary[2][15], "control");
  EXPECT_LT(std::stod(summary[3][10]), 0.5);  // 1 ms per step, not 20
  EXPECT_EQ(summary[3][15], "too few pairs");
  EXPECT_EQ(summary[4][3], "2") << "failures";
  ASSERT_EQ(quantities.size(), 2U);  // of `fast`: the broken one has none
  EXPECT_EQ(quantities[1][2], "total");
  EXPECT_NE(f.out.find("broken, repeat 2: exit code 4, top is not finite"), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("all 4 runs of the baseline on heat"), std::string::npos) << f.out;
}

TEST_F(TwinRuns, ABaselineThatDoesNotRepeatIsToldByItsStateHashes) {
  replace("toy.wait_ms=20", "toy.flicker_at=3");
  const Finished f = ab("out");
  ASSERT_EQ(f.code, 0) << f.out << f.err;
  EXPECT_NE(f.out.find("not reproducible: 4 runs on heat ended in 4 different states"), std::string::npos) << f.out;
}

TEST_F(TwinRuns, ASignalToTheStudyAloneEndsTheRunUnderWayToo) {
  replace("\"toy.wait_ms=20\"", "\"toy.wait_ms=5\", \"time.max_steps=10000000\"");  // never ends by itself
  testing::Process whole({WEIR_TOY, "ab", "study.toml", "-o", "out"}, folder.path());
  const auto under_way = [&] {
    for (const char* run : {"out/runs/heat.slow.1", "out/runs/heat.slow%20again.1"})
      if (testing::lines_of((folder / run) + "/history.csv") > 1) return folder / run;  // in its loop: it hears signals
    return std::string();
  };
  std::string run;
  while (whole.is_running() && (run = under_way()).empty()) usleep(2000);
  ASSERT_FALSE(run.empty());
  whole.send(SIGTERM);
  const Finished f = whole.wait();
  EXPECT_EQ(f.code, 128 + SIGTERM);
  EXPECT_NE(f.out.find("stopped by signal 15"), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("of 8 runs are complete and kept in out"), std::string::npos) << f.out;
  // The run had come to its own orderly end before the study said so.
  EXPECT_NE(read_file(run + "/run.json").find("\"exit_code\": 143"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / ("out/done/" + fs::path(run).filename().string() + ".json")));
}

TEST_F(TwinRuns, WhatHasEndedIsNotRepeatedUnlessItsCommandOrCaseHasChanged) {
  replace("repeats = 2", "repeats = 1");
  ASSERT_EQ(ab("out").code, 0);
  const std::string before = read_file(folder / "out/ab.csv");
  const Finished again = ab("out");
  EXPECT_NE(again.out.find("[4/4]"), std::string::npos);
  EXPECT_EQ(read_file(folder / "out/ab.csv"), before);
  const auto repeated = [](const Finished& f) {
    std::stringstream text(f.out);
    int count = 0;
    for (std::string line; std::getline(text, line);)
      count += line.starts_with("[") && line.find("(completed earlier)") == std::string::npos;
    return count;
  };
  EXPECT_EQ(repeated(again), 0);
  std::string done = read_file(folder / "out/done/heat.slow.1.json");
  const auto code = done.find("\"exit_code\": 0");
  ASSERT_NE(code, std::string::npos) << done;
  write_file(folder / "out/done/heat.slow.1.json", done.replace(code, 14, "\"exit_code\": \"zero\""));
  EXPECT_EQ(repeated(ab("out")), 1);
  replace("toy.rate=0.2", "toy.rate=0.1");
  EXPECT_EQ(repeated(ab("out")), 1);
  write_file(folder / "cases/heat.toml", read_file(folder / "cases/heat.toml").append("# changed\n"));
  EXPECT_EQ(repeated(ab("out")), 4);
}

// Files that the case names, and what a configuration names; what no run reads changes nothing.
TEST_F(TwinRuns, AreRepeatedWhereAFileThatTheyReadHasChanged) {
  replace("repeats = 2", "repeats = 1");
  write_file(folder / "cases/mesh.su2", "one");
  write_file(folder / "cases/other.su2", "one");
  write_file(folder / "cases/heat.toml", read_file(folder / "cases/heat.toml").append("# file = \"mesh.su2\"\n"));
  const auto repeated = [&] {
    std::stringstream text(ab("out").out);
    int count = 0;
    for (std::string line; std::getline(text, line);)
      count += line.starts_with("[") && line.find("(completed earlier)") == std::string::npos;
    return count;
  };
  EXPECT_EQ(repeated(), 4);
  write_file(folder / "cases/other.su2", "two");
  EXPECT_EQ(repeated(), 0);
  write_file(folder / "cases/mesh.su2", "two");
  EXPECT_EQ(repeated(), 4);
}

TEST_F(TwinRuns, NamesThatDifferInABlankHaveDirectoriesOfTheirOwn) {
  write_file(folder / "study.toml", R"([study]
cases = ["cases/heat.toml"]
configurations = ["a b", "a_b", "a/b", "a.b"]
repeats = 1
report = false
[configuration."a b"]
[configuration."a_b"]
[configuration."a/b"]
[configuration."a.b"]
)");
  const Finished f = ab("out");
  EXPECT_EQ(f.code, 0) << f.out << f.err;
  std::size_t places = 0;
  for (const auto& entry : fs::directory_iterator(folder / "out/runs")) places += entry.is_directory();
  EXPECT_EQ(places, 5U);
  replace("\"a_b\"", "\"a b again\"");
  EXPECT_EQ(ab("other").code, 2) << "the baseline's second name";
}

TEST_F(TwinRuns, AFolderOfTheUsersIsLeftAlone) {
  fs::create_directories(folder / "runs/heat.slow.1");
  write_file(folder / "runs/heat.slow.1/precious", "mine");
  EXPECT_EQ(ab(".").code, 2);
  EXPECT_EQ(read_file(folder / "runs/heat.slow.1/precious"), "mine");
  fs::create_directories(folder / "out/runs/heat.slow.1");
  write_file(folder / "out/study.lock", "");
  write_file(folder / "out/runs/heat.slow.1/precious", "mine");
  EXPECT_EQ(ab("out").code, 2);
  EXPECT_EQ(read_file(folder / "out/runs/heat.slow.1/precious"), "mine");
}

TEST_F(TwinRuns, AreComparedAtEqualTimeAndFromOneCheckpoint) {
  replace("repeats = 2", "repeats = 1");
  replace("seed = 5", "until = { time = 5.0 }");
  ASSERT_EQ(ab("time").code, 0);
  EXPECT_EQ(cells("time/ab.csv")[1][7], "5") << "steps";
  ASSERT_EQ(weir({"run", "cases/heat.toml", "-o", "first", "--steps", "2"}).code, 0);
  replace("cases/heat.toml", "first/checkpoints/step_00000002.h5");
  ASSERT_EQ(ab("checkpoint").code, 0);
  EXPECT_EQ(cells("checkpoint/ab.csv")[1][7], "3") << "steps";
  replace("{ time = 5.0 }", "{ column = \"top\", falls_to = 1e-9 }");
  const Finished f = ab("column");
  EXPECT_EQ(f.code, 3);
  EXPECT_NE(f.out.find("ended too early"), std::string::npos) << f.out;
}

TEST_F(TwinRuns, AConfigurationCanUnsetAKeyOfItsCase) {
  replace("set = [\"toy.rate=0.2\"]", "unset = [\"time.max_steps\"]");
  ASSERT_EQ(ab("out").code, 0);
  for (const auto& row : cells("out/ab.csv")) {
    if (row[1] == "fast") {
      EXPECT_EQ(row[7], "20") << "steps by default";
    }
  }
}

TEST_F(TwinRuns, ARunBeyondItsBudgetIsStoppedAndCountsAsMoreThanThat) {
  with_one_that_crawls();
  replace("repeats = 2", "repeats = 7\nbudget = { factor = 4 }");
  const Finished f = ab("out");
  ASSERT_EQ(f.code, 0) << f.out << f.err;
  EXPECT_NE(f.out.find("[1/21] heat, slow, repeat 1: "), std::string::npos)
      << "the baseline sets the budget: " << f.out;
  EXPECT_NE(f.out.find("stopped after 4 times the baseline"), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("6 of 6 runs stopped"), std::string::npos) << f.out;
  const auto runs = rows("out/ab.csv"), summary = rows("out/ab_summary.csv");
  double budget = 0;
  for (const Row& r : runs)
    if (r.at("configuration") == "slow" && r.at("repeat") == "1") budget = 4 * std::stod(r.at("total_s"));
  EXPECT_GT(budget, 4 * 8 * 0.02);
  for (const Row& r : runs) {
    const bool crawls = r.at("configuration") == "crawl";
    EXPECT_EQ(r.at("exit_code"), crawls ? "9" : "0");
    EXPECT_EQ(r.at("counts"), crawls ? "0" : "1");
    EXPECT_EQ(r.at("stopped"), crawls ? "1" : "0");
    if (!crawls) continue;
    EXPECT_LT(std::stoi(r.at("steps")), 8);
    EXPECT_GT(std::stod(r.at("total_s")), 0.5 * budget) << "but for what the start of the process took";
    const std::string run = folder / ("out/runs/heat.crawl." + r.at("repeat"));
    EXPECT_NE(read_file(run + "/run.json").find("\"exit_code\": 9"), std::string::npos);
    EXPECT_FALSE(fs::is_empty(run + "/checkpoints")) << "it can be continued";
  }
  ASSERT_EQ(runs.size(), 20U) << "what was stopped six times of six is not run again";
  ASSERT_EQ(summary.size(), 3U);
  EXPECT_EQ(summary[2].at("stopped"), "6");
  EXPECT_EQ(summary[2].at("failures"), "0");
  EXPECT_EQ(summary[2].at("verdict"), "slower");
  EXPECT_GT(std::stod(summary[2].at("sums_ratio")), 1.5);
  EXPECT_EQ(summary[2].at("won"), "0");
  EXPECT_NE(ab("out").out.find("[20/20] "), std::string::npos);
  EXPECT_EQ(rows("out/ab.csv"), runs) << "a stopped run is not repeated";
}

TEST_F(TwinRuns, ABudgetTooSmallToTellLeavesTheVerdictOpen) {
  with_one_that_crawls();
  replace("repeats = 2", "repeats = 6");
  write_file(folder / "cases/heat.toml", std::string(heat) + "[output]\nreport = false\n");
  const Finished f = weir({"ab", "study.toml", "-o", "out", "--budget", "0.5x"});
  ASSERT_EQ(f.code, 0) << f.out << f.err;
  const auto summary = rows("out/ab_summary.csv");
  EXPECT_EQ(summary[2].at("stopped"), "6");
  EXPECT_NE(summary[2].at("verdict"), "faster");
  EXPECT_NE(summary[2].at("verdict"), "no difference");
  for (const char* budget : {"12", "x", "12y", "-1s", "2xx"}) {
    const Finished refused = weir({"ab", "study.toml", "-o", "y", std::string("--budget=") + budget});
    EXPECT_EQ(refused.code, 2) << budget;
  }
}

TEST_F(TwinRuns, EveryConfigurationIsCheckedBeforeTheFirstRun) {
  replace("toy.rate=0.2", "toy.rat=0.2");
  const Finished f = ab("out");
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("configuration 'fast', case 'heat': --set toy.rat: unknown key 'rat'; did you mean 'rate'?"),
            std::string::npos)
      << f.err;
  EXPECT_FALSE(fs::exists(folder / "out"));
  replace("toy.rat=0.2", "time.max_steps=many");
  EXPECT_NE(ab("out").err.find("configuration 'fast', case 'heat': --set time.max_steps: "), std::string::npos);
}

// One that takes as long as the cell says, and one that always takes 20 ms per step.
const char* const map_study = R"([study]
title = "Waiting solvers"
cases = ["cases/heat.toml"]
configurations = ["as_told", "steady"]
repeats = 6
report = false
[configuration.as_told]
[configuration.steady]
set = ["toy.wait_ms=20"]
[map]
x = { key = "toy.wait_ms", values = ["4", "100"] }
y = { key = "toy.rate", values = ["0.1"] }
)";

TEST_F(TwinRuns, AMapSaysWhoWinsWhereAndGoesOnWhereItWasStopped) {
  write_file(folder / "map.toml", map_study);
  const Finished f = weir({"map", "map.toml", "-o", "out", "--budget", "3x"});
  ASSERT_EQ(f.code, 0) << f.out << f.err;
  EXPECT_NE(f.out.find("[36/36] toy.wait_ms=100, toy.rate=0.1, "), std::string::npos) << f.out;
  EXPECT_NE(f.out.find(" left\n"), std::string::npos) << f.out;
  const auto at = rows("out/map_cells.csv"), all = rows("out/map.csv");
  ASSERT_EQ(at.size(), 2U);
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(at[0].at("x"), "\"4\"");
  EXPECT_EQ(at[0].at("winner"), "as_told");
  EXPECT_EQ(at[1].at("winner"), "steady");
  EXPECT_EQ(at[1].at("decided"), "1") << read_file(folder / "out/map.csv");
  EXPECT_GT(std::stod(at[1].at("margin")), 2);
  // Runs of 40 ms on a busy machine: the noise may reach the factor at which the slower runs are stopped.
  EXPECT_TRUE(all[2].at("verdict") == "slower" || all[2].at("verdict") == "undecided") << read_file(folder / "out/map.csv");
  EXPECT_EQ(all[5].at("verdict"), "faster");
  fs::remove(folder / "out/cells/2.1/done/heat.steady.4.json");
  const Finished again = weir({"map", "map.toml", "-o", "out", "--budget", "3x"});
  EXPECT_EQ(again.code, 0);
  std::stringstream text(again.out);
  int made = 0;
  for (std::string line; std::getline(text, line);)
    made += line.starts_with("[") && line.find("(completed earlier)") == std::string::npos;
  EXPECT_EQ(made, 1) << again.out;
  EXPECT_EQ(rows("out/map_cells.csv").size(), 2U);
}

TEST_F(TwinRuns, AMapThatCannotBeIsRefused) {
  const auto refusal = [&](const std::string& a, const std::string& b) {
    std::string text = map_study;
    text.replace(text.find(a), a.size(), b);
    write_file(folder / "map.toml", text);
    const Finished f = weir({"map", "map.toml", "-o", "out"});
    EXPECT_EQ(f.code, 2) << b;
    return f.err;
  };
  EXPECT_NE(refusal("\"toy.rate\"", "\"toy.wait_ms\"").find("'toy.wait_ms' is already the key of x"),
            std::string::npos);
  EXPECT_NE(refusal("[\"0.1\"]", "[]").find("'values' is empty"), std::string::npos);
  EXPECT_NE(refusal("toy.rate", "toy.rat").find("configuration 'as_told', case 'heat': --set toy.rat"),
            std::string::npos);
  EXPECT_NE(refusal("[map]", "[amp]").find("map"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(TwinRuns, MistakesAreRefusedWithTheirPlace) {
  const auto refusal = [&](const char* a, const char* b) {
    write_file(folder / "study.toml", study);
    replace(a, b);
    Finished f = ab("x");
    EXPECT_EQ(f.code, 2) << b;
    return std::move(f.err);
  };
  EXPECT_NE(refusal("heat.toml", "cold.toml").find("study.toml:3: cases/cold.toml: no such file"), std::string::npos);
  EXPECT_NE(refusal("\"fast\"", "\"quick\"").find("no table [configuration.quick]"), std::string::npos);
  EXPECT_NE(refusal("\"fast\"", "\"slow\"").find("'configurations' has the name"), std::string::npos);
  EXPECT_NE(refusal("repeats = 2", "repeats = 0").find("at least 1"), std::string::npos);
  EXPECT_NE(refusal("seed = 5", "sed = 5").find("did you mean 'seed'?"), std::string::npos);
  write_file(folder / "study.toml", study);
  const Finished f = ab("cases");
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("is not the folder of a study"), std::string::npos) << f.err;
}

}  // namespace
}  // namespace weir::ab_test
