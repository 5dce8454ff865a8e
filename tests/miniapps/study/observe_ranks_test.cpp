// [observe] and [roofline] under mpirun: the numbers and the pictures of one rank where the method is that of one rank,
// and those of each rank's rows where it is not.
#include <set>

#include "tests/miniapps/cli/over_ranks.hpp"
#include "tests/support/case_text.hpp"
#include "tests/support/read_vtr.hpp"
#include "tests/support/read_vtu.hpp"

namespace weir::observe_ranks_test {
namespace {

using testing::write_file;

const std::string observed = "[observe]\nevery = 2\nerror = true\n";
const std::string pressure = testing::cg_with_jacobi + "tolerance = 1e-7\n" + observed + "system = \"pressure\"\n";
const std::string channel = testing::channel_10x17() + testing::no_report;
const std::string flow = testing::cylinder_at_re_40 + observed + R"(system = "flow"
[pseudo_time]
cfl_max = 100.0
first_order_tolerance = 0.5
[linear.flow]
tolerance = 0.01
)";

class ObserveRanks : public testing::OverRanks {
 protected:
  using Fields = std::map<std::string, std::vector<double>>;

  void run(int ranks, const std::string& directory, const std::string& text, std::vector<std::string> more = {}) {
    write_file(folder / "case.toml", text);
    more.insert(more.begin(), {"--steps", "2"});
    log = OverRanks::run(ranks, directory, "case.toml", more);
  }
  double number(const std::string& directory, const std::string& column) const {
    return std::stod(rows(directory + "/observatory.csv").at(0).at(column));
  }
  Fields picture(const std::string& directory) const {
    const std::string file = folder / (directory + "/vtk/case_00000002.vt");
    Fields fields;
    if (std::filesystem::exists(file + "u")) return testing::read_vtu(file + "u").array;
    for (const auto& [name, values] : testing::read_vtr(file + "r").cell_data)
      fields[name].assign(values.begin(), values.end());
    return fields;
  }
  // Sums over ranks are taken in another order, which a solve to 1e-7 lets grow.
  void expect_the_same(const std::string& a, const std::string& b) const {
    const std::vector<Row> one = rows(a + "/observatory.csv"), other = rows(b + "/observatory.csv");
    ASSERT_EQ(other.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      for (const char* exact :
           {"step", "solve", "part", "iterations", "row", "rows_half", "rows_bfloat16", "rows_float", "rows_double"})
        EXPECT_EQ(other[i].at(exact), one[i].at(exact)) << exact << " of " << b;
      for (const char* near : {"r0", "probe", "largest_row_residual", "error"})
        EXPECT_NEAR(std::stod(other[i].at(near)), std::stod(one[i].at(near)), 1e-4 * std::stod(one[i].at(near)))
            << near << " of " << b;
    }
  }
  void expect_the_same_picture(const std::string& a, const std::string& b, const std::set<std::string>& exact,
                               const std::set<std::string>& near) const {
    Fields one = picture(a), other = picture(b);
    for (const std::string& name : exact) {
      ASSERT_FALSE(one[name].empty()) << name;
      EXPECT_EQ(other[name], one[name]) << name << " of " << b;
    }
    for (const std::string& name : near) {
      ASSERT_EQ(other[name].size(), one[name].size()) << name << " of " << b;
      ASSERT_FALSE(one[name].empty()) << name;
      const double most = *std::max_element(one[name].begin(), one[name].end());
      for (std::size_t i = 0; i < one[name].size(); ++i)
        ASSERT_NEAR(other[name][i], one[name][i], 1e-3 * most) << name << " of cell " << i << ", " << b;
    }
  }
  std::string log;
};

TEST_F(ObserveRanks, OfAPressureAreTheNumbersAndCellsOfOneRankInBothSpaces) {
  for (const std::string space : {"host", "device"}) {
    const std::string alone = space + "1";
    run(1, alone, channel + pressure, {"--space", space});
    for (const int ranks : {2, 3, 4}) {
      if (space == "device" && ranks != 3) continue;
      const std::string name = space + std::to_string(ranks);
      run(ranks, name, channel + pressure, {"--space", space, "--set", "ranks.partition=\"blocks\""});
      expect_the_same(alone, name);
      expect_the_same_picture(alone, name, {"level", "colour", "precision"}, {"linear_residual", "linear_error"});
    }
  }
  EXPECT_NE(log.find("1 solves observed"), std::string::npos) << log;
}

TEST_F(ObserveRanks, OfWhatRankZeroSolvesForAllToo) {
  const std::string gathered = channel + observed +
                               "system = \"pressure\"\n[linear.pressure]\nmethod = \"cg\"\n"
                               "preconditioner = { type = \"multigrid\" }\n";
  run(1, "one", gathered);
  run(3, "three", gathered);
  EXPECT_NE(log.find("solved on the root rank"), std::string::npos) << log;
  expect_the_same("one", "three");
  expect_the_same_picture("one", "three", {"level", "colour", "precision"}, {"linear_residual"});
}

TEST_F(ObserveRanks, BesideABodyAPictureHasThePressuresCells) {
  const std::string body = testing::cylinder_in_a_stream(20, 24) + testing::no_report + pressure;
  run(1, "one", body);
  run(3, "three", body);
  expect_the_same("one", "three");
  expect_the_same_picture("one", "three", {"level", "colour", "precision"}, {"linear_residual", "linear_error"});
}

TEST_F(ObserveRanks, OfTheCoupledSchemeToo) {
  const std::string coupled = testing::channel_10x17("scheme = \"artificial_compressibility\"\n") + testing::no_report +
                              observed +
                              "system = \"flow\"\n[pseudo_time]\ntolerance = 0.0\nmax_steps = 2\n"
                              "[linear.flow]\npreconditioner = { type = \"block_jacobi\" }\n";
  run(1, "one", coupled);
  run(3, "three", coupled);
  expect_the_same("one", "three");
  expect_the_same_picture("one", "three", {"level", "colour", "precision"}, {"linear_residual", "linear_error"});
}

TEST_F(ObserveRanks, OfACompressibleFlowEachCellHasItsPrecisionAndItsLine) {
  const std::string text = flow + R"(method = "gmres"
preconditioner = { type = "block_jacobi", precision = "float" }
[ordering]
type = "line_rcm"
anisotropy = 2.0
)";
  // Thin cells, which make lines; no symmetry, in which two cells would be as far off.
  const std::vector<std::string> flat = {"--set", "mesh.generator.around=12", "--set", "mesh.generator.outward=24",
                                         "--set", "flow.angle_of_attack=7.0"};
  run(1, "one", text, flat);
  for (const int ranks : {2, 4}) {
    const std::string name = "on" + std::to_string(ranks);
    run(ranks, name, text, flat);
    expect_the_same("one", name);
    expect_the_same_picture("one", name, {"level", "colour", "line", "precision"}, {"linear_residual"});
  }
}

