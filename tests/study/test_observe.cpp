// [observe]: the flow does not hear of it; what it records, what it draws, what it refuses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir {
namespace {

using testing::Finished;
using testing::lines_of;
using testing::read_file;
using testing::ScratchFolder;
using testing::write_file;

const char* const cylinder = R"([case]
miniapp = "compressible"
[mesh]
generator = { type = "cylinder", around = 32, outward = 12, far_field = 20.0 }
[flow]
mach = 0.38
[boundary]
wall = { type = "slip_wall" }
farfield = { type = "farfield" }
[pseudo_time]
cfl_max = 50.0
[linear.flow]
method = "fgmres"
max_iterations = 60
preconditioner = { type = "async_block_ilu0", chunk = 16, asynchrony = { type = "prescribed", lanes = 8, delay = 4 } }
[output]
report = false
)";

class Observed : public ::testing::Test {
 protected:
  Observed() { write_file(folder / "cylinder.toml", cylinder); }
  Finished weir(const std::string& directory, std::vector<std::string> more = {}) const {
    std::vector<std::string> all{WEIR_PROGRAM, "run", "cylinder.toml", "-o", directory, "--steps", "9"};
    all.insert(all.end(), more.begin(), more.end());
    return testing::run(all, folder.path());
  }
  std::string hash(const std::string& directory) const {
    return nlohmann::json::parse(read_file(folder / (directory + "/run.json")))["state_hash"];
  }
  ScratchFolder folder;
};

TEST_F(Observed, TheFlowIsTheSameAndEachSolveIsARowAndAPicture) {
  const Finished f =
      weir("seen", {"--set", "observe.system=flow", "--set", "observe.every=3", "--set", "observe.error=true"});
  ASSERT_EQ(f.code, 0) << f.err;
  ASSERT_EQ(weir("unseen").code, 0);
  EXPECT_EQ(hash("seen"), hash("unseen"));
  EXPECT_EQ(lines_of(folder / "seen/observatory.csv"), 4);
  EXPECT_NE(f.out.find("3 solves observed"), std::string::npos) << f.out;
  const std::string picture = read_file(folder / "seen/vtk/cylinder_00000009.vtu");
  for (const char* field : {"linear_residual", "linear_error", "fixed_point_residual", "dominance_L", "dominance_U",
                            "stale_reads", "level", "colour"})
    EXPECT_NE(picture.find("\"" + std::string(field) + "\""), std::string::npos) << field;
  EXPECT_EQ(read_file(folder / "unseen/vtk/cylinder_00000009.vtu").find("linear_residual"), std::string::npos);
}

// One lane that sees what was just stored is the sequential factorisation: at its fixed point, nothing stale, no warning.
TEST_F(Observed, SequentialSweepsAreAtTheirFixedPointAndReadNothingStale) {
  ASSERT_EQ(weir("one", {"--set", "observe={system=\"flow\",every=9}", "--set",
                         "linear.flow.preconditioner.asynchrony={type=\"prescribed\",lanes=1,delay=0}"})
                .code,
            0);
  std::stringstream text(read_file(folder / "one/observatory.csv"));
  std::string names, row;
  std::getline(text, names);
  std::getline(text, row);
  std::vector<std::string> name, cell;
  for (auto [from, to] : {std::pair{&names, &name}, std::pair{&row, &cell}}) {
    std::stringstream cells(*from);
    for (std::string c; std::getline(cells, c, ',');) to->push_back(c);
  }
  const auto value = [&](const std::string& n) {
    for (std::size_t i = 0; i < name.size(); ++i)
      if (name[i] == n) return cell[i];
    return std::string("no such column");
  };
  EXPECT_LT(std::stod(value("fixed_point")), 1e-9);  // of entries of order one, summed over some 400 rows
  EXPECT_EQ(value("stale_reads"), "0");
  EXPECT_EQ(value("warning"), "0");
  EXPECT_LT(std::stod(value("probe")), 1);
}

TEST_F(Observed, ASystemThatIsNotThereIsRefused) {
  const Finished f = weir("x", {"--set", "observe.system=pressure"});
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("unknown system 'pressure'; this run solves: flow"), std::string::npos) << f.err;
}

}  // namespace
}  // namespace weir
