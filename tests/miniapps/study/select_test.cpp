// [select] in real runs: what it decides can be followed bit for bit, with and without a stop, and a solver that fails
// is replaced in the very solve.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/case_text.hpp"
#include "tests/support/program_test.hpp"

namespace weir::select_test {
namespace {

using testing::Finished;
using testing::write_file;

const std::string cavity = testing::cavity_12x12 + "[time]\nend = 0.6\ndt = 0.01\n[checkpoint]\nevery = 7\n";
// Noise decides nothing here: one of the two is slowed down by this fraction.
const std::string slow_default = "[linear.pressure]\nmethod = \"cg\"\npreconditioner = { type = \"jacobi\" }\n";
std::string select(const std::string& more) {
  return "[select]\nsystem = \"pressure\"\nevery = 2\nsteps = 2\nbudget = 1e4\nlimit = 100\nmargin = 0.0\n" + more;
}
const std::string direct = "solvers = [\"direct\"]\n[select.direct]\nmethod = \"fast_poisson\"\n";

class Selects : public testing::ProgramTest {
 protected:
  Selects() : ProgramTest(WEIR_PROGRAM) {}
  Finished weir(const std::string& text, const std::string& directory, std::vector<std::string> more = {}) const {
    write_file(folder / "case.toml", text);
    more.insert(more.begin(), {"run", "case.toml", "-o", directory, "--overwrite", "--threads", "1"});
    return ProgramTest::weir(more);
  }
  void follow(const std::string& text, const std::string& decisions) const {
    write_file(folder / "decisions.csv", "step,system,from,to,why\n" + decisions);
    const Finished run = weir(text + select("decisions = \"decisions.csv\"\n" + direct), "followed");
    ASSERT_EQ(run.code, 0) << run.out << run.err;
  }
};

TEST_F(Selects, ARunThatFollowsTheDecisionsOfAnotherIsThatRunBitForBit) {
  const Finished raced = weir(cavity + slow_default + select(direct), "raced");
  ASSERT_EQ(raced.code, 0) << raced.out << raced.err;
  EXPECT_GE(rows("raced/races.csv").size(), 1U);
  const Finished followed = weir(cavity + slow_default + select("decisions = \"raced/decisions.csv\"\n" + direct),
                                 "followed", {"--deterministic"});
  ASSERT_EQ(followed.code, 0) << followed.out << followed.err;
  EXPECT_EQ(state_hash("raced"), state_hash("followed"));
  EXPECT_EQ(csv("raced/solves.csv", 8), csv("followed/solves.csv", 8));
  EXPECT_EQ(csv("raced/decisions.csv"), csv("followed/decisions.csv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "followed/races.csv") && !rows("followed/races.csv").empty());
}

TEST_F(Selects, TheLeaderChangesAtTheStepThatIsDecidedAndAgainAfterARestart) {
  follow(cavity + slow_default, "11,pressure,default,direct,said\n31,pressure,direct,default,said\n");
  for (const Row& row : rows("followed/solves.csv")) {
    if (row.at("system") != "pressure") continue;
    const int step = std::stoi(row.at("step"));
    EXPECT_EQ(row.at("solver"), step >= 11 && step < 31 ? "fast_poisson" : "cg+jacobi") << step;
  }
  const std::string whole = state_hash("followed"), solves = csv("followed/solves.csv", 8);
  const std::string text =
      cavity + slow_default + select("decisions = \"" + (folder / "decisions.csv") + "\"\n" + direct);
  ASSERT_EQ(weir(text, "stopped", {"--steps", "17"}).code, 0);
  const Finished restart = ProgramTest::weir({"restart", "stopped"});
  ASSERT_EQ(restart.code, 0) << restart.out << restart.err;
  EXPECT_EQ(state_hash("stopped"), whole);
  EXPECT_EQ(csv("stopped/solves.csv", 8), solves);
}

TEST_F(Selects, ALeaderThatFailsIsHelpedInTheSolveAndReplacedInTheNextStep) {
  const std::string hopeless =
      "solvers = [\"hopeless\"]\n[select.hopeless]\nmethod = \"cg\"\npreconditioner = { type = \"jacobi\" }\n"
      "max_iterations = 1\n";
  write_file(folder / "decisions.csv", "step,system,from,to,why\n5,pressure,default,hopeless,said\n");
  const Finished run =
      weir(cavity + slow_default + select("decisions = \"decisions.csv\"\n" + hopeless), "run", {"--steps", "9"});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  for (const Row& row : rows("run/solves.csv")) EXPECT_EQ(row.at("reason"), "converged") << row.at("step");
}

// In so short a step the blocks of block_jacobi are singular to rounding; jacobi divides by their diagonals alone.
TEST_F(Selects, ALeaderWhoseSetupFailsIsHelpedInTheSolve) {
  const std::string text =
      "[case]\nminiapp = \"incompressible\"\n[grid]\ncells = [12, 12]\n[flow]\nscheme = "
      "\"artificial_compressibility\"\nviscosity = 0.01\n[time]\nend = 1.0\ndt = 1e-13\n" +
      testing::lid_driven + testing::no_report;
  const auto by = [](const std::string& table, const std::string& type) {
    return "[" + table + "]\nmethod = \"gmres\"\npreconditioner = { type = \"" + type + "\" }\n";
  };
  const Finished blocks = weir(text + by("linear.flow", "block_jacobi"), "blocks", {"--steps", "3"});
  EXPECT_EQ(blocks.code, 3) << blocks.out;
  EXPECT_NE(blocks.err.find("block_jacobi: the diagonal block of"), std::string::npos) << blocks.err;
  ASSERT_EQ(weir(text + by("linear.flow", "jacobi"), "alone", {"--steps", "3"}).code, 0);
  write_file(folder / "decisions.csv", "step,system,from,to,why\n1,flow,default,blocks,said\n");
  const Finished run = weir(text + by("linear.flow", "jacobi") +
                                "[select]\nsystem = \"flow\"\nsolvers = [\"blocks\"]\ndecisions = \"decisions.csv\"\n" +
                                by("select.blocks", "block_jacobi"),
                            "run", {"--steps", "3"});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  ASSERT_FALSE(rows("run/solves.csv").empty());
  for (const Row& row : rows("run/solves.csv")) {
    EXPECT_EQ(row.at("solver"), "gmres+block_jacobi") << "it leads";
    EXPECT_EQ(row.at("reason"), "converged") << row.at("step");
  }
  EXPECT_EQ(state_hash("run"), state_hash("alone")) << "the default has solved in its place, from the same x";
}

// A twin is as fast: races do not tell, so it leads on trial, and the default leads again.
TEST_F(Selects, TrialsAreDecisionsThatCanBeFollowedBitForBit) {
  const std::string long_cavity = testing::cavity_12x12 + "[time]\nend = 6.0\ndt = 0.01\n",
                    twin =
                        "solvers = [\"twin\"]\n[select.twin]\nmethod = \"cg\"\npreconditioner = { type = \"sgs\" }\n";
  const std::string by_sgs = "[linear.pressure]\nmethod = \"cg\"\npreconditioner = { type = \"sgs\" }\n";
  const Finished raced = weir(long_cavity + by_sgs + select(twin), "raced");
  ASSERT_EQ(raced.code, 0) << raced.out << raced.err;
  std::map<std::string, int> reasons;
  for (const Row& row : rows("raced/decisions.csv")) ++reasons[row.at("why")];
  EXPECT_GT(reasons["on trial"], 0) << csv("raced/races.csv");
  const Finished followed = weir(long_cavity + by_sgs + select("decisions = \"raced/decisions.csv\"\n" + twin),
                                 "followed", {"--deterministic"});
  ASSERT_EQ(followed.code, 0) << followed.out << followed.err;
  EXPECT_EQ(state_hash("raced"), state_hash("followed"));
  EXPECT_EQ(csv("raced/decisions.csv"), csv("followed/decisions.csv"));
}

// Its first steps on a branch, which fill its guesses, do not count.
TEST_F(Selects, ASolverThatLearnsRacesWithWhatItHasLearnt) {
  const std::string learns =
      "solvers = [\"recycling\"]\n[select.recycling]\nmethod = \"cg\"\npreconditioner = { type = \"jacobi\" }\n"
      "initial_guess = \"projection:8\"\n";
  // A flow that has settled a little: then earlier systems tell something.
  const std::vector<std::string> fine{"--set", "grid.cells=[32,32]", "--steps", "40"};
  ASSERT_EQ(weir(cavity + slow_default, "default", fine).code, 0);
  ASSERT_EQ(weir(cavity + slow_default + select(learns), "run",
                 {"--set", "grid.cells=[32,32]", "--steps", "28", "--set", "select.budget=1e-9"})
                .code,
            0);
  const Finished run = ProgramTest::weir({"restart", "run", "--steps", "36", "--set", "select.budget=1e4"});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  const auto races = rows("run/races.csv");
  ASSERT_FALSE(races.empty());
  const Row& race = races.front();
  ASSERT_EQ(race.at("end"), "steps");
  const int counted =
      std::stoi(race.at("step")) + std::max(4, std::stoi(race.at("steps")));  // after those that do not count
  double of_default = 0;
  for (const Row& row : rows("default/solves.csv"))
    if (row.at("system") == "pressure" && std::stoi(row.at("step")) >= counted &&
        std::stoi(row.at("step")) < counted + std::stoi(race.at("steps")))
      of_default += std::stod(row.at("iterations"));
  EXPECT_LT(std::stod(race.at("iterations")), 0.8 * of_default);
}

TEST_F(Selects, ALimitOnProcessorTimeDoesNotSpoilTheClock) {
  write_file(folder / "case.toml", cavity + slow_default + select(direct));
  const Finished run = testing::run(
      {"/bin/sh", "-c", "ulimit -t 1000; exec " WEIR_PROGRAM " run case.toml -o run --threads 1 --steps 9"},
      folder.path());
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  const auto races = rows("run/races.csv");
  ASSERT_FALSE(races.empty());
  std::set<std::string> seconds;  // a tick: 0.004
  for (const Row& row : races) {
    EXPECT_GT(std::stod(row.at("seconds")), 0);
    seconds.insert(row.at("seconds"));
  }
  EXPECT_EQ(seconds.size(), races.size());
}

TEST_F(Selects, OtherRulesNeedNoRacesAndCanBeFollowedBitForBit) {
  for (const std::string rule : {"tsallis_inf", "thompson", "probe"}) {
    const std::string by_rule = "rule = \"" + rule + "\"\n";
    const Finished run = weir(cavity + slow_default + select(by_rule + direct), "drawn");
    ASSERT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_TRUE(rows("drawn/races.csv").empty()) << rule;
    const auto decisions = rows("drawn/decisions.csv");
    ASSERT_FALSE(decisions.empty()) << rule;
    EXPECT_EQ(decisions.front().at("from"), "default");
    EXPECT_EQ(decisions.front().at("to"), "direct");
    const Finished followed =
        weir(cavity + slow_default + select("decisions = \"drawn/decisions.csv\"\n" + by_rule + direct), "followed",
             {"--deterministic"});
    ASSERT_EQ(followed.code, 0) << followed.out << followed.err;
    EXPECT_EQ(state_hash("drawn"), state_hash("followed")) << rule;
  }
  const Finished unknown = weir(cavity + slow_default + select("rule = \"luck\"\n" + direct), "unknown");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("thompson"), std::string::npos) << unknown.err;
}

// A candidate that never converges: the default repeats the solve, and the rule avoids the candidate.
TEST_F(Selects, OtherRulesAvoidACandidateThatFails) {
  const std::string hopeless =
      "solvers = [\"hopeless\"]\n[select.hopeless]\nmethod = \"cg\"\npreconditioner = { type = \"jacobi\" }\n"
      "max_iterations = 1\n";
  const Finished run = weir(cavity + slow_default + select("rule = \"thompson\"\n" + hopeless), "run");
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  for (const Row& row : rows("run/solves.csv")) EXPECT_EQ(row.at("reason"), "converged") << row.at("step");
  EXPECT_LE(rows("run/decisions.csv").size(), 12U);
  const Finished restart = ProgramTest::weir({"restart", "run", "--steps", "70"});
  EXPECT_EQ(restart.code, 0) << restart.out << restart.err;
}

TEST_F(Selects, DeterministicRunsDoNotRace) {
  const Finished run = weir(cavity + slow_default + select(direct), "run", {"--deterministic"});
  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_NE(run.err.find("select.decisions"), std::string::npos) << run.err;
}

TEST_F(Selects, DecisionsThatAreNoneAreRefused) {
  for (const auto& [text, words] :
       {std::pair<std::string, std::string>{"step,system,from,to,why\n5,pressure,default,nobody,x\n", "nobody"},
        {"step,system,from,to,why\nx,pressure,default,direct,x\n", "invalid step 'x'"},
        {"time\n", "no column 'step'"},
        {"step,system,from,to,why\n5,pressure,default,direct,x\n4,pressure,direct,default,x\n", "must ascend"}}) {
    write_file(folder / "decisions.csv", text);
    const Finished run = weir(cavity + slow_default + select("decisions = \"decisions.csv\"\n" + direct), "run");
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
  }
}

TEST_F(Selects, DecisionsCanBeNamedOnTheCommandLine) {
  write_file(folder / "decisions.csv", "step,system,from,to,why\n4,pressure,default,direct,said\n");
  const auto with = [&](const std::string& text, const std::string& file) {
    return weir(text, "run", {"--steps", "6", "--decisions", file});
  };
  ASSERT_EQ(with(cavity + slow_default + select(direct), "decisions.csv").code, 0);
  EXPECT_EQ(csv("run/decisions.csv").find("direct") != std::string::npos, true);
  const Finished restart = ProgramTest::weir({"restart", "run", "--steps", "9", "--decisions", "decisions.csv"});
  EXPECT_EQ(restart.code, 0) << restart.err;
  for (const Row& row : rows("run/solves.csv"))
    if (row.at("system") == "pressure") {
      EXPECT_EQ(row.at("solver"), std::stoi(row.at("step")) >= 4 ? "fast_poisson" : "cg+jacobi");
    }
  for (const auto& [text, file, words] :
       {std::array<std::string, 3>{cavity + slow_default, "decisions.csv", "needs candidates"},
        {cavity + slow_default + select(direct), "none.csv", "none.csv: no such file"}}) {
    const Finished run = with(text, file);
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
  }
}

TEST_F(Selects, AutoLetsTheListRaceAgainstTheDefault) {
  const std::string automatic = "[linear.pressure]\nmethod = \"auto\"\n";
  const Finished raced = weir(cavity + automatic + "[select]\nevery = 2\nsteps = 2\nbudget = 1e4\n", "raced");
  ASSERT_EQ(raced.code, 0) << raced.out << raced.err;
  std::set<std::string> racers;
  for (const Row& row : rows("raced/races.csv")) racers.insert(row.at("name"));
  racers.erase("default");  // where another one leads
  EXPECT_EQ(racers, (std::set<std::string>{"cg+multigrid", "cg+jacobi", "chebyshev"}));
  const std::string events = testing::read_file(folder / "raced/events.jsonl");
  const std::size_t others = events.find("equal to the default: ");
  EXPECT_LT(others, events.find("gmres+block_ilu0")) << "not a candidate for such matrices: " << events;
  EXPECT_LT(others, events.rfind("fast_poisson")) << "is the default";
  EXPECT_GT(others, events.find("cg+multigrid"));
  const Finished followed =
      weir(cavity + automatic, "followed", {"--deterministic", "--decisions", "raced/decisions.csv"});
  ASSERT_EQ(followed.code, 0) << followed.out << followed.err;
  EXPECT_EQ(state_hash("raced"), state_hash("followed"));
}

TEST_F(Selects, AutoIsOfOneSystem) {
  const std::string automatic = "[linear.pressure]\nmethod = \"auto\"\n",
                    other = "[linear.momentum]\nmethod = \"auto\"\n";
  for (const auto& [text, words] : {std::array<std::string, 2>{cavity + automatic + other, "one system can have"},
                                    {cavity + automatic + "[select]\nsystem = \"momentum\"\n", "must be 'pressure'"}}) {
    const Finished run = weir(text, "run");
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
  }
}

}  // namespace
}  // namespace weir::select_test
