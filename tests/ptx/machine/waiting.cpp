// Barriers of a block and collectives of a warp: order of waiting and of resuming.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "tests/ptx/machine/scheduler.hpp"

namespace weir::ptx {

bool Scheduler::arrive(Warp& w, std::size_t k, const Instruction& i, u32 mask) {
  const int lane = first_lane(mask), number = static_cast<int>(get<u32>(context_.rows + i.in[0], lane)) & 15;
  const int expected = i.in[1] == no_row ? 0 : static_cast<int>(get<u32>(context_.rows + i.in[1], lane));
  const Barrier what = static_cast<Barrier>(i.variant);
  BarrierState& barrier = context_.block->barriers[static_cast<std::size_t>(number)];
  if (barrier.arrived && barrier.expected != expected)
    fault(context_, i, lane, cudaErrorLaunchFailure, "barrier with different numbers of threads");
  barrier.expected = expected;
  barrier.arrived += __builtin_popcount(mask);
  if (i.in[2] != no_row) {
    const u32 p = (i.flag ? ~predicate(context_, i.in[2]) : predicate(context_, i.in[2])) & mask;
    barrier.popc += __builtin_popcount(p);
    barrier.all = barrier.all && p == mask;
    barrier.any = barrier.any || p != 0;
  }
  if (launch_.counts) count_barrier(context_);
  Group& g = w.groups[k];
  if (what == Barrier::arrive) {
    ++g.at;
  } else {
    g.state = Group::at_barrier;
    g.barrier = number;
    --w.runnable;
  }
  open_barrier(*context_.block, number);
  return false;
}

// bar.sync and its kin are aligned: all lanes of a warp must stand at the same one.
void Scheduler::check_aligned(ThreadBlock& b, Warp& w, int number) {
  const Group* seen = nullptr;
  for (const Group& g : w.groups) {
    if (g.state != Group::at_barrier || g.barrier != number) continue;
    const Instruction& i = g.function->code[static_cast<std::size_t>(g.at)];
    if (seen && i.aligned && !g.same_place(*seen)) {
      enter(b, w, g.function);
      fault(context_, i, first_lane(g.lanes), cudaErrorLaunchFailure,
            "bar.sync (aligned) reached by one warp at two places, the other " +
                place_of(*seen->function, seen->function->code[static_cast<std::size_t>(seen->at)]));
    }
    seen = &g;
  }
}

// Opens when all live threads are there, or as many as were given.
void Scheduler::open_barrier(ThreadBlock& b, int number) {
  BarrierState& state = b.barriers[static_cast<std::size_t>(number)];
  if (!state.arrived) return;
  if (state.arrived < (state.expected ? std::min(state.expected, launch_.warps * 32) : b.live)) return;
  const BarrierState was = state;
  state = {};
  const Context before = context_;
  for (Warp& w : b.warps) {
    check_aligned(b, w, number);
    for (Group& g : w.groups) {
      if (g.state != Group::at_barrier || g.barrier != number) continue;
      const Instruction& i = g.function->code[static_cast<std::size_t>(g.at)];
      enter(b, w, g.function);
      if (static_cast<Barrier>(i.variant) == Barrier::popc) {
        for (const int l : lanes(g.lanes)) put<u32>(context_.rows + i.out[0], l, static_cast<u32>(was.popc));
      } else if (i.out[0] != no_row) {
        const bool yes = static_cast<Barrier>(i.variant) == Barrier::all ? was.all : was.any;
        put_predicate(context_, i.out[0], g.lanes, yes ? ~u32{0} : 0);
      }
      g.state = Group::runs;
      ++g.at;
    }
    merge(w);
  }
  context_ = before;
}

// A shuffle, vote, match or syncwarp: done when all lanes of its mask that live are here.
bool Scheduler::meet(Warp& w, std::size_t k, const Instruction& i, u32 mask) {
  const char* masks = context_.rows + i.in[4];
  const u32 wanted = get<u32>(masks, first_lane(mask));
  u32 others = 0;
  for (const int l : lanes(mask)) others |= static_cast<u32>(get<u32>(masks, l) != wanted) << l;
  if (others) split(w, k, others, w.groups[k].at);
  mask &= ~others;
  if (mask & ~wanted)
    fault(context_, i, first_lane(mask & ~wanted), cudaErrorLaunchFailure,
          "a lane that its own mask does not name (mask " + std::to_string(wanted) + ")");
  if (wanted & ~w.live)
    note(context_, i, first_lane(mask),
         wanted & ~first_lanes(launch_.threads - w.number * 32) ? "the mask names lanes that were never started"
                                                                : "the mask names lanes that have left");
  Group& g = w.groups[k];
  if (mask == (wanted & w.live)) {
    i.execute(context_, i, mask);
    ++g.at;
    return !others;
  }
  g.state = Group::at_collective;
  g.mask = wanted;
  --w.runnable;
  release_collectives(w);
  return false;
}

void Scheduler::release_collectives(Warp& w) {
  for (std::size_t k = 0; k < w.groups.size(); ++k) {
    if (w.groups[k].state != Group::at_collective) continue;
    const auto waits_with_it = [&](const Group& g) {
      return g.state == Group::at_collective && g.mask == w.groups[k].mask && g.same_place(w.groups[k]);
    };
    u32 here = 0;
    for (const Group& g : w.groups)
      if (waits_with_it(g)) here |= g.lanes;
    const u32 wanted = w.groups[k].mask & w.live;
    if ((here & wanted) != wanted) continue;
    for (std::size_t other = w.groups.size(); other-- > k + 1;)
      if (waits_with_it(w.groups[other])) w.groups.erase(w.groups.begin() + static_cast<std::ptrdiff_t>(other));
    w.groups[k].lanes = here;
    w.groups[k].state = Group::runs;
  }
  count_runnable(w);
}

}  // namespace weir::ptx
