#pragma once
#include "physics/scalar.hpp"

namespace weir {

// A step of W = (p, u, v, T) from a cell's centre to a face that would lose more than nine tenths of pressure or temperature
// is shortened: to nothing (first order) where it would lose 1.8 times what there is, and continuously in between. A switch
// would hold Newton's method between its two sides.
template <class T>
WEIR_HD inline void keep_positive(const T w[4], T step[4]) {
  const T left = smaller_of(step[0] + 0.9 * w[0], step[3] + 0.9 * w[3]);
  if (!any_negative(left)) return;
  const T change = smaller_of(step[0] * w[3], step[3] * w[0]) / (w[0] * w[3]);  // the larger relative loss, negative
  const T kept = larger_of(T(0.0), change * (1 / 0.9) + 2.0);
  for (int c = 0; c < 4; ++c) step[c] = select(left < 0.0, kept * step[c], step[c]);
}

}  // namespace weir
