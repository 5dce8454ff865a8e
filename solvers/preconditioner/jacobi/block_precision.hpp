// In what precision an inverted diagonal block J = D^-1 may be stored, after Anzt, Dongarra, Flegar, Higham &
// Quintana-Orti, "Adaptive precision in block-Jacobi preconditioning for iterative sparse system solvers", Concurrency
// Computat. Pract. Exper. 31 (2019) e4460.
//
// A format rounds each entry with an error of at most u max(|entry|, s): u its unit round-off, s its least normal number, below
// which numbers are evenly spaced. What is stored is J + F, and applied to D
//   |(J + F) D - I|_1  =  |F D|_1  <=  u (|J|_1 + B s) |D|_1,
// which is u times the condition number of the block where nothing underflows. The shortest format is taken for which that is
// within `accuracy` and in which the largest entry does not overflow.
#pragma once
#include <cfloat>

#include "backend/dialect.hpp"
#include "solvers/matrix/half.hpp"
#include "solvers/matrix/stored_as.hpp"

namespace weir {

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

// The bound on |F D|_1.
WEIR_HD constexpr double rounding_bound(const NumberFormat& f, int B, const BlockNorms& n) {
  return f.round_off * (n.of_inverse + B * f.least_normal) * n.of_block;
}
WEIR_HD constexpr bool fits(const NumberFormat& f, int B, const BlockNorms& n, double accuracy) {
  return n.largest <= f.largest && rounding_bound(f, B, n) <= accuracy;
}
WEIR_HD constexpr StoredAs precision_of(int B, const BlockNorms& n, double accuracy) {
  if (fits(half_format(), B, n, accuracy)) return StoredAs::half;
  if (fits(bfloat16_format(), B, n, accuracy)) return StoredAs::bfloat16;
  return fits(float_format(), B, n, accuracy) ? StoredAs::float32 : StoredAs::float64;
}

}  // namespace weir
