// Software prefetch of a stream on the host. Hardware prefetchers restart on each 4 kB page and predict short rows
// badly. With a distance of 8 kB, a block CSR product takes 0.5 (n = 1, 2), 0.7 (n = 3), 0.8 to 0.9 (n = 4 to 7) of
// its time; 2 kB gains less (one core of an EPYC, Zen 5, matrix in memory; in cache 1.0 to 1.1). Seven or eight
// parallel streams, as in BlockStencil, need none: 1.05 to 1.2.
#pragma once
#include <algorithm>
#include <cstdint>

namespace weir::prefetch {

inline constexpr int first_level = 3, second_level = 2;                    // target cache
inline constexpr std::int64_t line = 64, most_lines = 8, distance = 8192;  // bytes; lines at once

// No effect beyond the end of an array.
template <int level = first_level>
[[gnu::always_inline]] inline void fetch(std::uintptr_t from, std::int64_t bytes) {
  const std::int64_t end = std::min(bytes, most_lines * line);
  for (std::int64_t k = 0; k < end; k += line)
    __builtin_prefetch(reinterpret_cast<const char*>(from + static_cast<std::uintptr_t>(k)), 0, level);
}
template <int level = first_level>
[[gnu::always_inline]] inline void fetch(const void* from, std::int64_t bytes) {
  fetch<level>(reinterpret_cast<std::uintptr_t>(from), bytes);
}

template <int level = first_level, class T>
[[gnu::always_inline]] inline void fetch_ahead(const T* from, std::int64_t count) {
  fetch<level>(reinterpret_cast<std::uintptr_t>(from) + distance, count * static_cast<std::int64_t>(sizeof(T)));
}

// The same for a row of scalars: most have up to eight and fit one line, for which a loop would cost too much.
template <class T>
[[gnu::always_inline]] inline void fetch_scalars_ahead(const T* from, std::int64_t count) {
  fetch_ahead(from, 1);
  if (count > 8) fetch_ahead(from, count);
}

}  // namespace weir::prefetch
