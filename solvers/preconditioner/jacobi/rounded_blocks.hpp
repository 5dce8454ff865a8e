// `block_jacobi` with its inverted blocks in less than double, all as floats or each in its own precision. Memory: the blocks of
// one width (2, 4 or 8 bytes an entry) lie together in the order of their rows, and nothing else is kept of them; a row has
// four bytes that say which and where. setup inverts a stretch of rows after the other in a small scratch array,
// twice: once to choose, once to store. An update inverts once as long as no block changes its kind, and it allocates only
// where it needs more blocks of a width than ever before.
#pragma once
#include <cstdint>
#include <memory>

#include "solvers/matrix/bfloat16.hpp"
#include "solvers/matrix/half.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_float_block_jacobi();

// accuracy: see block_precision.hpp.
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_adaptive_block_jacobi(double accuracy);

// What an application reads. A block lies column by column.
struct RoundedBlocks {
  int rows = 0, block = 1;
  const std::uint32_t* place =
      nullptr;                         // of each block row: 4 times the block's number in its width, plus its StoredAs;
                                       // null: all are floats, in order
  const std::uint16_t* two = nullptr;  // Half and Bfloat16
  const float* four = nullptr;
  const double* eight = nullptr;

  WEIR_HD StoredAs kind(int row) const { return place ? static_cast<StoredAs>(place[row] & 3u) : StoredAs::float32; }
  WEIR_HD std::int64_t first_entry(int row) const {
    const std::int64_t number = place ? place[row] >> 2 : row;
    return number * block * block;
  }
};

// f(entries) of the row's block, as const Half*, Bfloat16*, float* or double*.
template <class F>
WEIR_HD decltype(auto) with_entries(const RoundedBlocks& m, int row, const F& f) {
  const std::int64_t at = m.first_entry(row);
  switch (m.kind(row)) {
    case StoredAs::half:
      return f(reinterpret_cast<const Half*>(m.two + at));
    case StoredAs::bfloat16:
      return f(reinterpret_cast<const Bfloat16*>(m.two + at));
    case StoredAs::float32:
      return f(m.four + at);
    default:
      return f(m.eight + at);
  }
}

namespace block_jacobi_host {
void apply(const RoundedBlocks& m, const double* r, double* z);
}  // namespace block_jacobi_host

}  // namespace weir
