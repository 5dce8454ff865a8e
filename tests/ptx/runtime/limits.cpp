#include "tests/ptx/runtime/limits.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>

#include "tests/ptx/runtime/machine_code.hpp"

namespace weir::ptx {
namespace {

// Below this a block fits whatever registers it takes: 255 at most.
constexpr u64 always_fits = 256;

std::string triple(const Extent& e) {
  return std::to_string(e.x) + "," + std::to_string(e.y) + "," + std::to_string(e.z);
}

int refuse(const Function& f, int code, const std::string& why) {
  report("FAULT: launch of " + demangled(f.name) + " refused: " + why);
  return code;
}

}  // namespace

// Registers are given out by warps in units of 256, a quarter of the file for each of four schedulers; shared memory in
// units of 128 bytes, 1 KB of it to the system a block.
int blocks_per_multiprocessor(Function& f, int threads, u64 dynamic_shared) {
  read_registers(*f.module);
  constexpr int most_blocks = 32, most_warps = 64, quarter = registers_per_multiprocessor / 4;
  const int warps = (threads + 31) / 32;
  int blocks = std::min(most_blocks, most_warps / warps);
  if (f.registers > 0) blocks = std::min(blocks, 4 * (quarter / round_up(f.registers * 32, 256)) / warps);
  const u64 shared = round_up(static_cast<u64>(f.static_shared) + dynamic_shared + 1024, u64{128});
  return std::min(blocks, static_cast<int>(shared_per_multiprocessor / shared));
}

int check_launch(const LaunchRequest& r, int dynamic_allowed) {
  Function& f = *r.kernel;
  const Extent &grid = r.grid, &block = r.block;
  const u64 threads = block.count();
  const bool grid_fits = grid.count() > 0 && grid.x <= 2147483647u && grid.y <= 65535 && grid.z <= 65535;
  const bool block_fits = threads > 0 && threads <= 1024 && block.x <= 1024 && block.y <= 1024 && block.z <= 64;
  if (!grid_fits || !block_fits)
    return refuse(f, cudaErrorInvalidConfiguration, "grid " + triple(grid) + ", block " + triple(block));
  const s64 allowed = dynamic_allowed >= 0 ? dynamic_allowed : shared_default - f.static_shared;
  if (r.dynamic_shared > allowed)
    return refuse(
        f, cudaErrorInvalidValue,
        std::to_string(r.dynamic_shared) + " bytes of dynamic shared memory, " + std::to_string(allowed) + " allowed");
  if (f.max_threads && threads > static_cast<u64>(f.max_threads))
    return refuse(f, cudaErrorInvalidValue,
                  std::to_string(threads) + " threads, its launch bounds allow " + std::to_string(f.max_threads));
  if (threads <= always_fits && !r.cooperative) return cudaSuccess;
  const int together = blocks_per_multiprocessor(f, static_cast<int>(threads), r.dynamic_shared);
  const std::string needs = std::to_string(threads) + " threads of " + std::to_string(f.registers) + " registers";
  if (together < 1) return refuse(f, cudaErrorLaunchOutOfResources, needs + " in a block");
  const u64 most = static_cast<u64>(together) * multiprocessors;
  if (r.cooperative && grid.count() > most)
    return refuse(
        f, cudaErrorCooperativeLaunchTooLarge,
        std::to_string(grid.count()) + " blocks of " + needs + " at a time, " + std::to_string(most) + " fit");
  return cudaSuccess;
}

void count_waves(const LaunchRequest& r) {
  Function& f = *r.kernel;
  LaunchCounts& counts = f.counts[{r.grid.count(), r.block.count(), r.dynamic_shared}];
  if (counts.occupancy > 0) return;
  const int threads = static_cast<int>(r.block.count()),
            blocks = blocks_per_multiprocessor(f, threads, r.dynamic_shared);
  if (blocks < 1) return;
  const double a_wave = static_cast<double>(blocks) * multiprocessors;
  counts.occupancy = blocks * ((threads + 31) / 32) / 64.0;
  counts.waves = static_cast<double>(r.grid.count()) / a_wave;
  counts.last_wave = counts.waves - (std::ceil(counts.waves) - 1);
  const u64 on_one = std::min(static_cast<u64>(blocks), (r.grid.count() + multiprocessors - 1) / multiprocessors);
  const u64 shared = static_cast<u64>(f.static_shared) + r.dynamic_shared, all = options.l1 / on_one;
  counts.l1_of_block = all > shared ? all - shared : 0;
}

}  // namespace weir::ptx
