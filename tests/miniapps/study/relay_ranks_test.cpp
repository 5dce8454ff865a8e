// Branches under mpirun: all ranks lead together and decide alike, and the flow is the same with and without.
#include <map>

#include "tests/miniapps/cli/over_ranks.hpp"
#include "tests/support/case_text.hpp"

namespace weir::relay_ranks_test {
namespace {

using testing::write_file;

const std::string of_pressure = R"([relay]
system = "pressure"
solvers = ["gmres", "slow"]
every = 2
steps = 2
most_steps = 4
budget = 1e9
limit = 1e9
[relay.gmres]
method = "gmres"
preconditioner = { type = "jacobi" }
[relay.slow]
like_leader = true
slowed_by = 0.5
)";

class RelayRanks : public testing::OverRanks {
 protected:
  void expect_no_bit_changed(const std::string& text, const std::string& branches) {
    write_file(folder / "case.toml", text);
    run(2, "without", "case.toml", {"--steps", "6"});
    write_file(folder / "case.toml", text + branches);
    run(2, "with", "case.toml", {"--steps", "6"});
    EXPECT_EQ(state_hash("without"), state_hash("with"));
    std::map<std::string, std::map<std::string, std::string>> of_replica;
    for (const Row& row : rows("with/relay.csv"))
      if (!row.at("replica").empty())
        of_replica[row.at("step")][row.at("replica")] += row.at("progress") + ":" + row.at("iterations") + " ";
    ASSERT_EQ(of_replica.size(), 3U);
    for (const auto& [step, led] : of_replica) EXPECT_EQ(led.at("1"), led.at("2")) << step;
    EXPECT_EQ(summary("with")["relay"]["solvers"].size(), 4U);
  }
};

TEST_F(RelayRanks, ChangeNoBitOfAChannel) {
  expect_no_bit_changed(testing::channel_10x17() + testing::cg_with_jacobi + testing::no_report, of_pressure);
}

TEST_F(RelayRanks, ChangeNoBitOfAMovingBody) {
  expect_no_bit_changed(
      testing::cylinder_in_a_stream(20, 24, testing::swings) + testing::cg_with_jacobi + testing::no_report,
      of_pressure);
}

TEST_F(RelayRanks, ChangeNoBitOfACompressibleFlowWhoseSolverRemembers) {
  expect_no_bit_changed(testing::cylinder_at_re_40 + R"([pseudo_time]
cfl_max = 100.0
first_order_tolerance = 0.5
[linear.flow]
method = "gmres"
recycle = 2
)",
                        R"([relay]
system = "flow"
solvers = ["factors", "jacobi"]
every = 2
steps = 2
budget = 1e9
limit = 1e9
[relay.factors]
method = "bicgstab"
preconditioner = { type = "block_ilu0" }
[relay.jacobi]
method = "fgmres"
preconditioner = { type = "block_jacobi" }
)");
}

}  // namespace
}  // namespace weir::relay_ranks_test
