// The steps of a multigrid cycle as independent loops over unknowns, for both spaces: what runs on Device, and on Host
// where the fused passes of multigrid_host.hpp do not apply. Deterministic: every value is gathered in a fixed order.
// One thread an unknown (or an unknown of a colour: the halves of rows make the accesses of a colour contiguous). A
// sweep over a colour reads the other one and writes its own, so it does not depend on the order of the threads.
// Each is a struct with the range of its indices, so that a launch of its own and the block that does all small levels
// (multigrid_small.hpp) run the same code. Included by .cu files only.
#pragma once
#include "solvers/device/for_each.hpp"
#include "solvers/preconditioner/multigrid/multigrid_view.hpp"

namespace weir::multigrid {
WEIR_HD inline int before(int i, int n, bool periodic) { return i > 0 ? i - 1 : periodic ? n - 1 : 0; }
WEIR_HD inline int after(int i, int n, bool periodic) { return i + 1 < n ? i + 1 : periodic ? 0 : i; }

// The sum of the couplings times the neighbours; at an end without a neighbour the coupling is 0.
template <class T>
WEIR_HD T neighbours(const LevelView<T>& L, int i, int j, int k) {
  const int h = L.half_of_axis(i);
  return L.X.low[h] * L.u[L.place(before(i, L.X.n, L.X.periodic), j, k)] +
         L.X.up[h] * L.u[L.place(after(i, L.X.n, L.X.periodic), j, k)] +
         L.Y.low[j] * L.u[L.place(i, before(j, L.Y.n, L.Y.periodic), k)] +
         L.Y.up[j] * L.u[L.place(i, after(j, L.Y.n, L.Y.periodic), k)] +
         L.Z.low[k] * L.u[L.place(i, j, before(k, L.Z.n, L.Z.periodic))] +
         L.Z.up[k] * L.u[L.place(i, j, after(k, L.Z.n, L.Z.periodic))];
}

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

template <class T>
struct Residual {  // w = g - A u
  LevelView<T> L;
  WEIR_HD Extents range() const { return {L.X.n, L.Y.n, L.Z.n}; }
  WEIR_HD void operator()(int i, int j, int k) const {
    const int c = L.place(i, j, k);
    L.w[c] = L.g[c] + neighbours(L, i, j, k) - diagonal(L, i, j, k) * L.u[c];
  }
};

template <class T>
struct RelaxColour {  // Gauss-Seidel
  LevelView<T> L;
  int colour;
  T omega;
  WEIR_HD Extents range() const { return {(L.X.n + 1) / 2, L.Y.n, L.Z.n}; }
  WEIR_HD void operator()(int m, int j, int k) const {
    const int i = 2 * m + ((colour + j + k) & 1);
    if (i >= L.X.n) return;
    const int c = L.place(i, j, k);
    L.u[c] += omega * ((L.g[c] + neighbours(L, i, j, k)) / diagonal(L, i, j, k) - L.u[c]);
  }
};

template <class T>
struct RelaxColourFromZero {  // the same where u = 0, which it need not be: the other colour is set to that
  LevelView<T> L;
  int colour;
  T omega;
  WEIR_HD Extents range() const { return {(L.X.n + 1) / 2, L.Y.n, L.Z.n}; }
  WEIR_HD void operator()(int m, int j, int k) const {
    const int odd = (colour + j + k) & 1, i = 2 * m + odd, other = 2 * m + 1 - odd;
    if (i < L.X.n) L.u[L.place(i, j, k)] = omega * (L.g[L.place(i, j, k)] / diagonal(L, i, j, k));
    if (other < L.X.n) L.u[L.place(other, j, k)] = 0;
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

template <class T>
struct RestrictPlanes {  // w in x and y
  LevelView<T> fine, coarse;
  ExchangeView<T> ex;
  WEIR_HD Extents range() const { return {coarse.X.n, coarse.Y.n, fine.Z.n}; }
  WEIR_HD void operator()(int I, int J, int k) const {
    T s = 0;
    for (int b = 0; b < 4; ++b) {
      const int j = ex.Y.slot(J, b);
      T row = 0;
      for (int a = 0; a < 4; ++a) row += ex.X.restriction[4 * I + a] * fine.w[fine.place(ex.X.slot(I, a), j, k)];
      s += ex.Y.restriction[4 * J + b] * row;
    }
    ex.planes[range().index(I, J, k)] = s;
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

template <class T>
struct ProlongCorrect {  // u += P coarse u
  LevelView<T> fine, coarse;
  ExchangeView<T> ex;
  WEIR_HD Extents range() const { return {fine.X.n, fine.Y.n, fine.Z.n}; }
  WEIR_HD void operator()(int i, int j, int k) const {
    T e = 0;
    for (int c = 0; c < 2; ++c) {
      const int K = c == 0 ? ex.Z.parent[k] : ex.Z.other[k];
      const T wz = c == 0 ? ex.Z.weight_parent[k] : ex.Z.weight_other[k];
      for (int b = 0; b < 2; ++b) {
        const int J = b == 0 ? ex.Y.parent[j] : ex.Y.other[j];
        const T wy = b == 0 ? ex.Y.weight_parent[j] : ex.Y.weight_other[j];
        e += wz * wy *
             (ex.X.weight_parent[i] * coarse.u[coarse.place(ex.X.parent[i], J, K)] +
              ex.X.weight_other[i] * coarse.u[coarse.place(ex.X.other[i], J, K)]);
      }
    }
    fine.u[fine.place(i, j, k)] += e;
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

template <class Space, class T>
void load(const LevelView<T>& L, const double* r, double factor) {  // g = factor r / V
  const Extents e = L.own;
  for_each<Space>(e, [=] WEIR_HD(int i, int j, int k) {
    const int I = L.own_i + i, J = L.own_j + j, K = L.own_k + k;
    L.g[L.place(I, J, K)] = static_cast<T>(r[e.index(i, j, k)] * (factor / (L.Y.mass[J] * L.Z.mass[K])) / L.X.mass[I]);
  });
}

template <class Space, class T>
void store(const LevelView<T>& L, double factor, double* z) {  // z = factor u
  const Extents e = L.own;
  for_each<Space>(e, [=] WEIR_HD(int i, int j, int k) {
    z[e.index(i, j, k)] = factor * static_cast<double>(L.u[L.place(L.own_i + i, L.own_j + j, L.own_k + k)]);
  });
}

// A step as a launch (on Host, a loop) of its own.
template <class Space, class Step>
void run(const Step& step) {
  const Extents e = step.range();
  if (e.ny == 1 && e.nz == 1)
    for_each<Space>(e.nx, [=] WEIR_HD(int i) { step(i, 0, 0); });
  else
    for_each<Space>(e, [=] WEIR_HD(int i, int j, int k) { step(i, j, k); });
}

}  // namespace weir::multigrid
