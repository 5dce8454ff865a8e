// Between two levels. One index a block row (restriction, prolongation) or a block (the coarse matrix), of compile-time
// size where blocks are of 1, 4 or 5: sums in the order of the lists, the same in both spaces.
// Included by .cu files only.
#pragma once
#include "solvers/device/for_each.hpp"

namespace weir::aggregation {

// coarse_I = sum of r over I's members
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

// z_i = beta z_i + scaling coarse_I;  beta is 0 or 1
struct Prolong {
  template <class Space, int N>
  static void run(int B, int rows, const int* of_row, double scaling, bool add, const double* coarse, double* z) {
    for_each<Space>(rows, [=] WEIR_HD(int i) {
      const int n = N > 0 ? N : B;
      const double* from = coarse + std::int64_t{of_row[i]} * n;
      double* out = z + std::int64_t{i} * n;
      for (int c = 0; c < n; ++c) out[c] = (add ? out[c] : 0.0) + scaling * from[c];
    });
  }
};

// Each coarse block is the sum of its sources.
struct SumBlocks {
  template <class Space, int N>
  static void run(int B, int blocks, const std::int64_t* source_start, const std::int64_t* source, const double* fine,
                  double* coarse) {
    for_each<Space>(blocks, [=] WEIR_HD(int e) {
      const int entries = N > 0 ? N * N : B * B;
      double* out = coarse + std::int64_t{e} * entries;
      for (int c = 0; c < entries; ++c) out[c] = 0;
      for (std::int64_t s = source_start[e]; s < source_start[e + 1]; ++s) {
        const double* from = fine + source[s] * entries;
        for (int c = 0; c < entries; ++c) out[c] += from[c];
      }
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
