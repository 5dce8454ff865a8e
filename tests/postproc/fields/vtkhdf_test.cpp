// Contents of our .vtkhdf files, read by HDF5's own library: structure by the VTKHDF specification (2.0), and every
// value.
#include "postproc/fields/vtkhdf.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <limits>
#include <random>

#include "base/error.hpp"
#include "postproc/fields/hdf5/array_writer.hpp"
#include "postproc/fields/hdf5/deflate.hpp"
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
  bool has(const std::string& name) const { return H5Lexists(file_, ("/VTKHDF/" + name).c_str(), H5P_DEFAULT) > 0; }

 private:
  hid_t file_;
};

float as_float(double v) { return static_cast<float>(v); }

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

// The step's values, wherever the file has them.
Values values_of_step(const Reader& file, const std::string& name, std::size_t step, std::size_t count) {
  const Array a = file.array("CellData/" + name);
  std::size_t first = 0;
  if (file.type() == "ImageData") {
    first = step * count;
  } else {
    const std::size_t width = a.extent.size() > 1 ? a.extent[1] : 1;
    first = static_cast<std::size_t>(file.array("Steps/CellDataOffsets/" + name).values.at(step)) * width;
  }
  EXPECT_LE(first + count, a.values.size());
  return {a.values.begin() + static_cast<std::ptrdiff_t>(first),
          a.values.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

void expect_step(const std::string& path, Sample sample, int step, std::size_t place) {
  const Reader file(path);
  const Picture p = sample.picture(step);
  EXPECT_EQ(file.array("Steps/Values").values.at(place), p.time);
  for (const OutputField& f : p.fields) {
    Values wanted(p.cells() * static_cast<std::size_t>(f.components));
    f.fill(0, wanted);
    for (double& v : wanted) v = as_float(v);
    EXPECT_EQ(values_of_step(file, f.name, place, wanted.size()), wanted) << f.name << " of step " << step;
  }
}

TEST(Vtkhdf, HasAStretchedGridAsVoxelsOnceAndEachStepsValues) {
  const ScratchFolder folder;
  const std::string path = folder / "vtk/a.vtkhdf";
  Sample sample;
  VtkhdfSeries series(path);
  for (int step = 0; step < 3; ++step) series.write(step, sample.picture(step));
  const Reader file(path);
  EXPECT_EQ(file.type(), "UnstructuredGrid");
  EXPECT_EQ(file.attribute("/VTKHDF", "Version"), (Values{2, 0}));
  EXPECT_EQ(file.attribute("/VTKHDF/Steps", "NSteps"), Values{3});
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
  EXPECT_EQ(file.array("Steps/NumberOfParts").values, Values(3, 1));
  EXPECT_EQ(file.array("Steps/CellOffsets").extent, (Extent{3, 1}));
  for (const char* name : {"PartOffsets", "PointOffsets", "CellOffsets", "ConnectivityIdOffsets"})
    EXPECT_EQ(file.array(std::string("Steps/") + name).values, Values(3, 0)) << name;
  for (int step = 0; step < 3; ++step) expect_step(path, sample, step, static_cast<std::size_t>(step));
}

TEST(Vtkhdf, HasAGridOfEqualCellsAsAnImageWithTheStepsInFrontOnceThereAreSome) {
  const ScratchFolder folder;
  const std::string path = folder / "a.vtkhdf";
  Sample sample({0, 0.5, 1, 1.5});
  sample.y = {-1, 0, 1, 2, 3};
  sample.z = {0, 1, 2};
  VtkhdfSeries series(path);
  series.write(5, sample.picture(5));
  {
    const Reader file(path);
    EXPECT_EQ(file.type(), "ImageData");
    EXPECT_EQ(file.attribute("/VTKHDF", "WholeExtent"), (Values{0, 3, 0, 4, 0, 2}));
    EXPECT_EQ(file.attribute("/VTKHDF", "Origin"), (Values{0, -1, 0}));
    EXPECT_EQ(file.attribute("/VTKHDF", "Spacing"), (Values{0.5, 1, 1}));
    EXPECT_EQ(file.array("CellData/smooth").extent, (Extent{2, 4, 3}));
    EXPECT_EQ(file.array("CellData/velocity").extent, (Extent{2, 4, 3, 3}));
  }
  expect_step(path, sample, 5, 0);
  series.write(7, sample.picture(7));
  EXPECT_EQ(Reader(path).array("CellData/smooth").extent, (Extent{2, 2, 4, 3}));
  EXPECT_EQ(Reader(path).array("CellData/velocity").extent, (Extent{2, 2, 4, 3, 3}));
  expect_step(path, sample, 5, 0);
  expect_step(path, sample, 7, 1);
}

TEST(Vtkhdf, GoesOnThroughFullNodesOfTheIndex) {
  const ScratchFolder folder;
  const std::string path = folder / "a.vtkhdf";
  Sample sample;
  for (int step = 0; step < 25; ++step)  // three chunks of the velocity a step, 64 in a node
    VtkhdfSeries(path, step == 0 ? std::optional<double>() : 1e300).write(step, sample.picture(step));
  for (const int step : {0, 20, 21, 22, 24}) expect_step(path, sample, step, static_cast<std::size_t>(step));
}

TEST(ChunkIndex, OfThreeLevelsHasEveryChunk) {
  const ScratchFolder folder;
  const std::string path = folder / "a.h5";
  hdf5::GrowingFile file = hdf5::GrowingFile::create(path);
  const hdf5::ChunkGrid grid{{2}, {}};
  hdf5::ChunkIndex index;
  hdf5::Deflater deflate;
  std::vector<unsigned char> stream;
  constexpr std::int64_t chunks = 64 * 64 + 100;
  for (std::int64_t i = 0; i < chunks; ++i) {
    const std::int64_t values[] = {2 * i, 2 * i + 1};
    const std::size_t n =
        deflate({reinterpret_cast<const unsigned char*>(values), sizeof values}, 8, hdf5::Deflater::Of::field, stream);
    const std::uint64_t at = file.append(std::span(stream).first(n));
    hdf5::Bytes nodes;
    index.append(grid, at, static_cast<std::uint32_t>(n), nodes, file.end());
    file.append(nodes.all());
  }
  hdf5::Bytes headers;
  const std::uint64_t base = file.end(), root = index.finish(grid, headers, base);
  const auto add = [&](const hdf5::Bytes& bytes) {
    const std::uint64_t at = base + headers.size();
    headers.bytes(bytes);
    return at;
  };
  const std::uint64_t array = add(hdf5::array_header(hdf5::Element::int64, {2 * chunks}, grid.chunk, root));
  const std::uint64_t inner = add(hdf5::object_header(hdf5::group({hdf5::link("a", array)})));
  const std::uint64_t outer = add(hdf5::object_header(hdf5::group({hdf5::link("VTKHDF", inner)})));
  file.append(headers.all());
  file.turn_to({file.end(), outer, 0, 0});
  file.close();
  const Array a = Reader(path).array("a");
  for (std::size_t i = 0; i < a.values.size(); ++i) ASSERT_EQ(a.values[i], static_cast<double>(i));
}

TEST(Vtkhdf, HoldsFieldsOfSeveralChunksAStep) {
  const ScratchFolder folder;
  const std::string path = folder / "a.vtkhdf";
  for (const bool is_stretched : {false, true}) {
    Sample sample;
    sample.x.clear();
    for (int i = 0; i <= 300; ++i) sample.x.push_back(is_stretched ? i * (1 + 0.01 * i) : i);
    sample.y.clear(), sample.z.clear();
    for (int i = 0; i <= 50; ++i) sample.y.push_back(i);
    for (int i = 0; i <= 21; ++i) sample.z.push_back(i);
    VtkhdfSeries series(path);
    for (int step = 0; step < 2; ++step) series.write(step, sample.picture(step));
    EXPECT_EQ(Reader(path).type(), is_stretched ? "UnstructuredGrid" : "ImageData");
    for (int step = 0; step < 2; ++step) expect_step(path, sample, step, static_cast<std::size_t>(step));
  }
}

TEST(Vtkhdf, HoldsAMeshAsItIsAndFieldsOfItsNodes) {
  const ScratchFolder folder;
  const std::vector<std::array<double, 2>> node{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {1.75, 0.1}};
  const std::vector<int> start{0, 4, 7}, corner{0, 1, 2, 3, 1, 4, 2};
  const std::vector<double> velocity{1, 2, 0, 3, 4, 0}, temperature{1, 2, 3, 4, 5};
  VtkhdfSeries series(folder / "a.vtkhdf");
  for (int step = 0; step < 2; ++step)
    series.write(step, {.time = 0.5 * step,
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
  EXPECT_EQ(file.array("PointData/T_K").values, (Values{1, 2, 3, 4, 5, 1, 2, 3, 4, 5}));  // HDF5 knows no "/" in a name
  EXPECT_EQ(file.array("Steps/PointDataOffsets/T_K").values, (Values{0, 5}));
  EXPECT_EQ(values_of_step(file, "velocity", 1, 6), velocity);
}

TEST(Vtkhdf, OfARestartedRunIsBitForBitThatOfOneInOneGo) {
  const ScratchFolder folder;
  Sample sample;
  VtkhdfSeries whole(folder / "whole.vtkhdf"), killed(folder / "killed.vtkhdf");
  for (int step = 0; step < 5; ++step) whole.write(step, sample.picture(step));
  for (int step = 0; step < 4; ++step) killed.write(step, sample.picture(step));
  VtkhdfSeries restarted(folder / "killed.vtkhdf", 0.1);
  ASSERT_EQ(restarted.steps().size(), 2u);
  expect_step(folder / "killed.vtkhdf", sample, 1, 1);
  for (int step = 2; step < 5; ++step) restarted.write(step, sample.picture(step));
  restarted.write(4, sample.picture(4));  // the last state is written once more at the end
  EXPECT_EQ(read_file(folder / "killed.vtkhdf"), read_file(folder / "whole.vtkhdf"));
}

TEST(Vtkhdf, KeepsItsStepsThroughAKillOrAFullDiskAndGoesOn) {
  const ScratchFolder folder;
  const std::string path = folder / "a.vtkhdf";
  Sample sample;
  VtkhdfSeries series(path);
  series.write(0, sample.picture(0));
  series.write(1, sample.picture(1));
  const std::string before = read_file(path);
  rlimit old{}, tight{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  tight = {before.size() + 500, old.rlim_max};  // the kernel refuses to let the file grow
  setrlimit(RLIMIT_FSIZE, &tight);
  try {
    series.write(2, sample.picture(2));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::file_io);
    EXPECT_EQ(std::string(error.what()), "cannot write " + path + ": File too large");
  }
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(read_file(path), before);
  testing::write_file(path, before + std::string(3000, '?'));  // a kill before the head was turned to the new step
  expect_step(path, sample, 1, 1);
  VtkhdfSeries restarted(path, 0.15);
  restarted.write(2, sample.picture(2));
  for (int step = 0; step < 3; ++step) expect_step(path, sample, step, static_cast<std::size_t>(step));
}

TEST(Vtkhdf, DoesNotGoOnWithAnotherMeshOrAFileThatIsNotItsOwn) {
  const ScratchFolder folder;
  const std::string path = folder / "a.vtkhdf";
  Sample sample;
  VtkhdfSeries(path).write(0, sample.picture(0));
  VtkhdfSeries other(path, 0.0);
  Sample coarse({0, 0.5, 2});
  EXPECT_THROW(other.write(1, coarse.picture(1)), Error);
  for (const std::size_t at : {std::size_t{70}, read_file(path).size() - 30}) {  // in the head, in the step's note
    std::string damaged = read_file(path);
    damaged[at] = static_cast<char>(damaged[at] + 1);
    testing::write_file(folder / "b.vtkhdf", damaged);
    EXPECT_THROW(VtkhdfSeries(folder / "b.vtkhdf", 0.0), Error) << at;
  }
}

TEST(Vtkhdf, HasTheFieldsOfItsFirstPicture) {
  const ScratchFolder folder;
  const std::string path = folder / "a.vtkhdf";
  Sample sample;
  VtkhdfSeries series(path);
  series.write(0, sample.picture(0));
  Picture later = sample.picture(1);
  later.fields.erase(later.fields.begin());
  later.fields.push_back(output_field("new", 1, sample.zero));
  series.write(1, later);
  const Reader file(path);
  EXPECT_FALSE(file.has("CellData/new"));
  for (const double v : values_of_step(file, "smooth", 1, 24)) EXPECT_TRUE(std::isnan(v));
  EXPECT_EQ(values_of_step(file, "zero", 1, 24), Values(24, 0.0));
}

TEST(Vtkhdf, OfARestartFromAnEarlierStepGoesAsideWhole) {
  const ScratchFolder folder;
  const std::string run = folder / "run", path = run + "/vtk/a.vtkhdf";
  Sample sample;
  {
    const RunDirectory directory(run, RunDirectory::New{});
    VtkhdfSeries series(path);
    for (int step = 0; step < 3; ++step) series.write(step, sample.picture(step));
  }
  const std::string all = read_file(path);
  const RunDirectory again(run, RunDirectory::Continued{1});
  EXPECT_EQ(read_file(run + "/" + again.superseded() + "/vtk/a.vtkhdf"), all);
  EXPECT_EQ(VtkhdfSeries(path, 1e300).steps().size(), 2u);
  expect_step(path, sample, 1, 1);
}

TEST(CodeLengths, AreAtMostFifteenBitsAndMakeACompleteCode) {
  std::vector<std::uint32_t> fibonacci{1, 1};
  while (fibonacci.size() < 30) fibonacci.push_back(fibonacci.back() + fibonacci[fibonacci.size() - 2]);
  const auto lengths = hdf5::code_lengths(fibonacci);
  double used = 0;
  for (const int length : lengths) {
    EXPECT_LE(length, 15);
    used += std::ldexp(1.0, -length);
  }
  EXPECT_EQ(used, 1);
}

}  // namespace
}  // namespace weir::vtkhdf_test
