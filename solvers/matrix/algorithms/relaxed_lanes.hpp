// Relaxed loads and stores of a few adjacent values that other host threads access at the same time. Each value arrives
// whole, old or new; there is no ordering between values. Volatile vectors are used because loops over relaxed atomics
// are not vectorised; common processors move the aligned 8-byte parts of a vector whole. Included by .cpp files only.
#pragma once
#include "solvers/matrix/block/block_lanes.hpp"

namespace weir::lanes {

template <int N>
[[gnu::always_inline]] inline void load_relaxed(const double* shared, double* mine) {
  unroll<N / 4>([&](auto q) __attribute__((always_inline)) {
    const Quad v = *reinterpret_cast<const volatile Quad*>(shared + 4 * q);
    *reinterpret_cast<Quad*>(mine + 4 * q) = v;
  });
  unroll<N % 4>([&](auto r) __attribute__((always_inline)) {
    constexpr int e = N / 4 * 4 + r.value;
    mine[e] = *const_cast<const volatile double*>(shared + e);
  });
}

template <int N>
[[gnu::always_inline]] inline void store_relaxed(double* shared, const double* mine) {
  unroll<N / 4>([&](auto q) __attribute__((always_inline)) {
    *reinterpret_cast<volatile Quad*>(shared + 4 * q) = *reinterpret_cast<const Quad*>(mine + 4 * q);
  });
  unroll<N % 4>([&](auto r) __attribute__((always_inline)) {
    constexpr int e = N / 4 * 4 + r.value;
    *const_cast<volatile double*>(shared + e) = mine[e];
  });
}

// Counts known at run time.
inline void load_relaxed(std::int64_t count, const double* shared, double* mine) {
  for (std::int64_t q = 0; q < count / 4; ++q) load_relaxed<4>(shared + 4 * q, mine + 4 * q);
  for (std::int64_t r = count % 4; r > 0; --r) load_relaxed<1>(shared + count - r, mine + count - r);
}
inline void store_relaxed(std::int64_t count, double* shared, const double* mine) {
  for (std::int64_t q = 0; q < count / 4; ++q) store_relaxed<4>(shared + 4 * q, mine + 4 * q);
  for (std::int64_t r = count % 4; r > 0; --r) store_relaxed<1>(shared + count - r, mine + count - r);
}

}  // namespace weir::lanes
