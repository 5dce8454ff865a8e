// Minimum data movement and arithmetic of a call, for rooflines: bytes from and to main memory, each value once, and
// floating-point operations. Limited caches move more; data cached between calls moves less.
#pragma once
#include <cstdint>

namespace weir {

struct Work {
  std::int64_t bytes = 0;
  std::int64_t flops = 0;
  Work& operator+=(const Work& other) {
    bytes += other.bytes;
    flops += other.flops;
    return *this;
  }
};

// Both sweeps of a unit-triangular pair with a block diagonal (triangular.hpp): each block and its column once, start
// and order of rows, r read, z written, then read and written again.
inline Work work_of_sweeps(std::int64_t rows, std::int64_t block, std::int64_t off_blocks, std::int64_t value_bytes) {
  const std::int64_t entries = (off_blocks + rows) * block * block;
  return {value_bytes * entries + 4 * off_blocks + 2 * (8 + 4) * rows + 4 * 8 * block * rows, 2 * entries};
}

}  // namespace weir
