// Counts of the interpreter (WEIR_PTX_STATS of tests/ptx), and extrapolation from two sizes to a third.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace weir::gpu {

// Launches of one kernel with one number of blocks and of threads a block: sums over all of them.
struct KernelCounts {
  std::string kernel;
  double launches = 0, instructions = 0, bytes = 0, sectors = 0, fewest_sectors = 0, shared_passes = 0, conflicts = 0;
  double registers = 0, blocks = 0, block_threads = 0, shared_bytes = 0, warps = 0, doubles = 0, l2_sectors = 0;
  double memory_read = 0, memory_written = 0, load_depth = 0, chain = 0, warp_chains = 0;
  double in_graphs = 0;                            // of the launches, those that are nodes of a graph
  double poll_sectors = 0, poll_instructions = 0;  // of polls that find nothing
};
struct ProgramCounts {
  double synchronisations = 0, small_copies = 0, large_copies = 0, large_bytes = 0, fills = 0, allocations = 0;
  double graphs = 0;  // launched
};
struct Counts {
  std::vector<KernelCounts> kernels;
  ProgramCounts program;
};

// The kernels that move more than a fiftieth of the bytes, all shapes of one together, those with the most bytes first.
struct HeavyKernel {
  std::string kernel;
  double part = 0,
         sectors_over_fewest = 1;  // of the bytes; 32-byte sectors over the fewest that hold what is asked for
};
std::vector<HeavyKernel> heavy_kernels(const Counts& counts);

inline constexpr double units_of_latency = 128;  // chain, warp_chains: units in the time of one read of memory

// Several processes may have written one file. Error(usage) with file and line where it is not such a file.
Counts read_counts(const std::string& path);

// a - b, kernel by kernel: a run of five steps less one of four. Error(usage) where b has more of anything than a.
Counts less(const Counts& a, const Counts& b);

// Each launch linear in the size, as many launches as at the larger one, kernel by kernel: the largest shape of a
// kernel with its largest, and so on; where the two have other numbers of shapes (colours, levels), all of a kernel
// together. The longest chains are linear in size^chain_power: 1/3 for hyperplanes of a cube. A kernel of the
// larger size alone stays as it is; Error(usage) where no kernel is in both.
struct Extrapolation {
  double small = 0, large = 0, wanted = 0, chain_power = 1;
};
Counts extrapolated(const Counts& small, const Counts& large, const Extrapolation& sizes);

}  // namespace weir::gpu
