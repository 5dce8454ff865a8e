// Capsules of runs under mpirun: the system that one rank would have had, solved by one rank in as many iterations.
#include <algorithm>
#include <cmath>

#include "miniapps/study/capture/capsule.hpp"
#include "solvers/device/array.hpp"
#include "tests/miniapps/cli/over_ranks.hpp"
#include "tests/support/case_text.hpp"
#include "tests/support/larger.hpp"

namespace weir::capture_ranks_test {
namespace {

using testing::Finished;
using testing::write_file;

const std::string channel = testing::channel_10x17() + testing::cg_with_jacobi;
const std::string body = testing::cylinder_in_a_stream(28, 32) + testing::cg_with_jacobi +
                         "[linear.advection_diffusion]\nmethod = \"bicgstab\"\ntolerance = 1e-10\n"
                         "preconditioner = { type = \"jacobi\" }\n" +
                         testing::no_report;
const std::string cylinder = testing::cylinder_at_mach_038(24, 10, 10) + R"([linear.flow]
method = "gmres"
tolerance = 0.01
preconditioner = { type = "block_jacobi" }
)";

class CaptureRanks : public testing::OverRanks {
 protected:
  void SetUp() override {
    if (!capsules_available()) GTEST_SKIP() << "capsules need HDF5";
  }
  void run(int ranks, const std::string& text, const std::string& directory, const std::string& when, int code = 0) {
    write_file(folder / "case.toml", text);
    const Finished f =
        weir(ranks, {"run", "case.toml", "-o", directory, "--steps", "3", "--set", "capture.when=" + when});
    ASSERT_EQ(f.code, code) << f.out << f.err;
  }
  std::vector<std::string> capsules(const std::string& directory) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder / (directory + "/capsules")))
      if (is_capsule(entry.path())) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  Capsule capsule(const std::string& directory, const std::string& name) const {
    return read_capsule(folder / (directory + "/capsules/" + name));
  }
  static std::vector<double> product(const Capsule& c) {
    const auto A = rebuild_matrix<Host>(c.A);
    std::vector<double> values;
    for (int i = 0; i < A->size(); ++i) values.push_back(std::sin(0.7 * i));
    Array<double, Host> x(values), y(A->size());
    A->apply(x, y);
    return y.to_vector();
  }
  // To what rounding makes of two steps of a flow.
  static void expect_alike(const std::vector<double>& a, const std::vector<double>& b, const char* what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    double size = 0, apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      size = std::max(size, std::abs(a[i]));
      apart = test::larger(apart, std::abs(a[i] - b[i]));
    }
    EXPECT_LE(apart, 1e-6 * size) << what;
  }
  // The same case captured on one rank and on three, and these replayed.
  void expect_the_systems_of_one_rank(const std::string& text, std::size_t count) {
    run(1, text, "one", "steps:2");
    run(3, text, "three", "steps:2");
    ASSERT_EQ(capsules("three"), capsules("one"));
    ASSERT_EQ(capsules("three").size(), count);
    for (const std::string& name : capsules("three")) {
      const Capsule a = capsule("one", name), b = capsule("three", name);
      EXPECT_EQ(b.origin.ranks, 3);
      EXPECT_FALSE(b.origin.partition.empty());
      EXPECT_EQ(b.variables, a.variables);
      EXPECT_EQ(b.places, a.places);
      expect_alike(product(a), product(b), "A");
      expect_alike(a.b, b.b, "b");
      expect_alike(a.x0, b.x0, "x0");
    }
    const Finished replay = weir(1, {"replay", "three"});
    EXPECT_EQ(replay.code, 0) << replay.out << replay.err;
    const std::string n = std::to_string(count);
    EXPECT_NE(replay.out.find(n + " of " + n + " captured systems repeat the recorded iterations exactly"),
              std::string::npos)
        << replay.out;
  }
};

TEST_F(CaptureRanks, OfAChannelHoldTheSystemsOfOneRank) {
  expect_the_systems_of_one_rank(channel + testing::no_report, 3);
}

TEST_F(CaptureRanks, BesideABodyToo) { expect_the_systems_of_one_rank(body, 3); }

TEST_F(CaptureRanks, OfACompressibleFlowToo) { expect_the_systems_of_one_rank(cylinder, 1); }

TEST_F(CaptureRanks, OfTheCoupledScheme) {
  const std::string coupled = testing::channel_10x17("scheme = \"artificial_compressibility\"\n") +
                              "[linear.flow]\npreconditioner = { type = \"block_jacobi\" }\n[pseudo_time]\n"
                              "max_steps = 2\ntolerance = 0.0\n" +
                              testing::no_report;
  expect_the_systems_of_one_rank(coupled, 2);
}

TEST_F(CaptureRanks, OfRanksThatPreconditionTheirOwnRowsAreToldApart) {
  std::string ilu = cylinder;
  ilu.replace(ilu.find("block_jacobi"), 12, "block_ilu0");
  run(3, ilu, "ilu", "steps:3");
  const Finished replay = weir(1, {"replay", "ilu"});
  EXPECT_EQ(replay.code, 0) << replay.out << replay.err;
  EXPECT_NE(replay.out.find("a preconditioner local to each of 3 ranks"), std::string::npos) << replay.out;
}

TEST_F(CaptureRanks, AFailureLeavesOneAndItsVerdictRestsOnTheWholeSystem) {
  run(2, channel + "max_iterations = 5\n" + testing::no_report, "failed", "not_finite", 3);
  ASSERT_EQ(capsules("failed").size(), 1U);
  const Capsule c = capsule("failed", capsules("failed").front());
  EXPECT_NE(c.origin.trigger.find("failure: "), std::string::npos) << c.origin.trigger;
  EXPECT_EQ(c.reference.result->iterations, 5);
  EXPECT_EQ(json("failed/flight_recorder.json")["cause"], "too_few_iterations");
}

}  // namespace
}  // namespace weir::capture_ranks_test
