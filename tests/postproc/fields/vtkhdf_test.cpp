// The content of .vtkhdf files as HDF5's own library reads it: structure by the VTKHDF specification (2.0), and every
// value.
#include "postproc/fields/vtkhdf.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <random>

#include "base/error.hpp"
#include "postproc/fields/picture_series.hpp"
#include "postproc/run/directory/run_directory.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::vtkhdf_test {
namespace {

using testing::read_file;
using testing::ScratchFolder;

using Values = std::vector<double>;
using Extent = std::vector<hsize_t>;

struct Array {
  Extent extent;
  Values values;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    EXPECT_GE(file_, 0) << path;
  }
  ~Reader() { H5Fclose(file_); }

  Array array(const std::string& name) const {
    const hid_t set = H5Dopen2(file_, ("/VTKHDF/" + name).c_str(), H5P_DEFAULT), space = H5Dget_space(set);
    Array a;
    a.extent.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, a.extent.data(), nullptr);
    a.values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, a.values.data()), 0) << name;
    H5Sclose(space);
    H5Dclose(set);
    return a;
  }
  Values attribute(const std::string& group, const char* name) const {
    const hid_t a = H5Aopen_by_name(file_, group.c_str(), name, H5P_DEFAULT, H5P_DEFAULT), space = H5Aget_space(a);
    Values v(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Aread(a, H5T_NATIVE_DOUBLE, v.data()), 0) << name;
    H5Sclose(space);
    H5Aclose(a);
    return v;
  }
  std::string type() const {
    const hid_t a = H5Aopen_by_name(file_, "/VTKHDF", "Type", H5P_DEFAULT, H5P_DEFAULT), type = H5Aget_type(a);
    EXPECT_EQ(H5Tget_cset(type), H5T_CSET_ASCII);
    std::string text(H5Tget_size(type), ' ');
    EXPECT_GE(H5Aread(a, type, text.data()), 0);
    H5Tclose(type);
    H5Aclose(a);
    return text;
  }

 private:
  hid_t file_;
};

// Values that differ from step to step: smooth, noise, constant, with runs, whole numbers.
struct Sample {
  explicit Sample(std::vector<double> along_x = {0, 0.5, 2, 2.25}) : x(std::move(along_x)) {}
  std::vector<double> x, y{-1, 0, 1, 3, 4}, z{0, 1, 1.25};
  std::vector<double> smooth, noise, zero, velocity;
  std::vector<int> runs;

  Picture picture(int step) {
    const std::size_t n = (x.size() - 1) * (y.size() - 1) * (z.size() - 1);
    std::mt19937 random(static_cast<unsigned>(step));
    smooth.clear(), noise.clear(), runs.clear(), velocity.clear(), zero.assign(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      smooth.push_back(std::sin(0.01 * static_cast<double>(i) + step));
      noise.push_back(
          std::ldexp(1.0 + static_cast<double>(random() % 1000003) / 1000003, static_cast<int>(random() % 40)));
      runs.push_back(static_cast<int>(i / (1 + i / 37) % 3) - 1);
      for (int c = 0; c < 3; ++c) velocity.push_back(step + c + 1e-3 * static_cast<double>(i));
    }
    return {0.1 * step,
            {x, y, z},
            {output_field("smooth", 1, smooth), output_field("noise", 1, noise), output_field("zero", 1, zero),
             output_field("runs", runs), output_field("velocity", 3, velocity)}};
  }
};

void expect_fields(const std::string& path, const Picture& p) {
  const Reader file(path);
  EXPECT_EQ(file.attribute("/VTKHDF", "Version"), (Values{2, 0}));
  EXPECT_EQ(file.attribute("/VTKHDF/Steps", "NSteps"), Values{1});
  EXPECT_EQ(file.array("Steps/Values").values, Values{p.time});
  for (const OutputField& f : p.fields) {
    Values wanted(p.cells() * static_cast<std::size_t>(f.components));
    f.fill(0, wanted);
    for (double& v : wanted) v = static_cast<float>(v);
    EXPECT_EQ(file.array("CellData/" + f.name).values, wanted) << f.name;
  }
}

TEST(Vtkhdf, WritesAStretchedGridAsVoxels) {
  const ScratchFolder folder;
  const std::string path = folder / "vtk/a.vtkhdf";
  Sample sample;
  write_vtkhdf(path, sample.picture(3));
  expect_fields(path, sample.picture(3));
  const Reader file(path);
  EXPECT_EQ(file.type(), "UnstructuredGrid");
  EXPECT_EQ(file.array("NumberOfPoints").values, Values{60});
  EXPECT_EQ(file.array("NumberOfCells").values, Values{24});
  EXPECT_EQ(file.array("NumberOfConnectivityIds").values, Values{192});
  const Array points = file.array("Points"), corners = file.array("Connectivity"), begin = file.array("Offsets");
  EXPECT_EQ(points.extent, (Extent{60, 3}));
  EXPECT_EQ(begin.extent, Extent{25});
  EXPECT_EQ(file.array("Types").values, Values(24, 11));
  for (std::size_t cell = 0; cell < 24; ++cell)
    for (std::size_t c = 0; c < 8; ++c) {
      const auto node = static_cast<std::size_t>(corners.values[static_cast<std::size_t>(begin.values[cell]) + c]);
      EXPECT_EQ(points.values[3 * node], sample.x[cell % 3 + c % 2]);
      EXPECT_EQ(points.values[3 * node + 1], sample.y[cell / 3 % 4 + c / 2 % 2]);
      EXPECT_EQ(points.values[3 * node + 2], sample.z[cell / 12 + c / 4]);
    }
  EXPECT_EQ(file.array("Steps/NumberOfParts").values, Values{1});
  EXPECT_EQ(file.array("Steps/CellOffsets").extent, (Extent{1, 1}));
  for (const char* name :
       {"PartOffsets", "PointOffsets", "CellOffsets", "ConnectivityIdOffsets", "CellDataOffsets/zero"})
    EXPECT_EQ(file.array(std::string("Steps/") + name).values, Values{0}) << name;
}

