// Memory and independent loops of the emulated device.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "backend/recording.hpp"
#include "solvers/device/ledger.hpp"

namespace weir::simt {

// Device code runs inside of such a scope: threads of the host use the one device in turn, and with protected memory
// (options.hpp) only such code may touch the device's.
extern bool memory_is_protected;
void open_memory(bool open);
inline std::recursive_mutex device_in_use;
class DeviceCode {
 public:
  DeviceCode() {
    if (memory_is_protected) open_memory(true);
  }
  ~DeviceCode() {
    if (memory_is_protected) open_memory(false);
  }
  DeviceCode(const DeviceCode&) = delete;
  DeviceCode& operator=(const DeviceCode&) = delete;

 private:
  const std::scoped_lock<std::recursive_mutex> lock_{device_in_use};
};

#if defined(__SANITIZE_THREAD__)
inline constexpr bool checked_loops = true;
#else
inline constexpr bool checked_loops = false;
#endif

// The race build: the loop runs on a fiber (so that an error can leave it), each index in its turn as a thread of its
// own. `body` is where the loop's function object lies: device code may read it.
void run_checked_loop(const char* name, void (*loop)(void*), void* argument, const void* body, std::size_t bytes);
void begin_index(std::int64_t index);
void end_index();

template <class Loop, class F>
void checked_loop(const char* name, Loop& loop, const F& f) {
  run_checked_loop(
      name, [](void* p) { (*static_cast<Loop*>(p))(); }, &loop, &f, sizeof f);
}

}  // namespace weir::simt

namespace weir::backend {

inline constexpr bool emulated = true;

void* device_allocate(std::int64_t bytes);  // poisoned; throws Error(out_of_memory)
void device_release(void* p, std::int64_t bytes) noexcept;
void copy_to_device(void* device, const void* host, std::int64_t bytes);
void copy_to_host(void* host, const void* device, std::int64_t bytes);
void set_zero(void* device, std::int64_t bytes);
std::int64_t free_memory();  // without a limit; WEIR_SIMT_MEMORY=BYTES: what the device has
inline constexpr bool waits_for_launches() { return false; }
inline void synchronise() {
  ++ledger().synchronisations;
}  // all work submitted so far is done: here nothing is put off
void refuse_recording(const char* what);  // throws where work is recorded: it cannot be a part of that
const char* device_name();
bool device_available();
inline std::string why_no_device() { return ""; }
int device_count();
void select_device(int number);  // for this process, before anything lies on a device

// A kernel without collectives: a plain loop at native speed. By a copy of f: through the reference the compiler turns
// every access into a gather.
template <class F>
void run_loop(std::int64_t n, const F& f) {
  if (simt::recording) return simt::recording->push_back([=] { run_loop(n, f); });
  if (n > 0) ++ledger().launches;
  if constexpr (simt::checked_loops) {
    auto loop = [&] {
      const F body = f;
      for (std::int64_t i = 0; i < n; ++i) {
        simt::begin_index(i);
        body(static_cast<int>(i));
        simt::end_index();
      }
    };
    simt::checked_loop("for_each", loop, f);
  } else {
    const simt::DeviceCode scope;
    const F body = f;
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) body(static_cast<int>(i));
  }
}
template <class F>
void run_loop_3d(int nx, int ny, int nz, const F& f) {
  if (simt::recording) return simt::recording->push_back([=] { run_loop_3d(nx, ny, nz, f); });
  if constexpr (simt::checked_loops) {
    run_loop(std::int64_t{nx} * ny * nz, [=](int q) { f(q % nx, q / nx % ny, q / nx / ny); });
  } else {
    if (nx > 0 && ny > 0 && nz > 0) ++ledger().launches;
    const simt::DeviceCode scope;
    const F body = f;
    for (int k = 0; k < nz; ++k)
      for (int j = 0; j < ny; ++j) {
#pragma omp simd
        for (int i = 0; i < nx; ++i) body(i, j, k);
      }
  }
}

}  // namespace weir::backend
