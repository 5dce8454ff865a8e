#include "postproc/fields/probe.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "mesh/structured/grid.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/read_vtr.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::probe_test {
namespace {

using testing::ScratchFolder;

constexpr double eps = std::numeric_limits<double>::epsilon();

// A function at faces in x, at centres and walls in y, as a staggered u is; constant in z.
template <class F>
SampledField staggered(int n, const F& f) {
  const GridLine x = make_grid_line(n, 0, 1, {"tanh", 1.5}), y = make_grid_line(n, 0, 1, {"tanh_low", 1.5});
  SampledField field{"u", {x.faces, nodes_with_ends(y.faces), {0.5}}, {}};
  const auto nodes = field.nodes;
  field.value = [=](int i, int j, int) {
    return f(nodes[0][static_cast<std::size_t>(i)], nodes[1][static_cast<std::size_t>(j)]);
  };
  return field;
}

double wave(double x, double y) { return std::sin(3 * x + 0.3) * std::cos(5 * y); }

std::vector<std::vector<double>> read_csv(const std::string& path, std::string& header) {
  std::istringstream text(testing::read_file(path));
  std::getline(text, header);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(text, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

std::vector<Probe> probes_of(const std::string& text, const std::vector<std::string>& fields = {"u"}) {
  const Table table = read_case_text(text, "case.toml");
  auto probes = read_probes(table, {{0, 0, 0}, {1, 1, 1}}, fields);
  table.refuse_unknown();
  return probes;
}

std::string complaint(const std::string& text) {
  try {
    probes_of(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::usage);
    return error.what();
  }
  return "no error";
}

TEST(Interpolation, ConvergesWithFourthOrderOnStretchedStaggeredNodes) {
  const auto worst = [](int n) {
    const SampledField field = staggered(n, wave);
    double largest = 0;
    for (double x = 0; x <= 1; x += 0.0137)
      for (double y = 0; y <= 1; y += 0.0171)
        largest = test::larger(largest, std::abs(interpolate(field, {x, y, 0.2}) - wave(x, y)));
    return largest;
  };
  const double order = std::log2(worst(32) / worst(64));
  EXPECT_NEAR(order, 4, 0.3);
}

TEST(Interpolation, IsExactForCubicsUpToRoundOff) {
  const auto cubic = [](double x, double y) { return 1 + x * x * x - 2 * y * y * y + x * y; };
  const SampledField field = staggered(9, cubic);
  for (double s = 0; s <= 1; s += 0.0625)
    EXPECT_NEAR(interpolate(field, {s, 1 - s, 0}), cubic(s, 1 - s), 64 * eps);  // sums of 16 terms below 4
}

TEST(Interpolation, GivesTheWallsValueOnTheWallAndTheNodesValueAtANode) {
  // The lid: 1 on the wall, something else everywhere below.
  const SampledField field = staggered(8, [](double x, double y) { return y == 1 ? 1.0 : 0.3 * x - y; });
  for (const double x : {0.0, 0.1, 0.5, 1.0}) EXPECT_NEAR(interpolate(field, {x, 1, 0.5}), 1, 8 * eps);
  EXPECT_EQ(interpolate(field, {field.nodes[0][3], field.nodes[1][4], 0.5}), field.value(3, 4, 0));
}

TEST(Interpolation, UsesWhatThereIsWhereADirectionHasFewNodes) {
  const SampledField field{"p", {std::vector<double>{0, 1}, {2}, {0, 1, 3}}, [](int i, int, int k) {
                             const double z[] = {0, 1, 3};
                             return i + z[k] * z[k];
                           }};
  EXPECT_NEAR(interpolate(field, {0.25, 9, 2}), 4.25, 16 * eps);
}

TEST(Probe, WritesCoordinatesAndFieldsOfItsLine) {
  const ScratchFolder folder;
  const auto probes = probes_of(R"([[probe]]
name = "line"
from = [0, 0.5]
to = [1, 0.5]
points = 5
fields = ["u"])");
  const std::vector<SampledField> fields{staggered(16, [](double x, double y) { return x + 10 * y; })};
  EXPECT_TRUE(write_probes(folder / "probes", probes, fields).empty());
  std::string header;
  const auto rows = read_csv(folder / "probes/line.csv", header);
  EXPECT_EQ(header, "x,y,z,u");
  ASSERT_EQ(rows.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(rows[i][0], 0.25 * static_cast<double>(i));
    EXPECT_EQ(rows[i][2], 0.5);
    EXPECT_NEAR(rows[i][3], rows[i][0] + 5, 64 * eps);
  }
}

const char* const centreline = R"([[probe]]
name = "u_centreline"
from = [0.5, 0]
to = [0.5, 1]
points = 33
fields = ["u"]
)";

TEST(Probe, IsComparedWithPublishedDataAtThePublishedCoordinates) {
  const ScratchFolder folder;
  const auto probes =
      probes_of(std::string(centreline) + R"(reference = { file = "cavity_botella_peyret_Re1000_vertical.csv", )"
                                          R"(coordinate = "y", column = "u" })");
  // The parabola y^2 is interpolated exactly, so the error is its distance from the table: largest at y = 0.1016 or so.
  const std::vector<SampledField> fields{staggered(16, [](double, double y) { return y * y; })};
  const auto quantities = write_probes(folder.path(), probes, fields);
  ASSERT_EQ(quantities.size(), 2u);
  EXPECT_EQ(quantities[0].first, "error_u_centreline");
  EXPECT_EQ(quantities[1].first, "mean_error_u_centreline");
  double expected = 0, mean = 0;
  std::string header;
  const auto rows = read_csv(folder / "u_centreline_reference.csv", header);
  EXPECT_EQ(header, "x,y,z,published,computed,difference");
  ASSERT_EQ(rows.size(), 17u);
  for (const auto& row : rows) {
    EXPECT_NEAR(row[4], row[1] * row[1], 64 * eps);
    expected = std::max(expected, std::abs(row[1] * row[1] - row[3]));
    mean += std::abs(row[1] * row[1] - row[3]) / 17;
  }
  EXPECT_EQ(rows[3][1], 0.0703);
  EXPECT_EQ(rows[3][3], -0.2228955);
  EXPECT_NEAR(quantities[0].second, expected, 64 * eps);
  EXPECT_NEAR(quantities[1].second, mean, 64 * eps);
}

// From the far end: the line crosses the step of x + y at a point of its own, and nothing where the field stays below.
TEST(Probe, FindsWhereItsFieldFirstCrossesAValue) {
  const ScratchFolder folder;
  const auto position = [&](const std::string& crossing) {
    const auto probes = probes_of(
        "[[probe]]\nname = \"front\"\nfrom = [1, 1]\nto = [0, 1]\npoints = 9\nfields = "
        "[\"u\"]\ncrossing = " +
        crossing);
    EXPECT_EQ(probe_quantities(probes), std::vector<std::string>{"position_front"});
    const std::vector<SampledField> fields{staggered(16, [](double x, double y) { return x * x + y; })};
    const auto quantities = write_probes(folder.path(), probes, fields);
    EXPECT_EQ(quantities.size(), 1u);
    return quantities.front().second;
  };
  EXPECT_NEAR(position("1.25"), 0.5, 64 * eps);                               // at a point
  EXPECT_NEAR(position("1.2"), 1 - std::sqrt(0.2), 0.125 * 0.125 / 8 / 0.4);  // between two: second order
  EXPECT_TRUE(std::isnan(position("2.1")));
}

TEST(PublishedData, IsFilteredByRowsAndMovedToTheNodesItBelongsTo) {
  const Profile p = read_published({"cavity_ghia1982.csv", "coord", "xcheck", {{"Re", "400"}, {"quantity", "u"}}, 128});
  ASSERT_EQ(p.position.size(), 17u);
  EXPECT_EQ(p.position[1], 7.0 / 128);
  EXPECT_EQ(p.position[15], 125.0 / 128);
  EXPECT_EQ(p.value[1], -0.0818);
}

TEST(PublishedData, IsMappedToTheFlowsFrame) {
  const Profile p = read_published(
      {"cavity3d_albensoeder_kuhlmann_Re1000.csv", "s", "value_over_U", {{"profile", "lid_normal"}}, 0, 1, 0.5, -1});
  EXPECT_EQ(p.position.front(), 0);
  EXPECT_EQ(p.position.back(), 1);
  EXPECT_EQ(p.value[1], 0.21738);  // upflow next to the upstream wall
}

TEST(PublishedData, ThatComesOutAsNotANumberIsNoSmallDifference) {
  const std::vector<double> computed{1, std::nan(""), 2}, published{1, 1, 2};
  EXPECT_TRUE(std::isnan(max_difference(computed, published)));
  EXPECT_TRUE(std::isnan(mean_difference(computed, published)));
}

TEST(HistoryReference, WritesThePublishedHistoryForTheReport) {
  const ScratchFolder folder;
  const Table table = read_case_text(R"([[history_reference]]
quantity = "kinetic_energy"
reference = { file = "tgv3d_Re1600_spectral512.csv", coordinate = "t", column = "Ek" })",
                                     "case.toml");
  const std::vector<std::string> columns{"rate", "kinetic_energy"};
  const auto references = read_history_references(table, columns);
  table.refuse_unknown();
  write_history_references(folder.path(), references);
  const std::string text = testing::read_file(folder / "history_reference.csv");
  EXPECT_TRUE(
      text.starts_with("quantity,time,published\nkinetic_energy,0,0.125\nkinetic_energy,0.05,0.124976562663\n"));
  EXPECT_THROW(read_history_references(table, std::vector<std::string>{"rate"}), Error);
}

TEST(ProbeMistakes, AreRefusedWithFileAndLine) {
  const std::string base = centreline;
  const auto with = [&](const std::string& more) { return complaint(base + more); };
  EXPECT_NE(with(R"(reference = { file = "nothing.csv", coordinate = "y", column = "u" })").find("nothing.csv"),
            std::string::npos);
  const std::string column =
      with(R"(reference = { file = "cavity_ghia1982.csv", coordinate = "y", column = "xcheck" })");
  EXPECT_TRUE(column.starts_with("case.toml:7: ")) << column;
  EXPECT_NE(column.find("no column 'y'; its columns are Re, quantity, coord"), std::string::npos) << column;
  EXPECT_NE(complaint("[[probe]]\nname = \"a\"\nfrom = [0, 0]\nto = [1, 2]\npoints = 3\nfields = [\"u\"]")
                .find("case.toml:4: 'to' lies outside the domain: y = 2"),
            std::string::npos);
  EXPECT_NE(complaint("[[probe]]\nname = \"a\"\nfrom = [0, 0]\nto = [1, 1]\npoints = 3\nfields = [\"q\"]")
                .find("case.toml:6: unknown field 'q'; there are u"),
            std::string::npos);
  EXPECT_NE(complaint("[[probe]]\nname = \"a\"\nfrom = [0, 0]\nto = [1, 1]\npoints = 1\nfields = [\"u\"]")
                .find("case.toml:5"),
            std::string::npos);
  EXPECT_NE(complaint(base + base).find("a second probe 'u_centreline'"), std::string::npos);
  EXPECT_NE(
      with(
          R"(reference = { file = "cavity_botella_peyret_Re1000_vertical.csv", coordinate = "y", column = "u", shift = 3 })")
          .find("runs over [3, 4]"),
      std::string::npos);
}

}  // namespace
}  // namespace weir::probe_test
