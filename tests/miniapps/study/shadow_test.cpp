// Shadow solves in a real run: they change nothing, all get the same systems, and their mistakes are reported.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/case_text.hpp"
#include "tests/support/program_test.hpp"

namespace weir::shadow_test {
namespace {

using testing::Finished;
using testing::Process;
using testing::read_file;
using testing::write_file;

const std::string cavity = testing::cavity_12x12 + R"([time]
end = 0.4
dt = 0.01
[linear.pressure]
method = "cg"
tolerance = 1e-6
preconditioner = { type = "jacobi" }
)";

const char* const with_shadow = R"([shadow]
system = "pressure"
solvers = ["direct", "lines"]
every = 4
[shadow.direct]
method = "fast_poisson"
[shadow.lines]
method = "cg"
preconditioner = { type = "multigrid" }
)";

class Shadows : public testing::ProgramTest {
 protected:
  Shadows() : ProgramTest(WEIR_PROGRAM) {}
  Finished weir(const std::string& text, const std::string& directory, std::vector<std::string> more = {}) const {
    write_file(folder / "case.toml", text);
    more.insert(more.begin(), {"run", "case.toml", "-o", directory, "--deterministic"});
    return ProgramTest::weir(more);
  }
};

TEST_F(Shadows, ThatDoNotFitAreLeftOutWithTheReason) {
  // Of another kind of matrix; not symmetric enough; no sum of products in the coordinates.
  const std::string contenders = R"([shadow]
system = "pressure"
solvers = ["lines", "levels", "direct"]
every = 2
[shadow.lines]
method = "cg"
preconditioner = { type = "line" }
[shadow.levels]
method = "bicgstab"
preconditioner = { type = "multigrid" }
[shadow.direct]
method = "fast_poisson"
)";
  const std::string body = testing::cylinder_in_a_stream(24, 24) + testing::no_report + R"([linear.pressure]
method = "bicgstab"
tolerance = 1e-6
preconditioner = { type = "jacobi" }
)";
  ASSERT_EQ(weir(body, "without").code, 0);
  const Finished run = weir(body + contenders, "with");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(state_hash("without"), state_hash("with"));
  std::map<std::string, Row> by_name;
  for (const Row& row : rows("with/shadow_summary.csv")) by_name[row.at("name")] = row;
  EXPECT_EQ(by_name["levels"]["systems"], "3");
  for (const char* name : {"lines", "direct"}) {
    EXPECT_EQ(by_name[name]["verdict"], "left out");
    EXPECT_FALSE(by_name[name]["left_out"].empty());
    EXPECT_NE(run.out.find(std::string(name) + " left out: "), std::string::npos) << run.out;
    EXPECT_FALSE(summary("with")["shadow"]["left_out"][name].get<std::string>().empty());
    EXPECT_NE(read_file(folder / "with/events.jsonl").find(std::string(name) + " left out: "), std::string::npos);
  }
  const Finished info = ProgramTest::weir({"info", "case.toml"});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_NE(info.out.find("shadow solver lines left out: "), std::string::npos) << info.out;
}

TEST_F(Shadows, ChangeNoBitOfTheFlowAndSolveTheSameSystems) {
  ASSERT_EQ(weir(cavity, "without").code, 0);
  const Finished run = weir(cavity + with_shadow, "with");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(state_hash("without"), state_hash("with"));
  EXPECT_NE(run.out.find("A/A control"), std::string::npos);

  EXPECT_NE(run.out.find("gave the same bits (10 systems)"),
            std::string::npos)
      << run.out;

  std::map<std::string, std::vector<Row>> of_step;
  for (const Row& row : rows("with/shadow.csv")) of_step[row.at("step")].push_back(row);
  ASSERT_EQ(of_step.size(), 10U);
  std::set<std::string> controls_places, replicas;
  for (const auto& [step, solvers] : of_step) {
    ASSERT_EQ(solvers.size(), 5U) << "step " << step;
    EXPECT_EQ(solvers.front().at("name"), "in the flow");
    std::set<std::string> places, starts;
    std::map<std::string, Row> by_name;
    for (const Row& row : solvers) {
      places.insert(row.at("place"));
      if (row.at("name") != "direct") starts.insert(row.at("r0"));  // which takes no guess
      by_name[row.at("name")] = row;
      EXPECT_EQ(row.at("reason"), "converged");
    }
    EXPECT_EQ(places.size(), 5U);
    EXPECT_EQ(starts.size(), 1U) << "all start from the same x0";
    for (const char* name : {"in the flow", "leader again"}) {
      EXPECT_EQ(by_name["leader"]["iterations"], by_name[name]["iterations"]);
      EXPECT_EQ(by_name["leader"]["r_true"], by_name[name]["r_true"]);
    }
    for (const char* name : {"leader", "leader again"}) EXPECT_EQ(by_name[name]["differing"], "0");
    controls_places.insert(by_name["leader again"]["place"]);
    replicas.insert(by_name["leader"]["double"]);
  }
  EXPECT_GT(controls_places.size(), 1U) << "the order is random";
  EXPECT_EQ(replicas, (std::set<std::string>{"1", "2"}))
      << "the replicas take turns in standing for the reference solver";
  EXPECT_EQ(rows("with/shadow_summary.csv").size(), 4U);
}

