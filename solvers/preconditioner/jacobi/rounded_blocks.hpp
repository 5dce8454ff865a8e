// `block_jacobi` with its inverted blocks in less than double, all as floats or each in its own precision. Memory: the blocks of
// one width (2, 4 or 8 bytes an entry) lie together in the order of their rows, and nothing else is kept of them; a row has
// four bytes that say which and where. setup inverts a stretch of rows after the other in a small scratch array,
// twice: once to choose, once to store. An update inverts once as long as no block changes its kind, and it allocates only
// where it needs more blocks of a width than ever before.
#pragma once
#include <cfloat>
#include <cstdint>
#include <memory>

#include "backend/host_device.hpp"
#include "solvers/matrix/half.hpp"
#include "solvers/matrix/stored_as.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

// accuracy: see BlockNorms; 0: all blocks as floats.
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_rounded_block_jacobi(double accuracy);

[[noreturn]] void throw_singular_block(int row, int block);

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

// z = D^-1 r
namespace block_jacobi {
void apply(Host, const RoundedBlocks& m, View<const double> r, View<double> z);
void apply(Host, View<const double> inverse, int n, View<const double> r, View<double> z);  // n x n each, row by row
}  // namespace block_jacobi

// In what precision an inverted diagonal block J = D^-1 may be stored, after Anzt, Dongarra, Flegar, Higham &
// Quintana-Orti, "Adaptive precision in block-Jacobi preconditioning for iterative sparse system solvers", Concurrency
// Computat. Pract. Exper. 31 (2019) e4460.
//
// A format rounds each entry with an error of at most u max(|entry|, s): u its unit round-off, s its least normal number, below
// which numbers are evenly spaced. What is stored is J + F, and applied to D
//   |(J + F) D - I|_1  =  |F D|_1  <=  u (|J|_1 + B s) |D|_1,
// which is u times the condition number of the block where nothing underflows. The shortest format is taken for which that is
// within `accuracy` and in which the largest entry does not overflow.
struct BlockNorms {
  double of_block = 0, of_inverse = 0;  // |D|_1, |J|_1
  double largest = 0;                   // of the entries of J
};

struct NumberFormat {
  double round_off, least_normal, largest;
};
// Bfloat16 rounds to a float first, which adds a little.
WEIR_HD constexpr NumberFormat half_format() { return {0x1p-11, Half::least_normal, Half::largest}; }
WEIR_HD constexpr NumberFormat bfloat16_format() { return {0x1p-8 * (1 + 0x1p-15), 0x1p-126, 0x1.fep127}; }
WEIR_HD constexpr NumberFormat float_format() { return {0x1p-24, 0x1p-126, FLT_MAX}; }

WEIR_HD constexpr bool fits(const NumberFormat& f, int B, const BlockNorms& n, double accuracy) {
  const double bound = f.round_off * (n.of_inverse + B * f.least_normal) * n.of_block;  // on |F D|_1
  return n.largest <= f.largest && bound <= accuracy;
}
WEIR_HD constexpr StoredAs precision_of(int B, const BlockNorms& n, double accuracy) {
  if (fits(half_format(), B, n, accuracy)) return StoredAs::half;
  if (fits(bfloat16_format(), B, n, accuracy)) return StoredAs::bfloat16;
  return fits(float_format(), B, n, accuracy) ? StoredAs::float32 : StoredAs::float64;
}

}  // namespace weir
