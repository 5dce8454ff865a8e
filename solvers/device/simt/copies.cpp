// Device allocation and copies, with the ledger.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "arena.hpp"
#include "base/error.hpp"
#include "checker.hpp"
#include "machine.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/device/simt/backend/runtime.hpp"

namespace weir {
namespace {

void check_device(const void* p, std::int64_t bytes, const char* what) {
  if (!simt::in_arena(p))
    throw Error(Exit::internal, std::string(what) + ": a host pointer where a device pointer belongs");
  if (!simt::is_allocated(p, static_cast<std::size_t>(bytes)))
    throw Error(Exit::internal, std::string(what) + ": " + std::to_string(bytes) + " bytes leave the device array");
}
void check_host(const void* p, const char* what) {
  if (simt::in_arena(p))
    throw Error(Exit::internal, std::string(what) + ": a device pointer where a host pointer belongs");
}

}  // namespace

namespace backend {

void* device_allocate(std::int64_t bytes) {
  static const bool protect = [] {
    const char* s = std::getenv("WEIR_SIMT_PROTECT");
    if (s && s[0] == '1') simt::protect_device_memory(true);
    return true;
  }();
  static_cast<void>(protect);
  const simt::DeviceCode scope;
  void* p = simt::allocate(static_cast<std::size_t>(bytes));
  if (!p) throw Error(Exit::out_of_memory, "out of memory: " + std::to_string(bytes) + " bytes wanted in device space");
  Ledger& l = ledger();
  ++l.device_allocations;
  l.device_bytes += bytes;
  l.device_peak_bytes = std::max(l.device_peak_bytes, l.device_bytes);
  return p;
}

void device_release(void* p, std::int64_t bytes) noexcept {
  ledger().device_bytes -= bytes;
  const simt::DeviceCode scope;
  simt::release(static_cast<char*>(p));
}

void copy_to_device(void* device, const void* host, std::int64_t bytes) {
  if (bytes == 0) return;
  refuse_recording("a copy");
  const simt::DeviceCode scope;
  check_device(device, bytes, "copy to the device");
  check_host(host, "copy to the device");
  std::memcpy(device, host, static_cast<std::size_t>(bytes));
  simt::checker_initialised(device, static_cast<std::size_t>(bytes));
  ++ledger().copies_to_device;
  ++ledger().synchronisations;
  ledger().bytes_to_device += bytes;
}
void copy_to_host(void* host, const void* device, std::int64_t bytes) {
  if (bytes == 0) return;
  refuse_recording("a copy");
  const simt::DeviceCode scope;
  check_device(device, bytes, "copy to the host");
  check_host(host, "copy to the host");
  std::memcpy(host, device, static_cast<std::size_t>(bytes));
  ++ledger().copies_to_host;
  ++ledger().synchronisations;
  ledger().bytes_to_host += bytes;
}

void set_zero(void* device, std::int64_t bytes) {
  if (bytes == 0) return;
  if (simt::recording) return simt::recording->push_back([=] { set_zero(device, bytes); });
  const simt::DeviceCode scope;
  check_device(device, bytes, "zeros");
  ++ledger().launches;
  std::memset(device, 0, static_cast<std::size_t>(bytes));
  simt::checker_initialised(device, static_cast<std::size_t>(bytes));
}

std::int64_t free_memory() {
  const char* s = std::getenv("WEIR_SIMT_MEMORY");
  return s ? std::max<std::int64_t>(0, std::strtoll(s, nullptr, 10) - ledger().device_bytes)
           : std::numeric_limits<std::int64_t>::max();
}

const char* device_name() { return "simt (emulated on the CPU)"; }
bool device_available() { return true; }
int device_count() { return 1; }
void select_device(int) {}

}  // namespace backend

void* pinned_allocate(std::int64_t bytes) {
  void* p = std::malloc(static_cast<std::size_t>(bytes));
  if (!p)
    throw Error(Exit::out_of_memory, "out of memory: " + std::to_string(bytes) + " bytes of pinned memory wanted");
  return p;
}
void pinned_release(void* p) noexcept { std::free(p); }

}  // namespace weir
