// What the process has allocated and copied, in bytes and counts: steady state allocates nothing and copies only
// scalars, and tests hold it to that.
#pragma once
#include <cstdint>

namespace weir {

struct Ledger {
  std::int64_t host_allocations = 0, host_bytes = 0, host_peak_bytes = 0;        // Arrays in Host space
  std::int64_t device_allocations = 0, device_bytes = 0, device_peak_bytes = 0;  // Arrays in Device space
  std::int64_t copies_to_device = 0, bytes_to_device = 0;
  std::int64_t copies_to_host = 0, bytes_to_host = 0;
  std::int64_t scalars_to_host = 0;  // results of reductions, counted apart
};

// The one ledger of the process.
Ledger& ledger();

}  // namespace weir
