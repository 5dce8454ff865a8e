// A build without a device. Whatever would use one throws, in functions that the compiler knows not to return: it drops
// what follows them, most of a solver's code for Device. That is what this backend is for: solvers compile in 0.7 of
// the time.
#pragma once
#include <cstdint>
#include <string>

#include "solvers/device/ledger.hpp"

namespace weir::backend {

inline constexpr bool emulated = true;

[[noreturn]] void no_device();  // Error(no_device)

[[noreturn]] inline void* device_allocate(std::int64_t) { no_device(); }
inline void device_release(void*, std::int64_t) noexcept {}
[[noreturn]] inline void copy_to_device(void*, const void*, std::int64_t) { no_device(); }
[[noreturn]] inline void copy_to_host(void*, const void*, std::int64_t) { no_device(); }
[[noreturn]] inline void set_zero(void*, std::int64_t) { no_device(); }
inline std::int64_t free_memory() { return 0; }
inline constexpr bool waits_for_launches() { return false; }
inline void synchronise() {}  // nothing was submitted: measurements on the host call it too
inline void refuse_recording(const char*) {}
inline const char* device_name() { return "none"; }
inline bool device_available() { return false; }
std::string why_no_device();
inline int device_count() { return 0; }
[[noreturn]] inline void select_device(int) { no_device(); }

template <class F>
[[noreturn]] void run_loop(std::int64_t, const F&) {
  no_device();
}
template <class F>
[[noreturn]] void run_loop_3d(int, int, int, const F&) {
  no_device();
}

}  // namespace weir::backend
