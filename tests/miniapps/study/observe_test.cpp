// [observe]: the flow does not hear of it; what it records, what it draws, what it refuses.
#include <gtest/gtest.h>

#include "tests/support/case_text.hpp"
#include "tests/support/program_test.hpp"

namespace weir::observe_test {
namespace {

using testing::Finished;
using testing::lines_of;
using testing::read_file;
using testing::write_file;

const std::string cylinder = testing::cylinder_at_mach_038(32, 12, 20) + R"([pseudo_time]
cfl_max = 50.0
[linear.flow]
method = "fgmres"
max_iterations = 60
preconditioner = { type = "async_block_ilu0", chunk = 16, asynchrony = { type = "prescribed", lanes = 8, delay = 4 } }
)";

class Observed : public testing::ProgramTest {
 protected:
  Observed() : ProgramTest(WEIR_PROGRAM) { write_file(folder / "cylinder.toml", cylinder); }
  Finished weir(const std::string& directory, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"run", "cylinder.toml", "-o", directory, "--steps", "9"});
    return ProgramTest::weir(more);
  }
};

TEST_F(Observed, TheFlowIsTheSameAndEachSolveIsARowAndAPicture) {
  const Finished f =
      weir("seen", {"--set", "observe.system=flow", "--set", "observe.every=3", "--set", "observe.error=true"});
  ASSERT_EQ(f.code, 0) << f.err;
  ASSERT_EQ(weir("unseen").code, 0);
  EXPECT_EQ(state_hash("seen"), state_hash("unseen"));
  EXPECT_EQ(lines_of(folder / "seen/observatory.csv"), 4);
  EXPECT_NE(f.out.find("3 solves observed"), std::string::npos) << f.out;
  const std::string picture = read_file(folder / "seen/vtk/cylinder_00000009.vtu");
  for (const char* field : {"linear_residual", "linear_error", "fixed_point_residual", "dominance_L", "dominance_U",
                            "stale_reads", "level", "colour"})
    EXPECT_NE(picture.find("\"" + std::string(field) + "\""), std::string::npos) << field;
  EXPECT_EQ(read_file(folder / "unseen/vtk/cylinder_00000009.vtu").find("linear_residual"), std::string::npos);
}

// One lane that sees what was just stored is the sequential factorisation: at its fixed point, nothing stale.
TEST_F(Observed, SequentialSweepsAreAtTheirFixedPointAndReadNothingStale) {
  ASSERT_EQ(weir("one", {"--set", "observe={system=\"flow\",every=9}", "--set",
                         "linear.flow.preconditioner.asynchrony={type=\"prescribed\",lanes=1,delay=0}"})
                .code,
            0);
  const Row row = rows("one/observatory.csv").at(0);
  EXPECT_LT(std::stod(row.at("fixed_point")), 1e-9);  // of entries of order one, summed over some 400 rows
  EXPECT_EQ(row.at("stale_reads"), "0");
  EXPECT_LT(std::stod(row.at("probe")), 1);
}

// Every cell is counted once, in the precision of the preconditioner.
TEST_F(Observed, ThePrecisionOfEachCellIsCountedAndDrawn) {
  const auto counts = [&](const char* directory) {
    const Row row = rows(std::string(directory) + "/observatory.csv").at(0);
    std::vector<int> of_kind;
    for (const char* kind : {"rows_half", "rows_bfloat16", "rows_float", "rows_double"})
      of_kind.push_back(std::stoi(row.at(kind)));
    return of_kind;
  };
  constexpr int cells = 32 * 12;
  const auto with = [&](const char* directory, const std::string& preconditioner) {
    return weir(directory, {"--set", "observe={system=\"flow\",every=9}", "--set", "linear.flow.method=gmres", "--set",
                            "linear.flow.preconditioner=" + preconditioner})
        .code;
  };
  ASSERT_EQ(with("doubles", "{type=\"block_jacobi\"}"), 0);
  EXPECT_EQ(counts("doubles"), (std::vector<int>{0, 0, 0, cells}));
  EXPECT_NE(read_file(folder / "doubles/vtk/cylinder_00000009.vtu").find("\"precision\""), std::string::npos);
  ASSERT_EQ(with("floats", "{type=\"block_ilu0\",factors=\"float\"}"), 0);
  EXPECT_EQ(counts("floats"), (std::vector<int>{0, 0, cells, 0}));
}

TEST_F(Observed, ASystemThatIsNotThereIsRefused) {
  const Finished f = weir("x", {"--set", "observe.system=pressure"});
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("unknown system 'pressure'; this run solves: flow"), std::string::npos) << f.err;
}

}  // namespace
}  // namespace weir::observe_test
