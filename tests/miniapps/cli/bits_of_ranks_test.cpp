// [ranks] exact_sums under mpirun: the state hash of one rank on every number of ranks and threads, for methods that
// are those of one rank.
#include "tests/miniapps/cli/over_ranks.hpp"

namespace weir::bits_of_ranks_test {
namespace {

struct Case {
  std::string file;  // below inputs/
  std::vector<std::string> more;
};
void PrintTo(const Case& c, std::ostream* to) { *to << c.file; }  // no addresses in the names of tests

class BitsOfRanks : public testing::OverRanks, public ::testing::WithParamInterface<Case> {};

TEST_P(BitsOfRanks, AreThoseOfOneRank) {
  std::string expected;
  for (const auto& [ranks, threads] : {std::pair(1, "1"), {1, "2"}, {2, "1"}, {3, "1"}, {4, "1"}}) {
    const std::string name = std::to_string(ranks) + "_" + threads;
    std::vector<std::string> more = {
        "--deterministic",      "--threads", threads, "--steps", "3", "--set", "output.report=false", "--set",
        "ranks.exact_sums=true"};
    for (const std::string& value : GetParam().more) more.insert(more.end(), {"--set", value});
    run(ranks, name, std::string(WEIR_INPUTS) + "/" + GetParam().file, more);
    const std::string hash = summary(name)["state_hash"];
    if (expected.empty()) expected = hash;
    EXPECT_EQ(hash, expected) << ranks << " ranks, " << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, BitsOfRanks,
    ::testing::Values(
        // chebyshev and fast_poisson; more cells than one thread takes alone
        Case{"incompressible/cavity_re100.toml", {"grid.cells=[100,100]"}},
        Case{"incompressible/taylor_green_3d_re1600.toml", {"grid.cells=[12,12,12]"}},
        // fluxes through an inlet and an outlet
        Case{"incompressible/developing_channel.toml", {"grid.cells=[36,20]"}},
        Case{"incompressible/cavity_re100.toml",
             {"grid.cells=[64,64]", "linear.momentum={method=\"cg\",preconditioner={type=\"jacobi\"}}",
              "linear.pressure={method=\"cg\",preconditioner={type=\"multigrid\"}}"}},
        Case{"incompressible/cavity_re1000_coupled.toml",
             {"grid.cells=[24,24]", "linear.flow={method=\"gmres\",preconditioner={type=\"block_jacobi\"}}"}},
        // bicgstab with jacobi, cg with multigrid, interpolated rows, a body that moves
        Case{"immersed/oscillating_inline_kc5.toml", {}}));

}  // namespace
}  // namespace weir::bits_of_ranks_test
