#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "postproc/run/records.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::records_test {
namespace {

using testing::read_file;
using testing::ScratchFolder;
using testing::write_file;

TEST(Records, ColumnsAreThoseOfTheContract) {
  EXPECT_EQ(history_header({"residual_u", "divergence"}), "step,time,dt,cfl,residual_u,divergence,wall");
  EXPECT_EQ(
      solves_header(),
      "step,system,solver,unknowns,iterations,reason,r0,r_true,setup_ms,solve_ms,apply_ms,spmv_ms,reduce_ms,halo_ms,"
      "transfer_bytes,preconditioner_age,ilu_residual,dominance_L,dominance_U,target,tolerance,tolerance_reason");
}

TEST(Records, WhatWasNotMeasuredIsEmptyAndNumbersReadBackTheSame) {
  EXPECT_EQ(history_row({7, 0.1, 1.0 / 3, {}, {{}, 2e-300}}, 1.5), "7,0.1,0.3333333333333333,,,2e-300,1.500000");
  SolveRecord r;
  r.step = 3;
  r.system = "pressure";
  r.solver = "cg+multigrid";
  r.unknowns = 64;
  r.iterations = 5;
  r.reason = "converged";
  r.r0 = 0.0;
  r.dominance_U = 2;
  EXPECT_EQ(solves_row(r), "3,pressure,cg+multigrid,64,5,converged,0,,,,,,,,,,,,2,,,");
}

TEST(Records, ALineFileKeepsItsHeaderAndGrows) {
  const ScratchFolder folder;
  { LineFile(folder / "a.csv", "x").add("1"); }
  { LineFile(folder / "a.csv", "x").add("2"); }
  EXPECT_EQ(read_file(folder / "a.csv"), "x\n1\n2\n");
}

TEST(Records, AFullDiskIsAnErrorThatNamesTheFile) {
  LineFile full("/dev/full", "");
  try {
    full.add("a row");
    full.flush();
    FAIL() << "a full disk went unnoticed";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::file_io);
    EXPECT_STREQ(e.what(), "cannot write /dev/full: No space left on device");
  }
}

TEST(Records, ARestartTellsRowsOfLaterStepsApartAndDropsAnUnfinishedLine) {
  const ScratchFolder folder;
  const std::string file = folder / "h.csv";
  write_file(file, "time,step,u\n0.1,1,5\n0.2,2,6\n0.3,3,7\n0.4,4");
  auto parts = split_at_step(file, 2);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->kept, "time,step,u\n0.1,1,5\n0.2,2,6\n");
  EXPECT_EQ(parts->later, "time,step,u\n0.3,3,7\n");
  write_file(file, "step,u\n1,5\n2,");
  parts = split_at_step(file, 9);
  EXPECT_EQ(parts->kept, "step,u\n1,5\n");
  EXPECT_EQ(parts->later, "");
}

TEST(Records, WhatAPowerCutGarbledCountsAsLater) {
  const ScratchFolder folder;
  write_file(folder / "h.csv", std::string("step,u\n1,5\n\0\0\0\n2,6\n", 19));
  EXPECT_EQ(split_at_step(folder / "h.csv", 9)->kept, "step,u\n1,5\n2,6\n");
}

TEST(Records, AProfileHasNoSteps) {
  const ScratchFolder folder;
  write_file(folder / "p.csv", "x,y,u\n1,2,3\n");
  EXPECT_FALSE(split_at_step(folder / "p.csv", 0));
}

TEST(Records, ARestartTellsLaterEventsAndPicturesApart) {
  const ScratchFolder folder;
  write_file(folder / "e.jsonl", "{\"step\":1,\"k\":2}\n{\"step\":12,\"k\":2}\n{\"note\":1}\n{\"step\":3}\n{\"ste");
  EXPECT_EQ(split_at_step(folder / "e.jsonl", 3)->kept, "{\"step\":1,\"k\":2}\n{\"note\":1}\n{\"step\":3}\n");
  write_file(folder / "a.pvd", "<C>\n<DataSet file=\"a_00000003.vtr\"/>\n<DataSet file=\"a_00000004.vtr\"/>\n</C>\n");
  const auto parts = split_at_step(folder / "a.pvd", 3);
  EXPECT_EQ(parts->kept, "<C>\n<DataSet file=\"a_00000003.vtr\"/>\n</C>\n");
  EXPECT_EQ(parts->later, "<C>\n<DataSet file=\"a_00000004.vtr\"/>\n</C>\n");
}

TEST(Records, TheStepIsReadFromTheNamesOfAllFilesOfAStep) {
  EXPECT_EQ(step_in_name("ring_00000012.vtr"), 12);
  EXPECT_EQ(step_in_name("step_123456789.h5"), 123456789);
  EXPECT_EQ(step_in_name("pressure_00000012_3.h5"), 12);
  for (const char* other : {"history.csv", "error_2024.csv", "pattern_0123456789abcdef.h5", "a_b.csv"})
    EXPECT_EQ(step_in_name(other), -1) << other;
}

TEST(Hash, EveryFlippedBitAndEveryLengthChangesIt) {
  std::string text = "the quick brown fox";
  auto hash = [](const std::string& t) {
    Hash64 h;
    h.add(t);
    return h.value();
  };
  const auto original = hash(text);
  for (std::size_t i = 0; i < text.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      text[i] = static_cast<char>(text[i] ^ (1 << bit));
      EXPECT_NE(hash(text), original);
      text[i] = static_cast<char>(text[i] ^ (1 << bit));
    }
  EXPECT_NE(hash(text + '\0'), original);
  EXPECT_EQ(hex(0x1234567890abcdefu), "1234567890abcdef");
}

TEST(Hash, TwoSignBitsDoNotCancel) {
  const std::vector<double> a{1, 2, 3}, b{-1, -2, 3};
  EXPECT_NE(hash_of(std::span<const double>(a)), hash_of(std::span<const double>(b)));
}

}  // namespace
}  // namespace weir::records_test
