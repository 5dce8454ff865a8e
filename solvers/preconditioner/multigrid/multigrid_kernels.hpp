// Steps of a multigrid cycle as independent loops over unknowns: on the device, and on the host where the fused passes
// of multigrid_host.hpp do not apply. Deterministic: every value is gathered in a fixed order. A thread takes a column
// of `Layers` unknowns in z (columns.hpp): a single unknown would cost more instructions for offsets and couplings than
// for its values. The halves of rows make the accesses of a colour contiguous. A sweep over a colour reads the other
// one and writes its own, so that the order of the threads does not matter. Included by .cu files only.
#pragma once
#include "solvers/device/columns.hpp"
#include "solvers/preconditioner/multigrid/multigrid_view.hpp"

namespace weir::multigrid {
WEIR_HD inline int before(int i, int n, bool periodic) { return i > 0 ? i - 1 : periodic ? n - 1 : 0; }
WEIR_HD inline int after(int i, int n, bool periodic) { return i + 1 < n ? i + 1 : periodic ? 0 : i; }

// Data shared by the unknowns (i, j, .): offsets of the neighbours and couplings, which are 0 at an end without a
// neighbour.
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
  // Sum of couplings times neighbours, for the unknown at c = place(i, j, k).
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
struct Clear {  // u = 0, with the gaps between rows
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

// Unknowns of a colour with one i, one j: every second k. Columns 0 and 1 alternate, then 2 and 3.
WEIR_HD constexpr int colour_columns(int n, int layers) { return layers == 1 ? n : 2 * parts(n, 2 * layers); }
template <class T>
WEIR_HD Extents colour_range(const LevelView<T>& L, int layers) {
  return {(L.X.n + 1) / 2, L.Y.n, colour_columns(L.Z.n, layers)};
}
// The parity of i.
WEIR_HD constexpr int half_of_colour(int colour, int j, int column) { return (colour + j + column) & 1; }
template <int Layers, class F>
WEIR_HD inline void for_colour(int column, int n, const F& f) {
  for_column<Layers>(column / 2, parts(n - column % 2, 2), [&](int half, int s) { f(2 * half + column % 2, s); });
}

template <class T, int Layers>
struct RelaxFirst {  // u = omega g / d on a colour; u need not be zero before
  LevelView<T> L;
  int colour;
  T omega;
  WEIR_HD Extents range() const { return colour_range(L, Layers); }
  WEIR_HD void operator()(int m, int j, int column) const {
    const int i = 2 * m + half_of_colour(colour, j, column);
    if (i >= L.X.n) return;
    const int bottom = L.place(i, j, 0), layer = 2 * L.pitch * L.Y.n;
    const T diagonal_x = L.X.diagonal[L.half_of_axis(i)], diagonal_y = L.shift + L.Y.diagonal[j];
    for_colour<Layers>(column, L.Z.n, [&](int k, int) {
      const int c = bottom + k * layer;
      L.u[c] = omega * (L.g[c] / (diagonal_x + (diagonal_y + L.Z.diagonal[k])));
    });
  }
};

template <class T, int Layers, bool FromZero = false>
struct RelaxColour {  // Gauss-Seidel. FromZero: u of the colour counts as zero
  LevelView<T> L;
  int colour;
  T omega;
  WEIR_HD Extents range() const { return colour_range(L, Layers); }
  WEIR_HD void operator()(int m, int j, int column) const {
    const int i = 2 * m + half_of_colour(colour, j, column);
    if (i >= L.X.n) return;
    const Column<T> of(L, i, j);
    const int bottom = L.place(i, j, 0);
    // All values are read before the first division (whose slow path is a branch) and before any write: a column waits
    // for memory once.
    T old[Layers], right[Layers], d[Layers];
    for_colour<Layers>(column, L.Z.n, [&](int k, int s) {
      const int c = bottom + k * of.layer;
      old[s] = FromZero ? 0 : L.u[c];
      right[s] = L.g[c] + of.neighbours(c, k);
      d[s] = of.diagonal(k);
    });
    for_colour<Layers>(column, L.Z.n,
                       [&](int k, int s) { L.u[bottom + k * of.layer] = old[s] + omega * (right[s] / d[s] - old[s]); });
  }
};

template <class T, int Layers>
using RelaxSecond = RelaxColour<T, Layers, true>;

template <class T, int Layers>
struct ResidualColour {  // w = g - A u of a colour
  LevelView<T> L;
  int colour;
  WEIR_HD Extents range() const { return colour_range(L, Layers); }
  WEIR_HD void operator()(int m, int j, int column) const {
    const int i = 2 * m + half_of_colour(colour, j, column);
    if (i >= L.X.n) return;
    const Column<T> of(L, i, j);
    const int bottom = L.place(i, j, 0);
    T w[Layers];
    for_colour<Layers>(column, L.Z.n, [&](int k, int s) {
      const int c = bottom + k * of.layer;
      w[s] = L.g[c] + of.neighbours(c, k) - of.diagonal(k) * L.u[c];
    });
    for_colour<Layers>(column, L.Z.n, [&](int k, int s) { L.w[bottom + k * of.layer] = w[s]; });
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

// Fine unknowns of a coarse one in x and y: offsets and weights.
template <class T>
struct FineNeighbours {
  int x[4], y[4];
  T weight_x[4], weight_y[4];
  WEIR_HD FineNeighbours(const LevelView<T>& fine, const ExchangeView<T>& ex, int I, int J) {
    for (int a = 0; a < 4; ++a) {
      x[a] = fine.half_of_axis(ex.X.slot(I, a));
      y[a] = ex.Y.slot(J, a) * 2 * fine.pitch;
      weight_x[a] = ex.X.restriction[4 * I + a];
      weight_y[a] = ex.Y.restriction[4 * J + a];
    }
  }
};

template <class T, int Layers>
struct RestrictPlanes {  // w in x and y
  LevelView<T> fine, coarse;
  ExchangeView<T> ex;
  WEIR_HD Extents range() const { return {coarse.X.n, coarse.Y.n, parts(fine.Z.n, Layers)}; }
  WEIR_HD void operator()(int I, int J, int column) const {
    const FineNeighbours<T> near(fine, ex, I, J);
    for_column<Layers>(column, fine.Z.n, [&](int k) {
      const int layer = 2 * fine.pitch * fine.Y.n * k;
      T s = 0;
      for (int b = 0; b < 4; ++b) {
        T row = 0;
        for (int a = 0; a < 4; ++a) row += near.weight_x[a] * fine.w[layer + near.y[b] + near.x[a]];
        s += near.weight_y[b] * row;
      }
      ex.planes[(k * coarse.Y.n + J) * coarse.X.n + I] = s;
    });
  }
};

template <class T>
struct RestrictLayers {  // coarse g, from the result of RestrictPlanes
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

// Coarse g from w of one colour (the other is zero), and, if omega is not 0, the first half sweep of the coarse level.
template <class T, int Layers>
struct RestrictColour {
  LevelView<T> fine, coarse;
  ExchangeView<T> ex;
  int colour;
  T omega;
  static constexpr int layers = Layers == 1 ? 1 : 2;  // an unknown reads 32 values
  WEIR_HD Extents range() const { return {coarse.X.n, coarse.Y.n, parts(coarse.Z.n, layers)}; }
  WEIR_HD void operator()(int I, int J, int column) const {
    const FineNeighbours<T> near(fine, ex, I, J);
    const int corner = colour + ex.X.first[I] + ex.Y.first[J] + 1, row = 2 * coarse.pitch;
    const T diagonal = coarse.X.diagonal[coarse.half_of_axis(I)] + coarse.shift + coarse.Y.diagonal[J];
    for_column<layers>(column, coarse.Z.n, [&](int K) {
      // Slots of the colour: `odd` and odd + 2 in the first row, the other two in the next, and so on.
      const bool odd = (corner + ex.Z.first[K]) & 1;
      const int* x = near.x;
      const T* weight_x = near.weight_x;
      const int at[2][2] = {{odd ? x[1] : x[0], odd ? x[3] : x[2]}, {odd ? x[0] : x[1], odd ? x[2] : x[3]}};
      const T weight[2][2] = {{odd ? weight_x[1] : weight_x[0], odd ? weight_x[3] : weight_x[2]},
                              {odd ? weight_x[0] : weight_x[1], odd ? weight_x[2] : weight_x[3]}};
      T s = 0;
      for (int c = 0; c < 4; ++c) {
        const T* w = fine.w + ex.Z.slot(K, c) * fine.Y.n * 2 * fine.pitch;
        T plane = 0;
        for (int b = 0; b < 4; ++b) {
          const int h = (b + c) & 1;
          plane += near.weight_y[b] * (weight[h][0] * w[near.y[b] + at[h][0]] + weight[h][1] * w[near.y[b] + at[h][1]]);
        }
        s += ex.Z.restriction[4 * K + c] * plane;
      }
      const int place = coarse.place(I, J, 0) + K * coarse.Y.n * row;
      coarse.g[place] = s;
      if (omega != 0 && (I + J + K) % 2 == 0) coarse.u[place] = omega * (s / (diagonal + coarse.Z.diagonal[K]));
    });
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
    const T* corner[2] = {coarse.u + y[0], coarse.u + y[1]};
    const auto in_plane = [&](int K) {
      const int layer = K * coarse.Y.n * row;
      const T *first = corner[0] + layer, *second = corner[1] + layer;
      return weight_y[0] * (weight_x[0] * first[x[0]] + weight_x[1] * first[x[1]]) +
             weight_y[1] * (weight_x[0] * second[x[0]] + weight_x[1] * second[x[1]]);
    };
    // Neighbours in z share coarse planes: the last two are kept. All values are read before any write.
    int planes[2] = {-1, -1};
    T e[2] = {}, u[Layers];
    for_column<Layers>(column, fine.Z.n, [&](int k, int s) { u[s] = fine.u[fine.place(i, j, k)]; });
    for_column<Layers>(column, fine.Z.n, [&](int k, int s) {
      const int P = ex.Z.parent[k], O = ex.Z.other[k];
      if (planes[1] == P || planes[0] == O) {
        const int plane = planes[0];
        const T value = e[0];
        planes[0] = planes[1], e[0] = e[1], planes[1] = plane, e[1] = value;
      }
      if (planes[0] != P) planes[0] = P, e[0] = in_plane(P);
      if (planes[1] != O) planes[1] = O, e[1] = in_plane(O);
      u[s] += ex.Z.weight_parent[k] * e[0] + ex.Z.weight_other[k] * e[1];
    });
    for_column<Layers>(column, fine.Z.n, [&](int k, int s) { fine.u[fine.place(i, j, k)] = u[s]; });
  }
};

// Runs a step: a launch, or a loop on the host.
template <class Space, class Step>
static void run_step(const Step& step) {
  const Extents e = step.range();
  if (e.ny == 1 && e.nz == 1)
    for_each<Space>(e.nx, [=] WEIR_HD(int i) { step(i, 0, 0); });
  else
    for_each<Space>(e, [=] WEIR_HD(int i, int j, int k) { step(i, j, k); });
}
template <class Space, template <class, int> class Step, class T, class... Rest>
void run_by_columns(const LevelView<T>& L, const Rest&... rest) {
  by_columns<Space>({L.X.n, L.Y.n, L.Z.n}, [&]<int Layers>() { run_step<Space>(Step<T, Layers>{L, rest...}); });
}

}  // namespace weir::multigrid
