#include "tests/ptx/runtime/limits.hpp"

#include <cuda_runtime_api.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

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

std::string ptxas_output(const std::string& text) {
  const std::string& folder = options.cache;
  mkdir(folder.c_str(), 0777);
  char name[32];
  std::snprintf(name, sizeof name, "/%016llx", static_cast<unsigned long long>(std::hash<std::string>{}(text)));
  const std::string out = folder + name + ".registers", own = folder + name + "." + std::to_string(getpid());
  if (access(out.c_str(), R_OK) != 0) {  // several tests may ask at a time: each writes files of its own, then renames
    std::ofstream(own + ".ptx") << text;
    const std::string command = "ptxas -arch=sm_90 -v '" + own + ".ptx' -o /dev/null > '" + own + ".out' 2>&1";
    if (std::system(command.c_str()) != 0)
      unsupported("ptxas does not take the PTX in " + own + ".ptx, or is not on PATH");
    unlink((own + ".ptx").c_str());
    rename((own + ".out").c_str(), out.c_str());
  }
  return out;
}

}  // namespace

void read_registers(Module& module) {
  if (module.registers_known) return;
  module.registers_known = true;
  std::ifstream file(ptxas_output(module.text));
  Function* kernel = nullptr;
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view entry = "entry function '", used = "Used ";
    if (const std::size_t at = line.find(entry); at != line.npos) {
      const std::size_t begin = at + entry.size();
      const auto found = module.functions.find(line.substr(begin, line.find('\'', begin) - begin));
      kernel = found == module.functions.end() ? nullptr : found->second.get();
    }
    if (const std::size_t at = line.find(used); at != line.npos && kernel)
      kernel->registers = std::atoi(line.c_str() + at + used.size());
  }
}

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
}

}  // namespace weir::ptx
