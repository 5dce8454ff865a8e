// Cost of a launch on a GPU, counted while it runs with WEIR_PTX_STATS.
#pragma once
#include <map>
#include <unordered_map>
#include <vector>

#include "tests/ptx/base.hpp"

namespace weir::ptx {

struct Context;
struct Instruction;
struct Warp;
struct ThreadBlock;
struct Launch;

// The sums of launches of one kernel with one grid, block and shared memory.
struct LaunchCounts {
  u64 launches = 0, in_graphs = 0, threads = 0, warps = 0, instructions = 0;  // in_graphs: of the launches
  u64 accesses = 0, bytes = 0, sectors = 0, fewest = 0;                       // global
  u64 shared_accesses = 0, passes = 0, conflicts = 0;                         // shared
  u64 branches = 0, divergent = 0, doubles = 0, in_l2 = 0;  // doubles: FP64 issues of a warp; in_l2: sectors past L1
  u64 read_memory = 0, written_memory = 0;                  // bytes past L2
  u64 depth = 0, chain = 0, warp_chains = 0, spun = 0;      // deepest; sums of units of the clock; polls left out
  u64 polled_sectors = 0, polled_instructions = 0;          // of polls that find nothing, each times units of the clock
  double occupancy = 0, waves = 0, last_wave = 0;
  u64 l1_of_block = u64{32} << 10;  // bytes
};
struct LaunchShape {
  u64 blocks = 0, threads = 0, shared = 0;  // threads of a block; its dynamic shared memory
  auto operator<=>(const LaunchShape&) const = default;
};

// Units of the clock: 1/128 of the time that a read of memory takes. From published latencies of an H100: memory about
// 600 cycles, L2 270, L1 and shared memory 35, a shuffle 25, FP64 and integers 4 to 8.
enum ClockUnits : u32 {
  from_memory = 128,
  from_l2 = 58,
  from_l1 = 8,
  from_shared = 6,
  of_arithmetic = 1,
  of_division = 16
};

// A warp issues in order from one branch or barrier to the next; between two an instruction goes when its operands are
// there, as ptxas sees to. `ready` and `depth` are of rows (by 4 bytes): when they can be used, by how many loads.
struct WarpClock {
  std::vector<u32> ready;
  std::vector<u16> depth;
  u32 now = 0, last = 0, waited = 0, barriers = 0;  // waited: for flags of other warps
  bool at_barrier = false;
  const Instruction* polled = nullptr;  // the last load that may poll, where, and the clock before it
  u64 polled_address = 0, since_poll = 0;
  u32 poll_issue = 0, poll_last = 0, poll_waited = 0;
};

// Contents of a block's L1 (caches.cpp), and since which barrier time its barriers have opened.
struct BlockClock {
  std::vector<u64> l1;
  std::vector<u32> barriers;
};

void start_clock(ThreadBlock& block, const LaunchCounts& counts);
void start_clock(Warp& warp, int row_bytes);
void count(Context& context, const Instruction& instruction, u32 mask);  // before it executes
void count_barrier(Context& context);                                    // a warp arrives
void end_clock(const Launch& launch, Warp& warp);

// A block's L1: its share of the SM's, in lines of 4 sectors of which it has those that were read. A GPU's is nearly
// fully associative (4 sets of 64 lines in Accel-Sim's configuration of a V100; Khairy et al. 2020, ISCA); here sets of
// 16, chosen by a hash. The least recently used line goes first.
std::vector<u64> empty_l1(u64 bytes);
bool l1_holds(std::vector<u64>& l1, u64 sector);  // and has it from now on

// The device's L2: sectors in sets of 16, the least recently used goes first.
enum class Touch { read, write };
bool l2_holds(u64 sector, Touch touch, LaunchCounts& counts);

// Counting, from the begin of a process or from cudaProfilerStart; and the calls of the runtime meanwhile.
struct ProgramCounts {
  u64 synchronisations = 0, small_copies = 0, large_copies = 0, copied_bytes = 0, fills = 0, allocations = 0,
      graphs = 0;
};
struct Counting {
  bool on = false;
  ProgramCounts program;
  bool in_graph = false;  // what runs is a node
};
Counting& counting();

}  // namespace weir::ptx
