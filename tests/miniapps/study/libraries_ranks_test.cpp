// PETSc and hypre under mpirun: as candidates, and as the solver of the flow in a study.
#include <map>
#include <set>

#include "tests/miniapps/cli/over_ranks.hpp"
#include "tests/support/case_text.hpp"

namespace weir::libraries_ranks_test {
namespace {

using testing::write_file;

// A solver per name; the first one is that of the flow, and the others are studied.
using Solvers = std::vector<std::pair<std::string, std::string>>;

std::string study(const std::string& flow, const std::string& system, const Solvers& solvers) {
  std::string text = flow + "[linear." + system + "]\ntolerance = 1e-6\n" + solvers[0].second, names, tables;
  for (std::size_t i = 1; i < solvers.size(); ++i) {
    names += (i > 1 ? ", \"" : "\"") + solvers[i].first + "\"";
    for (const std::string table : {"shadow", "relay"})
      tables += "[" + table + "." + solvers[i].first + "]\n" + solvers[i].second;
  }
  for (const std::string table : {"shadow", "relay"})
    text += "[" + table + "]\nsystem = \"" + system + "\"\nsolvers = [" + names + "]\nevery = 2\n" +
            (table == "relay" ? "steps = 2\nmost_steps = 2\nbudget = 1e9\nlimit = 1e9\n" : "");
  return text + tables;
}

class LibrariesRanks : public testing::OverRanks {
 protected:
  void run(int ranks, const std::string& text, const std::string& directory) {
    write_file(folder / "case.toml", text);
    OverRanks::run(ranks, directory, "case.toml", {"--steps", "6"});
  }
  void expect_a_study(const std::string& directory) const {
    std::map<std::string, int> solves;
    for (const Row& row : rows(directory + "/shadow.csv")) {
      EXPECT_EQ(row.at("reason"), "converged") << row.at("name");
      ++solves[row.at("name")];
      if (!row.at("differing").empty()) {
        EXPECT_EQ(row.at("differing"), "0") << "the solver of the flow repeats its bits";
      }
    }
    EXPECT_EQ(solves.size(), 5U);
    for (const auto& [name, count] : solves) EXPECT_EQ(count, 3) << name;
    for (const auto& solver : summary(directory)["relay"]["solvers"]) {
      EXPECT_EQ(solver["branches"], solver["name"] == "control" ? 0 : 2) << solver;
      EXPECT_EQ(solver["failures"], 0) << solver;
    }
  }
};

// Each of three solves the flow in turn: the same flow to the tolerance, on any number of ranks.
TEST_F(LibrariesRanks, SolveTheFlowOfAStudyOnFourRanks) {
  const std::string cylinder =
      testing::cylinder_at_re_40 + "[pseudo_time]\ncfl_max = 100.0\nfirst_order_tolerance = 0.5\n";
  const Solvers of_blocks = {{"ours", "method = \"gmres\"\n"},
                             {"petsc", "method = \"petsc:-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu\"\n"},
                             {"hypre", "method = \"hypre:gmres+ilu\"\n"}};
  const Solvers of_pressure = {{"ours", "method = \"cg\"\npreconditioner = { type = \"jacobi\" }\n"},
                               {"petsc", "method = \"petsc:-ksp_type cg -pc_type bjacobi -sub_pc_type icc\"\n"},
                               {"hypre", "method = \"hypre:cg+boomeramg\"\n"}};
  const struct {
    std::string flow, system, quantity;
    Solvers solvers;
  } cases[] = {{cylinder, "flow", "drag", of_blocks},
               {testing::channel_10x17() + testing::no_report, "pressure", "kinetic_energy", of_pressure}};
  for (const auto& c : cases) {
    Solvers solvers = c.solvers;
    run(1, study(c.flow, c.system, solvers), c.system + "ours");
    for (std::size_t i = 1; i < solvers.size(); ++i) {
      std::swap(solvers[0], solvers[i]);
      for (const int ranks : {1, 4}) {
        const std::string directory = c.system + solvers[0].first + std::to_string(ranks);
        run(ranks, study(c.flow, c.system, solvers), directory);
        expect_a_study(directory);
        // A relative residual of 1e-6 bounds the relative error by 1e-6 cond(A); cond(A) is of order 100 here.
        expect_same(c.system + "ours", directory, {c.quantity}, 1e-4);
      }
    }
  }
}

}  // namespace
}  // namespace weir::libraries_ranks_test
