// Memory of the emulated device.
#include "backend/runtime.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "solvers/device/ledger.hpp"

namespace weir::backend {

void* device_allocate(std::int64_t bytes) {
  void* p = std::aligned_alloc(64, static_cast<std::size_t>((bytes + 63) / 64 * 64));
  if (!p) throw Error(Exit::out_of_memory, "out of memory: " + std::to_string(bytes) + " bytes wanted in device space");
  std::memset(p, 0xff, static_cast<std::size_t>(bytes));  // not a number
  Ledger& l = ledger();
  ++l.device_allocations;
  l.device_bytes += bytes;
  l.device_peak_bytes = std::max(l.device_peak_bytes, l.device_bytes);
  return p;
}
void device_release(void* p, std::int64_t bytes) {
  ledger().device_bytes -= bytes;
  std::free(p);
}
void copy_to_device(void* device, const void* host, std::int64_t bytes) {
  std::memcpy(device, host, static_cast<std::size_t>(bytes));
  ++ledger().copies_to_device;
  ledger().bytes_to_device += bytes;
}
void copy_to_host(void* host, const void* device, std::int64_t bytes) {
  std::memcpy(host, device, static_cast<std::size_t>(bytes));
  ++ledger().copies_to_host;
  ledger().bytes_to_host += bytes;
}
void synchronise() {}
const char* device_name() { return "simt (emulated on the CPU)"; }

}  // namespace weir::backend
