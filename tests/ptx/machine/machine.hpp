// A launch at work: blocks, warps, and the groups of lanes that a warp has fallen into.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/ptx/machine/counts.hpp"
#include "tests/ptx/parse/program.hpp"

namespace weir::ptx {

// Generic addresses of a block's shared, a thread's local and a launch's parameter memory. Device and host memory lie
// below.
inline constexpr u64 shared_window = u64{1} << 48, local_window = u64{2} << 48, param_window = u64{3} << 48,
                     window_bytes = u64{1} << 32;
inline constexpr int multiprocessors = 132;

struct Extent {
  u32 x = 1, y = 1, z = 1;
  u64 count() const { return u64{x} * y * z; }
};

struct LaunchRequest {
  Function* kernel = nullptr;
  Extent grid, block;
  u32 dynamic_shared = 0;
  bool cooperative = false;
  std::vector<char> parameters;
};
int run_launch(const LaunchRequest& request);  // a cudaError_t

struct CallFrame {
  Function* function;
  int at;
  bool operator==(const CallFrame&) const = default;
};

// Lanes of a warp that go together.
struct Group {
  enum State : u8 { runs, at_barrier, at_collective };
  u32 lanes = 0;
  Function* function = nullptr;
  int at = 0;
  State state = runs;
  int barrier = 0;
  u32 mask = 0;  // of the collective it waits at
  std::vector<CallFrame> calls;
  bool same_place(const Group& o) const { return at == o.at && function == o.function && calls == o.calls; }
};

struct Warp {
  std::vector<Group> groups;
  std::unique_ptr<char[]> rows, local;  // registers; local memory, lane by lane
  u32 live = 0, carry = 0;
  int number = 0, runnable = 0;  // groups that run
  WarpClock clock;
};

struct Sector {  // of an L1, 32 bytes
  std::array<char, 32> data;
  u32 dirty = 0;
};

struct LateAtomic {  // has no result, and memory has not seen it
  Type type;
  Atomic op;
  char* to;
  u64 operand;
};

// The bytes that a block has written and that are not in memory yet.
struct Unseen {
  std::unordered_map<u64, Sector> l1;
  std::vector<LateAtomic> late;
};

struct BarrierState {
  int arrived = 0, expected = 0, popc = 0;
  bool all = true, any = false;
};

struct ThreadBlock {
  std::vector<Warp> warps;
  std::vector<char> shared;
  u64 linear = 0;
  Extent index;
  int live = 0;  // threads
  bool active = false;
  int pause = 0;  // turns it is left out, after a store or an atomic that others may wait for
  std::array<BarrierState, 16> barriers;
  Unseen unseen;
  BlockClock clock;
};

// Where a function's rows and its frame begin. Each function has its own: recursion is not known here.
struct Window {
  int rows = 0, frame = 0;
};

struct Launch {
  const LaunchRequest& request;
  Function* kernel;
  int threads = 0, warps = 0;
  u32 shared_bytes = 0;
  std::map<const Function*, Window> windows;
  int row_bytes = 0, local_bytes = 0;
  u64 workspace = 0;  // of a cooperative launch's barrier
  u64 steps = 0;
  LaunchCounts* counts = nullptr;        // nullptr: nothing is counted
  std::unordered_map<u64, u32> written;  // by 4 bytes: when flags are there
  mutable u64 chain = 0;                 // of the slowest warp
  std::vector<Unseen> ended = {};        // of blocks that have ended
};

// State that an instruction reads.
struct Context {
  char* rows = nullptr;  // of the function at hand
  int frame = 0;         // where its frame begins in local memory
  Warp* warp = nullptr;
  ThreadBlock* block = nullptr;
  Launch* launch = nullptr;
  const Function* function = nullptr;
};

struct Fault {
  int code;  // cudaError_t
  std::string text;
};
std::string place_of(const Context& context, int lane);
std::string place_of(const Function& function, const Instruction& instruction);
[[noreturn]] void fault(const Context& context, const Instruction& instruction, int lane, int code,
                        const std::string& what);
void note(const Context& context, const Instruction& instruction, int lane, const std::string& what);  // each once

// for (int lane : lanes(mask))
class LaneIterator {
 public:
  explicit LaneIterator(u32 left) : left_(left) {}
  int operator*() const { return __builtin_ctz(left_); }
  LaneIterator& operator++() {
    left_ &= left_ - 1;
    return *this;
  }
  bool operator!=(const LaneIterator& o) const { return left_ != o.left_; }

 private:
  u32 left_;
};
class LaneRange {
 public:
  explicit LaneRange(u32 mask) : mask_(mask) {}
  LaneIterator begin() const { return LaneIterator(mask_); }
  LaneIterator end() const { return LaneIterator(0); }

 private:
  u32 mask_;
};
inline LaneRange lanes(u32 mask) { return LaneRange(mask); }
inline int first_lane(u32 mask) { return __builtin_ctz(mask); }
inline u32 first_lanes(int count) { return count >= 32 ? ~u32{0} : (u32{1} << count) - 1; }

// Rows. Types below 32 bits lie in 32 bits.
template <class T>
inline T get(const char* row, int lane) {
  if constexpr (sizeof(T) >= 4)
    return reinterpret_cast<const T*>(row)[lane];
  else
    return static_cast<T>(reinterpret_cast<const u32*>(row)[lane]);
}
template <class T>
inline void put(char* row, int lane, T value) {
  if constexpr (sizeof(T) >= 4)
    reinterpret_cast<T*>(row)[lane] = value;
  else
    reinterpret_cast<u32*>(row)[lane] = static_cast<std::make_unsigned_t<T>>(value);
}
inline u64 get_wide(const char* row, int lane, int width) {
  return width == 8 ? get<u64>(row, lane) : get<u32>(row, lane);
}
inline void put_wide(char* row, int lane, int width, u64 value) {
  if (width == 8)
    put<u64>(row, lane, value);
  else
    put<u32>(row, lane, static_cast<u32>(value));
}
inline u32 predicate(const Context& c, int row) { return *reinterpret_cast<const u32*>(c.rows + row); }
inline void put_predicate(const Context& c, int row, u32 mask, u32 bits) {
  u32& p = *reinterpret_cast<u32*>(c.rows + row);
  p = (p & ~mask) | (bits & mask);
}

}  // namespace weir::ptx
