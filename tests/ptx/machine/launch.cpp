// A kernel from its request to its error.
#include "tests/ptx/machine/memory.hpp"
#include "tests/ptx/machine/scheduler.hpp"
#include "tests/ptx/machine/weak_memory.hpp"

namespace weir::ptx {
namespace {

void add_windows(const Function* f, Launch& launch) {
  if (!launch.windows.emplace(f, Window{launch.row_bytes, launch.local_bytes}).second) return;
  launch.row_bytes += f->row_bytes;
  launch.local_bytes += f->frame_bytes;
  for (const Instruction& i : f->code)
    if (i.callee && !i.callee->external) add_windows(i.callee, launch);
}

// Counter of the barrier of a cooperative grid.
u64 grid_workspace() {
  constexpr u64 bytes = 256;
  static const u64 workspace = allocate(bytes);
  std::memset(real(workspace), 0, bytes);
  return workspace;
}

}  // namespace

int run_launch(const LaunchRequest& request) {
  Function& f = *request.kernel;
  Launch launch{request, &f, static_cast<int>(request.block.count()), 0, 0, {}, 0, 0, 0, 0, nullptr, {}, 0};
  launch.warps = (launch.threads + 31) / 32;
  launch.shared_bytes = static_cast<u32>(f.static_shared);
  if (request.dynamic_shared)
    launch.shared_bytes = static_cast<u32>(round_up(f.static_shared, 16)) + request.dynamic_shared;
  add_windows(&f, launch);
  if (request.cooperative) launch.workspace = grid_workspace();
  if (counting().on) launch.counts = &f.counts[{request.grid.count(), request.block.count(), request.dynamic_shared}];
  Scheduler scheduler(launch);
  int error = 0;
  try {
    scheduler.run();
    for (Unseen& of : launch.ended) make_seen(of);
  } catch (const Fault& x) {
    report("FAULT: " + x.text);
    error = x.code;
  }
  if (launch.counts) {
    ++launch.counts->launches;
    launch.counts->in_graphs += counting().in_graph;
    launch.counts->threads += request.grid.count() * static_cast<u64>(launch.threads);
    launch.counts->chain += launch.chain;
  }
  return error;
}

}  // namespace weir::ptx
