// The steps of a multigrid cycle as independent loops over unknowns, for both spaces: what runs on Device, and on Host
// where the fused passes of multigrid_host.hpp do not apply. Deterministic: every value is gathered in a fixed order.
// One thread a column of `Layers` unknowns in z (columns.hpp): by itself one spends more instructions on offsets and couplings
// than on its values. (The halves of rows make the accesses of a colour contiguous.) A sweep over a colour reads the other
// one and writes its own, so it does not depend on the order of the threads. Each is a struct with the range of its indices,
// so that a launch of its own and the block that does all small levels (multigrid_small.hpp) run the same code. Included by
// .cu files only.
#pragma once
#include "solvers/device/columns.hpp"
#include "solvers/preconditioner/multigrid/multigrid_view.hpp"

namespace weir::multigrid {
WEIR_HD inline int before(int i, int n, bool periodic) { return i > 0 ? i - 1 : periodic ? n - 1 : 0; }
WEIR_HD inline int after(int i, int n, bool periodic) { return i + 1 < n ? i + 1 : periodic ? 0 : i; }

// What the unknowns (i, j, .) share: where their neighbours lie from their place, and the couplings. At an end without a
// neighbour the coupling is 0.
template <class T>
struct Column {
  const LevelView<T>& L;
  int layer, west, east, south, north;
  T low_x, up_x, low_y, up_y, diagonal_x, diagonal_y;

