// The steps of a multigrid cycle as independent loops over unknowns, for both spaces: what runs on Device, and on Host
// where the fused passes of multigrid_host.hpp do not apply. Deterministic: every value is gathered in a fixed order.
// One thread an unknown (or an unknown of a colour: the halves of rows make the accesses of a colour contiguous). A
// sweep over a colour reads the other one and writes its own, so it does not depend on the order of the threads.
// Included by .cu files only.
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
Extents cells(const LevelView<T>& L) {
  return {L.X.n, L.Y.n, L.Z.n};
}

template <class Space, class T>
void clear(T* values, int n) {
  for_each<Space>(n, [=] WEIR_HD(int i) { values[i] = 0; });
}

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

template <class Space, class T>
void residual(const LevelView<T>& L) {  // w = g - A u
  for_each<Space>(cells(L), [=] WEIR_HD(int i, int j, int k) {
    const int c = L.place(i, j, k);
    L.w[c] = L.g[c] + neighbours(L, i, j, k) - diagonal(L, i, j, k) * L.u[c];
  });
}

template <class Space, class T>
void relax_colour(const LevelView<T>& L, int colour, T omega) {  // Gauss-Seidel
  for_each<Space>(Extents{(L.X.n + 1) / 2, L.Y.n, L.Z.n}, [=] WEIR_HD(int m, int j, int k) {
    const int i = 2 * m + ((colour + j + k) & 1);
    if (i < L.X.n) {
      const int c = L.place(i, j, k);
      L.u[c] += omega * ((L.g[c] + neighbours(L, i, j, k)) / diagonal(L, i, j, k) - L.u[c]);
    }
  });
}

template <class Space, class T>
void jacobi_step(const LevelView<T>& L, T omega) {  // u += omega w / d
  for_each<Space>(cells(L), [=] WEIR_HD(int i, int j, int k) {
    const int c = L.place(i, j, k);
    L.u[c] += omega * L.w[c] / diagonal(L, i, j, k);
  });
}

template <class Space, class T>
void chebyshev_step(const LevelView<T>& L, T old, T fresh) {  // p = old p + fresh w / d, u += p
  for_each<Space>(cells(L), [=] WEIR_HD(int i, int j, int k) {
    const int c = L.place(i, j, k);
    const T step = fresh * L.w[c] / diagonal(L, i, j, k);
    L.p[c] = old == 0 ? step : old * L.p[c] + step;
    L.u[c] += L.p[c];
  });
}

// coarse g = R w
template <class Space, class T>
void restrict_residual(const LevelView<T>& fine, const LevelView<T>& coarse, const ExchangeView<T>& ex) {
  const Extents planes{coarse.X.n, coarse.Y.n, fine.Z.n};
  for_each<Space>(planes, [=] WEIR_HD(int I, int J, int k) {
    T s = 0;
    for (int b = 0; b < 4; ++b) {
      const int j = ex.Y.slot(J, b);
      T row = 0;
      for (int a = 0; a < 4; ++a) row += ex.X.restriction[4 * I + a] * fine.w[fine.place(ex.X.slot(I, a), j, k)];
      s += ex.Y.restriction[4 * J + b] * row;
    }
    ex.planes[planes.index(I, J, k)] = s;
  });
  for_each<Space>(cells(coarse), [=] WEIR_HD(int I, int J, int K) {
    T s = 0;
    for (int c = 0; c < 4; ++c) s += ex.Z.restriction[4 * K + c] * ex.planes[planes.index(I, J, ex.Z.slot(K, c))];
    coarse.g[coarse.place(I, J, K)] = s;
  });
}

// u += P coarse u
template <class Space, class T>
void prolong_correct(const LevelView<T>& fine, const LevelView<T>& coarse, const ExchangeView<T>& ex) {
  for_each<Space>(cells(fine), [=] WEIR_HD(int i, int j, int k) {
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
  });
}

// u = inverse g, where unknown a of the inverse (natural order) has its place in u and g at places[a].
template <class Space, class T>
void solve_coarsest(const LevelView<T>& L, const int* places, const T* inverse) {
  const int n = L.count();
  for_each<Space>(n, [=] WEIR_HD(int a) {
    T s = 0;
    for (int b = 0; b < n; ++b) s += inverse[b * n + a] * L.g[places[b]];
    L.u[places[a]] = s;
  });
}

}  // namespace weir::multigrid