// After the shadows the reference solver prepares itself and solves once more: that must leave nothing behind, where
// the matrix changes with every step too, and is the lab's time.
TEST_F(Shadows, ChangeNoBitOfAFlowWhoseMatrixChanges) {
  const std::string cylinder = testing::cylinder_at_mach_038(24, 10, 20), candidate = R"([shadow]
system = "flow"
solvers = ["jacobi"]
every = 1
[shadow.jacobi]
method = "gmres"
preconditioner = { type = "block_jacobi", precision = "float" }
)";
  for (const std::string reference : {"", "[linear.flow]\nmethod = \"gmres\"\nrecycle = 2\n"}) {
    const std::string text = cylinder + reference;
    ASSERT_EQ(weir(text, "without", {"--steps", "6", "--overwrite"}).code, 0);
    const Finished run = weir(text + candidate, "with", {"--steps", "6", "--overwrite"});
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(state_hash("without"), state_hash("with")) << reference;
    EXPECT_GT(summary("with")["timings"]["instrumentation"]["after shadows"].get<double>(), 0);
  }
}

// Asynchronous sweeps on the emulator meet another schedule in every launch: a reference solver that does not repeat,
// for certain.
// The prescribed ones are its near miss: asynchronous too, and they repeat.
TEST_F(Shadows, FindALeaderThatDoesNotRepeatAndTheStepFromWhichOn) {
  const auto cylinder = [](const std::string& asynchrony) {
    return R"([case]
miniapp = "compressible"
[mesh]
generator = { type = "cylinder", around = 24, outward = 10, far_field = 20.0 }
[flow]
mach = 0.38
[boundary]
wall = { type = "slip_wall" }
farfield = { type = "farfield" }
[linear.flow]
method = "fgmres"
preconditioner = { type = "async_block_ilu0", asynchrony = ")" +
           asynchrony + R"(" }
[output]
report = false
[shadow]
system = "flow"
solvers = ["jacobi"]
every = 2
[shadow.jacobi]
method = "gmres"
preconditioner = { type = "block_jacobi" }
)";
  };
  ASSERT_EQ(weir(cylinder("free"), "free", {"--space", "device", "--steps", "4"}).code, 2);  // --deterministic
  const Finished free = testing::run(
      {WEIR_PROGRAM, "run", "case.toml", "-o", "free", "--space", "device", "--steps", "4"}, folder.path());
  ASSERT_EQ(free.code, 0) << free.err;
  EXPECT_NE(free.out.find("not reproducible: repeats differ in 2 of 2 systems, first at step 2, solve 0"),
            std::string::npos)
      << free.out;
  EXPECT_NE(free.out.find("(asynchronous: "), std::string::npos);
  EXPECT_NE(read_file(folder / "free/events.jsonl").find("first at step 2"), std::string::npos);
  const Finished prescribed = weir(cylinder("prescribed"), "prescribed", {"--space", "device", "--steps", "4"});
  ASSERT_EQ(prescribed.code, 0) << prescribed.err;
  EXPECT_NE(prescribed.out.find("gave the same bits (2 systems)"), std::string::npos) << prescribed.out;
}

