// Several vectors in one pass over a matrix or its factors: the rows of a chunk stay in the cache while all vectors are
// served. Each vector gets the same bits as in a pass of its own.
#pragma once
#include <span>

#include "solvers/device/space.hpp"

namespace weir {

inline constexpr int rows_in_cache = 256;  // block rows of a chunk

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