// Sequential factors of each rank's rows: at their fixed point, nothing stale, as on one rank; but other levels, and no
// flow hears of it.
TEST_F(ObserveRanks, OfFactorsOfEachRanksRowsTheyAreThoseOfTheRows) {
  const std::string async = flow + R"(method = "fgmres"
preconditioner = { type = "async_block_ilu0", chunk = 16, asynchrony = { type = "prescribed", lanes = 1, delay = 0 } }
)";
  run(1, "one", async);
  run(3, "three", async);
  run(3, "unseen", async, {"--set", "observe.every=0"});
  EXPECT_EQ(state_hash("three"), state_hash("unseen"));
  for (const char* directory : {"one", "three"}) {
    EXPECT_LT(number(directory, "fixed_point"), 1e-9);  // of entries of order one, summed over some 300 rows
    EXPECT_EQ(number(directory, "stale_reads"), 0);
    EXPECT_EQ(number(directory, "rows_double"), 24 * 12);
    EXPECT_GT(number(directory, "dominance_L"), number(directory, "median_dominance_L"));
  }
  Fields one = picture("one"), three = picture("three");
  const auto last = [](const std::vector<double>& level) { return *std::max_element(level.begin(), level.end()); };
  EXPECT_LT(last(three["level"]), last(one["level"]));
  for (const char* name : {"fixed_point_residual", "dominance_L", "dominance_U", "stale_reads"})
    EXPECT_EQ(three[name].size(), 24U * 12U) << name;
  EXPECT_EQ(*std::max_element(three["dominance_L"].begin(), three["dominance_L"].end()),
            static_cast<double>(static_cast<float>(number("three", "dominance_L"))));
}

TEST_F(ObserveRanks, ARooflineOverRanksIsOfAllOfThemTogether) {
  const std::string text = flow + R"(method = "gmres"
preconditioner = { type = "multicolor" }
[roofline]
every = 2
)";
  run(1, "one", text);
  run(3, "three", text);
  EXPECT_NE(log.find("GB/s, 3 ranks concurrently"), std::string::npos) << log;
  std::map<std::string, double> bytes[2];
  for (const int k : {0, 1})
    for (const Row& row : rows(k == 0 ? "one/roofline.csv" : "three/roofline.csv")) {
      bytes[k][row.at("kernel")] = std::stod(row.at("bytes"));
      for (const char* positive : {"flops", "seconds", "triad_gb_per_s", "triad_same_size_gb_per_s"})
        EXPECT_GT(std::stod(row.at(positive)), 0) << positive << " of " << row.at("kernel");
      EXPECT_NEAR(std::stod(row.at("gb_per_s")), 1e-9 * std::stod(row.at("bytes")) / std::stod(row.at("seconds")),
                  1e-3 * std::stod(row.at("gb_per_s")));
    }
  ASSERT_TRUE(bytes[1].count("spmv"));
  ASSERT_TRUE(bytes[1].count("apply"));
  ASSERT_TRUE(bytes[1].count("update"));
  EXPECT_GT(bytes[1].size(), 3U) << "the colours";
  EXPECT_GT(bytes[1]["spmv"], bytes[0]["spmv"]);        // the ghosts come on top,
  EXPECT_LT(bytes[1]["spmv"], 1.5 * bytes[0]["spmv"]);  // of three parts of some hundred cells
  EXPECT_LT(bytes[1]["apply"], bytes[0]["apply"]);      // what couples the ranks is left out
  EXPECT_GT(bytes[1]["apply"], 0.5 * bytes[0]["apply"]);
}

}  // namespace
}  // namespace weir::observe_ranks_test
