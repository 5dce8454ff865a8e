#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

#include "base/error.hpp"
#include "postproc/run/checkpoint.hpp"
#include "postproc/run/seal.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::checkpoint_test {
namespace {

using testing::read_file;
using testing::ScratchFolder;
using testing::write_file;

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::file_io);
    return e.what();
  }
  return "not refused";
}

struct Sample {
  std::vector<double> u, p;
  CheckpointHeader header{"cavity", "toy", "[a]\nb = \"ü\"\n", "0.1.0", 123, 0.1, 5.5};
  CheckpointState state;
  Sample() : u(37), p(3, -0.0) {
    std::iota(u.begin(), u.end(), 1.0 / 3);
    state.add("u", u);
    state.add("p", p);
    state.add("empty", std::span<const double>());
    state.add("dt_before", 1e-300);
  }
};

TEST(Checkpoint, GivesBackEveryBit) {
  const ScratchFolder folder;
  const Sample s;
  write_checkpoint(folder / "c.h5", s.header, s.state);
  const Checkpoint c = read_checkpoint(folder / "c.h5");
  EXPECT_EQ(c.doubles("u", 37), s.u);
  EXPECT_TRUE(std::signbit(c.doubles("p", 3)[1]));
  EXPECT_EQ(c.doubles("empty", 0).size(), 0u);
  EXPECT_EQ(c.scalar("dt_before"), 1e-300);
  EXPECT_EQ(c.header.config, s.header.config);
  EXPECT_EQ(c.header.name + c.header.miniapp + c.header.version, "cavitytoy0.1.0");
  EXPECT_EQ(c.header.step, 123);
  EXPECT_EQ(c.header.time, 0.1);
  EXPECT_EQ(c.header.wall_seconds, 5.5);
  EXPECT_FALSE(std::filesystem::exists(folder / "c.h5.partial"));
}

TEST(Checkpoint, RefusesNamesAndSizesThatDoNotFit) {
  const ScratchFolder folder;
  const Sample s;
  write_checkpoint(folder / "c.h5", s.header, s.state);
  const Checkpoint c = read_checkpoint(folder / "c.h5");
  EXPECT_NE(refusal([&] { c.doubles("w", 37); }).find("the array 'w' is missing"), std::string::npos);
  EXPECT_NE(refusal([&] { c.doubles("u", 36); }).find("'u' has 37 values instead of 36"), std::string::npos);
}

TEST(Checkpoint, RefusesTimesThatNoRunHas) {
  const ScratchFolder folder;
  for (const double time : {std::nan(""), HUGE_VAL}) {
    Sample s;
    s.header.time = time;
    write_checkpoint(folder / "c.h5", s.header, s.state);
    EXPECT_NE(refusal([&] { read_checkpoint(folder / "c.h5"); }), "not refused");
  }
}

// Seals can be forged: an array in place of a number would be read beyond it.
TEST(Checkpoint, RefusesAnArrayWhereANumberBelongs) {
  const ScratchFolder folder;
  const Sample s;
  const std::string path = folder / "c.h5";
  write_checkpoint(path, s.header, s.state);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(H5Adelete(file, "step"), 0);
  constexpr hsize_t many = 4000;
  const hid_t space = H5Screate_simple(1, &many, nullptr);
  const hid_t number = H5Acreate2(file, "step", H5T_NATIVE_LLONG, space, H5P_DEFAULT, H5P_DEFAULT);
  const std::vector<long long> steps(many, 123);
  EXPECT_GE(H5Awrite(number, H5T_NATIVE_LLONG, steps.data()), 0);
  EXPECT_GE(H5Aclose(number), 0);
  EXPECT_GE(H5Sclose(space), 0);
  EXPECT_GE(H5Fclose(file), 0);
  EXPECT_NE(refusal([&] { read_checkpoint(path); }).find("does not match"), std::string::npos);
  seal_file(path, {"checkpoint", checkpoint_schema, false}, 512, {});
  EXPECT_NE(refusal([&] { read_checkpoint(path); }).find("'step' is not one number"), std::string::npos);
}

