// The emulated machine: threads (fibers), resident blocks and the launch that runs. Private to the emulator. Device
// code runs on one thread of the host at a time; all of this is touched from there only.
#pragma once
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "solvers/device/simt/backend/dialect.hpp"
#include "solvers/device/simt/backend/launch.hpp"
#include "solvers/device/simt/backend/options.hpp"
#include "solvers/device/simt/clocks.hpp"

namespace weir::simt {

struct Block;

enum class State : std::uint8_t { ready, at_block_barrier, at_warp_collective, at_grid_barrier, finished };

struct Thread {
  void* context = nullptr;     // of its fiber
  void* fake_stack = nullptr;  // AddressSanitizer's
  Block* block = nullptr;
  uint3 index{};
  unsigned rank = 0, stack = 0;
  std::uint16_t lane = 0, warp = 0;
  State state = State::ready;
  Collective kind = Collective::sync;
  unsigned mask = 0;
  int source_lane = 0;
  std::uint64_t payload = 0, result = 0;
  Where at;
  ThreadClock clock;
};

struct SharedArray {
  const void* tag;
  char* data;
  std::size_t bytes;
  const char* name;
};

struct Block {
  uint3 index{};
  std::uint32_t id = 0;
  unsigned size = 0, live = 0, waiting = 0;  // threads: all, not finished, at the block barrier
  Where at;
  std::vector<Thread> threads;
  std::vector<unsigned> live_lanes;  // a mask a warp
  char* shared = nullptr;
  std::size_t shared_used = 0;
  std::vector<SharedArray> arrays;
  char* dynamic = nullptr;
  BlockClock clock;

  Thread* warp(unsigned w) { return &threads[w * 32]; }
};

struct Machine {
  Options options;
  Thread* self = nullptr;  // runs now; null: the host
  bool in_loop = false;    // the fiber of a checked loop: no collectives
  std::uint64_t random_state = 1;

  std::vector<std::unique_ptr<Block>> blocks;  // resident
  std::vector<Thread*> ring;                   // those that can run: `ready` of them from `head` on
  std::size_t head = 0, ready = 0;

  const LaunchConfig* config = nullptr;
  const char* kernel = "";
  Body body = nullptr;
  const char *arguments = nullptr, *arguments_end = nullptr;
  std::uint64_t launches = 0;
  unsigned live_threads = 0, at_grid_barrier = 0;
  Where grid_at;
  std::int64_t steps = 0, idle = 0;
  std::string error;

  Machine();
  std::uint64_t random() {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
  }
};
Machine& machine();

// fibers.cpp
void reserve_stacks(std::size_t count);
void make_fiber(Thread& t, void (*entry)());
void switch_to(Thread& t);  // from the host; returns when the thread gives up its turn
void switch_to_host();      // from a thread
bool on_stack_of(const Thread& t, const void* p);
bool on_any_stack(const void* p);
void forget_stacks();  // after an error: no fiber will be resumed

// scheduler.cpp
void make_ready(Thread& t);
void give_up(const std::string& error);  // of the whole launch, noticed by the scheduler
[[noreturn]] void fail(const std::string& message);
Thread& collective_thread(const char* what);  // that runs now; fails in a launch without collectives

// collectives.cpp
void thread_finished(Thread& t);

// diagnosis.cpp
std::string format(const char* format, ...) __attribute__((format(printf, 1, 2)));
std::string describe(const Thread& t);
std::string describe(const Where& at);
std::string describe_code(std::uint32_t code_offset);  // the source position of an instruction, as addr2line knows it
std::string describe_deadlock();
bool same_place(const Where& a, const Where& b);

}  // namespace weir::simt
