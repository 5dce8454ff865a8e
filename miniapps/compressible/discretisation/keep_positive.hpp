#pragma once
#include "physics/scalar.hpp"

namespace weir {

// Reduces the step of W = (p, u, v, T) from a cell centre to a face if pressure or temperature would decrease by more
// than 90 %. The step decreases continuously to zero (first order) at a decrease of 180 %. A switch would make Newton's
// method alternate between its sides.
template <class T>
WEIR_HD inline void keep_positive(const T w[4], T step[4]) {
  const T left = smaller_of(step[0] + 0.9 * w[0], step[3] + 0.9 * w[3]);
  if (!any_negative(left)) return;
  const T change = smaller_of(step[0] * w[3], step[3] * w[0]) / (w[0] * w[3]);  // the larger relative loss, negative
  const T kept = larger_of(T(0.0), change * (1 / 0.9) + 2.0);
  for (int c = 0; c < 4; ++c) step[c] = select(left < 0.0, kept * step[c], step[c]);
}

}  // namespace weir
