// Barriers of block and grid, and warp collectives. All threads of a block (or all named lanes of a warp) must come to
// the same place; a thread that leaves the kernel before is an error too, which is stricter than the hardware.
#include "checker.hpp"
#include "machine.hpp"

namespace weir::simt {
namespace {

// Calls f for the threads of the block, in the order of the schedule.
template <class F>
void in_order(unsigned count, const F& f) {
  if (machine().options.order == Order::reverse)
    for (unsigned i = count; i-- > 0;) f(i);
  else
    for (unsigned i = 0; i < count; ++i) f(i);
}

void release_block(Block& b) {
  checker_block_barrier(b);
  b.waiting = 0;
  in_order(b.size, [&](unsigned i) {
    if (b.threads[i].state == State::at_block_barrier) make_ready(b.threads[i]);
  });
}

void release_grid() {
  Machine& m = machine();
  m.at_grid_barrier = 0;
  checker_new_epoch();
  for (auto& b : m.blocks)
    in_order(b->size, [&](unsigned i) {
      if (b->threads[i].state == State::at_grid_barrier) make_ready(b->threads[i]);
    });
}

unsigned lanes_waiting_with(Block& b, unsigned warp, unsigned mask) {
  unsigned lanes = 0;
  for (unsigned rest = mask & b.live_lanes[warp]; rest; rest &= rest - 1) {
    const Thread& t = b.warp(warp)[__builtin_ctz(rest)];
    if (t.state == State::at_warp_collective && t.mask == mask) lanes |= rest & -rest;
  }
  return lanes;
}

// The result of one lane; false where its source lane takes no part.
bool finish_lane(Thread* warp, unsigned lanes, unsigned ballot, Thread& t) {
  switch (t.kind) {
    case Collective::sync:
      break;
    case Collective::ballot:
      t.result = ballot;
      break;
    case Collective::exchange:
      if (t.source_lane < 0 || t.source_lane > 31 || !(lanes >> t.source_lane & 1)) return false;
      t.result = warp[t.source_lane].payload;
  }
  return true;
}

void complete_warp(Block& b, unsigned w, unsigned lanes) {
  Thread* warp = b.warp(w);
  const Thread& first = warp[__builtin_ctz(lanes)];
  unsigned ballot = 0;
  for (unsigned rest = lanes; rest; rest &= rest - 1) {
    const Thread& t = warp[__builtin_ctz(rest)];
    if (!same_place(t.at, first.at) || t.kind != first.kind)
      return give_up("divergent warp collective: " + describe(first) + " at " + describe(first.at) + ", " +
                     describe(t) + " at " + describe(t.at));
    if (t.kind == Collective::ballot && t.payload) ballot |= rest & -rest;
  }
  for (unsigned rest = lanes; rest; rest &= rest - 1) {
    Thread& t = warp[__builtin_ctz(rest)];
    if (!finish_lane(warp, lanes, ballot, t))
      return give_up(describe(t) +
                     format(" shuffles from lane %d, which takes no part (mask %08x), at ", t.source_lane, lanes) +
                     describe(t.at));
  }
  checker_warp_collective(b, w, lanes);
  in_order(32, [&](unsigned i) {
    if (!(lanes >> i & 1)) return;
    if (&warp[i] == machine().self)
      warp[i].state = State::ready;  // goes on at once
    else
      make_ready(warp[i]);
  });
}

void check_mask(const Thread& t, unsigned mask, const Where& at) {
  Block& b = *t.block;
  const unsigned first = t.warp * 32u, count = b.size - first;
  const unsigned existing = count >= 32 ? ~0u : (1u << count) - 1, live = b.live_lanes[t.warp];
  if (!(mask >> t.lane & 1))
    fail(format("lane %d is not in the mask %08x of the warp collective at ", t.lane, mask) + describe(at));
  if (mask & existing & ~live)
    fail(format("lanes %08x have left the kernel before the warp collective at ", mask & existing & ~live) +
         describe(at));
  for (unsigned rest = mask & live; rest; rest &= rest - 1) {
    const Thread& o = b.warp(t.warp)[__builtin_ctz(rest)];
    if (o.state == State::at_warp_collective && o.mask != mask && (o.mask >> t.lane & 1))
      fail(format("masks differ: %08x at ", mask) + describe(at) +
           format(", lane %d waits with %08x at ", o.lane, o.mask) + describe(o.at));
  }
}

}  // namespace

void block_barrier(const Where& at) {
  Thread& t = collective_thread("a block barrier");
  Block& b = *t.block;
  machine().idle = 0;
  if (b.live != b.size)
    fail(format("divergent barrier: %u thread(s) of the block have left the kernel before ", b.size - b.live) +
         describe(at));
  if (b.waiting == 0) {
    b.at = at;
  } else if (!same_place(b.at, at)) {
    fail("divergent barrier: at " + describe(at) + format(" while %u thread(s) of the block wait at ", b.waiting) +
         describe(b.at));
  }
  ++b.waiting;
  t.state = State::at_block_barrier;
  t.at = at;
  if (b.waiting == b.live) release_block(b);  // makes this thread ready too
  switch_to_host();
}

void grid_barrier(const Where& at) {
  Machine& m = machine();
  Thread& t = collective_thread("a grid barrier");
  if (!m.config->cooperative) fail("a grid barrier in a launch that is not cooperative, at " + describe(at));
  m.idle = 0;
  if (m.at_grid_barrier == 0)
    m.grid_at = at;
  else if (!same_place(m.grid_at, at))
    fail("divergent grid barrier: " + describe(at) + " and " + describe(m.grid_at));
  t.state = State::at_grid_barrier;
  t.at = at;
  if (++m.at_grid_barrier == m.live_threads) release_grid();
  switch_to_host();
}

std::uint64_t warp_collective(unsigned mask, Collective kind, std::uint64_t payload, int source_lane, const Where& at) {
  Machine& m = machine();
  Thread& t = collective_thread("a warp collective");
  Block& b = *t.block;
  m.idle = 0;
  check_mask(t, mask, at);
  t.mask = mask;
  t.kind = kind;
  t.payload = payload;
  t.source_lane = source_lane;
  t.at = at;
  t.state = State::at_warp_collective;
  const unsigned wanted = mask & b.live_lanes[t.warp];
  if (lanes_waiting_with(b, t.warp, mask) == wanted) complete_warp(b, t.warp, wanted);
  if (t.state != State::ready || !m.error.empty()) switch_to_host();
  return t.result;
}

void fence() {
  if (machine().self) checker_fence(*machine().self);
}

void thread_finished(Thread& t) {
  Machine& m = machine();
  Block& b = *t.block;
  t.state = State::finished;
  --b.live;
  --m.live_threads;
  b.live_lanes[t.warp] &= ~(1u << t.lane);
  m.idle = 0;
  if (b.waiting > 0)
    return give_up("divergent barrier: " + describe(t) +
                   format(" left the kernel while %u thread(s) wait at ", b.waiting) + describe(b.at));
  for (unsigned l = 0; l < 32 && t.warp * 32u + l < b.size; ++l) {
    const Thread& o = b.warp(t.warp)[l];
    if (o.state == State::at_warp_collective && (o.mask >> t.lane & 1))
      return give_up(describe(t) + " left the kernel while its warp waits for it at " + describe(o.at));
  }
  if (m.at_grid_barrier > 0)
    give_up("divergent grid barrier: " + describe(t) + " left the kernel while others wait at " + describe(m.grid_at));
}

}  // namespace weir::simt
