// Failure diagnostics under mpirun: what was planted is named with its rank and its cell in the whole grid, and what is
// said of the flow is what one rank says.
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/miniapps/cli/over_ranks.hpp"
#include "tests/support/case_text.hpp"
#include "tests/support/planted_value.hpp"

namespace weir::flight_ranks_test {
namespace {

using testing::Finished;
using testing::write_file;

const std::string cavity = testing::cavity_12x12 + testing::cg_with_jacobi;
const std::string short_time = "[time]\nend = 0.1\ndt = 0.01\n";
const std::string body = testing::cylinder_in_a_stream(16, 16) + testing::no_report;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

class FlightOverRanks : public testing::OverRanks {
 protected:
  nlohmann::json recorded(const std::string& directory) const { return json(directory + "/flight_recorder.json"); }
  nlohmann::json verdict(int ranks, const std::string& text, const std::string& directory) const {
    write_file(folder / "case.toml", text);
    const Finished f = weir(ranks, {"run", "case.toml", "-o", directory});
    EXPECT_TRUE(f.code == 3 || f.code == 4) << f.code << f.out << f.err;
    EXPECT_NE(f.out.find("diagnosis: "), std::string::npos) << f.out;
    return recorded(directory);
  }
  // Two steps on one rank, one value changed, and on from there on three.
  std::string verdict_after(const std::string& text, const std::string& array, std::size_t index, double value) const {
    write_file(folder / "case.toml", text);
    EXPECT_EQ(weir(1, {"run", "case.toml", "-o", "run", "--steps", "2"}).code, 0);
    testing::plant_value(folder / "run", array, index, value);
    const Finished f = weir(3, {"restart", "run"});
    EXPECT_TRUE(f.code == 3 || f.code == 4) << f.code << f.out << f.err;
    return recorded("run").is_null() ? f.out + f.err : recorded("run")["what"].get<std::string>();
  }
};

TEST_F(FlightOverRanks, NamesRankAndCellOfTheFirstNaN) {
  if (!checkpoints_available()) GTEST_SKIP();
  EXPECT_EQ(verdict_after(cavity + short_time, "u", (9 + 1) * 14 + (3 + 1), no_number),
            "NaN or Inf in the checkpoint: u, first in cell (3, 9, 0) (rank 2)");
}

TEST_F(FlightOverRanks, NamesThemBesideABody) {
  if (!checkpoints_available()) GTEST_SKIP();
  EXPECT_EQ(verdict_after(body, "v", (7 + 1) * 18 + (2 + 1), no_number),
            "NaN or Inf in the checkpoint: v, first in cell (2, 7, 0) (rank 1)");
}

TEST_F(FlightOverRanks, NamesThemInAnUnstructuredMesh) {
  if (!checkpoints_available()) GTEST_SKIP();
  const std::string what = verdict_after(testing::cylinder_at_mach_038(24, 10, 10), "U", 4 * 57, -1.0);
  EXPECT_NE(what.find("rho is -1 in cell 57 at ("), std::string::npos) << what;
  EXPECT_NE(what.find(" (rank "), std::string::npos) << what;
}

// Block Jacobi inverts the blocks of a rank's own rows: rank 1 alone meets the one that it cannot invert.
TEST_F(FlightOverRanks, WhatOneRanksPreconditionerRefusesEndsAllWithAVerdict) {
  if (!checkpoints_available()) GTEST_SKIP();
  const std::string jacobi =
      testing::cylinder_at_mach_038(24, 10, 10) + "[linear.flow]\npreconditioner = { type = \"block_jacobi\" }\n";
  const std::string what = verdict_after(jacobi, "U", 4 * 57, no_number);
  EXPECT_NE(what.find("cell 57 at ("), std::string::npos) << what;
  EXPECT_EQ(recorded("run")["ended"].get<std::string>().find("block_jacobi: the diagonal block of "), 0U)
      << recorded("run");
}

TEST_F(FlightOverRanks, SaysOfAFlowThatGrowsWhatOneRankSays) {
  const std::string fast = cavity + "[time]\nend = 100.0\ndt = 1.0\n";
  const nlohmann::json one = verdict(1, fast, "one"), two = verdict(2, fast, "two");
  EXPECT_EQ(one["cause"], "time_step");
  for (const char* part : {"cause", "key"}) EXPECT_EQ(two[part], one[part]) << two;
  const auto measured = [](const nlohmann::json& j, const char* what) {
    for (const auto& e : j["evidence"])
      if (e["what"] == what) return e["value"].dump();
    return std::string("not measured");
  };
  for (const char* what : {"growth from step", "CFL number before"}) {
    EXPECT_NE(measured(one, what), "not measured") << one;
    EXPECT_EQ(measured(two, what), measured(one, what));
  }
}

TEST_F(FlightOverRanks, SaysNothingOfAHealthyRunAndChangesNoBitOfIt) {
  for (const char* steps : {"0", "32"}) {
    write_file(folder / "case.toml", cavity + short_time);
    const Finished f = weir(2, {"run", "case.toml", "-o", steps, "--set", std::string("recorder.steps=") + steps});
    ASSERT_EQ(f.code, 0) << f.out << f.err;
    EXPECT_EQ(f.out.find("diagnosis"), std::string::npos) << f.out;
    EXPECT_TRUE(recorded(steps).is_null());
  }
  EXPECT_EQ(state_hash("0"), state_hash("32"));
}

}  // namespace
}  // namespace weir::flight_ranks_test
