#include "tests/ptx/machine/scheduler.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

namespace weir::ptx {
namespace {

bool convergent() { return options.schedule == Schedule::convergent; }

// After a store that others may wait for, a block now and then stays away for a while: code that relies on its next
// step coming soon is found out.
bool may_be_waited_for(const Instruction& i) {
  return (i.stores && i.semantics != Semantics::weak) || (i.fences && options.weak > 1);
}

u32 guarded(const Context& c, const Instruction& i, u32 mask) {
  if (i.guard == no_row) return mask;
  const u32 p = predicate(c, i.guard);
  return mask & (i.guard_negated ? ~p : p);
}

}  // namespace

Scheduler::Scheduler(Launch& launch) : launch_(launch), total_(launch.request.grid.count()) {}

void Scheduler::run() {
  const Function& kernel = *launch_.kernel;
  const bool interact = kernel.has_barrier || kernel.waits || !convergent();
  const u64 resident =
      launch_.request.cooperative ? total_ : std::min<u64>(total_, interact ? static_cast<u64>(options.resident) : 1);
  for (u64 k = 0; k < resident; ++k) {
    blocks_.push_back(std::make_unique<ThreadBlock>());
    start_next(*blocks_.back());
  }
  std::size_t idle = 0;
  while (running_ > 0 || next_ < total_) {
    const std::size_t k = (convergent() ? turn_++ : random_number()) % blocks_.size();
    ThreadBlock& b = *blocks_[k];
    if (!b.active) {
      if (next_ < total_) {
        start_next(b);
      } else {  // the last block of this place
        std::swap(blocks_[k], blocks_.back());
        blocks_.pop_back();
        continue;
      }
    }
    if (b.pause > 0) {
      --b.pause;
      continue;
    }
    idle = advance(b) ? 0 : idle + 1;
    if (idle > 4 * blocks_.size()) {
      const bool stuck = std::none_of(blocks_.begin(), blocks_.end(), [](const auto& x) {
        return x->active && std::any_of(x->warps.begin(), x->warps.end(), [](const Warp& w) { return w.runnable > 0; });
      });
      if (stuck) throw Fault{cudaErrorLaunchFailure, "deadlock in " + deadlock()};
      idle = 0;
    }
    if (launch_.steps > options.steps)
      throw Fault{cudaErrorLaunchFailure, "too many steps (endless?) in " + deadlock()};
  }
}

void Scheduler::start_next(ThreadBlock& b) {
  const u64 n = next_++;
  start(b, options.reverse ? total_ - 1 - n : n);
}

// False: nothing could go on.
bool Scheduler::advance(ThreadBlock& b) {
  u64 done = 0;
  const std::size_t n = b.warps.size(), first = convergent() ? 0 : random_number() % n;
  for (std::size_t k = 0; k < n && b.active; ++k) {
    Warp& w = b.warps[(first + k) % n];
    if (w.runnable == 0) continue;
    done += run_warp(b, w, quantum());
    if (!convergent() && one_in(2)) break;
  }
  launch_.steps += done;
  return done > 0;
}

// Short turns find what depends on the order, long ones get on; a kernel that waits gets shorter ones.
u64 Scheduler::quantum() const {
  const bool waits = launch_.kernel->waits;
  if (convergent()) return waits ? 40 : 4000;
  const u64 length = random_number() % 8;
  return 1 + random_number() % (length < 3 ? 4 : length < 6 ? 40 : waits ? 200 : 2000);
}

u64 Scheduler::run_warp(ThreadBlock& b, Warp& w, u64 quantum) {
  u64 done = 0;
  for (int turn = 1; done < quantum && w.runnable > 0 && b.active && !b.pause; ++turn) {
    if (w.groups.size() > 1) merge(w);
    constexpr int fair = 64;  // a group that polls for what another of its warp writes must not starve it for ever
    const std::size_t k = choose(w, turn % fair == 0);
    u64 left = quantum - done;
    if (options.schedule == Schedule::lanes) {
      tear(w, k);
      left = std::min<u64>(left, 1 + random_number() % (one_in(2) ? 4 : 24));
    } else if (w.groups.size() > 1) {
      left = std::min<u64>(left, 2000);
    }
    done += run_group(b, w, k, left);
  }
  return done;
}

u64 Scheduler::run_group(ThreadBlock& b, Warp& w, std::size_t k, u64 quantum) {
  const Function& f = *w.groups[k].function;
  enter(b, w, &f);
  const Instruction* code = f.code.data();
  const u32 all = w.groups[k].lanes;
  const bool alone = w.groups.size() == 1;
  const int meeting = alone ? -1 : meeting_place(w, k);
  int at = w.groups[k].at;
  u64 done = 0;
  while (done < quantum && at != meeting) {
    const Instruction& i = code[at];
    const u32 mask = guarded(context_, i, all);
    ++done;
    if (launch_.counts) count(context_, i, mask);
    if (i.kind != Kind::plain) {
      w.groups[k].at = at;
      if (!control(w, k, i, mask) || !alone) return done;
      at = w.groups[k].at;
      continue;
    }
    if (mask) {
      w.groups[k].at = at;
      i.execute(context_, i, mask);
    }
    ++at;
    if (mask && !convergent() && may_be_waited_for(i) && one_in(4)) {
      b.pause = static_cast<int>(random_number() % (i.fences ? 1024 : 64));
      break;
    }
  }
  w.groups[k].at = at;
  return done;
}

std::string Scheduler::deadlock() {
  std::string text = demangled(launch_.kernel->name) + ":";
  int lines = 0;
  for (const auto& b : blocks_)
    for (Warp& w : b->warps)
      for (const Group& g : w.groups) {
        if (!b->active) continue;
        if (++lines > 12) return text + "\n  ...";
        enter(*b, w, g.function);
        char lanes_text[24];
        std::snprintf(lanes_text, sizeof lanes_text, " lanes %08x ", g.lanes);
        text += "\n  " + place_of(context_, first_lane(g.lanes)) + lanes_text +
                (g.state == Group::at_barrier      ? "at a barrier "
                 : g.state == Group::at_collective ? "at a collective "
                                                   : "runs ") +
                place_of(*g.function, g.function->code[static_cast<std::size_t>(g.at)]);
      }
  return text;
}

}  // namespace weir::ptx