TEST(Vtkhdf, WritesAGridOfEqualCellsAsAnImage) {
  const ScratchFolder folder;
  const std::string path = folder / "a.vtkhdf";
  Sample sample({0, 0.5, 1, 1.5});
  sample.y = {-1, 0, 1, 2, 3};
  sample.z = {0, 1, 2};
  write_vtkhdf(path, sample.picture(5));
  expect_fields(path, sample.picture(5));
  const Reader file(path);
  EXPECT_EQ(file.type(), "ImageData");
  EXPECT_EQ(file.attribute("/VTKHDF", "WholeExtent"), (Values{0, 3, 0, 4, 0, 2}));
  EXPECT_EQ(file.attribute("/VTKHDF", "Origin"), (Values{0, -1, 0}));
  EXPECT_EQ(file.attribute("/VTKHDF", "Spacing"), (Values{0.5, 1, 1}));
  EXPECT_EQ(file.array("CellData/smooth").extent, (Extent{2, 4, 3}));
  EXPECT_EQ(file.array("CellData/velocity").extent, (Extent{2, 4, 3, 3}));
}

TEST(Vtkhdf, WritesFieldsOfSeveralChunks) {
  const ScratchFolder folder;
  for (const bool is_stretched : {false, true}) {
    Sample sample;
    sample.x.clear(), sample.y.clear(), sample.z.clear();
    for (int i = 0; i <= 300; ++i) sample.x.push_back(is_stretched ? i * (1 + 0.01 * i) : i);
    for (int i = 0; i <= 50; ++i) sample.y.push_back(i);
    for (int i = 0; i <= 21; ++i) sample.z.push_back(i);
    write_vtkhdf(folder / "a.vtkhdf", sample.picture(1));
    expect_fields(folder / "a.vtkhdf", sample.picture(1));
  }
}

TEST(Vtkhdf, WritesAMeshAndFieldsOfItsNodes) {
  const ScratchFolder folder;
  const std::vector<std::array<double, 2>> node{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {1.75, 0.1}};
  const std::vector<int> start{0, 4, 7}, corner{0, 1, 2, 3, 1, 4, 2};
  const std::vector<double> velocity{1, 2, 0, 3, 4, 0}, temperature{1, 2, 3, 4, 5};
  write_vtkhdf(folder / "a.vtkhdf", MeshPicture{.time = 0.5,
                                                .node = node,
                                                .cell_start = start,
                                                .cell_node = corner,
                                                .cell_fields = {output_field("velocity", 3, velocity)},
                                                .node_fields = {output_field("T/K", 1, temperature)}});
  const Reader file(folder / "a.vtkhdf");
  EXPECT_EQ(file.array("Types").values, (Values{9, 5}));
  EXPECT_EQ(file.array("Offsets").values, (Values{0, 4, 7}));
  EXPECT_EQ(file.array("Connectivity").values, Values(corner.begin(), corner.end()));
  EXPECT_EQ(file.array("Points").values, (Values{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1.75, 0.1, 0}));
  EXPECT_EQ(file.array("PointData/T_K").values, temperature);  // "/" separates groups in HDF5
  EXPECT_EQ(file.array("Steps/PointDataOffsets/T_K").values, Values{0});
  EXPECT_EQ(file.array("CellData/velocity").values, velocity);
}

TEST(Vtkhdf, KeepsTheFileBeforeWhereTheDiskIsFull) {
  const ScratchFolder folder;
  const std::string path = folder / "a.vtkhdf";
  Sample sample;
  write_vtkhdf(path, sample.picture(1));
  const std::string before = read_file(path);
  rlimit old{}, tight{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  tight = {1000, old.rlim_max};  // the kernel refuses to let the file grow
  setrlimit(RLIMIT_FSIZE, &tight);
  try {
    write_vtkhdf(path, sample.picture(2));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::file_io);
    EXPECT_TRUE(std::string(error.what()).ends_with("File too large")) << error.what();
  }
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(read_file(path), before);
}

TEST(Vtkhdf, FilesOfLaterStepsAreSetAsideByARestart) {
  const ScratchFolder folder;
  const std::string run = folder / "run";
  Sample sample;
  {
    const RunDirectory directory(run, RunDirectory::New{});
    PictureSeries series(run + "/vtk", "a", {}, FieldFormat::both);
    for (int step = 0; step < 3; ++step) series.write(step, sample.picture(step));
  }
  const std::string last = read_file(run + "/vtk/a_00000002.vtkhdf");
  const RunDirectory again(run, RunDirectory::Continued{1});
  EXPECT_EQ(read_file(run + "/" + again.superseded() + "/vtk/a_00000002.vtkhdf"), last);
  EXPECT_FALSE(std::filesystem::exists(run + "/vtk/a_00000002.vtkhdf"));
  expect_fields(run + "/vtk/a_00000001.vtkhdf", sample.picture(1));
}

}  // namespace
}  // namespace weir::vtkhdf_test
