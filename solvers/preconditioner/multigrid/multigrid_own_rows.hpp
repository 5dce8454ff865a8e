// Host: rows of r into g of a level, and of its u into z. r and z have natural order, a level has halves of rows and,
// over ranks, a wide box. Included by multigrid_host.cpp.
#pragma once
#include <algorithm>
#include <cmath>

#include "solvers/preconditioner/multigrid/multigrid_host.hpp"

namespace weir::multigrid {

// Index of row (j, k) of the level in r and z.
template <class T>
inline std::int64_t own_row(const LevelView<T>& L, int j, int k) {
  return static_cast<std::int64_t>(k - L.own_k) * L.own.ny + j - L.own_j;
}

// Both halves of a row of g = f r / (mass along x), and the largest |g|.
template <class T>
double load_row(const double* r, double f, const double* first_mass, const double* second_mass, T* first, T* second,
                int n) {
  double peak = 0;
#pragma omp simd reduction(max : peak)
  for (int m = 0; m < n / 2; ++m) {
    const double a = r[2 * m] * (f * first_mass[m]), b = r[2 * m + 1] * (f * second_mass[m]);
    first[m] = static_cast<T>(a);
    second[m] = static_cast<T>(b);
    peak = std::max(peak, std::max(std::abs(a), std::abs(b)));
  }
  if (n % 2 == 0) return peak;
  const double last = r[n - 1] * (f * first_mass[n / 2]);
  first[n / 2] = static_cast<T>(last);
  return std::max(peak, std::abs(last));
}

template <class T>
double load_plane(const LevelView<T>& L, int k, const double* r, double factor) {
  double peak = 0;
  for (int j = L.own_j; j < L.own_j + L.own.ny; ++j)
    peak = std::max(peak,
                    load_row(r + own_row(L, j, k) * L.own.nx, factor / (L.Y.mass[j] * L.Z.mass[k]),
                             L.X.inverse_mass + L.half_of_axis(L.own_i), L.X.inverse_mass + L.half_of_axis(L.own_i + 1),
                             L.g + L.place(L.own_i, j, k), L.g + L.place(L.own_i + 1, j, k), L.own.nx));
  return peak;
}

// By value: as a capturing lambda it is not vectorised.
inline double row_dot(const double* v, const double* z, int n) {
  double dot = 0;
#pragma omp simd reduction(+ : dot)
  for (int i = 0; i < n; ++i) dot += v[i] * z[i];
  return dot;
}

template <class T>
void store_row(const LevelView<T>& L, int j, int k, const Output& out) {
  const std::int64_t row = own_row(L, j, k);
  double* z = out.z + row * L.own.nx;
  const T *first = L.u + L.place(L.own_i, j, k), *second = L.u + L.place(L.own_i + 1, j, k);
  const int n = L.own.nx / 2;
#pragma omp simd
  for (int m = 0; m < n; ++m) {
    z[2 * m] = out.factor * static_cast<double>(first[m]);
    z[2 * m + 1] = out.factor * static_cast<double>(second[m]);
  }
  if (L.own.nx % 2) z[L.own.nx - 1] = out.factor * static_cast<double>(first[n]);
  if (!out.row_dots) return;
  out.row_dots[row] = row_dot(out.r + row * L.own.nx, z, L.own.nx);
  if (out.w) out.row_dots_w[row] = row_dot(out.w + row * L.own.nx, z, L.own.nx);
}

}  // namespace weir::multigrid
