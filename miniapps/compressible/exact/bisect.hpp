#pragma once

namespace weir {

// The point between two points at which `is_below` changes from true to false.
template <class F>
double bisect(double low, double high, int steps, const F& is_below) {
  for (int i = 0; i < steps; ++i) {
    const double middle = 0.5 * (low + high);
    (is_below(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace weir
