// Scalars that were left in device memory (sums_stay.hpp), as the host looks at them: it waits, and the ledger counts them as scalars.
#pragma once
#include <cstdint>
#include <span>

#include "solvers/device/array.hpp"

namespace weir {

// Places for a handful of sums, for whoever fetches them at once: device memory, the same for all callers.
inline constexpr int passing_scalars = 16;
double* passing_places();

namespace detail {
void fetch_scalars(void* host, const void* device, std::int64_t bytes);
}

inline void fetch_passing(std::span<double> host) {
  detail::fetch_scalars(host.data(), passing_places(), static_cast<std::int64_t>(host.size_bytes()));
}
// The first host.size() of `device`.
template <class T>
void fetch_scalars(const Array<T, Device>& device, std::span<T> host) {
  detail::fetch_scalars(host.data(), device.data(), static_cast<std::int64_t>(host.size_bytes()));
}

}  // namespace weir
