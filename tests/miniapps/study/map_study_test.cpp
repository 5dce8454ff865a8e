// Maps by relays: the fastest in a cell by what its branches say. And every study of inputs/study can be read.
#include "miniapps/study/map/map_study.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "inputs/case.hpp"

namespace weir::map_study_test {
namespace {

namespace fs = std::filesystem;

// A cell whose reference has a noise of 2 % and whose candidate has this cost.
AbSummary cell(const char* verdict, const char* closed, const char* interval, const char* more = "\"cut\": 0") {
  const std::string rest = ", \"branches\": 9, \"failures\": 0, ";
  AbRun run;
  run.relay =
      R"({"noise": 1.02, "clear_progress": true, "solvers": [)"
      R"({"name": "leader", "verdict": "reference", "closed": 1, "closed_interval": [1, 1])" +
      rest +
      R"("cut": 0}, {"name": "leader again", "verdict": "control", "closed": 1, "closed_interval": [0.99, 1.01])" +
      rest + R"("cut": 0}, {"name": "other", "verdict": ")" + verdict + "\", \"closed\": " + closed +
      ", \"closed_interval\": " + interval + rest + more + "}]}";
  AbRuns runs;
  runs.runs.push_back(run);
  return summary_of_relays(runs);
}

TEST(MapByRelays, TheOneThatCostsLeastWhenItLeadsWins) {
  MapWinner w = winner_of(cell("faster", "0.8", "[0.75, 0.85]"));
  EXPECT_EQ(w.configuration, "other");
  EXPECT_TRUE(w.is_decided);
  EXPECT_NEAR(w.margin, 1.25, 1e-12);
  w = winner_of(cell("slower", "1.3", "[1.2, 1.4]"));
  EXPECT_EQ(w.configuration, "reference");
  EXPECT_EQ(w.second, "other");
  EXPECT_TRUE(w.is_decided);
  EXPECT_TRUE(winner_of(cell("slower", "5", "[4, null]", "\"cut\": 9")).is_decided);
}

TEST(MapByRelays, ACellIsOpenWhereBranchesDoNotDecide) {
  EXPECT_FALSE(winner_of(cell("undecided", "1.01", "[0.97, 1.05]")).is_decided);
  EXPECT_FALSE(winner_of(cell("undecided", "1.03", "[1.01, 1.05]")).is_decided) << "within the noise";
  EXPECT_FALSE(winner_of(cell("not settled", "0.8", "[0.75, 0.85]")).is_decided);
  EXPECT_FALSE(winner_of(cell("too few branches", "1.3", "[1.2, 1.4]")).is_decided);
  EXPECT_EQ(winner_of(summary_of_relays({})).configuration, "");
}

TEST(MapByRelays, OneThatFailsIsOutOfTheRace) {
  const MapWinner w = winner_of(cell("fails", "0.5", "[0.4, 0.6]"));
  EXPECT_EQ(w.configuration, "reference");
  EXPECT_EQ(w.second, "");
}

TEST(Studies, AllOfTheInputsAreRead) {
  int studies = 0, maps = 0;
  for (const auto& file : fs::directory_iterator(WEIR_SOURCE "/inputs/study")) {
    const std::string path = file.path().string();
    const Table t = read_case(path);
    if (t.is_table("map")) {
      EXPECT_GE(read_map_study(path).cells(), 4U) << path;
      ++maps;
    } else if (t.is_table("study")) {
      EXPECT_EQ(read_ab_study(path).path, path);
      ++studies;
    } else {
      EXPECT_TRUE(t.is_table("case")) << path;
    }
  }
  EXPECT_GE(studies, 3);
  EXPECT_GE(maps, 2);
}

}  // namespace
}  // namespace weir::map_study_test
