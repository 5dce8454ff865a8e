// The words that the parts of the interpreter share: integers, PTX's types, options, random numbers, reports.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace weir::ptx {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

enum Type : u8 { B8, B16, B32, B64, U8, U16, U32, U64, S8, S16, S32, S64, F16, BF16, F32, F64, PRED, B128, NO_TYPE };

inline int bytes_of(Type t) {
  static constexpr u8 bytes[] = {1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 4, 16, 0};
  return bytes[t];
}
inline bool is_signed(Type t) { return t >= S8 && t <= S64; }
inline bool is_float(Type t) { return t >= F16 && t <= F64; }

template <class T>
T round_up(T value, T multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The bits of `from`, as a To of the same or another size.
template <class To, class From>
To bits_as(From from) {
  To to{};
  std::memcpy(&to, &from, sizeof(To) < sizeof(From) ? sizeof(To) : sizeof(From));
  return to;
}

enum class Schedule { convergent, warps, lanes };

// From the environment, WEIR_PTX_...: README.md.
struct Options {
  u64 seed = 1;
  Schedule schedule = Schedule::convergent;
  int resident = 16;              // blocks in flight at a time
  u64 steps = 20'000'000'000ull;  // warp instructions before a launch counts as endless
  int weak = 0;                   // 1: a write-back L1 a block; 2: weaker still, weak_memory.hpp
  double late = 0.5;              // probability that a plain store stays in the L1
  bool reverse = false;           // blocks start from the last
  bool eager = false;             // streams do their work at once
  bool verbose = false;           // every launch is printed
  int devices = 1;
  std::string mutant;       // release, acquire, fence, barrier or warp (a warp's barrier): left out of all kernels,
  std::string mutant_file;  // or where this is not empty of the code of one line alone, or that it calls inline
  u32 mutant_line = 0;
  std::string statistics, log, cache;  // files and a folder
  std::string disassembler;            // nvdisasm, for statistics
  u64 l1 = u64{256} << 10;             // bytes of an SM's L1 and shared memory
  u64 l2 = u64{50} << 20;              // of the device's L2
  bool lines = false;                  // statistics name instructions that touch too many sectors
};
extern const Options options;

u64 random_number();  // of one sequence a process, from options.seed
inline bool one_in(u64 n) { return random_number() % n == 0; }

// To standard error and to the log, which a test that swallows the error cannot hide.
void report(const std::string& what);
// Unknown feature: ends the process with exit code 99.
[[noreturn]] void unsupported(const std::string& what);
std::string demangled(const std::string& name);

}  // namespace weir::ptx
