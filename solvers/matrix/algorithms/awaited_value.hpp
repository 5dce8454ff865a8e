// Device code only. Values that threads wait for without a separate flag: a value that is not yet computed has bits
// that no result has. Relaxed loads and stores suffice, because no other data depends on the value.
#pragma once
#include "backend/dialect.hpp"
#include "solvers/matrix/algorithms/awaited_vector.hpp"

namespace weir::awaited {

inline constexpr std::int64_t other_nan = 0x7ff8000000000000;

__device__ inline double as_double(std::int64_t bits) {
  double v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}
__device__ inline std::int64_t as_bits(double v) {
  std::int64_t bits;
  __builtin_memcpy(&bits, &v, sizeof bits);
  return bits == nothing ? other_nan : bits;
}

}  // namespace weir::awaited
