// Several vectors in one pass over a matrix or its factors: the rows of a chunk stay in the cache while all vectors are
// served. Each vector gets the same bits as in a pass of its own.
#pragma once
#include <cstddef>
#include <span>
#include <type_traits>

#include "solvers/device/space.hpp"

namespace weir {

inline constexpr int rows_in_cache = 256;  // block rows of a chunk

// f(std::integral_constant<int, K>), K: the largest of 4, 3, 2, 1 that is at most `left`. Returns K.
template <class F>
int in_groups(std::size_t left, const F& f) {
  if (left >= 4) return f(std::integral_constant<int, 4>()), 4;
  if (left == 3) return f(std::integral_constant<int, 3>()), 3;
  if (left == 2) return f(std::integral_constant<int, 2>()), 2;
  return f(std::integral_constant<int, 1>()), 1;
}

struct OneOfMany {
  const double* b;
  double* x;
};

// A preconditioner with such a pass: x = M^-1 b.
template <class Space>
class AppliesMany {
 public:
  virtual ~AppliesMany() = default;
  virtual void apply_many(std::span<const OneOfMany> vectors) const = 0;
};

}  // namespace weir
