// Transfers between two levels. Sums follow the lists in order, the same in both spaces. N: the block size if 1, 4 or
// 5, else 0. Included by .cu files only.
#pragma once
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/preconditioner/aggregation/aggregates.hpp"

namespace weir::aggregation {

// coarse_I = sum of r over the members of I. One thread per aggregate.
struct Restrict {
  template <class Space, int N>
  static void run(int B, int rows, const int* start, const int* member, const double* r, double* coarse) {
    for_each<Space>(rows, [=] WEIR_HD(int I) {
      const int n = N > 0 ? N : B;
      double* out = coarse + std::int64_t{I} * n;
      const int first = start[I], end = start[I + 1];
      const double* from = r + std::int64_t{member[first]} * n;
      for (int c = 0; c < n; ++c) out[c] = from[c];
      for (int m = first + 1; m < end; ++m) {
        from = r + std::int64_t{member[m]} * n;
        for (int c = 0; c < n; ++c) out[c] += from[c];
      }
    });
  }
};

// z_i += coarse_I. One thread per row.
struct Prolong {
  template <class Space, int N>
  static void run(int B, int rows, const int* of_row, const double* coarse, double* z) {
    for_each<Space>(rows, [=] WEIR_HD(int i) {
      const int n = N > 0 ? N : B;
      const double* from = coarse + std::int64_t{of_row[i]} * n;
      double* out = z + std::int64_t{i} * n;
      for (int c = 0; c < n; ++c) out[c] += from[c];
    });
  }
};

// One thread per entry of the blocks of an aggregate: coalesced reads.
template <class V, class T>
WEIR_HD inline void sum_entry(const Sums<V, T>& s, int B, int I, int entry) {
  const std::int64_t nn = std::int64_t{B} * B, row = s.coarse_start[I];
  for (std::int64_t e = row; e < s.coarse_start[I + 1]; ++e) s.coarse[e * nn + entry] = 0;
  for (int m = s.start[I]; m < s.start[I + 1]; ++m) {
    const int i = s.member[m];
    for (std::int64_t e = s.row_start[i]; e < s.row_start[i + 1]; ++e)
      s.coarse[(row + s.into[e]) * nn + entry] += static_cast<T>(s.A[e * nn + entry]);
  }
}
template <class V, class T>
void sum_blocks_on_device(int B, const Sums<V, T>& sums) {
  const Sums<V, T> s = sums;
  const int nn = B * B;
  for_each<Device>(s.aggregates * nn, [=] WEIR_HD(int i) { sum_entry(s, B, i / nn, i % nn); });
}

// The Frobenius norm of each block.
struct BlockSizes {
  template <class Space, int N, class V>
  static void run(int B, int blocks, const V* value, double* size) {
    for_each<Space>(blocks, [=] WEIR_HD(int e) {
      const int nn = N > 0 ? N * N : B * B;
      double square = 0;
      for (int q = 0; q < nn; ++q) {
        const double v = value[std::int64_t{e} * nn + q];
        square += v * v;
      }
      size[e] = sqrt(square);
    });
  }
};

template <class Space, class Kernel, class... Arguments>
void run(int B, Arguments... arguments) {
  switch (B) {
    case 1:
      return Kernel::template run<Space, 1>(B, arguments...);
    case 4:
      return Kernel::template run<Space, 4>(B, arguments...);
    case 5:
      return Kernel::template run<Space, 5>(B, arguments...);
    default:
      return Kernel::template run<Space, 0>(B, arguments...);
  }
}

// Weakening of the coarse diffusion, which piecewise-constant interpolation overestimates. Between rows I and J of P^T
// A P let C be the convective part and D the exchange (diffusion, and the dissipation of an upwind flux):
//  D = -(A_IJ + A_JI) / 2,   C = (A_IJ - A_JI) / 2
// P^T A P has the right C, but a D that is too large by the ratio of the distance of I and J to that of the rows: twice
// for aggregates of two by two cells. With s D instead,
//  A_IJ += (1 - s) D,   A_JI += (1 - s) D,   A_II -= (1 - s) D,   A_JJ -= (1 - s) D
// all row and column sums, and so constants and conservation, stay. Mavriplis (AIAA-95-1671) scales the viscous terms
// of agglomerated levels in this way. Here D includes the upwind dissipation, of which s must leave enough for
// stability.

// A matrix whose blocks are changed in place; columns ascend within a row.
template <class T>
struct Blocks {
  const std::int64_t *row_start, *diagonal;
  const int* column;
  T* value;
};

// Position of block (j, i), or -1.
template <class T>
WEIR_HD inline std::int64_t twin(const Blocks<T>& A, int i, int j) {
  for (std::int64_t e = A.row_start[j]; e < A.row_start[j + 1]; ++e)
    if (A.column[e] == i) return e;
  return -1;
}

// A_II, from the couplings before they change. One thread per row, here and below.
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

// A_IJ and A_JI, written by the row of the smaller index.
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

// Shifts constants, the null space of a matrix with all blocks, to its mean eigenvalue m: += (m / n) 1 1^T.
template <class Space, class T>
void shift_constants(int B, int rows, const std::int64_t* diagonal, T* value) {
  const double trace = sum<Space>(rows, [=] WEIR_HD(int i) {
    double s = 0;
    for (int u = 0; u < B; ++u) s += static_cast<double>(value[(diagonal[i] * B + u) * B + u]);
    return s;
  });
  const double n = static_cast<double>(rows) * B;
  const T more = static_cast<T>(trace / n / n);
  for_each<Space>(std::int64_t{rows} * rows * B * B, [=] WEIR_HD(int e) { value[e] += more; });
}

}  // namespace weir::aggregation
