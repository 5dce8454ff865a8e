// Steps of the banded cycle. Set-up steps, and all steps on the device, are independent loops over cells; on the host
// the cycle runs row by row, several steps in one sweep through memory (banded_multigrid_host.cpp).
#pragma once
#include <span>

#include "solvers/device/space.hpp"
#include "solvers/matrix/stencil/banded.hpp"

namespace weir::banded_multigrid {

// A level of the banded cycle as kernels see it, and formulas for single cells.
//
// Couplings are stored at the low face of a cell: ax[c] couples c to its western neighbour, and is 0 if there is none.
// The neighbour beyond an end is the cell at the far end, which is right for a periodic direction and irrelevant
// otherwise.
struct LevelView {
  Extents cells;
  bool wraps[3] = {false, false, false};
  float *ax = nullptr, *ay = nullptr, *az = nullptr;
  // Inverse of the diagonal; in rows without couplings 0, or, on the finest level, minus the absolute inverse of their
  // own diagonal.
  float* inverse = nullptr;
  float* excess = nullptr;           // diagonal minus sum of couplings; shares the memory of v, as only set-up needs it
  float *u = nullptr, *v = nullptr;  // alternating iterates
  float* g = nullptr;                // right-hand side; null if it is the caller's
};

// Vectors of the caller on the finest level: g = scale r, z = u, and D^-1 r in rows without couplings. r is null on
// other levels.
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
// Product with the diagonal for values that are 0 in rows without couplings.
WEIR_HD inline float diagonal_times(float x, float inverse) { return x / (inverse > 0 ? inverse : 1.0f); }

// Transfer in one direction between two levels. Coarse cell I consists of the fine cells first[I] .. first[I + 1] - 1:
// one or two.
struct LineMap {
  int fine = 1, coarse = 1;
  const int *first = nullptr, *parent = nullptr;
  const float* weight = nullptr;      // per fine cell: weight of the neighbour of its parent on its side; 0 if alone
  const float* ratio = nullptr;       // per low face of a coarse cell: fine distance / coarse distance
  const float* end_weight = nullptr;  // per fine cell at a Dirichlet end: 1 / (distance to it times width); else 0 ...
  const float* end_ratio = nullptr;   // ... and the ratio of the coarse to the fine coupling to the end

  WEIR_HD bool is_low(int i) const { return i == first[parent[i]]; }
  WEIR_HD int below(int I) const { return I > 0 ? I - 1 : coarse - 1; }
  WEIR_HD int above(int I) const { return I + 1 < coarse ? I + 1 : 0; }
};
struct TransferView {
  LineMap x, y, z;
  bool pairs = false;  // every coarse cell consists of two along x
};

struct Around {  // indices of a cell and its neighbours
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

// Sum of couplings times neighbours.
WEIR_HD inline float neighbours(const LevelView& L, const float* x, const Around& a) {
  return (L.ax[a.c] * x[a.west] + L.ax[a.east] * x[a.east]) + (L.ay[a.c] * x[a.south] + L.ay[a.north] * x[a.north]) +
         (L.az[a.c] * x[a.below] + L.az[a.above] * x[a.above]);
}

// Interpolated coarse value at a fine cell.
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

// Couplings of the finest level from the bands; slots[d]: the one towards smaller indices of direction d of the level.
template <class Space>
void load_bands(const BandedView& A, const int* slots, double scale, const LevelView& L);
template <class Space>
double largest_diagonal(const BandedView& A);
// largest[i]: the largest coupling between planes i and i + 1 of direction d (0: x).
template <class Space>
void largest_couplings(const BandedView& A, int d, double* largest);
template <class Space>
void coarsen(const LevelView& fine, const LevelView& coarse, const TransferView& t);

// v = inverse g, a dense matrix; ends: if this is the only level.
template <class Space>
void solve_coarsest(const LevelView& L, const double* inverse, const Ends& ends);

// Steps 0 .. n - 1 from zero write u and v in turn, u first.
inline float* after_descent(const LevelView& L, std::size_t n) { return n % 2 ? L.u : L.v; }
inline float* residual_of_descent(const LevelView& L, std::size_t n) { return n % 2 ? L.v : L.u; }
// After the ascent, n steps more, the iterate is in v.

// descend: the steps from zero, and coarse g = P^T (g - A u). ascend: u += P v_coarse, the steps, z, and r.z if `dot`.
template <class Space>
void descend(const LevelView& L, const LevelView& coarse, const TransferView& t, std::span<const double> steps,
             const Ends& ends);
template <class Space>
double ascend(const LevelView& L, const LevelView& coarse, const TransferView& t, std::span<const double> steps,
              const Ends& ends, bool dot);

}  // namespace weir::banded_multigrid
