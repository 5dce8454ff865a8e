// Failure diagnostics in whole tiny runs of the three flow codes: what was planted is named, with cell and variable.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/case_text.hpp"
#include "tests/support/planted_value.hpp"
#include "tests/support/program_test.hpp"

namespace weir::flight_recorder_run_test {
namespace {

using testing::Finished;
using testing::write_file;

const std::string cavity = testing::cavity_12x12;
const std::string cg = "[linear.pressure]\nmethod = \"cg\"\npreconditioner = { type = \"jacobi\" }\n";
const std::string short_time = "[time]\nend = 0.1\ndt = 0.01\n";

const std::string circle = testing::cylinder_at_mach_038(24, 10, 10);

const std::string body = R"([case]
miniapp = "immersed"
[grid]
cells = [16, 16]
length = [4.0, 4.0]
origin = [-2.0, -2.0]
[flow]
viscosity = 0.02
initial = "uniform"
initial_velocity = [1.0, 0.0]
[body]
type = "cylinder"
diameter = 1.0
position = [0.03, 0.01]
)" + testing::inlet_outlet_and_slip +
                         testing::no_report;

class FlightRecorder : public testing::ProgramTest {
 protected:
  FlightRecorder() : ProgramTest(WEIR_PROGRAM) {}
  Finished weir(const std::string& text, std::vector<std::string> more = {}) const {
    write_file(folder / "case.toml", text);
    more.insert(more.begin(), {"run", "case.toml", "-o", "run", "--overwrite"});
    return ProgramTest::weir(more);
  }
  nlohmann::json recorded() const { return json("run/flight_recorder.json"); }
  // A run that must end badly, and its verdict.
  nlohmann::json verdict(const Finished& run) const {
    EXPECT_TRUE(run.code == 3 || run.code == 4) << run.code << run.out << run.err;
    EXPECT_NE(run.out.find("diagnosis: "), std::string::npos) << run.out;
    nlohmann::json j = recorded();
    EXPECT_FALSE(j["evidence"].empty());
    EXPECT_FALSE(j["key"].empty());
    return j;
  }
  nlohmann::json verdict(const std::string& text) const { return verdict(weir(text)); }

  // Two steps, a checkpoint in which one value is changed, and on from there.
  nlohmann::json verdict_after(const std::string& text, const std::string& array, std::size_t index,
                               double value) const {
    EXPECT_EQ(weir(text, {"--steps", "2"}).code, 0);
    testing::plant_value(folder / "run", array, index, value);
    return verdict(ProgramTest::weir({"restart", "run"}));
  }
  static bool mentions(const nlohmann::json& j, const std::string& text) {
    return j["what"].get<std::string>().find(text) != std::string::npos;
  }
};

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

TEST_F(FlightRecorder, SaysNothingOfAHealthyRunAndChangesNoBitOfIt) {
  std::string hash;
  for (const char* recorder : {"", "[recorder]\nsteps = 0\n"}) {
    const Finished run = weir(cavity + cg + short_time + recorder);
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.out.find("diagnosis"), std::string::npos);
    EXPECT_TRUE(recorded().is_null());
    const std::string now = state_hash("run");
    EXPECT_TRUE(hash.empty() || hash == now);
    hash = now;
  }
}

TEST_F(FlightRecorder, NamesATimeStepThatIsTooLarge) {
  const auto j = verdict(cavity + cg + "[time]\nend = 100.0\ndt = 1.0\n");
  EXPECT_EQ(j["cause"], "time_step");
  EXPECT_EQ(j["key"], "time.dt");
  EXPECT_GT(j["steps"].size(), 3U);
  EXPECT_LE(j["steps"].size(), 32U);
}

TEST_F(FlightRecorder, NamesTheCellAndTheVariableOfTheFirstNaN) {
  if (!checkpoints_available()) GTEST_SKIP();
  const auto j = verdict_after(cavity + cg + short_time, "u", (4 + 1) * 14 + (3 + 1), no_number);
  EXPECT_EQ(j["cause"], "first_not_finite");
  EXPECT_TRUE(mentions(j, "NaN or Inf in the checkpoint: u, first in cell (3, 4, 0)")) << j["what"];
}

// The step would be too large as well, had the run come so far.
TEST_F(FlightRecorder, DoesNotBlameTheStepWhereASolverRanOutOfIterations) {
  const auto j = verdict(cavity + cg + "max_iterations = 12\n" + "[time]\nend = 100.0\ndt = 1.0\n");
  EXPECT_EQ(j["cause"], "too_few_iterations");
  EXPECT_EQ(j["key"], "linear.pressure.max_iterations");
}

