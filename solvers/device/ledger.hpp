// Allocations, copies, launches and waits of a thread, in bytes and counts. In steady state a time step allocates
// nothing and copies only scalars; tests check it.
#pragma once
#include <cstdint>

namespace weir {

struct Ledger {
  std::int64_t host_allocations = 0, host_bytes = 0, host_peak_bytes = 0;        // Arrays in Host space
  std::int64_t device_allocations = 0, device_bytes = 0, device_peak_bytes = 0;  // Arrays in Device space
  std::int64_t copies_to_device = 0, bytes_to_device = 0;
  std::int64_t copies_to_host = 0, bytes_to_host = 0;
  std::int64_t scalars_to_host = 0;   // results of reductions, counted apart
  std::int64_t launches = 0;          // kernels, loops, reductions and fills of the device
  std::int64_t synchronisations = 0;  // the host has waited for the device: for a sum, a copy, or by request
};

// That of the calling thread.
Ledger& ledger();

}  // namespace weir
