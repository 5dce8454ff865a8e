// Branches of a real run: they change no bit of it, the replicas lead alike, and a candidate that fails is reported.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/case_text.hpp"
#include "tests/support/program_test.hpp"

namespace weir::relay_test {
namespace {

using testing::Finished;
using testing::write_file;

std::string relay(const std::string& system, const std::string& candidates, const std::string& more = "") {
  return "[relay]\nsystem = \"" + system + "\"\nevery = 2\nsteps = 2\nmost_steps = 4\nbudget = 1e9\nlimit = 1e9\n" +
         more + candidates;
}
const std::string of_pressure = relay("pressure", R"(solvers = ["levels", "gmres"]
[relay.levels]
method = "cg"
preconditioner = { type = "multigrid" }
[relay.gmres]
method = "gmres"
preconditioner = { type = "jacobi" }
)");
const std::string of_blocks = relay("flow", R"(solvers = ["jacobi", "kept"]
[relay.jacobi]
method = "gmres"
preconditioner = { type = "block_jacobi" }
[relay.kept]
method = "gmres"
recycle = 2
refresh = "every:3"
)");
const std::string steady = R"([pseudo_time]
cfl_max = 100.0
first_order_tolerance = 0.5
)";

std::string coupled(const std::string& time) {
  return "[case]\nminiapp = \"incompressible\"\n[grid]\ncells = [12, 12]\n[flow]\nscheme = "
         "\"artificial_compressibility\"\nviscosity = 0.01\n" +
         testing::lid_driven + testing::no_report + time;
}

class Relays : public testing::ProgramTest {
 protected:
  Relays() : ProgramTest(WEIR_PROGRAM) {}
  Finished weir(const std::string& text, const std::string& directory, std::vector<std::string> more = {}) const {
    write_file(folder / "case.toml", text);
    more.insert(more.begin(), {"run", "case.toml", "-o", directory, "--deterministic", "--overwrite"});
    return ProgramTest::weir(more);
  }

