// a = b + s c, the measure of a space's memory (McCalpin's STREAM, 24 bytes an element): what a kernel that moves its
// bytes once can reach at best. Arrays of a kernel's own size tell what it can reach out of the caches.
#pragma once
#include <cstdint>

namespace weir {

// Bytes a second, the median of several runs of about a millisecond and more. bytes: of the three arrays together.
template <class Space>
double triad_bytes_per_second(std::int64_t bytes, int runs = 7);

inline constexpr std::int64_t triad_beyond_caches = std::int64_t{3} << 26;  // 64 MiB an array

}  // namespace weir
