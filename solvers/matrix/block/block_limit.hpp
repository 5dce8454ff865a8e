// The largest block size, and why there is one.
#pragma once
#include <string>

#include "base/error.hpp"

namespace weir {

// Kernels keep a whole block in a core's first cache or in a workgroup's shared memory; 64 x 64 doubles are 32 KiB, and none
// is written for more.
inline void refuse_large_block(int block, int largest, const std::string& who) {
  if (block <= largest) return;
  throw Error(Exit::usage, who + ": blocks of " + std::to_string(block) + " unknowns; sizes are 1 to " +
                               std::to_string(largest) +
                               ", as a block of 64 x 64 doubles (32 KiB) is what a core's first cache and a "
                               "workgroup's shared memory hold; take smaller blocks, or scalar rows (blocks of 1)");
}

}  // namespace weir
