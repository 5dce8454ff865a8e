// The steps of the banded cycle. Those of the set-up, and all on Device, are independent loops over cells; on Host the cycle
// runs row by row, several steps in one sweep through memory (banded_multigrid_host.cpp).
#pragma once
#include <span>

#include "solvers/device/space.hpp"
#include "solvers/matrix/stencil/banded.hpp"

namespace weir::banded_multigrid {

// A level of the banded cycle as kernels see it, and the formulas of single cells.
//
// Couplings are stored at the low face of a cell: ax[c] joins c and its western neighbour, and is 0 where there is none. So
// the neighbour beyond an end may be any cell; it is the one at the far end, which is right where the direction is periodic.
struct LevelView {
  Extents cells;
  bool wraps[3] = {false, false, false};
  float *ax = nullptr, *ay = nullptr, *az = nullptr;
  // Of the diagonal. A row without couplings takes no part and has 0, or, on a finest level, minus the size of its own.
  float* inverse = nullptr;
  float* excess = nullptr;           // of the diagonal over the sum of the couplings: in v, as only the set-up needs it
  float *u = nullptr, *v = nullptr;  // the iterates take turns
  float* g = nullptr;                // right-hand side; null where it is the caller's
};

// What the finest level has to do with the caller's vectors: g = scale r, z = u, and D^-1 r in rows without couplings. Elsewhere
// r is null.
struct Ends {
  const double* r = nullptr;
  double* z = nullptr;
  double scale = 1;

  WEIR_HD float right(int c, float inverse) const { return inverse > 0 ? static_cast<float>(scale * r[c]) : 0.0f; }
  WEIR_HD double solution(int c, double u, float inverse) const {
    return u + (inverse < 0 ? -scale * static_cast<double>(inverse) : 0.0) * r[c];
  }
};
WEIR_HD inline float right_hand_side(const LevelView& L, const Ends& e, int c) {
  return e.r ? e.right(c, L.inverse[c]) : L.g[c];
}
// The diagonal, where it multiplies values that are 0 in rows without couplings.
WEIR_HD inline float diagonal_times(float x, float inverse) { return x / (inverse > 0 ? inverse : 1.0f); }

// One direction between two levels. Coarse cell I is made of the fine cells first[I] .. first[I + 1] - 1: one or two.
struct LineMap {
  int fine = 1, coarse = 1;
  const int *first = nullptr, *parent = nullptr;
  const float* weight = nullptr;  // of a fine cell: what it takes from the parent's neighbour on its side; 0 if alone
  const float* ratio = nullptr;   // of a coarse cell's low face: fine distance over coarse distance
  const float* end_weight = nullptr;  // of a fine cell at a Dirichlet end: 1 / (distance to it times width); else 0 ...
  const float* end_ratio = nullptr;   // ... and what the coupling to the end becomes on the coarse level

  WEIR_HD bool is_low(int i) const { return i == first[parent[i]]; }
  WEIR_HD int below(int I) const { return I > 0 ? I - 1 : coarse - 1; }
  WEIR_HD int above(int I) const { return I + 1 < coarse ? I + 1 : 0; }
};
struct TransferView {
  LineMap x, y, z;
  bool pairs = false;  // along x every coarse cell is made of two
};

struct Around {  // the indices of a cell and its six neighbours
  int c, west, east, south, north, below, above;
};
WEIR_HD inline Around around(Extents e, int i, int j, int k) {
  const int row = e.nx, plane = e.nx * e.ny, c = e.index(i, j, k);
  return {c,
          i > 0 ? c - 1 : c + (e.nx - 1),
          i + 1 < e.nx ? c + 1 : c - (e.nx - 1),
          j > 0 ? c - row : c + (e.ny - 1) * row,
          j + 1 < e.ny ? c + row : c - (e.ny - 1) * row,
          k > 0 ? c - plane : c + (e.nz - 1) * plane,
          k + 1 < e.nz ? c + plane : c - (e.nz - 1) * plane};
}

// The couplings of a cell times the values of its neighbours.
WEIR_HD inline float neighbours(const LevelView& L, const float* x, const Around& a) {
  return (L.ax[a.c] * x[a.west] + L.ax[a.east] * x[a.east]) + (L.ay[a.c] * x[a.south] + L.ay[a.north] * x[a.north]) +
         (L.az[a.c] * x[a.below] + L.az[a.above] * x[a.above]);
}

// What a fine cell gets from the coarse level.
WEIR_HD inline float interpolated(const LevelView& C, const TransferView& t, const float* x, int i, int j, int k) {
  const int I = t.x.parent[i], J = t.y.parent[j], K = t.z.parent[k];
  const Around a = around(C.cells, I, J, K);
  const float P = x[a.c];
  const auto towards = [&](const float* coupling, bool low, int before, int after, float w) {
    const int at = low ? before : after;
    return coupling[low ? a.c : after] > 0 ? w * (x[at] - P) : 0.0f;
  };
  return P + towards(C.ax, t.x.is_low(i), a.west, a.east, t.x.weight[i]) +
         towards(C.ay, t.y.is_low(j), a.south, a.north, t.y.weight[j]) +
         towards(C.az, t.z.is_low(k), a.below, a.above, t.z.weight[k]);
}

// The finest level from the bands, slots[d] those towards smaller indices of the level's direction d.
template <class Space>
void load_bands(const BandedView& A, const int* slots, double scale, const LevelView& L);
template <class Space>
double largest_diagonal(const BandedView& A);
// Of the couplings from plane i to plane i + 1 of direction d (0: x) the largest, for every i.
template <class Space>
void largest_couplings(const BandedView& A, int d, double* largest);
template <class Space>
void coarsen(const LevelView& fine, const LevelView& coarse, const TransferView& t);

// v = inverse g, a dense matrix; ends where this is the only level.
template <class Space>
void solve_coarsest(const LevelView& L, const double* inverse, const Ends& ends);

// Step p of n from zero writes u and v in turn, u first. Then:
inline float* after_descent(const LevelView& L, std::size_t n) { return n % 2 ? L.u : L.v; }
inline float* residual_of_descent(const LevelView& L, std::size_t n) { return n % 2 ? L.v : L.u; }
// After the ascent, n steps more, the iterate is in v.

// descend: the steps from zero, and the coarse g = P^T (g - A u). ascend: u += P v_coarse, the steps, z, and r.z where asked.
template <class Space>
void descend(const LevelView& L, const LevelView& coarse, const TransferView& t, std::span<const double> steps,
             const Ends& ends);
template <class Space>
double ascend(const LevelView& L, const LevelView& coarse, const TransferView& t, std::span<const double> steps,
              const Ends& ends, bool dot);

}  // namespace weir::banded_multigrid
