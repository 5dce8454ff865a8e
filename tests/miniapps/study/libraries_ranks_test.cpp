// PETSc and hypre under mpirun: as candidates, and as the solver of the flow in a study.
#include <map>
#include <set>

#include "tests/miniapps/cli/over_ranks.hpp"
#include "tests/support/case_text.hpp"

namespace weir::libraries_ranks_test {
namespace {

using testing::write_file;

const std::string petsc = "method = \"petsc:-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu\"\n",
                  amg = "method = \"hypre:gmres+boomeramg\"\n", factors = "method = \"gmres\"\n";

// The solver of the flow is `reference`; it and two others are studied.
std::string cylinder(const std::string& reference, const std::string& one, const std::string& other) {
  std::string text = testing::cylinder_at_re_40 +
                     "[pseudo_time]\ncfl_max = 100.0\nfirst_order_tolerance = 0.5\n[linear.flow]\ntolerance = 1e-6\n" +
                     reference;
  for (const std::string table : {"shadow", "relay"}) {
    text += "[" + table + "]\nsystem = \"flow\"\nsolvers = [\"one\", \"other\"]\nevery = 2\n";
    if (table == "relay") text += "steps = 2\nmost_steps = 2\nbudget = 1e9\nlimit = 1e9\n";
    text += "[" + table + ".one]\n" + one + "[" + table + ".other]\n" + other;
  }
  return text;
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

// Each of the three solves the flow: the same flow to the tolerance, on any number of ranks.
TEST_F(LibrariesRanks, SolveTheFlowOfAStudyOnFourRanks) {
  run(1, cylinder(factors, petsc, amg), "ours");
  const std::vector<std::pair<std::string, std::string>> cases = {{"petsc", cylinder(petsc, factors, amg)},
                                                                  {"hypre", cylinder(amg, petsc, factors)}};
  for (const auto& [name, text] : cases)
    for (const int ranks : {1, 4}) {
      const std::string directory = name + std::to_string(ranks);
      run(ranks, text, directory);
      expect_a_study(directory);
      expect_same("ours", directory, {"drag"}, 1e-4);
    }
}

}  // namespace
}  // namespace weir::libraries_ranks_test