TEST(Checkpoint, RefusesAFileAlteredInAnyByte) {
  const ScratchFolder folder;
  const Sample s;
  const std::string file = folder / "c.h5";
  write_checkpoint(file, s.header, s.state);
  const std::string whole = read_file(file);
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  // Every byte of the seal, then a stride that is prime to every structure in the file.
  for (std::size_t i = 0; i < whole.size(); i += i < 512 ? 1 : 13) {
    stream.seekp(static_cast<std::streamoff>(i)).put(static_cast<char>(whole[i] ^ 0x10)).flush();
    ASSERT_NE(refusal([&] { read_checkpoint(file); }), "not refused") << "byte " << i;
    stream.seekp(static_cast<std::streamoff>(i)).put(whole[i]).flush();
  }
  EXPECT_NO_THROW(read_checkpoint(file));
}

TEST(Checkpoint, RefusesATruncatedFileAndSaysSo) {
  const ScratchFolder folder;
  const Sample s;
  const std::string file = folder / "c.h5";
  write_checkpoint(file, s.header, s.state);
  const std::string whole = read_file(file);
  for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{512}}) {
    write_file(file, whole.substr(0, size));
    EXPECT_NE(refusal([&] { read_checkpoint(file); }).find("is truncated: " + std::to_string(size) + " of "),
              std::string::npos);
  }
  for (const std::size_t size : {100u, 10u, 0u}) {
    write_file(file, whole.substr(0, size));
    EXPECT_NE(refusal([&] { read_checkpoint(file); }), "not refused");
  }
  write_file(file, whole + "x");
  EXPECT_NE(refusal([&] { read_checkpoint(file); }), "not refused");
}

TEST(Checkpoint, RefusesANewerSchemaAndWhatIsNoCheckpoint) {
  const ScratchFolder folder;
  const Sample s;
  const std::string file = folder / "c.h5";
  write_checkpoint(file, s.header, s.state);
  std::string text = read_file(file);
  text.replace(text.find("schema=1"), 8, "schema=2");
  write_file(file, text);
  EXPECT_EQ(refusal([&] { read_checkpoint(file); }),
            file + ": was written by a newer weir (schema 2; this one reads up to 1)");
  write_file(file, "hello");
  EXPECT_EQ(refusal([&] { read_checkpoint(file); }), file + ": is not a checkpoint of weir");
  EXPECT_EQ(refusal([&] { read_checkpoint(folder / "no.h5"); }),
            folder / "no.h5" + ": cannot be read: No such file or directory");
}

TEST(Checkpoint, AFailedWriteLeavesTheFileBefore) {
  const ScratchFolder folder;
  Sample s;
  const std::string file = folder / "c.h5";
  write_checkpoint(file, s.header, s.state);
  const std::string before = read_file(file);
  s.state.add("two/of/one", 1.0);  // HDF5 has no group "two"
  EXPECT_NE(refusal([&] { write_checkpoint(file, s.header, s.state); }).find("cannot write " + file),
            std::string::npos);
  EXPECT_EQ(read_file(file), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);  // no temporary stays
}

TEST(Checkpoint, KnowsThatTheRunHasEnded) {
  const ScratchFolder folder;
  Sample s;
  write_checkpoint(folder / "a.h5", s.header, s.state);
  EXPECT_EQ(read_checkpoint(folder / "a.h5").header.end, "");
  s.header.end = "steady state";
  s.header.tolerance = 1e-9;
  write_checkpoint(folder / "a.h5", s.header, s.state);
  EXPECT_EQ(read_checkpoint(folder / "a.h5").header.end, "steady state");
  EXPECT_EQ(read_checkpoint(folder / "a.h5").header.tolerance, 1e-9);
}

TEST(Checkpoint, TheLastOnesAreKept) {
  const ScratchFolder folder;
  for (const int step : {10, 20, 30, 40}) write_file(folder / checkpoint_name(step), "");
  write_file(folder / "notes.txt", "");
  prune_checkpoints(folder.path(), 2);
  const auto files = list_checkpoints(folder.path());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].first, 30);
  EXPECT_EQ(files[1].first, 40);
  EXPECT_TRUE(std::filesystem::exists(folder / "notes.txt"));
  EXPECT_TRUE(list_checkpoints(folder / "missing").empty());
}

}  // namespace
}  // namespace weir::checkpoint_test
