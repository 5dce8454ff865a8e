// Runs a launch: resident blocks of fibers that take turns until all have finished, or a plain loop where the launch
// needs no collectives. Blocks start in the order of their indices, as hardware starts them; within that, turns are
// shuffled by a seed.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "arena.hpp"
#include "base/error.hpp"
#include "checker.hpp"
#include "machine.hpp"
#include "solvers/device/cuda/launch_limits.hpp"
#include "solvers/device/simt/backend/runtime.hpp"

namespace weir {
uint3 threadIdx{}, blockIdx{};
dim3 blockDim, gridDim;
}  // namespace weir

namespace weir::simt {

bool fibers_running = false;

Machine& machine() {
  static Machine m;
  return m;
}
Options& options() { return machine().options; }

Machine::Machine() {
  const auto number = [](const char* name, auto& value) {
    if (const char* s = std::getenv(name))
      value = static_cast<std::remove_reference_t<decltype(value)>>(std::strtoll(s, nullptr, 10));
  };
  number("WEIR_SIMT_SEED", options.seed);
  number("WEIR_SIMT_RESIDENT", options.resident_blocks);
  number("WEIR_SIMT_STEPS", options.steps);
  if (const char* s = std::getenv("WEIR_SIMT_ORDER"))
    options.order = std::strcmp(s, "forward") == 0   ? Order::forward
                    : std::strcmp(s, "reverse") == 0 ? Order::reverse
                                                     : Order::random;
}

Thread& collective_thread(const char* what) {
  if (!machine().self || machine().in_loop) fail(std::string(what) + " in a launch with collectives = false");
  return *machine().self;
}
int lane() { return collective_thread("a warp collective").lane; }

namespace {

struct Abandoned {};  // unwinds a kernel that has failed

}  // namespace

void give_up(const std::string& error) {
  if (machine().error.empty()) machine().error = error;
}
void fail(const std::string& message) {
  Machine& m = machine();
  if (!m.self) throw Error(Exit::internal, std::string(m.kernel) + ": " + message);
  give_up(describe(*m.self) + ": " + message);
  if (!checks_accesses()) throw Abandoned{};
  for (;;) switch_to_host();  // no exception may pass the hooks: the fiber is never resumed
}

void make_ready(Thread& t) {
  Machine& m = machine();
  t.state = State::ready;
  m.ring[(m.head + m.ready++) % m.ring.size()] = &t;
}

namespace {

Thread& take_ready() {
  Machine& m = machine();
  const std::size_t size = m.ring.size();
  if (m.options.order == Order::random) std::swap(m.ring[m.head], m.ring[(m.head + m.random() % m.ready) % size]);
  Thread& t = *m.ring[m.head];
  m.head = (m.head + 1) % size;
  --m.ready;
  return t;
}

void thread_main() {
  for (;;) {
    try {
      machine().body(machine().arguments);
      thread_finished(*machine().self);
    } catch (const Abandoned&) {
    }
    switch_to_host();
  }
}

uint3 block_index(std::uint32_t id, dim3 grid) { return {id % grid.x, id / grid.x % grid.y, id / grid.x / grid.y}; }

void build_blocks(std::size_t resident, unsigned size, dim3 block) {
  Machine& m = machine();
  reserve_stacks(resident * size + 1);  // stack 0 is the checked loops'
  const bool fits = m.blocks.size() == resident && m.blocks[0]->size == size &&
                    m.blocks[0]->threads.back().index.x == block.x - 1 &&
                    m.blocks[0]->threads.back().index.y == block.y - 1;
  if (fits) return;
  m.blocks.clear();
  for (std::size_t r = 0; r < resident; ++r) {
    auto b = std::make_unique<Block>();
    b->size = size;
    b->threads.resize(size);
    b->live_lanes.resize((size + 31) / 32);
    b->shared = shared_slot(r);
    for (unsigned i = 0; i < size; ++i) {
      Thread& t = b->threads[i];
      t.block = b.get();
      t.rank = i;
      t.lane = static_cast<std::uint16_t>(i % 32);
      t.warp = static_cast<std::uint16_t>(i / 32);
      t.index = {i % block.x, i / block.x % block.y, i / block.x / block.y};
      t.stack = static_cast<unsigned>(r * size + i + 1);
      make_fiber(t, thread_main);
    }
    m.blocks.push_back(std::move(b));
  }
}

void drop_shared(Block& b) {
  for (const SharedArray& a : b.arrays) set_live(a.data, a.bytes, false);
  b.arrays.clear();
  b.shared_used = 0;
  b.dynamic = nullptr;
}

char* new_shared(Block& b, const void* tag, std::size_t bytes, std::size_t align, const char* name) {
  constexpr std::size_t red_zone = 64, limit = backend::most_shared;
  const std::size_t to = std::max<std::size_t>(align, 16);
  const std::size_t from = (b.shared_used + red_zone + to - 1) / to * to;
  if (from + bytes > limit) fail(format("more than %zu bytes of shared memory", limit));
  std::size_t asked = bytes;  // for, without what lies between arrays here
  for (const SharedArray& a : b.arrays) asked += a.bytes;
  if (machine().config->shared_bytes <= backend::dynamic_without_asking && asked > backend::shared_without_asking)
    fail(format("'%s' makes %zu bytes of shared memory, of which launch() has not asked for more than %zu", name, asked,
                backend::shared_without_asking));
  char* p = b.shared + from;
  b.shared_used = from + bytes;
  set_live(p, bytes, true);
  poison(p, bytes);
  b.arrays.push_back({tag, p, bytes, name});
  return p;
}

void start_block(Block& b, std::uint32_t id) {
  Machine& m = machine();
  b.id = id;
  b.index = block_index(id, m.config->grid);
  b.live = b.size;
  b.waiting = 0;
  drop_shared(b);
  checker_new_block(b);
  if (m.config->shared_bytes > 0)
    b.dynamic = new_shared(b, nullptr, m.config->shared_bytes, 16, "dynamic shared memory");
  for (std::size_t w = 0; w < b.live_lanes.size(); ++w) {
    const unsigned lanes = b.size - static_cast<unsigned>(w) * 32;
    b.live_lanes[w] = lanes >= 32 ? ~0u : (1u << lanes) - 1;
  }
  // Turns are taken in the order of becoming ready, so that no order starves a thread that a spinning one waits for.
  const bool reverse = m.options.order == Order::reverse;
  for (std::size_t i = 0; i < b.size; ++i) make_ready(b.threads[reverse ? b.size - 1 - i : i]);
  m.live_threads += b.size;
}

void leave_launch() {
  Machine& m = machine();
  fibers_running = false;
  for (auto& b : m.blocks) drop_shared(*b);
  if (m.error.empty()) return;
  forget_stacks();
  m.blocks.clear();
  const std::string error = std::string(m.kernel) + ": " + m.error;
  m.error.clear();
  throw Error(Exit::internal, error);
}

void run_blocks(std::uint32_t count) {
  Machine& m = machine();
  std::uint32_t next = 0;
  for (auto& b : m.blocks) start_block(*b, next++);
  while (m.error.empty()) {
    if (m.ready == 0) {
      if (m.live_threads > 0) give_up(describe_deadlock());
      break;
    }
    if (++m.steps > m.options.steps) {
      give_up("endless: the step budget of the launch is spent (WEIR_SIMT_STEPS)");
      break;
    }
    Thread& t = take_ready();
    threadIdx = t.index;
    blockIdx = t.block->index;
    switch_to(t);
    if (t.state == State::finished && t.block->live == 0 && next < count && m.error.empty())
      start_block(*t.block, next++);
  }
}

void begin_launch(const LaunchConfig& config, Body body, const void* arguments, std::size_t bytes) {
  Machine& m = machine();
  m.config = &config;
  m.kernel = config.name;
  m.body = body;
  m.arguments = static_cast<const char*>(arguments);
  m.arguments_end = m.arguments + bytes;
  m.live_threads = m.at_grid_barrier = 0;
  m.steps = m.idle = 0;
  m.error.clear();
  m.random_state = (m.options.seed + 1) * 0x9E3779B97F4A7C15ull + ++m.launches * 0xD1B54A32D192ED03ull;
  m.random_state |= 1;
  m.random();
  blockDim = config.block;
  gridDim = config.grid;
  checker_new_launch();
}

// No collectives: every thread a turn of a plain loop.
void run_plain(const LaunchConfig& config) {
  const std::uint32_t blocks = config.grid.x * config.grid.y * config.grid.z;
  auto loop = [&] {
    std::int64_t rank = 0;
    const dim3 d = config.block;
    for (std::uint32_t b = 0; b < blocks; ++b) {
      blockIdx = block_index(b, config.grid);
      for (unsigned z = 0; z < d.z; ++z)
        for (unsigned y = 0; y < d.y; ++y)
          for (unsigned x = 0; x < d.x; ++x) {
            threadIdx = {x, y, z};
            begin_index(rank++);
            machine().body(machine().arguments);
            end_index();
          }
    }
  };
  if (checks_accesses())
    run_checked_loop(
        config.name, [](void* p) { (*static_cast<decltype(loop)*>(p))(); }, &loop, machine().arguments,
        static_cast<std::size_t>(machine().arguments_end - machine().arguments));
  else
    loop();
}

}  // namespace

void run_kernel(const LaunchConfig& config, Body body, const void* arguments, std::size_t bytes) {
  const DeviceCode scope;
  Machine& m = machine();
  if (m.self) fail("a launch from device code");
  const std::uint64_t blocks = std::uint64_t{1} * config.grid.x * config.grid.y * config.grid.z;
  const std::uint64_t size = std::uint64_t{1} * config.block.x * config.block.y * config.block.z;
  if (size == 0 || size > 1024 || blocks == 0 || blocks >> 31 || config.block.z > 64 || config.grid.y > 65535 ||
      config.grid.z > 65535)
    throw Error(Exit::internal, std::string(config.name) + ": invalid launch of " + std::to_string(blocks) +
                                    " blocks of " + std::to_string(size) + " threads");
  ++ledger().launches;
  begin_launch(config, body, arguments, bytes);
  if (!config.collectives) return run_plain(config);
  const std::size_t resident =
      config.cooperative ? blocks : std::min<std::uint64_t>(blocks, std::max(1u, m.options.resident_blocks));
  build_blocks(resident, static_cast<unsigned>(size), config.block);
  m.ring.assign(resident * size, nullptr);
  m.head = m.ready = 0;
  fibers_running = true;
  run_blocks(static_cast<std::uint32_t>(blocks));
  leave_launch();
}

void next_turn(bool progress) {
  Machine& m = machine();
  if (!m.self) return;
  m.idle = progress ? 0 : m.idle + 1;
  if (m.idle > m.options.idle_steps + 400 * static_cast<std::int64_t>(m.live_threads))
    fail("endless spin: only threads that wait for a flag are left");
  if (m.random() % 4 != 0) return;  // mostly the thread goes on: a turn costs more than a load
  make_ready(*m.self);
  switch_to_host();
}

void* shared_array(const void* tag, std::size_t bytes, std::size_t align, const char* name) {
  Block& b = *collective_thread("shared memory").block;
  for (const SharedArray& a : b.arrays)
    if (a.tag == tag) return a.data;
  return new_shared(b, tag, bytes, align, name);
}

void* dynamic_shared() {
  char* p = collective_thread("shared memory").block->dynamic;
  if (!p) fail("dynamic shared memory is used, but the launch asked for none");
  return p;
}

// ---- loops of the race build ----

namespace {

struct CheckedLoop {
  Block block;  // of the one thread that the loop runs on; its id is the index
  void (*run)(void*) = nullptr;
  void* argument = nullptr;
};
CheckedLoop& checked_loop_state() {
  static CheckedLoop l;
  return l;
}

void checked_loop_main() {
  checker_enter_device(false);
  CheckedLoop& l = checked_loop_state();
  l.run(l.argument);
  machine().self->state = State::finished;
  for (;;) switch_to_host();
}

}  // namespace

void run_checked_loop(const char* name, void (*loop)(void*), void* argument, const void* body, std::size_t bytes) {
  const DeviceCode scope;
  Machine& m = machine();
  if (m.self) fail("device code starts a loop over a space (for_each), which is not allowed");
  CheckedLoop& l = checked_loop_state();
  l.run = loop;
  l.argument = argument;
  l.block.size = l.block.live = 1;
  l.block.threads.resize(1);
  reserve_stacks(1);
  Thread& t = l.block.threads[0];
  t.block = &l.block;
  m.kernel = name;
  m.arguments = static_cast<const char*>(body);
  m.arguments_end = m.arguments + bytes;
  m.error.clear();
  checker_new_launch();
  checker_new_block(l.block);
  make_fiber(t, checked_loop_main);
  m.in_loop = true;
  switch_to(t);
  m.in_loop = false;
  leave_launch();
}

void begin_index(std::int64_t index) {
  if (!machine().in_loop) return;
  checked_loop_state().block.id = static_cast<std::uint32_t>(index);
  checker_begin_index(static_cast<std::uint32_t>(index));
}
void end_index() { checker_enter_device(false); }

}  // namespace weir::simt
