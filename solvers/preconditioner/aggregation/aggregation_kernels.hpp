// Between two levels. Sums run in the order of the lists, the same in both spaces. N: the block size where it is 1, 4 or 5,
// else 0. Included by .cu files only.
#pragma once
#include "solvers/device/for_each.hpp"
#include "solvers/preconditioner/aggregation/aggregation_sums.hpp"

namespace weir::aggregation {

// coarse_I = sum of r over I's members. One index an aggregate.
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

// z_i += coarse_I. One index a row.
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

// One index an entry of an aggregate's blocks: neighbouring threads read side by side.
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

}  // namespace weir::aggregation
