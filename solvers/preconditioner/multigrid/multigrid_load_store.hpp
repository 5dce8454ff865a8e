// Steps of a cycle that read r and write z, where the passes of multigrid_host.hpp do not. Included by .cu files only.
#pragma once
#include <cstdint>

#include "solvers/preconditioner/multigrid/multigrid_kernels.hpp"

namespace weir::multigrid {

// Two neighbours in a row of r or z in one access, if each row begins at a multiple of 16 bytes.
struct alignas(16) Two {
  double first, second;
};
inline bool is_paired(const double* v, const Extents& e) {
  return e.nx % 2 == 0 && reinterpret_cast<std::uintptr_t>(v) % sizeof(Two) == 0;
}

// g = factor r / V for two neighbours in x, and, if omega is not 0, the first half sweep (all unknowns are own).
template <class T, int Layers>
struct Load {
  LevelView<T> L;
  double factor;
  const double* r;
  T omega;
  bool paired = is_paired(r, L.own);
  WEIR_HD Extents range() const { return {(L.own.nx + 1) / 2, L.own.ny, parts(L.own.nz, Layers)}; }
  WEIR_HD void operator()(int m, int j, int column) const {
    const int i = 2 * m, J = L.own_j + j, layer = 2 * L.pitch * L.Y.n;
    const bool has_second = i + 1 < L.own.nx;
    const int half[2] = {L.half_of_axis(L.own_i + i), L.half_of_axis(L.own_i + i + (has_second ? 1 : 0))};
    const int row = 2 * L.pitch * (L.own_k * L.Y.n + J);
    const double mass_y = L.Y.mass[J];
    for_column<Layers>(column, L.own.nz, [&](int k) {
      const double* from = r + L.own.index(i, j, k);
      const Two v = paired ? *reinterpret_cast<const Two*>(from) : Two{from[0], has_second ? from[1] : 0};
      const double f = factor / (mass_y * L.Z.mass[L.own_k + k]);
      const T g[2] = {static_cast<T>(v.first * f * L.X.inverse_mass[half[0]]),
                      static_cast<T>(v.second * f * L.X.inverse_mass[half[1]])};
      const int c = row + k * layer, own = (j + k) & 1;
      L.g[c + half[0]] = g[0];
      if (has_second) L.g[c + half[1]] = g[1];
      if (omega == 0 || (own && !has_second)) return;
      const int h = own ? half[1] : half[0];
      L.u[c + h] = omega * ((own ? g[1] : g[0]) / (L.X.diagonal[h] + (L.shift + L.Y.diagonal[j] + L.Z.diagonal[k])));
    });
  }
};

template <class T, int Layers>
struct Store {  // z = factor u
  LevelView<T> L;
  double factor;
  double* z;
  WEIR_HD Extents range() const { return {L.own.nx, L.own.ny, parts(L.own.nz, Layers)}; }
  WEIR_HD void operator()(int i, int j, int column) const {
    const int bottom = L.place(L.own_i + i, L.own_j + j, L.own_k), layer = 2 * L.pitch * L.Y.n;
    for_column<Layers>(column, L.own.nz,
                       [&](int k) { z[L.own.index(i, j, k)] = factor * static_cast<double>(L.u[bottom + k * layer]); });
  }
};

// Last half sweep with the store; all unknowns are own. Relaxed values go to z only.
template <class T, int Layers>
struct RelaxAndStore {
  LevelView<T> L;
  int colour;
  T omega;
  double factor;
  double* z;
  bool paired = is_paired(z, L.own);
  WEIR_HD Extents range() const { return colour_range(L, Layers); }
  WEIR_HD void operator()(int m, int j, int column) const {
    const int odd = half_of_colour(colour, j, column), i = 2 * m + odd, other = 2 * m + 1 - odd;
    const bool has_own = i < L.X.n, has_other = other < L.X.n;
    const Column<T> of(L, has_own ? i : other, j);
    const int own_bottom = L.place(i, j, 0), other_bottom = L.place(other, j, 0);
    for_colour<Layers>(column, L.Z.n, [&](int k, int) {
      const int c = own_bottom + k * of.layer;
      T u = 0;
      if (has_own) u = L.u[c] + omega * ((L.g[c] + of.neighbours(c, k)) / of.diagonal(k) - L.u[c]);
      const T rest = has_other ? L.u[other_bottom + k * of.layer] : 0;
      const Two v{factor * static_cast<double>(odd ? rest : u), factor * static_cast<double>(odd ? u : rest)};
      double* to = z + L.own.index(2 * m, j, k);
      if (paired) {
        *reinterpret_cast<Two*>(to) = v;
      } else {
        to[0] = v.first;
        if (2 * m + 1 < L.X.n) to[1] = v.second;
      }
    });
  }
};

}  // namespace weir::multigrid
