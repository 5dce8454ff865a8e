// Inverse of a dense column-major n x n block by one thread of either space; sums in double, result in T.
#pragma once
#include "solvers/device/space.hpp"

namespace weir::block_small {

inline constexpr int most = 64;  // the largest n

template <class T>
WEIR_HD void exchange(T& a, T& b) {
  const T kept = a;
  a = b;
  b = kept;
}

// d <- d^-1 by Gauss-Jordan elimination in place, optionally with column pivoting. False: a pivot was 0 or NaN.
template <class T>
WEIR_HD bool invert(int n, T* d, bool pivoting) {
  signed char from[most];
  bool usable = true;
  for (int r = 0; r < n; ++r) {
    int p = r;
    for (int u = r + 1; u < n && pivoting; ++u) {
      const T a = d[r * n + u] < 0 ? -d[r * n + u] : d[r * n + u], b = d[r * n + p] < 0 ? -d[r * n + p] : d[r * n + p];
      if (a > b) p = u;
    }
    from[r] = static_cast<signed char>(p);
    for (int v = 0; v < n && p != r; ++v) exchange(d[v * n + r], d[v * n + p]);
    const double pivot = static_cast<double>(d[r * n + r]), inverse = 1 / pivot;
    usable = usable && pivot != 0 && pivot - pivot == 0;
    d[r * n + r] = 1;
    for (int v = 0; v < n; ++v) d[v * n + r] = static_cast<T>(static_cast<double>(d[v * n + r]) * inverse);
    for (int u = 0; u < n; ++u) {
      if (u == r) continue;
      const double factor = static_cast<double>(d[r * n + u]);
      d[r * n + u] = 0;
      for (int v = 0; v < n; ++v)
        d[v * n + u] = static_cast<T>(static_cast<double>(d[v * n + u]) - factor * static_cast<double>(d[v * n + r]));
    }
  }
  for (int r = n - 1; r >= 0; --r)  // row exchanges of d are column exchanges of its inverse
    for (int u = 0; u < n && from[r] != r; ++u) exchange(d[r * n + u], d[from[r] * n + u]);
  return usable;
}

}  // namespace weir::block_small
