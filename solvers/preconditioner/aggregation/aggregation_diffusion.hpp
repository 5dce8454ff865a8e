// What constants as interpolation make too stiff, weakened. Across the border of rows I and J of P^T A P flow half of C, what
// is carried across (C_IJ = -C_JI), and D, what the two exchange (diffusion, and the dissipation of an upwind flux):
//   D = -(A_IJ + A_JI) / 2,   C = (A_IJ - A_JI) / 2
// P^T A P has C right, but D the larger the farther I and J are apart beside the rows they join: twice where two by two
// cells are one. s D in its place:
//   A_IJ += (1 - s) D,   A_JI += (1 - s) D,   A_II -= (1 - s) D,   A_JJ -= (1 - s) D
// keeps all sums of rows and columns, and with them constants and conservation. Mavriplis, AIAA-95-1671, divides the viscous
// terms of agglomerated levels like this. Here D is all of it, so that s must leave the upwind flux enough to be stable.
// Included by .cu files only.
#pragma once
#include "solvers/device/for_each.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::aggregation {

// A matrix whose blocks are changed where they lie; columns ascend within a row.
template <class T>
struct Blocks {
  const std::int64_t *row_start, *diagonal;
  const int* column;
  T* value;
};

// Where block (j, i) stands, or -1.
template <class T>
WEIR_HD inline std::int64_t twin(const Blocks<T>& A, int i, int j) {
  for (std::int64_t e = A.row_start[j]; e < A.row_start[j + 1]; ++e)
    if (A.column[e] == i) return e;
  return -1;
}

// A_II, from couplings as they were. One index a row, and below.
struct WeakenDiagonal {
  template <class Space, int N, class T>
  static void run(int B, int rows, Blocks<T> A, T half) {
    for_each<Space>(rows, [=] WEIR_HD(int i) {
      if (A.diagonal[i] < 0) return;
      const int nn = N > 0 ? N * N : B * B;
      T* to = A.value + A.diagonal[i] * nn;
      for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
        const std::int64_t f = A.column[e] == i ? -1 : twin(A, i, A.column[e]);
        if (f < 0) continue;
        const T *out = A.value + e * nn, *back = A.value + f * nn;
        for (int q = 0; q < nn; ++q) to[q] += half * (out[q] + back[q]);
      }
    });
  }
};

// A_IJ and A_JI, which the row of the smaller number writes.
struct WeakenCouplings {
  template <class Space, int N, class T>
  static void run(int B, int rows, Blocks<T> A, T half) {
    for_each<Space>(rows, [=] WEIR_HD(int i) {
      const int nn = N > 0 ? N * N : B * B;
      for (std::int64_t e = A.row_start[i]; e < A.row_start[i + 1]; ++e) {
        const std::int64_t f = A.column[e] <= i ? -1 : twin(A, i, A.column[e]);
        if (f < 0) continue;
        T *out = A.value + e * nn, *back = A.value + f * nn;
        for (int q = 0; q < nn; ++q) {
          const T d = half * (out[q] + back[q]);
          out[q] -= d;
          back[q] -= d;
        }
      }
    });
  }
};

}  // namespace weir::aggregation