  WEIR_HD Column(const LevelView<T>& level, int i, int j) : L(level), layer(2 * L.pitch * L.Y.n) {
    const int h = L.half_of_axis(i), row = 2 * L.pitch;
    west = L.half_of_axis(before(i, L.X.n, L.X.periodic)) - h;
    east = L.half_of_axis(after(i, L.X.n, L.X.periodic)) - h;
    south = (before(j, L.Y.n, L.Y.periodic) - j) * row;
    north = (after(j, L.Y.n, L.Y.periodic) - j) * row;
    low_x = L.X.low[h], up_x = L.X.up[h], diagonal_x = L.X.diagonal[h];
    low_y = L.Y.low[j], up_y = L.Y.up[j], diagonal_y = L.shift + L.Y.diagonal[j];
  }
  // The sum of the couplings times the neighbours, of the unknown at c = place(i, j, k).
  WEIR_HD T neighbours(int c, int k) const {
    return low_x * L.u[c + west] + up_x * L.u[c + east] + low_y * L.u[c + south] + up_y * L.u[c + north] +
           L.Z.low[k] * L.u[c + (before(k, L.Z.n, L.Z.periodic) - k) * layer] +
           L.Z.up[k] * L.u[c + (after(k, L.Z.n, L.Z.periodic) - k) * layer];
  }
  WEIR_HD T diagonal(int k) const { return diagonal_x + (diagonal_y + L.Z.diagonal[k]); }
};

template <class T>
WEIR_HD T diagonal(const LevelView<T>& L, int i, int j, int k) {
  return L.X.diagonal[L.half_of_axis(i)] + (L.shift + L.Y.diagonal[j] + L.Z.diagonal[k]);
}

template <class T>
struct Clear {  // u = 0, with what lies between rows
  LevelView<T> L;
  WEIR_HD Extents range() const { return {2 * L.pitch * L.Y.n * L.Z.n, 1, 1}; }
  WEIR_HD void operator()(int i, int, int) const { L.u[i] = 0; }
};

template <class T, int Layers>
struct Residual {  // w = g - A u
  LevelView<T> L;
  WEIR_HD Extents range() const { return {L.X.n, L.Y.n, parts(L.Z.n, Layers)}; }
  WEIR_HD void operator()(int i, int j, int column) const {
    const Column<T> of(L, i, j);
    const int bottom = L.place(i, j, 0);
    for_column<Layers>(column, L.Z.n, [&](int k) {
      const int c = bottom + k * of.layer;
      L.w[c] = L.g[c] + of.neighbours(c, k) - of.diagonal(k) * L.u[c];
    });
  }
};

// The unknowns of a colour with one i, one j: every second k. Columns 0 and 1 alternate, then 2 and 3.
WEIR_HD constexpr int colour_columns(int n, int layers) { return layers == 1 ? n : 2 * parts(n, 2 * layers); }

template <class T, int Layers>
struct RelaxColour {  // Gauss-Seidel
  LevelView<T> L;
  int colour;
  T omega;
  WEIR_HD Extents range() const { return {(L.X.n + 1) / 2, L.Y.n, colour_columns(L.Z.n, Layers)}; }
  WEIR_HD void operator()(int m, int j, int column) const {
    const int i = 2 * m + ((colour + j + column) & 1);
    if (i >= L.X.n) return;
    const Column<T> of(L, i, j);
    const int bottom = L.place(i, j, 0);
    for_column<Layers>(column / 2, parts(L.Z.n - column % 2, 2), [&](int half) {
      const int k = 2 * half + column % 2, c = bottom + k * of.layer;
      L.u[c] += omega * ((L.g[c] + of.neighbours(c, k)) / of.diagonal(k) - L.u[c]);
    });
  }
};

template <class T, int Layers>
struct RelaxColourFromZero {  // the same where u = 0, which it need not be: the other colour is set to that
  LevelView<T> L;
  int colour;
  T omega;
  WEIR_HD Extents range() const { return {(L.X.n + 1) / 2, L.Y.n, colour_columns(L.Z.n, Layers)}; }
  WEIR_HD void operator()(int m, int j, int column) const {
    const int odd = (colour + j + column) & 1, i = 2 * m + odd, other = 2 * m + 1 - odd, layer = 2 * L.pitch * L.Y.n;
    const int own_bottom = L.place(i, j, 0), other_bottom = L.place(other, j, 0);
    const T diagonal_x = L.X.diagonal[L.half_of_axis(i)], diagonal_y = L.shift + L.Y.diagonal[j];
    for_column<Layers>(column / 2, parts(L.Z.n - column % 2, 2), [&](int half) {
      const int k = 2 * half + column % 2, above = k * layer;
      if (i < L.X.n)
        L.u[own_bottom + above] = omega * (L.g[own_bottom + above] / (diagonal_x + (diagonal_y + L.Z.diagonal[k])));
      if (other < L.X.n) L.u[other_bottom + above] = 0;
    });
  }
};

template <class T>
struct JacobiStep {  // u += omega w / d
  LevelView<T> L;
  T omega;
  WEIR_HD Extents range() const { return {L.X.n, L.Y.n, L.Z.n}; }
  WEIR_HD void operator()(int i, int j, int k) const {
    const int c = L.place(i, j, k);
    L.u[c] += omega * L.w[c] / diagonal(L, i, j, k);
  }
};

template <class T>
struct ChebyshevStep {  // p = old p + fresh w / d, u += p
  LevelView<T> L;
  T old, fresh;
  WEIR_HD Extents range() const { return {L.X.n, L.Y.n, L.Z.n}; }
  WEIR_HD void operator()(int i, int j, int k) const {
    const int c = L.place(i, j, k);
    const T step = fresh * L.w[c] / diagonal(L, i, j, k);
    L.p[c] = old == 0 ? step : old * L.p[c] + step;
    L.u[c] += L.p[c];
  }
};

template <class T, int Layers>
struct RestrictPlanes {  // w in x and y
  LevelView<T> fine, coarse;
  ExchangeView<T> ex;
  WEIR_HD Extents range() const { return {coarse.X.n, coarse.Y.n, parts(fine.Z.n, Layers)}; }
  WEIR_HD void operator()(int I, int J, int column) const {
    int x[4], y[4];
    T weight_x[4], weight_y[4];
    for (int a = 0; a < 4; ++a) {
      x[a] = fine.half_of_axis(ex.X.slot(I, a));
      y[a] = ex.Y.slot(J, a) * 2 * fine.pitch;
      weight_x[a] = ex.X.restriction[4 * I + a];
      weight_y[a] = ex.Y.restriction[4 * J + a];
    }
    for_column<Layers>(column, fine.Z.n, [&](int k) {
      const int layer = 2 * fine.pitch * fine.Y.n * k;
      T s = 0;
      for (int b = 0; b < 4; ++b) {
        T row = 0;
        for (int a = 0; a < 4; ++a) row += weight_x[a] * fine.w[layer + y[b] + x[a]];
        s += weight_y[b] * row;
      }
      ex.planes[(k * coarse.Y.n + J) * coarse.X.n + I] = s;
    });
  }
};

template <class T>
struct RestrictLayers {  // coarse g, from what RestrictPlanes left
  LevelView<T> fine, coarse;
  ExchangeView<T> ex;
  WEIR_HD Extents range() const { return {coarse.X.n, coarse.Y.n, coarse.Z.n}; }
  WEIR_HD void operator()(int I, int J, int K) const {
    const Extents planes{coarse.X.n, coarse.Y.n, fine.Z.n};
    T s = 0;
    for (int c = 0; c < 4; ++c) s += ex.Z.restriction[4 * K + c] * ex.planes[planes.index(I, J, ex.Z.slot(K, c))];
    coarse.g[coarse.place(I, J, K)] = s;
  }
};

template <class T, int Layers>
struct ProlongCorrect {  // u += P coarse u
  LevelView<T> fine, coarse;
  ExchangeView<T> ex;
  WEIR_HD Extents range() const { return {fine.X.n, fine.Y.n, parts(fine.Z.n, Layers)}; }
  WEIR_HD void operator()(int i, int j, int column) const {
    const int x[2] = {coarse.half_of_axis(ex.X.parent[i]), coarse.half_of_axis(ex.X.other[i])}, row = 2 * coarse.pitch,
              y[2] = {ex.Y.parent[j] * row, ex.Y.other[j] * row};
    const T weight_x[2] = {ex.X.weight_parent[i], ex.X.weight_other[i]},
            weight_y[2] = {ex.Y.weight_parent[j], ex.Y.weight_other[j]};
    for_column<Layers>(column, fine.Z.n, [&](int k) {
      T e = 0;
      for (int c = 0; c < 2; ++c) {
        const int layer = (c == 0 ? ex.Z.parent[k] : ex.Z.other[k]) * coarse.Y.n * row;
        const T weight_z = c == 0 ? ex.Z.weight_parent[k] : ex.Z.weight_other[k];
        for (int b = 0; b < 2; ++b)
          e += weight_z * weight_y[b] *
               (weight_x[0] * coarse.u[layer + y[b] + x[0]] + weight_x[1] * coarse.u[layer + y[b] + x[1]]);
      }
      fine.u[fine.place(i, j, k)] += e;
    });
  }
};

// u = inverse g, where unknown a of the inverse (natural order) has its place in u and g at places[a].
template <class T>
struct SolveCoarsest {
  LevelView<T> L;
  const int* places;
  const T* inverse;
  WEIR_HD Extents range() const { return {L.count(), 1, 1}; }
  WEIR_HD void operator()(int a, int, int) const {
    const int n = L.count();
    T s = 0;
    for (int b = 0; b < n; ++b) s += inverse[b * n + a] * L.g[places[b]];
    L.u[places[a]] = s;
  }
};

template <class T, int Layers>
struct Load {  // g = factor r / V
  LevelView<T> L;
  double factor;
  const double* r;
  WEIR_HD Extents range() const { return {L.own.nx, L.own.ny, parts(L.own.nz, Layers)}; }
  WEIR_HD void operator()(int i, int j, int column) const {
    const int I = L.own_i + i, J = L.own_j + j, bottom = L.place(I, J, L.own_k), layer = 2 * L.pitch * L.Y.n;
    const double inverse_x = L.X.inverse_mass[L.half_of_axis(I)], mass_y = L.Y.mass[J];
    for_column<Layers>(column, L.own.nz, [&](int k) {
      const double f = factor / (mass_y * L.Z.mass[L.own_k + k]);
      L.g[bottom + k * layer] = static_cast<T>(r[L.own.index(i, j, k)] * f * inverse_x);
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

// A step as a launch (on Host, a loop) of its own.
template <class Space, class Step>
void run_step(const Step& step) {
  const Extents e = step.range();
  if (e.ny == 1 && e.nz == 1)
    for_each<Space>(e.nx, [=] WEIR_HD(int i) { step(i, 0, 0); });
  else
    for_each<Space>(e, [=] WEIR_HD(int i, int j, int k) { step(i, j, k); });
}

}  // namespace weir::multigrid
