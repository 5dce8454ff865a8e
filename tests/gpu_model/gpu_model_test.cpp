// The arithmetic of the device model, by counts whose times can be worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "tests/gpu_model/suite.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::gpu {
namespace {

// 10 SMs of 1 GHz, 1 TB/s, a read of memory in 1280 ns (10 ns a unit).
GpuDevice round_numbers() {
  GpuDevice d;
  d.name = "round";
  d.bandwidth = 1.25e12;
  d.reached = 0.8;
  d.latency = 1280e-9;
  d.l2_bytes = 1e6;
  d.l2_bandwidth = 4e12;
  d.sms = 10;
  d.shared = 100 * 1024;
  d.clock = 1e9;
  d.launch = 1e-6;
  d.synchronisation = 5e-6;
  d.copy = 7e-6;
  d.pcie = 1e9;
  return d;
}

// One launch of 40 blocks of 256 threads, 64 registers: 4 blocks an SM, one wave.
KernelCounts one_launch() {
  KernelCounts k;
  k.kernel = "k";
  k.launches = 1;
  k.blocks = 40;
  k.block_threads = 256;
  k.registers = 64;
  k.warps = 320;
  return k;
}

void expect_term(const KernelCounts& k, const std::string& term, double seconds) {
  const Prediction p = predict(k, round_numbers());
  EXPECT_EQ(p.term, term);
  EXPECT_NEAR(p.busy, seconds, 1e-9 * seconds);
  EXPECT_NEAR(p.seconds, seconds + k.launches * 1e-6, 1e-9 * p.seconds);
}

TEST(GpuModel, RegistersGoToWarpsInUnitsOf256) {
  KernelCounts k = one_launch();
  k.block_threads = 1024;
  k.registers = 72;  // 2304 per warp: 7 warps a quarter of the file, 28 in all, a block has 32
  EXPECT_EQ(residency_of(k, round_numbers()).blocks, 0);
  k.registers = 64;
  EXPECT_EQ(residency_of(k, round_numbers()).blocks, 1);
  k.block_threads = 96;  // 8 warps of 64 registers a quarter: 32 warps, 10 blocks of 3
  EXPECT_EQ(residency_of(k, round_numbers()).blocks, 10);
}

TEST(GpuModel, SharedMemoryAndWarpsLimitTheBlocksOfAnSm) {
  KernelCounts k = one_launch();
  k.registers = 16;
  EXPECT_EQ(residency_of(k, round_numbers()).blocks, 8);  // 64 warps
  k.shared_bytes = 33 * 1024;                             // 34 KB with the system's: two
  EXPECT_EQ(residency_of(k, round_numbers()).blocks, 2);
}

TEST(GpuModel, TheLastWaveIsFilledByWhatIsLeftOver) {
  KernelCounts k = one_launch();
  k.blocks = 50;
  const Residency r = residency_of(k, round_numbers());
  EXPECT_DOUBLE_EQ(r.waves, 1.25);
  EXPECT_DOUBLE_EQ(r.last_wave, 0.25);
  EXPECT_DOUBLE_EQ(r.occupancy, 0.5);
}

TEST(GpuModel, BytesTakeTheBandwidthThatACopyReaches) {
  KernelCounts k = one_launch();
  k.memory_read = 3e6;
  k.memory_written = 1e6;
  expect_term(k, "memory", 4e-6);
}

TEST(GpuModel, SectorsTakeTheBandwidthOfL2OrOfTheSmsThatWork) {
  KernelCounts k = one_launch();
  k.l2_sectors = 1e6;
  expect_term(k, "L2", 32e6 / 640e9);  // 10 SMs of 64 bytes a clock are slower than L2
  k.blocks = 1;
  expect_term(k, "L2", 32e6 / 64e9);
}

TEST(GpuModel, PollsThatFindNothingTakeL2AndIssue) {
  KernelCounts k = one_launch();
  k.l2_sectors = k.poll_sectors = 5e5;
  expect_term(k, "L2", 32e6 / 640e9);
  k = one_launch();
  k.instructions = 1e6;
  k.poll_instructions = 3e6;
  expect_term(k, "issue", (1e6 + 3e6) / (10 * 4e9));  // 10 SMs issue four instructions per nanosecond
}

TEST(GpuModel, InstructionsTakeTheIssueOfTheSmsThatWork) {
  KernelCounts k = one_launch();
  k.instructions = 4e6;
  expect_term(k, "issue", 1e-4);
  k = one_launch();
  k.doubles = 3e6;
  expect_term(k, "FP64", 1.5e-4);
  k = one_launch();
  k.shared_passes = 1e6;
  k.conflicts = 1e6;
  expect_term(k, "shared", 2e-4);
}

TEST(GpuModel, ChainsOfWarpsTakeTheirLatencyOnceAWave) {
  KernelCounts k = one_launch();
  k.warp_chains = 320 * 500;  // each warp 500 units of 10 ns
  expect_term(k, "latency", 5e-6);
  k.blocks = 50;  // a second wave for the last ten
  k.warps = 400;
  k.warp_chains = 400 * 500;
  expect_term(k, "latency", 10e-6);
  k = one_launch();
  k.chain = 2000;  // one warp that waits for others
  expect_term(k, "chain", 20e-6);
}

TEST(GpuModel, TermsOfTheSameLengthOverlapInPart) {
  KernelCounts k = one_launch();
  k.memory_read = 4e6;
  k.chain = 400;
  expect_term(k, "memory", std::cbrt(2.0) * 4e-6);
  k.chain = 40;
  expect_term(k, "memory", std::cbrt(1.001) * 4e-6);
}

TEST(GpuModel, ManyShortLaunchesCostTheirLaunch) {
  KernelCounts k = one_launch();
  k.launches = 100;
  k.memory_read = 1e6;
  const Prediction p = predict(k, round_numbers());
  EXPECT_EQ(p.term, "launch");
  EXPECT_NEAR(p.seconds, 101e-6, 1e-12);
}

TEST(GpuModel, LaunchesInAGraphCostANodeAndTheGraphALaunch) {
  Counts counts;
  counts.kernels.push_back(one_launch());
  counts.kernels[0].launches = 5;
  counts.kernels[0].in_graphs = 4;
  counts.program.graphs = 1;
  GpuDevice d = round_numbers();
  d.graph_node = 0.25e-6;
  EXPECT_NEAR(predict(counts, d).seconds, 1e-6 + 4 * 0.25e-6 + 1e-6, 1e-12);
}

TEST(GpuModel, TheHostAddsSynchronisationsCopiesAndFills) {
  Counts c;
  c.kernels = {one_launch()};
  c.program = {2, 3, 1, 5e3, 4, 0};
  const ProgramPrediction p = predict(c, round_numbers());
  EXPECT_NEAR(p.synchronisations, 10e-6, 1e-12);
  EXPECT_NEAR(p.copies, 4 * 7e-6 + 5e-6, 1e-12);
  EXPECT_NEAR(p.seconds, 10e-6 + 33e-6 + 4e-6 + 1e-6, 1e-12);
  EXPECT_EQ(p.term, "copies");
}

TEST(GpuModel, ShapesOfAKernelAddUpAndTheSlowestKernelComesFirst) {
  KernelCounts small = one_launch(), large = one_launch(), other = one_launch();
  large.blocks = 400;
  large.memory_read = 8e6;
  other.kernel = "other";
  Counts c;
  c.kernels = {other, small, large};
  const ProgramPrediction p = predict(c, round_numbers());
  ASSERT_EQ(p.kernels.size(), 2u);
  EXPECT_EQ(p.kernels[0].counts.kernel, "k");
  EXPECT_EQ(p.kernels[0].counts.launches, 2);
  EXPECT_EQ(p.kernels[0].term, "memory");
  EXPECT_NEAR(p.kernels[0].seconds, 10e-6, 1e-12);
}

TEST(GpuCounts, AreReadByTheNamesOfTheirColumns) {
  const weir::testing::ScratchFolder folder;
  const std::string path = folder / "stats";
  const std::string head = "#kernel\tlaunches\tblock_threads\tmemory_read\tblocks\n";
  std::ofstream(path) << head << "k<int, 2>\t2\t256\t64\t3\n#program\n(program)\t1\t2\t3\t4\t5\t6\n"
                      << head << "k<int, 2>\t1\t256\t32\t3\n(program)\t1\t0\t0\t0\t0\t0\n";  // a second process
  const Counts c = read_counts(path);
  ASSERT_EQ(c.kernels.size(), 1u);
  EXPECT_EQ(c.kernels[0].launches, 3);
  EXPECT_EQ(c.kernels[0].memory_read, 96);
  EXPECT_EQ(c.program.synchronisations, 2);
  EXPECT_EQ(c.program.large_bytes, 4);
}

TEST(GpuCounts, AFileThatIsNotOneIsRefusedByItsLine) {
  const weir::testing::ScratchFolder folder;
  const std::string path = folder / "stats";
  const auto message = [&](const std::string& text) {
    std::ofstream(path) << text;
    try {
      read_counts(path);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message("k\t1\n"), path + ":1: expected the columns of WEIR_PTX_STATS, the line '#kernel' before them");
  EXPECT_EQ(message("#kernel\tlaunches\nk\tmany\n"), path + ":2: expected a count, not 'many'");
  EXPECT_EQ(message("(program)\t1\n"), path + ":1: expected 7 counts of a program");
  EXPECT_THROW(read_counts(path + "none"), Error);
}

TEST(GpuCounts, ARunLessAShorterOneIsTheStepsBetween) {
  Counts five, four;
  five.kernels = {one_launch()};
  four.kernels = {one_launch()};
  five.kernels[0].launches = 5;
  four.kernels[0].launches = 4;
  five.program.small_copies = 11;
  four.program.small_copies = 9;
  const Counts one = less(five, four);
  EXPECT_EQ(one.kernels[0].launches, 1);
  EXPECT_EQ(one.program.small_copies, 2);
  EXPECT_THROW(less(four, five), Error);
}

TEST(GpuCounts, TwoSizesGiveAThirdWithItsOwnWaves) {
  Counts a, b;
  a.kernels = {one_launch()};
  b.kernels = {one_launch()};
  a.kernels[0].memory_read = 100;
  b.kernels[0].memory_read = 180;  // 20 and 0.8 per cell
  b.kernels[0].blocks = 80;        // 0.4 per cell
  const Counts c = extrapolated(a, b, {100, 200, 1000});
  EXPECT_DOUBLE_EQ(c.kernels[0].memory_read, 820);
  EXPECT_DOUBLE_EQ(c.kernels[0].blocks, 400);
  EXPECT_DOUBLE_EQ(residency_of(c.kernels[0], round_numbers()).waves, 10);
  EXPECT_EQ(c.kernels[0].launches, 1);
  b.kernels[0].launches = 2;  // one iteration more at the larger size: each launch has half of the bytes
  EXPECT_DOUBLE_EQ(extrapolated(a, b, {100, 200, 300}).kernels[0].memory_read, 2 * 80);
  b.kernels[0].launches = 1;
  a.kernels[0].chain = 20;  // 2 a plane of a cube of 1000 cells, and of 8000
  b.kernels[0].chain = 40;
  EXPECT_NEAR(extrapolated(a, b, {1000, 8000, 64000, 1.0 / 3}).kernels[0].chain, 80, 1e-9);
  a.kernels[0].kernel = b.kernels[0].kernel = "cublasDgemm, estimate";
  a.kernels[0].doubles = 10 * 1e4;  // cubes of 10, 20 and 40 cells a side: 10 per cell and cell of a side
  b.kernels[0].doubles = 10 * 16e4;
  EXPECT_NEAR(extrapolated(a, b, {1000, 8000, 64000}).kernels[0].doubles / (10 * 256e4), 1, 1e-12);  // rounding of pow
  b.kernels[0].kernel = "another";
  EXPECT_THROW(extrapolated(a, b, {100, 200, 1000}), Error);
  EXPECT_THROW(extrapolated(a, a, {200, 100, 1000}), Error);
}

TEST(GpuCounts, ColoursOfOtherNumbersAreTakenTogether) {
  Counts a, b;
  a.kernels = {one_launch(), one_launch()};
  a.kernels[1].blocks = 20;  // 60 blocks in two launches
  b.kernels = {one_launch(), one_launch(), one_launch()};
  b.kernels[1].blocks = 20;
  b.kernels[2].blocks = 120;  // 180 in three
  const Counts c = extrapolated(a, b, {1, 2, 2});
  ASSERT_EQ(c.kernels.size(), 1u);
  EXPECT_DOUBLE_EQ(c.kernels[0].launches, 3);
  EXPECT_DOUBLE_EQ(c.kernels[0].blocks, 60);
  EXPECT_DOUBLE_EQ(c.kernels[0].warps, 960);
}

TEST(GpuDevices, AllFilesHaveAllFiguresAndAnUnknownNameIsRefused) {
  EXPECT_GE(known_devices().size(), 6u);
  for (const std::string& name : known_devices()) {
    const GpuDevice d = read_device(name);
    EXPECT_GT(d.bandwidth, 1e11) << name;
    EXPECT_LE(d.reached, 1) << name;
    EXPECT_LT(d.latency, 1e-6) << name;
    EXPECT_GT(d.l2_bandwidth, d.bandwidth) << name;
  }
  EXPECT_EQ(read_device("H200").name, "H200");
  EXPECT_THROW(read_device("H201"), Error);
}

// The target is 1.3. Exceptions are named here, and with the reason in docs/results/gpu_model.md.
TEST(GpuWorks, KernelsThatMoveManyBytesTouchFewSectorsMore) {
  const std::string known[] = {
      "parilu::",       "ordered::solve_rows", "BlockStencilView", "block_ilu0::factorise_rows",
      "solve_in_order", "take_rows",           "restrict_residual"};
  int kernels = 0;
  for (const Work& w : read_works()) {
    if (w.published > 0) continue;
    for (const HeavyKernel& k : heavy_kernels(w.counts)) {
      ++kernels;
      const bool misses = std::any_of(std::begin(known), std::end(known), [&](const std::string& name) {
        return k.kernel.find(name) != std::string::npos;
      });
      EXPECT_TRUE(misses || k.sectors_over_fewest <= 1.3) << w.name << ": " << k.kernel << k.sectors_over_fewest;
    }
  }
  EXPECT_GT(kernels, 20);
}

TEST(GpuWorks, EveryWorkHasCountsAndTheModelsErrorIsSaid) {
  const std::vector<Work> works = read_works();
  EXPECT_FALSE(works.empty());
  for (const Work& w : works) EXPECT_GT(predict(w.counts, read_device(w.device)).seconds, 0) << w.name;
  const ModelError e = error_of({2.0, 0.5, 1.0});
  EXPECT_EQ(e.rows, 3);
  EXPECT_DOUBLE_EQ(e.middle, 1.0);
  EXPECT_DOUBLE_EQ(e.most, 2.0);
}

}  // namespace
}  // namespace weir::gpu