  // The same run without branches and with them, for N steps; what the branches' rows must hold, for any solver.
  void expect_no_bit_changed(const std::string& text, const std::string& branches, const std::string& steps,
                             std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--steps", steps});
    ASSERT_EQ(weir(text, "without", more).code, 0);
    const Finished run = weir(text + branches, "with", more);
    ASSERT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_EQ(state_hash("without"), state_hash("with"));
    EXPECT_EQ(csv("without/history.csv"), csv("with/history.csv"));
    EXPECT_EQ(csv("without/solves.csv", 8), csv("with/solves.csv", 8)) << "solves of branches are none of the run's";

    std::map<int, int> of_run;  // iterations by step
    for (const Row& row : rows("without/solves.csv"))
      of_run[std::stoi(row.at("step"))] += std::stoi(row.at("iterations"));
    std::map<std::string, std::map<std::string, std::string>> of_replica;  // step of the run, replica: what it has led
    std::map<std::string, std::set<std::string>> names;
    for (const Row& row : rows("with/relay.csv")) {
      names[row.at("step")].insert(row.at("name"));
      if (row.at("replica").empty()) continue;
      const int step = std::stoi(row.at("step")) + std::stoi(row.at("led")) - 1;
      if (const auto own = of_run.find(step);
          own != of_run.end()) {  // the run's last steps are not those of all branches
        EXPECT_EQ(std::stoi(row.at("iterations")), own->second) << "a replica does what the run does, step " << step;
      }
      of_replica[row.at("step")][row.at("replica")] +=
          row.at("led") + ":" + row.at("progress") + ":" + row.at("iterations") + " ";
    }
    ASSERT_EQ(of_replica.size(), std::stoul(steps) / 2);
    for (const auto& [step, led] : of_replica) {
      EXPECT_EQ(led.at("1"), led.at("2")) << "the replicas lead alike, from step " << step;
      EXPECT_EQ(names[step].size(), 4U) << step;
    }
    const auto block = summary("with")["relay"];
    ASSERT_EQ(block["solvers"].size(), 4U);
    EXPECT_EQ(block["solvers"][1]["verdict"], "control");
    EXPECT_NE(run.out.find("closed loop"), std::string::npos);
  }
};

TEST_F(Relays, ChangeNoBitOfACavity) {
  expect_no_bit_changed(testing::cavity_12x12 + "[time]\nend = 0.4\ndt = 0.01\n" + testing::cg_with_jacobi, of_pressure,
                        "12");
}

TEST_F(Relays, BranchFromAStepAsOftenAsAsked) {
  expect_no_bit_changed(testing::cavity_12x12 + "[time]\nend = 0.4\ndt = 0.01\n" + testing::cg_with_jacobi, of_pressure,
                        "6", {"--set", "relay.repeats=3"});
  std::map<std::string, int> first_steps;
  for (const Row& row : rows("with/relay.csv"))
    if (row.at("led") == "1" && row.at("replica") == "1") ++first_steps[row.at("step")];
  for (const auto& [step, branches] : first_steps) EXPECT_EQ(branches, 3) << step;
}

TEST_F(Relays, ChangeNoBitOfAFlowWhoseStepFollowsItsSpeedAndThatHasAnOutlet) {
  std::string channel = testing::channel_10x17();
  channel.replace(channel.find("dt = 0.02"), 9, "cfl = 0.05");
  expect_no_bit_changed(channel + testing::no_report + testing::cg_with_jacobi, of_pressure, "6");
}

TEST_F(Relays, ChangeNoBitOfABodyFixedOrMoving) {
  for (const std::string& motion : {std::string(), testing::swings})
    expect_no_bit_changed(testing::cylinder_in_a_stream(20, 24, motion) + testing::no_report + testing::cg_with_jacobi,
                          of_pressure, "6");
}

TEST_F(Relays, ChangeNoBitOfTheCoupledSchemeSteadyOrNot) {
  const std::string lagged = "[linear.flow]\nmethod = \"gmres\"\nrefresh = \"every:3\"\n";
  expect_no_bit_changed(coupled("[time]\nsteady = true\n"), of_blocks, "8");
  expect_no_bit_changed(coupled("[time]\nsteady = true\n") + lagged, of_blocks, "8");
  expect_no_bit_changed(coupled("[time]\nend = 1.0\ndt = 0.1\n[pseudo_time]\ntolerance = 0.0\nmax_steps = 2\n"),
                        of_blocks, "6");
}

// State that a reference solver keeps between systems is kept by its replicas, too.
TEST_F(Relays, ChangeNoBitOfACompressibleFlowWhoseSolverRemembers) {
  const std::string cylinder = testing::cylinder_at_re_40 + steady;
  for (const char* reference : {"", "method = \"gmres\"\nrecycle = 2\n", "refresh = \"every:3\"\n",
                                "method = \"fgmres\"\npreconditioner = { type = \"async_block_ilu0\", asynchrony = "
                                "\"prescribed\" }\n"})
    expect_no_bit_changed(cylinder + "[linear.flow]\n" + reference, of_blocks, "8");
  expect_no_bit_changed(cylinder, of_blocks, "4", {"--space", "device"});
}

TEST_F(Relays, ChangeNoBitOfAnUnsteadyCompressibleFlow) {
  expect_no_bit_changed(testing::vortex_12x12 + "end = 2.0\n" + testing::no_report, of_blocks, "6");
}

// State of a candidate from one branch is not used on the next.
TEST_F(Relays, LeadABranchAlikeWhateverHasBeenBefore) {
  const auto branch = [this](const std::string& every) {
    const Finished run = weir(testing::cavity_12x12 + "[time]\nend = 0.4\ndt = 0.01\n" + testing::cg_with_jacobi +
                                  relay("pressure", R"(solvers = ["guesses", "recycles", "keeps"]
[relay.guesses]
method = "cg"
initial_guess = "extrapolation:2"
preconditioner = { type = "jacobi" }
[relay.recycles]
method = "gmres"
recycle = 2
preconditioner = { type = "jacobi" }
[relay.keeps]
method = "gmres"
refresh = "every:3"
)"),
                              "run",
                              {"--steps", "6", "--set", "relay.every=" + every, "--set", "relay.randomised=false",
                               "--set", "relay.most_steps=2"});
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    std::map<std::string, std::string> led;
    for (const Row& row : rows("run/relay.csv"))
      if (row.at("step") == "6") led[row.at("name")] += row.at("led") + ":" + row.at("iterations") + " ";
    EXPECT_EQ(led.size(), 5U);
    return led;
  };
  EXPECT_EQ(branch("2"), branch("6"));
}

// One that fails when it leads is counted and, after three branches, left out; the run goes on.
TEST_F(Relays, CountACandidateThatFails) {
  const std::string hopeless = relay("pressure", R"(solvers = ["one_step"]
[relay.one_step]
method = "cg"
max_iterations = 1
preconditioner = { type = "jacobi" }
)");
  const std::string cavity = testing::cavity_12x12 + "[time]\nend = 0.4\ndt = 0.01\n" + testing::cg_with_jacobi;
  ASSERT_EQ(weir(cavity, "without", {"--steps", "12"}).code, 0);
  const Finished run = weir(cavity + hopeless, "with", {"--steps", "12"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(state_hash("without"), state_hash("with"));
  const auto row = summary("with")["relay"]["solvers"][2];
  EXPECT_EQ(row["branches"], 3);
  EXPECT_EQ(row["failures"], 3);
  EXPECT_EQ(row["verdict"], "fails");
}

// As a candidate, and as the solver of the flow.
TEST_F(Relays, LetASolverOfAnotherLibraryRunBranches) {
  if (ProgramTest::weir({"--version"}).out.find("Eigen") == std::string::npos) GTEST_SKIP();
  const std::string cavity = testing::cavity_12x12 + "[time]\nend = 0.4\ndt = 0.01\n[linear.pressure]\n";
  const std::string eigen = "method = \"eigen:cg+jacobi\"\ntolerance = 1e-6\n", cg = "method = \"cg\"\n";
  for (const auto& [reference, other] : {std::pair(cg, eigen), std::pair(eigen, cg)})
    expect_no_bit_changed(cavity + reference,
                          relay("pressure", "solvers = [\"other\", \"levels\"]\n[relay.other]\n" + other +
                                                "preconditioner = { type = \"none\" }\n[relay.levels]\nmethod = "
                                                "\"multigrid\"\n"),
                          "6");
}

}  // namespace
}  // namespace weir::relay_test
