// Included by sources of device code only. Values that threads wait for without a flag: one that is not there yet has
// bits that no stored value has. A relaxed load and a relaxed store of the value itself suffice, as nothing else is
// handed over with it.
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
