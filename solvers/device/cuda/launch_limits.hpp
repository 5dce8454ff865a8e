// Limits of launches on sm_90, and the shape of loops: the same numbers for CUDA and the emulator.
#pragma once
#include <cstddef>
#include <cstdint>

namespace weir::backend {

// Without an attribute a block has at most 48 KB of shared memory, static arrays included. launch() sets the attribute
// if the dynamic part exceeds 32 KB, which leaves 16 KB for static arrays.
inline constexpr std::size_t dynamic_without_asking = 32 * 1024, shared_without_asking = 48 * 1024;
inline constexpr std::size_t most_shared = 227 * 1024;

// Threads of a 3D loop's block. Along x 32, or 16 where that leaves an eighth fewer of them idle at the ends of rows of
// nx cells. A block is four rows high, and in a grid that fills the device anyway two layers deep: what neighbours in y
// and z read too comes from the SM's own cache. A 7-point stencil reads a row 2.75 times past it; in a block of one
// long row 5 times.
struct LoopBlock {
  unsigned x, y, z;
};
constexpr LoopBlock loop_block(unsigned nx, unsigned ny, unsigned nz) {
  unsigned x = 1;
  while (x < 16 && x < nx) x *= 2;
  if (nx > 16 && 8 * ((nx + 31) / 32 * 32) <= 9 * ((nx + 15) / 16 * 16)) x = 32;
  unsigned y = 1, z = 1;
  constexpr unsigned threads = 128, many = 1 << 17;
  while (y < 4 && y < ny && 2 * x * y <= threads) y *= 2;
  while (z < 2 && z < nz && std::uint64_t{nx} * ny * nz >= many) z *= 2;
  while (2 * x * y * z <= threads && 2 * y <= ny) y *= 2;  // a short row or a plane
  return {x, y, z};
}

}  // namespace weir::backend
