#include "tests/ptx/machine/counts.hpp"

#include <algorithm>
#include <set>

#include "tests/ptx/machine/access.hpp"

namespace weir::ptx {
namespace {

std::size_t row_of(const Context& c, int operand) {
  return static_cast<std::size_t>((c.rows - c.warp->rows.get()) + operand) / 4;
}

// When an instruction can issue, and how many loads lie after its operands.
struct Operands {
  u32 issue;
  u16 depth;
};
Operands operands_of(const Context& c, const Instruction& i) {
  const WarpClock& clock = c.warp->clock;
  Operands o{clock.now, 0};
  const auto use = [&](int operand) {
    if (operand == no_row) return;
    const std::size_t row = row_of(c, operand);
    o.issue = std::max(o.issue, clock.ready[row]);
    o.depth = std::max(o.depth, clock.depth[row]);
  };
  for (const int operand : i.in) use(operand);
  use(i.guard);
  return o;
}

void put(const Context& c, const Instruction& i, u32 ready, u16 depth) {
  WarpClock& clock = c.warp->clock;
  for (const int operand : i.out) {
    if (operand == no_row) continue;
    const std::size_t row = row_of(c, operand);
    const bool kept = i.guard != no_row;  // by lanes that the guard leaves out
    clock.ready[row] = kept ? std::max(clock.ready[row], ready) : ready;
    clock.depth[row] = kept ? std::max(clock.depth[row], depth) : depth;
  }
}

bool is_global(const Context& c, const Instruction& i, u32 mask, u64* addresses, int& n) {
  n = 0;
  for (const int l : lanes(mask)) addresses[n++] = lane_address(c, i, l);
  return i.space == Space::global || (i.space == Space::generic && addresses[0] < shared_window);
}

// Polled until another warp writes: costs one read, from the moment it is written.
bool polls_again(const Instruction& i, const u64* addresses, LaunchCounts& counts, WarpClock& clock) {
  if (i.semantics == Semantics::weak || i.semantics == Semantics::read_only || i.atomic) return false;
  const bool again = clock.polled == &i && clock.polled_address == addresses[0];
  if (again) {
    counts.spun += clock.since_poll;
    if (i.poll_loop == 0) i.poll_loop = clock.since_poll;
  }
  clock.polled = &i;
  clock.polled_address = addresses[0];
  clock.since_poll = 0;
  return again;
}

u32 sectors_cost(const Context& c, const Instruction& i, const u64* addresses, int n, LaunchCounts& counts) {
  u64 sectors[64];
  int count = 0;
  const u64 bytes = static_cast<u64>(i.bytes) * i.elements;
  for (int k = 0; k < n; ++k) sectors[count++] = addresses[k] / 32;
  std::sort(sectors, sectors + count);
  count = static_cast<int>(std::unique(sectors, sectors + count) - sectors);
  const bool by_l1 = !i.stores && (i.semantics == Semantics::weak || i.semantics == Semantics::read_only);
  std::vector<u64>& l1 = c.block->clock.l1;
  u32 slowest = from_l1;
  for (int k = 0; k < count; ++k) {
    if (by_l1 && l1_holds(l1, sectors[k])) continue;
    ++counts.in_l2;
    const bool held = l2_holds(sectors[k], i.stores ? Touch::write : Touch::read, counts);
    slowest = std::max<u32>(slowest, held || i.stores ? from_l2 : from_memory);
  }
  counts.bytes += static_cast<u64>(n) * bytes;
  return slowest;
}

// Flags: what is stored with an order or by an atomic can be waited for.
void note_written(Launch& launch, const Instruction& i, const u64* addresses, int n, u32 issue) {
  if (!i.stores || i.semantics == Semantics::weak) return;
  for (int k = 0; k < n; ++k) {
    u32& time = launch.written[addresses[k] / 4];
    time = std::max(time, issue + from_l2);
  }
}

struct GlobalAccess {
  const u64* addresses;
  int n;
  u32 mask;
};

// A warp that waits until `until` from its first poll on: one poll after the other, each a read of L2.
void count_wait(const Context& c, const Instruction& i, const GlobalAccess& a, u32 until) {
  WarpClock& clock = c.warp->clock;
  const u32 waits = until - clock.poll_issue;
  if (waits <= clock.poll_waited) return;
  const u32 more = waits - clock.poll_waited;
  std::set<u64> sectors;
  for (int k = 0; k < a.n; ++k) sectors.insert(a.addresses[k] / 32);
  clock.waited += more;
  clock.poll_waited = waits;
  c.launch->counts->polled_sectors += more * sectors.size();
  c.launch->counts->polled_instructions += more * i.poll_loop;
}

// When the last of the flags at these addresses is there; 0: none was stored in this launch.
u32 flags_written(const Launch& launch, const GlobalAccess& a) {
  u32 time = 0;
  for (int k = 0; k < a.n; ++k)
    if (const auto found = launch.written.find(a.addresses[k] / 4); found != launch.written.end())
      time = std::max(time, found->second);
  return time;
}

// Back to the first poll: the number of polls of the interpreter is not counted.
void wait_for_flags(Context& c, const Instruction& i, const GlobalAccess& a, u16 depth) {
  WarpClock& clock = c.warp->clock;
  clock.now = clock.poll_issue;
  clock.last = clock.poll_last;
  if (const u32 written = flags_written(*c.launch, a); written > clock.now) {
    count_wait(c, i, a, written);
    clock.now = clock.last = written + from_l2;
  }
  put(c, i, clock.now, static_cast<u16>(depth + 1));
}

void count_global(Context& c, const Instruction& i, const GlobalAccess& a, Operands o) {
  WarpClock& clock = c.warp->clock;
  LaunchCounts& counts = *c.launch->counts;
  if (polls_again(i, a.addresses, counts, clock)) return wait_for_flags(c, i, a, o.depth);
  clock.poll_issue = o.issue;
  clock.poll_last = clock.last;
  clock.poll_waited = 0;
  count_access(c, i, a.mask);
  const u32 cost = sectors_cost(c, i, a.addresses, a.n, counts);
  note_written(*c.launch, i, a.addresses, a.n, o.issue);
  u32 ready = o.issue + cost;
  if (!i.stores && i.semantics != Semantics::weak && i.semantics != Semantics::read_only) {
    const bool waits =
        i.poll_loop > 0 || i.semantics != Semantics::relaxed;  // relaxed: or takes what is there (asynchronous sweeps)
    const u32 written = waits ? flags_written(*c.launch, a) : 0;
    if (written > o.issue) {
      count_wait(c, i, a, written);
      ready = written + from_l2;
    }
    if (i.semantics == Semantics::acquire) clock.now = std::max(clock.now, ready);  // what follows comes after it
  }
  const u16 depth = static_cast<u16>(o.depth + 1);
  if (!i.stores || i.atomic) counts.depth = std::max<u64>(counts.depth, depth);
  put(c, i, ready, depth);
}

void count_memory(Context& c, const Instruction& i, u32 mask, Operands o) {
  if (i.space == Space::param) return put(c, i, 0, 0);
  if (i.space == Space::frame || i.space == Space::local) return put(c, i, o.issue + from_l1, o.depth);
  u64 addresses[32];
  int n = 0;
  if (is_global(c, i, mask, addresses, n)) return count_global(c, i, {addresses, n, mask}, o);
  count_access(c, i, mask);
  put(c, i, o.issue + from_shared, o.depth);
}

}  // namespace

void start_clock(ThreadBlock& b, const LaunchCounts& counts) {
  b.clock.l1 = empty_l1(counts.l1_of_block);
  b.clock.barriers.clear();
}

void start_clock(Warp& w, int row_bytes) {
  w.clock = {};
  w.clock.ready.assign(static_cast<std::size_t>(row_bytes) / 4 + 1, 0);
  w.clock.depth.assign(static_cast<std::size_t>(row_bytes) / 4 + 1, 0);
}

void count(Context& c, const Instruction& i, u32 mask) {
  WarpClock& clock = c.warp->clock;
  if (clock.at_barrier) {
    clock.at_barrier = false;
    clock.now = std::max(clock.now, c.block->clock.barriers[clock.barriers - 1]);
  }
  clock.since_poll += i.issues;
  c.launch->counts->instructions += i.issues;
  i.counts.issued += i.issues;
  const Operands o = operands_of(c, i);
  clock.last = std::max(clock.last, o.issue);
  c.launch->counts->doubles += i.doubles;
  if (i.bytes) {
    if (mask) count_memory(c, i, mask, o);
  } else if (i.kind == Kind::plain || i.kind == Kind::collective) {
    const u32 cost = i.kind == Kind::collective ? from_shared : i.doubles > 4 ? of_division : of_arithmetic;
    put(c, i, o.issue + cost, o.depth);
    if (i.fences) clock.now = clock.last = clock.last + from_l2;
  } else {
    clock.now = clock.last = std::max(clock.now, clock.last);
  }
}

void count_barrier(Context& c) {
  WarpClock& clock = c.warp->clock;
  std::vector<u32>& barriers = c.block->clock.barriers;
  if (!clock.at_barrier) ++clock.barriers;
  clock.at_barrier = true;
  if (barriers.size() < clock.barriers) barriers.resize(clock.barriers);
  u32& opens = barriers[clock.barriers - 1];
  opens = std::max(opens, clock.last + from_shared);
}

void end_clock(const Launch& launch, Warp& w) {
  LaunchCounts& counts = *launch.counts;
  ++counts.warps;
  counts.warp_chains += w.clock.last - std::min(w.clock.last, w.clock.waited);
  launch.chain = std::max<u64>(launch.chain, w.clock.last);
}

Counting& counting() {
  static Counting state{!options.statistics.empty(), {}};
  return state;
}

}  // namespace weir::ptx
