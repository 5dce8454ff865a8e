// Shadow solves under mpirun: all ranks solve together, and the flow is the same with and without.
#include <map>
#include <set>

#include "tests/miniapps/cli/over_ranks.hpp"
#include "tests/support/case_text.hpp"

namespace weir::shadow_ranks_test {
namespace {

using testing::Finished;
using testing::read_file;
using testing::write_file;

const std::string cg = testing::cg_with_jacobi + "tolerance = 1e-7\n";
const std::string channel = testing::channel_10x17() + cg + testing::no_report;
const std::string body = testing::cylinder_in_a_stream(20, 24, testing::swings) + cg + testing::no_report;
const std::string cylinder = testing::cylinder_at_re_40 + R"([pseudo_time]
cfl_max = 100.0
first_order_tolerance = 0.5
[linear.flow]
method = "gmres"
tolerance = 0.01
preconditioner = { type = "block_jacobi" }
)";

class ShadowRanks : public testing::OverRanks {
 protected:
  void run(int ranks, const std::string& text, const std::string& directory) {
    write_file(folder / "case.toml", text);
    log = OverRanks::run(ranks, directory, "case.toml", {"--steps", "4"});
  }

  // The same case without shadows, with them, and with them on one rank. `independent`: candidates whose iterations do
  // not know the ranks.
  void expect_a_study(const std::string& text, const std::string& shadow, const std::set<std::string>& independent) {
    run(2, text, "without");
    run(1, text + shadow, "alone");
    run(2, text + shadow, "with");
    EXPECT_EQ(state_hash("without"), state_hash("with"));
    EXPECT_NE(log.find("gave the same bits (2 systems)"), std::string::npos) << log;
    EXPECT_NE(log.find("2 ranks: "), std::string::npos) << log;
    std::map<std::string, std::string> counts[2];
    const std::vector<Row> all = rows("with/shadow.csv");
    std::map<std::string, std::set<std::string>> starts, places;
    for (const Row& row : all) {
      EXPECT_EQ(row.at("reason"), "converged") << row.at("name");
      if (row.at("name") != "direct") starts[row.at("step")].insert(row.at("r0"));  // which takes no guess
      places[row.at("step")].insert(row.at("place"));
      counts[0][row.at("name")] += row.at("step") + ":" + row.at("iterations") + " ";
    }
    for (const Row& row : rows("alone/shadow.csv"))
      counts[1][row.at("name")] += row.at("step") + ":" + row.at("iterations") + " ";
    for (const auto& [step, r0] : starts) EXPECT_EQ(r0.size(), 1U) << "all start from the same x0, step " << step;
    for (const auto& [step, place] : places) EXPECT_EQ(place.size(), all.size() / 2) << "step " << step;
    for (const std::string& name : independent) EXPECT_EQ(counts[0][name], counts[1][name]) << name;
    for (const Row& row : rows("with/shadow_summary.csv")) {
      if (row.at("verdict") == "left out") continue;
      EXPECT_EQ(row.at("ranks"), "2");
      const double all_ranks = std::stod(row.at("mb")), one = std::stod(row.at("mb_of_largest_rank"));
      EXPECT_LE(one, all_ranks) << row.at("name");
      EXPECT_LE(all_ranks, 2 * one) << row.at("name");
    }
  }
  std::string log;
};

TEST_F(ShadowRanks, OfAChannelGiveTheFlowOfNoShadowsAndTheIterationsOfOneRank) {
  const std::string shadow = R"([shadow]
system = "pressure"
solvers = ["direct", "twin", "gmres"]
every = 2
repeats = 2
[shadow.direct]
method = "fast_poisson"
[shadow.twin]
like_leader = true
slowed_by = 0.5
[shadow.gmres]
method = "gmres"
preconditioner = { type = "jacobi" }
)";
  expect_a_study(channel, shadow, {"in the flow", "leader", "leader again", "direct", "twin", "gmres"});
}

TEST_F(ShadowRanks, OfAMovingBodyToo) {
  const std::string shadow = R"([shadow]
system = "pressure"
solvers = ["levels", "bicgstab", "other"]
every = 2
[shadow.levels]
method = "cg"
preconditioner = { type = "multigrid" }
[shadow.bicgstab]
method = "bicgstab"
preconditioner = { type = "jacobi" }
[shadow.other]
method = "eigen:cg+jacobi"
max_iterations = 2000
)";
  expect_a_study(body, shadow, {"in the flow", "leader", "leader again"});
  EXPECT_NE(log.find("other left out: "), std::string::npos) << log;
}

TEST_F(ShadowRanks, OfACompressibleFlowWithEachRanksFactorsAndAPageShowsThem) {
  const std::string shadow = R"([shadow]
system = "flow"
solvers = ["factors", "jacobi"]
every = 2
[shadow.factors]
method = "gmres"
preconditioner = { type = "block_ilu0" }
[shadow.jacobi]
method = "fgmres"
preconditioner = { type = "block_jacobi" }
)";
  expect_a_study(cylinder, shadow, {"in the flow", "leader", "leader again", "jacobi"});
  const Finished page = weir(1, {"report", "with"});
  ASSERT_EQ(page.code, 0) << page.err;
  EXPECT_NE(read_file(folder / "with/report.html").find("2 ranks; the time of a solve is that of the slowest rank"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::shadow_ranks_test
