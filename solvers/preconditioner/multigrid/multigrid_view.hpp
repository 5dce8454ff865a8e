// A multigrid level as kernels see it. The equation of every level is divided by the control volumes V:
//  (A u)_ijk = d u - lx_i u_W - ux_i u_E - ly_j u_S - uy_j u_N - lz_k u_B - uz_k u_T = g_ijk ,
//  d = shift + dx_i + dy_j + dz_k ,    lx = scale lower / mass, ux = scale upper / mass,
//                                      dx = scale (lower + upper + boundary) / mass.
// A row (j, k) of u and g is stored in two halves, first the unknowns of even i, then those of odd i:
//  u_0 u_2 u_4 ... | u_1 u_3 u_5 ...
// A half of a row has one colour of the red-black ordering, its W and E neighbours are the other half, and its S, N, B,
// T neighbours have the same place in the same half of other rows: loops over a colour are contiguous.
#pragma once
#include "solvers/device/space.hpp"

namespace weir::multigrid {

template <class T>
struct AxisView {
  int n = 1;
  bool periodic = false;
  const T *low = nullptr, *up = nullptr, *diagonal = nullptr;  // x: in halves of axis_pitch; y, z: natural order
  const double* mass = nullptr;                                // natural order
  const double* inverse_mass = nullptr;                        // x only, in halves
};

template <class T>
struct LevelView {
  AxisView<T> X, Y, Z;
  T shift = 0;
  int pitch = 0;  // size of half a row: at least (nx + 1) / 2 + 2, to hold i = -1 and i = nx (periodic rows)
  T *u = nullptr, *g = nullptr;
  T *w = nullptr, *p = nullptr;  // residual and direction, if the smoother is not fused
  // Unknowns in r and z, x first: all of the level, or the own ones of a rank, which begin at (own_i, own_j, own_k).
  int own_i = 0, own_j = 0, own_k = 0;
  Extents own;
  WEIR_HD int place(int i, int j, int k) const { return ((k * Y.n + j) * 2 + (i & 1)) * pitch + (i >> 1); }
  WEIR_HD int half_of_axis(int i) const { return (i & 1) * pitch + (i >> 1); }  // into X.low, X.up, X.diagonal
  WEIR_HD int count() const { return X.n * Y.n * Z.n; }
};

// One direction of the exchange with the coarser level; see LineTransfer.
template <class T>
struct TransferView {
  int fine = 1, coarse = 1;
  const int *parent = nullptr, *other = nullptr, *first = nullptr;
  const T *weight_parent = nullptr, *weight_other = nullptr;
  const T* restriction = nullptr;         // 4 per coarse unknown
  WEIR_HD int slot(int I, int s) const {  // the fine unknown of a slot; any valid one if the weight is 0
    const int i = first[I] - 1 + s;
    return i < 0 ? i + fine : i >= fine ? i % fine : i;
  }
};

template <class T>
struct ExchangeView {
  TransferView<T> X, Y, Z;
  T* planes = nullptr;  // the residual restricted in x and y: coarse nx ny times fine nz, natural order
};

}  // namespace weir::multigrid
