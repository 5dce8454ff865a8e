#include "postproc/fields/vtk.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "base/error.hpp"
#include "postproc/fields/picture_series.hpp"
#include "tests/support/read_vtr.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::vtk_test {
namespace {

using testing::ScratchFolder;

struct Sample {
  std::vector<double> x{0, 0.5, 2}, y{-1, 0, 1, 3}, z{0, 1, 1.25};
  std::vector<double> p, velocity;
  Sample() {
    for (int i = 0; i < 2 * 3 * 2; ++i) {
      p.push_back(1.0 / (i + 3));
      for (int c = 0; c < 3; ++c) velocity.push_back(i - 0.1 * c);
    }
  }
  Picture picture(double time) const {
    return {time, {x, y, z}, {output_field("p", 1, p), output_field("velocity", 3, velocity)}};
  }
};

// One <DataSet> a line, in a whole file.
std::vector<std::pair<double, std::string>> read_pvd(const std::string& path) {
  const std::string text = testing::read_file(path);
  EXPECT_TRUE(text.starts_with("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\""));
  EXPECT_TRUE(text.ends_with("  </Collection>\n</VTKFile>\n"));
  std::vector<std::pair<double, std::string>> result;
  for (auto at = text.find("<DataSet"); at != text.npos; at = text.find("<DataSet", at + 1)) {
    const std::string element = text.substr(at, text.find("/>", at) - at);
    result.emplace_back(std::stod(testing::xml_attribute(element, "timestep", "")),
                        testing::xml_attribute(element, "file", ""));
  }
  return result;
}

TEST(Vtr, HoldsCoordinatesTimeAndFieldsExactlyInSinglePrecision) {
  const ScratchFolder folder;
  const Sample sample;
  write_rectilinear(folder / "a.vtr", sample.picture(0.1));
  const auto vtr = testing::read_vtr(folder / "a.vtr");
  EXPECT_EQ(vtr.doubles.at("x"), sample.x);
  EXPECT_EQ(vtr.doubles.at("y"), sample.y);
  EXPECT_EQ(vtr.doubles.at("z"), sample.z);
  EXPECT_EQ(vtr.doubles.at("TimeValue"), std::vector<double>{0.1});
  EXPECT_EQ(vtr.cell_data.at("p"), std::vector<float>(sample.p.begin(), sample.p.end()));
  EXPECT_EQ(vtr.cell_data.at("velocity"), std::vector<float>(sample.velocity.begin(), sample.velocity.end()));
  EXPECT_EQ(vtr.components.at("velocity"), 3);
}

TEST(Vtr, IsMadeWithItsFolderAndLeavesNoTemporary) {
  const ScratchFolder folder;
  write_rectilinear(folder / "vtk/run/a.vtr", Sample().picture(0));
  int files = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path())) files += file.is_regular_file();
  EXPECT_EQ(files, 1);
}

// Stands for a full disk: the kernel refuses to let the file grow.
TEST(Vtr, ThatCannotBeWrittenIsAFileErrorAndTheOldOneStays) {
  const ScratchFolder folder;
  const std::string path = folder / "a.vtr";
  write_rectilinear(path, Sample().picture(1));
  const std::string before = testing::read_file(path);
  const std::vector<double> faces{0, 1, 2, 3, 4}, values(64, 1.5);
  rlimit old{}, tight{512, RLIM_INFINITY};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  tight.rlim_max = old.rlim_max;
  setrlimit(RLIMIT_FSIZE, &tight);
  try {
    write_rectilinear(path, {2, {faces, faces, faces}, {output_field("p", 1, values)}});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::file_io);
    EXPECT_NE(std::string(error.what()).find("cannot write " + path), std::string::npos) << error.what();
    EXPECT_TRUE(std::string(error.what()).ends_with("File too large")) << error.what();
  }
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(testing::read_file(path), before);
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST(Vtr, InAFolderThatIsAFileIsAFileError) {
  const ScratchFolder folder;
  write_rectilinear(folder / "a.vtr", Sample().picture(0));
  EXPECT_THROW(write_rectilinear(folder / "a.vtr/b.vtr", Sample().picture(0)), Error);
}

TEST(PvdCollection, IsWholeAfterEveryStepAndAfterItIsCutBack) {
  const ScratchFolder folder;
  PictureSeries series(folder / "vtk", "cavity");
  for (int step = 0; step < 4; ++step) {
    series.write(step, Sample().picture(0.1 * step));
    const auto entries = read_pvd(folder / "vtk/cavity.pvd");
    ASSERT_EQ(entries.size(), static_cast<std::size_t>(step) + 1);
    EXPECT_EQ(entries.back().first, 0.1 * step);
    EXPECT_TRUE(std::filesystem::exists(folder / "vtk/" + entries.back().second));
  }
  // Restarted from the checkpoint of step 1: steps 2 and 3 go, and are written again without doubles.
  PictureSeries continued(folder / "vtk", "cavity", 0.1);
  EXPECT_EQ(read_pvd(folder / "vtk/cavity.pvd").size(), 2u);
  continued.write(1, Sample().picture(0.1));
  continued.write(2, Sample().picture(0.2));
  const auto entries = read_pvd(folder / "vtk/cavity.pvd");
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[2], std::make_pair(0.2, std::string("cavity_00000002.vtr")));
}

TEST(PvdCollection, KeepsNamesThatXmlMustEscape) {
  const ScratchFolder folder;
  const std::string name = "a<&>\"b.vtr";
  PvdCollection pvd(folder / "a.pvd");
  pvd.add(1.0 / 3, name);
  const auto again = PvdCollection(folder / "a.pvd", 1.0 / 3);
  ASSERT_EQ(again.entries().size(), 1u);
  EXPECT_EQ(again.entries()[0].file, name);
  EXPECT_EQ(again.entries()[0].time, 1.0 / 3);
}

TEST(PvdCollection, ThatIsHalfAFileIsRefused) {
  const ScratchFolder folder;
  PvdCollection pvd(folder / "a.pvd");
  pvd.add(1, "a.vtr");
  std::filesystem::resize_file(folder / "a.pvd", 120);
  EXPECT_THROW(PvdCollection(folder / "a.pvd", 1), Error);
}

}  // namespace
}  // namespace weir::vtk_test
