// Options of the emulator, read once from the environment, changed by tests. Only the emulator has this header.
#pragma once
#include <cstdint>

namespace weir::simt {

enum class Order { forward, reverse, random };

struct Options {
  Order order = Order::random;       // WEIR_SIMT_ORDER: the next thread among those that can run
  std::uint64_t seed = 1;            // WEIR_SIMT_SEED
  unsigned resident_blocks = 8;      // WEIR_SIMT_RESIDENT: blocks that run interleaved (cooperative launches: all)
  std::int64_t steps = 500'000'000;  // WEIR_SIMT_STEPS: turns of threads in one launch before it counts as endless
  std::int64_t idle_steps =
      100'000;  // ... and turns in a row in which threads only looked at flags (more where many wait)
};
Options& options();

// Device memory cannot be touched outside of device code and copies: host code that does dies with a message. A test's
// mode; WEIR_SIMT_PROTECT=1 turns it on for a whole run. The race build checks each access instead.
void protect_device_memory(bool on);

// Faults that this build finds: all (race build); accesses out of bounds (AddressSanitizer).
bool checks_accesses();
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif

}  // namespace weir::simt
