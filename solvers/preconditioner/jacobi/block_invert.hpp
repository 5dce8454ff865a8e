// Inverse of a small dense block by one thread, in either space.
#pragma once
#include "backend/host_device.hpp"

namespace weir::block_jacobi {

// a = a^-1 for a row-major B x B block; false if a pivot vanishes relative to the largest entry.
WEIR_HD inline bool invert(double* a, int B) {
  int swapped[64];
  double largest = 0;
  for (int e = 0; e < B * B; ++e) {
    const double size = a[e] < 0 ? -a[e] : a[e];
    if (!(size <= 1e300)) return false;
    largest = size > largest ? size : largest;
  }
  const double smallest = 1e-16 * B * largest;  // below this a pivot is rounding noise
  for (int c = 0; c < B; ++c) {
    int p = c;
    double best = -1;
    for (int r = c; r < B; ++r) {
      const double size = a[r * B + c] < 0 ? -a[r * B + c] : a[r * B + c];
      if (size > best) {
        best = size;
        p = r;
      }
    }
    if (!(best > smallest)) return false;
    swapped[c] = p;
    for (int k = 0; k < B && p != c; ++k) {
      const double t = a[c * B + k];
      a[c * B + k] = a[p * B + k];
      a[p * B + k] = t;
    }
    const double inverse = 1 / a[c * B + c];
    a[c * B + c] = 1;
    for (int k = 0; k < B; ++k) a[c * B + k] *= inverse;
    for (int r = 0; r < B; ++r) {
      if (r == c) continue;
      const double f = a[r * B + c];
      a[r * B + c] = 0;
      for (int k = 0; k < B; ++k) a[r * B + k] -= f * a[c * B + k];
    }
  }
  // Row exchanges of the block are column exchanges of its inverse, undone backwards.
  for (int c = B - 1; c >= 0; --c)
    for (int r = 0; r < B && swapped[c] != c; ++r) {
      const double t = a[r * B + c];
      a[r * B + c] = a[r * B + swapped[c]];
      a[r * B + swapped[c]] = t;
    }
  return true;
}

}  // namespace weir::block_jacobi