TEST_F(Shadows, TellASolverThatIsTheLeaderAndOneThatWasSlowed) {
  const std::string twins = R"([shadow]
system = "pressure"
solvers = ["twin", "slow"]
every = 2
[shadow.twin]
like_leader = true
[shadow.slow]
like_leader = true
slowed_by = 4.0
)";
  const Finished run = weir(cavity + twins, "twins");
  ASSERT_EQ(run.code, 0) << run.err;
  std::map<std::string, Row> by_name;
  for (const Row& row : rows("twins/shadow_summary.csv")) by_name[row.at("name")] = row;
  EXPECT_EQ(by_name["twin"]["iterations"], by_name["leader"]["iterations"]);
  EXPECT_EQ(by_name["slow"]["iterations"], by_name["leader"]["iterations"]);
  for (const Row& row : rows("twins/shadow.csv")) {
    if (row.at("name") != "slow") continue;
    const double parts = std::stod(row.at("apply_ms")) + std::stod(row.at("spmv_ms")) + std::stod(row.at("reduce_ms"));
    EXPECT_GE(std::stod(row.at("solve_ms")), 4.99 * parts) << "the parts are those of the solve that was slowed";
  }
}

TEST_F(Shadows, SolveEachSystemAsOftenAsAskedAndRecordTheMedian) {
  const Finished run =
      weir(std::string(cavity) + with_shadow, "repeats", {"--set", "shadow.repeats=3", "--steps", "8"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::vector<Row> all = rows("repeats/shadow.csv");
  EXPECT_EQ(all.size(), 10U);  // two systems, five rows as with one solve each
  std::set<std::string> places;
  for (const Row& row : all) places.insert(row.at("place"));
  EXPECT_GT(std::stoi(*std::max_element(places.begin(), places.end(),
                                        [](const auto& a, const auto& b) { return std::stoi(a) < std::stoi(b); })),
            4)
      << "among twelve places";
  EXPECT_NE(run.out.find("gave the same bits (2 systems)"), std::string::npos) << run.out;
}

TEST_F(Shadows, RunOnTheDeviceToo) {
  const Finished run = weir(cavity + with_shadow, "device", {"--space", "device", "--steps", "4"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(rows("device/shadow.csv").size(), 5U);
}

TEST_F(Shadows, RestartedRunsKeepTheRowsOfTheFirstPart) {
  const std::string text = cavity + with_shadow;
  ASSERT_EQ(weir(text, "whole").code, 0);
  ASSERT_EQ(weir(text, "parts", {"--steps", "18"}).code, 0);
  const Finished second = testing::run({WEIR_PROGRAM, "restart", "parts", "--deterministic"}, folder.path());
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(rows("parts/shadow.csv").size(), rows("whole/shadow.csv").size());
  EXPECT_EQ(state_hash("parts"), state_hash("whole"));
}

// Rows that are written late are lost with the process, though its checkpoint is of a later step.
TEST_F(Shadows, AKilledRunKeepsTheRowsBeforeItsCheckpoint) {
  write_file(folder / "case.toml", cavity + with_shadow + "[checkpoint]\nevery = 4\n");
  Process process = start({"run", "case.toml", "-o", "a", "--deterministic", "--set", "time.end=100.0"});
  wait_for_steps(process, "a", 60);
  process.send(SIGKILL);
  ASSERT_EQ(process.wait().code, 128 + SIGKILL);
  const Finished second = ProgramTest::weir({"restart", "a", "--deterministic", "--steps", "400"});
  ASSERT_EQ(second.code, 0) << second.err;
  std::map<int, int> rows_of;
  for (const Row& row : rows("a/shadow.csv")) ++rows_of[std::stoi(row.at("step"))];
  EXPECT_EQ(rows_of.size(), 100U);
  for (const auto& [step, count] : rows_of) EXPECT_EQ(count, 5) << "step " << step;
}

// A solve of minutes next to the flow: it is given up with the run, and leaves no row of a comparison that is none.
TEST_F(Shadows, AreGivenUpAtTheWallLimit) {
  const std::string cells = std::to_string(WEIR_LONG_SOLVE_CELLS), large = "grid.cells=[" + cells + "," + cells + "]",
                    text = cavity + R"([shadow]
system = "pressure"
solvers = ["slow"]
every = 1
[shadow.slow]
method = "jacobi"
tolerance = 1e-30
relative = false
max_iterations = 100000000
)";
  ASSERT_EQ(weir(cavity, "without", {"--steps", "3", "--set", large}).code, 0);
  const auto start = std::chrono::steady_clock::now();
  const Finished f = weir(text, "with", {"--steps", "3", "--set", large, "--wall-limit", "1"});
  EXPECT_EQ(f.code, 9) << f.out << f.err;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_TRUE(rows("with/shadow.csv").empty());
  ASSERT_EQ(ProgramTest::weir({"restart", "with", "--deterministic", "--steps", "3", "--set", "shadow.every=0"}).code,
            0);
  EXPECT_EQ(state_hash("without"), state_hash("with"));
}

TEST_F(Shadows, AndTheRooflineLeavesTheFlowAloneToo) {
  ASSERT_EQ(weir(cavity, "without", {"--steps", "8"}).code, 0);
  const Finished run = weir(cavity + with_shadow + "[roofline]\nevery = 4\n", "roofline", {"--steps", "8"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(state_hash("without"), state_hash("roofline"));
  EXPECT_NE(run.out.find("minimal bytes / measured time"), std::string::npos);
  std::map<std::string, int> kernels;
  for (const Row& row : rows("roofline/roofline.csv")) {
    ++kernels[row.at("system") + " " + row.at("solver") + " " + row.at("kernel")];
    const double bytes = std::stod(row.at("bytes")), seconds = std::stod(row.at("seconds"));
    EXPECT_GT(bytes, 0);
    EXPECT_NEAR(std::stod(row.at("gb_per_s")), 1e-9 * bytes / seconds, 1e-4 * std::stod(row.at("gb_per_s")));
  }
  for (const char* kernel :
       {"momentum matrix spmv", "pressure matrix spmv", "pressure cg+jacobi apply", "pressure cg+multigrid apply"})
    EXPECT_EQ(kernels[kernel], 2) << kernel;
  EXPECT_GT(rows("roofline/shadow_curves.csv").size(), 8U);
}

TEST_F(Shadows, FollowAMovingBodyAndChangeNoBitOfItsFlow) {
  const std::string body = R"([case]
miniapp = "immersed"
[grid]
cells = [20, 16]
length = [5.0, 4.0]
origin = [-2.0, -2.0]
[flow]
viscosity = 0.02
initial = "uniform"
initial_velocity = [1.0, 0.0]
[body]
type = "cylinder"
motion = { type = "oscillation", amplitude = [0.0, 0.2, 0.0], frequency = 0.5 }
[time]
end = 0.2
dt = 0.02
)" + testing::inlet_outlet_and_slip +
                           testing::no_report;
  ASSERT_EQ(weir(body, "without").code, 0) << weir(body, "again").err;
  for (const std::string system : {"pressure", "advection_diffusion"}) {
    const std::string shadow = "[shadow]\nsystem = \"" + system +
                               "\"\nsolvers = [\"jacobi\"]\nevery = 2\n[shadow.jacobi]\nmethod = \"bicgstab\"\n"
                               "preconditioner = { type = \"jacobi\" }\n";
    const Finished run = weir(body + shadow, "with_" + system);
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(state_hash("without"), state_hash("with_" + system));
    const std::vector<Row> all = rows("with_" + system + "/shadow.csv");
    EXPECT_EQ(all.size(), 20U);  // five systems, the reference solver itself and two replicas, the candidate
    for (const Row& row : all) EXPECT_EQ(row.at("reason"), "converged") << row.at("name");
  }
}

TEST_F(Shadows, MistakesAreToldWithTheirPlace) {
  const auto message = [&](const std::string& shadow) {
    const Finished run = weir(cavity + shadow, "mistake");
    EXPECT_EQ(run.code, 2) << shadow;
    return run.err;
  };
  EXPECT_NE(message("[shadow]\nsystem = \"pressure\"\nsolvers = [\"absent\"]\n").find("[shadow.absent]"),
            std::string::npos);
  EXPECT_NE(message("[shadow]\nsolvers = [\"a\"]\n[shadow.a]\nmethod = \"cg\"\n").find("'system' is missing"),
            std::string::npos);
  EXPECT_NE(message("[shadow]\nsystem = \"presure\"\nsolvers = [\"a\"]\n[shadow.a]\nmethod = \"cg\"\n")
                .find("this run solves: momentum, pressure"),
            std::string::npos);
  EXPECT_NE(message("[shadow]\nsystem = \"pressure\"\nsolvers = [\"a\"]\n[shadow.a]\nslowed_by = -1.0\n")
                .find("'slowed_by' must"),
            std::string::npos);
  EXPECT_NE(message("[shadow]\nsystem = \"pressure\"\nsolvers = [\"a\"]\n[shadow.a]\nmethd = \"cg\"\n")
                .find("unknown key 'methd'"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::shadow_test
