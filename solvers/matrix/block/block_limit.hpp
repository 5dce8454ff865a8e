// The largest supported block size.
#pragma once
#include <string>

#include "base/error.hpp"

namespace weir {

// Kernels keep a whole block in the first-level cache or in shared memory: 64 x 64 doubles are 32 KiB.
inline void refuse_large_block(int block, int largest, const std::string& who) {
  if (block <= largest) return;
  throw Error(Exit::usage,
              who + ": blocks of " + std::to_string(block) + " unknowns; sizes are 1 to " + std::to_string(largest) +
                  ", because a block of 64 x 64 doubles (32 KiB) is the most that a first-level cache and the shared "
                  "memory of a workgroup hold; use smaller blocks, or scalar rows (blocks of 1)");
}

}  // namespace weir
