// What launches may ask of sm_90, and the shape of loops: the same numbers for CUDA and the emulator.
#pragma once
#include <cstddef>

namespace weir::backend {

// A block has 48 KB of shared memory without asking, arrays of a fixed size and dynamic memory together. launch() asks for
// more where the dynamic part is larger than the first of these, so that up to 16 KB of arrays fit beside it.
inline constexpr std::size_t dynamic_without_asking = 32 * 1024, shared_without_asking = 48 * 1024;
inline constexpr std::size_t most_shared = 227 * 1024;

// Threads along x of a 3D loop's block of 128: the power of two from 16 on that leaves the fewest of them idle at the end of a
// row of nx cells (128 lanes on 65 cells: half of them), the largest of equals.
constexpr unsigned lanes_along_x(unsigned nx) {
  unsigned best = 1;
  while (best < 16 && best < nx) best *= 2;
  if (nx <= best) return best;
  for (unsigned x = 32; x <= 128; x *= 2)
    if ((nx + x - 1) / x * x <= (nx + best - 1) / best * best) best = x;
  return best;
}

}  // namespace weir::backend
