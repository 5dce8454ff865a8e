// A block's begin and end: registers, memory, special registers.
#include <algorithm>

#include "tests/ptx/machine/scheduler.hpp"
#include "tests/ptx/machine/weak_memory.hpp"

namespace weir::ptx {

char* Scheduler::local(const Warp& warp, int lane) const {
  return warp.local.get() + static_cast<s64>(lane) * launch_.local_bytes;
}

void Scheduler::enter(ThreadBlock& block, Warp& warp, const Function* function) {
  const Window& window = launch_.windows.at(function);
  context_ = {warp.rows.get() + window.rows, window.frame, &warp, &block, &launch_, function};
}

// Memory starts as 0xff, so a value that was not written is a NaN or -1.
void Scheduler::start(ThreadBlock& b, u64 linear) {
  const Extent grid = launch_.request.grid;
  const bool fresh = b.warps.empty();
  b.linear = linear;
  b.index = {static_cast<u32>(linear % grid.x), static_cast<u32>(linear / grid.x % grid.y),
             static_cast<u32>(linear / grid.x / grid.y)};
  b.live = launch_.threads;
  b.active = true;
  b.pause = 0;
  b.barriers.fill({});
  b.unseen = {};
  if (launch_.counts) start_clock(b, *launch_.counts);
  b.shared.assign(launch_.shared_bytes, static_cast<char>(0xff));
  b.warps.resize(static_cast<std::size_t>(launch_.warps));
  for (int k = 0; k < launch_.warps; ++k) {
    b.warps[static_cast<std::size_t>(k)].number = k;
    start_warp(b, b.warps[static_cast<std::size_t>(k)], fresh);
  }
  ++running_;
}

void Scheduler::start_warp(ThreadBlock& b, Warp& w, bool fresh) {
  const std::size_t local_bytes = static_cast<std::size_t>(launch_.local_bytes) * 32;
  if (fresh) {
    w.rows = std::make_unique<char[]>(static_cast<std::size_t>(launch_.row_bytes));
    w.local = std::make_unique<char[]>(local_bytes);
    std::memset(w.rows.get(), 0x7f, static_cast<std::size_t>(launch_.row_bytes));
    for (const auto& [f, window] : launch_.windows)
      std::copy(f->constants.begin(), f->constants.end(), w.rows.get() + window.rows);
  }
  std::memset(w.local.get(), 0xff, local_bytes);
  if (launch_.counts) start_clock(w, launch_.row_bytes);
  w.live = first_lanes(launch_.threads - w.number * 32);
  w.groups.assign(1, Group{});
  w.groups[0].lanes = w.live;
  w.groups[0].function = launch_.kernel;
  w.runnable = 1;
  for (const auto& [f, window] : launch_.windows)
    for (const auto& [row, which] : f->specials) {
      using enum Special;
      const bool of_block = which == ctaid_x || which == ctaid_y || which == ctaid_z || which == sm;
      if (!fresh && !of_block) continue;
      for (int l = 0; l < 32; ++l) put<u32>(w.rows.get() + window.rows + row, l, special(which, b, w, l));
    }
}

u32 Scheduler::special(Special which, const ThreadBlock& b, const Warp& w, int l) const {
  using enum Special;
  const Extent &grid_extent = launch_.request.grid, &block = launch_.request.block;
  const u32 t = static_cast<u32>(w.number * 32 + l);
  switch (which) {
    case tid_x:
      return t % block.x;
    case tid_y:
      return t / block.x % block.y;
    case tid_z:
      return t / (block.x * block.y);
    case ntid_x:
      return block.x;
    case ntid_y:
      return block.y;
    case ntid_z:
      return block.z;
    case ctaid_x:
      return b.index.x;
    case ctaid_y:
      return b.index.y;
    case ctaid_z:
      return b.index.z;
    case nctaid_x:
      return grid_extent.x;
    case nctaid_y:
      return grid_extent.y;
    case nctaid_z:
      return grid_extent.z;
    case Special::lane:
      return static_cast<u32>(l);
    case warp:
      return static_cast<u32>(w.number);
    case sm:
      return static_cast<u32>(b.linear % multiprocessors);
    case sms:
      return multiprocessors;
    case workspace_high:
      return static_cast<u32>(launch_.workspace >> 32);
    case workspace_low:
      return static_cast<u32>(launch_.workspace);
    case lanes_equal:
      return 1u << l;
    case lanes_less:
      return first_lanes(l);
    case lanes_less_equal:
      return first_lanes(l + 1);
    case lanes_greater:
      return ~first_lanes(l + 1);
    case lanes_greater_equal:
      return ~first_lanes(l);
    case dynamic_shared:
      return launch_.request.dynamic_shared;
    case total_shared:
      return launch_.shared_bytes;
    case warps:
      return static_cast<u32>(launch_.warps);
    default:
      return 0;
  }
}

void Scheduler::end_lanes(ThreadBlock& b, Warp& w, u32 mask) {
  w.live &= ~mask;
  b.live -= __builtin_popcount(mask);
  if (launch_.counts && w.live == 0) end_clock(launch_, w);
  if (b.live == 0) {
    b.active = false;
    --running_;
    if (options.weak) leave_unseen(b, launch_.ended);
    return;
  }
  // Others may wait for no more than these.
  for (int k = 0; k < static_cast<int>(b.barriers.size()); ++k) open_barrier(b, k);
  release_collectives(w);
}

}  // namespace weir::ptx