TEST_F(FlightRecorder, NamesAToleranceBelowRounding) {
  const auto j = verdict(cavity + cg + "tolerance = 1e-19\n" + short_time);
  EXPECT_EQ(j["cause"], "tolerance");
  EXPECT_EQ(j["key"], "linear.pressure.tolerance");
}

TEST_F(FlightRecorder, NamesPseudoTimeStepsThatDoNotSuffice) {
  std::string coupled = cavity + "[time]\nend = 1.0\ndt = 0.1\n[pseudo_time]\nmax_steps = 2\ntolerance = 1e-9\n";
  coupled.insert(coupled.find("viscosity"), "scheme = \"artificial_compressibility\"\n");
  const auto j = verdict(coupled);
  EXPECT_EQ(j["cause"], "steps_exhausted");
  EXPECT_EQ(j["key"], "pseudo_time.max_steps");
}

TEST_F(FlightRecorder, NamesADensityThatIsNegative) {
  if (!checkpoints_available()) GTEST_SKIP();
  const auto j = verdict_after(circle, "U", 4 * 100, -1.0);
  EXPECT_EQ(j["cause"], "unphysical_state");
  EXPECT_TRUE(mentions(j, "rho is -1 in cell 100")) << j["what"];
}

TEST_F(FlightRecorder, NamesTheCellOfTheFirstNaNOfAnUnstructuredMesh) {
  if (!checkpoints_available()) GTEST_SKIP();
  const auto j = verdict_after(circle, "U", 4 * 57 + 2, no_number);
  EXPECT_EQ(j["cause"], "first_not_finite");
  EXPECT_TRUE(mentions(j, "rho_v")) << j["what"];
  EXPECT_TRUE(mentions(j, "cell 57 at (")) << j["what"];
}

TEST_F(FlightRecorder, NamesStepsThatRanOutOnTheWay) {
  const auto j = verdict(circle + "[pseudo_time]\nmax_steps = 8\ntolerance = 1e-6\n");
  EXPECT_EQ(j["cause"], "steps_exhausted");
  EXPECT_EQ(j["key"], "pseudo_time.max_steps");
}

TEST_F(FlightRecorder, NamesPseudoTimeStepsThatAreTooLarge) {
  std::string fast = circle + "[pseudo_time]\ncfl_start = 1e9\ncfl_max = 1e12\nmax_rejections = 2\n";
  fast.replace(fast.find("0.38"), 4, "2.5");
  const auto j = verdict(fast);
  EXPECT_EQ(j["cause"], "time_step");
  EXPECT_EQ(j["key"], "pseudo_time.cfl_start");
}

TEST_F(FlightRecorder, NamesATimeStepThatIsTooLargeAroundABody) {
  const auto j = verdict(body + "[time]\nend = 100.0\ndt = 1.5\n");
  EXPECT_EQ(j["cause"], "time_step");
}

TEST_F(FlightRecorder, NamesTheCellOfTheFirstNaNBesideABody) {
  if (!checkpoints_available()) GTEST_SKIP();
  const auto j = verdict_after(body + "[time]\nend = 0.5\ndt = 0.05\n", "v", (7 + 1) * 18 + (2 + 1), no_number);
  EXPECT_EQ(j["cause"], "first_not_finite");
  EXPECT_TRUE(mentions(j, "NaN or Inf in the checkpoint: v, first in cell (2, 7, 0)")) << j["what"];
}

TEST_F(FlightRecorder, NamesTooFewIterationsAroundABody) {
  const auto j =
      verdict(body + "[time]\nend = 0.5\ndt = 0.05\n[linear.pressure]\nmax_iterations = 1\ntolerance = 1e-9\n");
  EXPECT_EQ(j["cause"], "too_few_iterations");
}

TEST_F(FlightRecorder, RunsOnTheDeviceToo) {
  const auto j = verdict(weir(cavity + cg + "[time]\nend = 100.0\ndt = 1.0\n", {"--space", "device"}));
  EXPECT_EQ(j["cause"], "time_step");
}

TEST_F(FlightRecorder, SpeaksOfSystemsFromFilesToo) {
  const Finished f =
      ProgramTest::weir({"solve", "banded:500", "--solver", "gmres", "--solver", "cg", "--max-iterations", "5"});
  EXPECT_EQ(f.code, 3);
  EXPECT_NE(f.out.find("diagnosis: too_few_iterations"), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("diagnosis: not_symmetric"), std::string::npos) << f.out;
}

TEST_F(FlightRecorder, RefusesOptionsThatMakeNoSense) {
  EXPECT_EQ(weir(cavity + short_time + "[recorder]\nsteps = -1\n").code, 2);
  EXPECT_EQ(weir(cavity + short_time + "[recorder]\nstep = 4\n").code, 2);
}

}  // namespace
}  // namespace weir::flight_recorder_run_test
