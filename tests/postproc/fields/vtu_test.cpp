#include "postproc/fields/vtk.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "postproc/fields/picture_series.hpp"
#include "postproc/fields/vtk.hpp"
#include "tests/support/read_vtu.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::vtu_test {
namespace {

using testing::ScratchFolder;

// A square and a triangle on its right.
struct Sample {
  std::vector<std::array<double, 2>> node{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {1.75, 0.1}};
  std::vector<int> cell_start{0, 4, 7}, cell_node{0, 1, 2, 3, 1, 4, 2}, line{-1, 16777217};
  std::vector<double> velocity{1, 2, 0, 0.1, 4, 0}, temperature{1, 2, 3, 4, 5};
  MeshPicture picture(double time) const {
    return {.time = time,
            .node = node,
            .cell_start = cell_start,
            .cell_node = cell_node,
            .cell_fields = {output_field("velocity", 3, velocity), output_field("line", line),
                            output_field("twice", 1,
                                         [](std::size_t cell, int) { return 2.0 * static_cast<double>(cell); })},
            .node_fields = {output_field("temperature", 1, temperature)}};
  }
};

TEST(Vtu, HoldsMeshTimeAndFields) {
  const ScratchFolder folder;
  const Sample sample;
  write_unstructured(folder / "a.vtu", sample.picture(0.3));
  const auto vtu = testing::read_vtu(folder / "a.vtu");
  const auto doubles = [](const auto& v) { return std::vector<double>(v.begin(), v.end()); };
  EXPECT_EQ(vtu.array.at("TimeValue"), std::vector<double>{0.3});
  EXPECT_EQ(vtu.array.at("Points"), (std::vector<double>{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1.75, 0.1, 0}));
  EXPECT_EQ(vtu.array.at("connectivity"), doubles(sample.cell_node));
  EXPECT_EQ(vtu.array.at("offsets"), (std::vector<double>{4, 7}));
  EXPECT_EQ(vtu.array.at("types"), (std::vector<double>{9, 5}));
  EXPECT_EQ(vtu.array.at("velocity"), doubles(std::vector<float>(sample.velocity.begin(), sample.velocity.end())));
  EXPECT_EQ(vtu.components.at("velocity"), 3);
  EXPECT_EQ(vtu.array.at("line"), doubles(sample.line));  // exact: the largest does not fit a Float32
  EXPECT_EQ(vtu.array.at("twice"), (std::vector<double>{0, 2}));
  EXPECT_EQ(vtu.array.at("temperature"), sample.temperature);
}

TEST(Vtu, HoldsSurfacesAndLinesInSpace) {
  const ScratchFolder folder;
  const std::vector<std::array<double, 3>> node{{0, 0, 1}, {1, 0, 2}, {1, 1, 3}};
  const std::vector<int> start{0, 3, 5}, corner{0, 1, 2, 2, 0};
  const std::vector<double> traction{1, 2, 3, 4, 5, 6};
  write_unstructured(folder / "s.vtu", {.space_node = node,
                                        .cell_start = start,
                                        .cell_node = corner,
                                        .cell_fields = {output_field("traction", 3, traction)},
                                        .node_fields = {}});
  const auto vtu = testing::read_vtu(folder / "s.vtu");
  EXPECT_EQ(vtu.array.at("Points"), (std::vector<double>{0, 0, 1, 1, 0, 2, 1, 1, 3}));
  EXPECT_EQ(vtu.array.at("offsets"), (std::vector<double>{3, 5}));
  EXPECT_EQ(vtu.array.at("types"), (std::vector<double>{5, 3}));
  EXPECT_EQ(vtu.array.at("traction"), traction);
}

TEST(Vtu, OfManyCellsIsWrittenWhole) {
  const ScratchFolder folder;
  constexpr int n = 10001;  // several stretches, and a last short one
  std::vector<std::array<double, 2>> node(n + 2);
  std::vector<int> start(n + 1), corner(3 * n), id(n);
  std::vector<double> value(n);
  for (int i = 0; i < n + 2; ++i) node[i] = {0.5 * i, static_cast<double>(i % 2)};
  for (int i = 0; i < n; ++i) {
    start[i + 1] = 3 * (i + 1);
    for (int k = 0; k < 3; ++k) corner[3 * i + k] = i + k;
    value[i] = id[i] = i;
  }
  write_unstructured(folder / "a.vtu", {.node = node,
                                        .cell_start = start,
                                        .cell_node = corner,
                                        .cell_fields = {output_field("value", 1, value), output_field("id", id)},
                                        .node_fields = {}});
  const auto vtu = testing::read_vtu(folder / "a.vtu");
  EXPECT_EQ(vtu.array.at("value"), value);
  EXPECT_EQ(vtu.array.at("id"), value);
  EXPECT_EQ(vtu.array.at("Points").at(3 * (n + 1)), 0.5 * (n + 1));
}

TEST(Vtu, PicturesOfARunAreListedInThePvdAsTheStructuredOnesAre) {
  const ScratchFolder folder;
  PictureSeries series(folder / "vtk", "wing");
  series.write(0, Sample().picture(0));
  series.write(100, Sample().picture(0.5));
  const auto& entries = series.collection().entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[1].file, "wing_00000100.vtu");
  EXPECT_TRUE(std::filesystem::exists(folder / "vtk/wing_00000100.vtu"));
  EXPECT_NE(testing::read_file(folder / "vtk/wing.pvd").find("wing_00000100.vtu"), std::string::npos);
}

TEST(Vtu, ThatCannotBeWrittenIsAFileError) {
  const ScratchFolder folder;
  write_unstructured(folder / "a.vtu", Sample().picture(0));
  try {
    write_unstructured(folder / "a.vtu/b.vtu", Sample().picture(0));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::file_io);
    EXPECT_NE(std::string(error.what()).find("a.vtu"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weir::vtu_test
