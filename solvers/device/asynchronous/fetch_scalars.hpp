// Copies scalars that were left in device memory (leave_sum in reduce.hpp) to the host, which waits. The ledger counts
// them as scalars.
#pragma once
#include <cstdint>
#include <span>

#include "solvers/device/array.hpp"

namespace weir {

namespace detail {
void fetch_scalars(void* host, const void* device, std::int64_t bytes);
}

// The first host.size() of `device`.
template <class T>
void fetch_scalars(const Array<T, Device>& device, std::span<T> host) {
  detail::fetch_scalars(host.data(), device.data(), static_cast<std::int64_t>(host.size_bytes()));
}

}  // namespace weir
