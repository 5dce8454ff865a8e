// Device code only: sorts the samples of SampleSelect in one workgroup and selects the splitters.
#pragma once
#include "backend/dialect.hpp"
#include "solvers/matrix/algorithms/sample_select.hpp"

namespace weir::select {

inline constexpr int threads = 256;
static_assert(threads == buckets);

__device__ inline int me() { return static_cast<int>(threadIdx.x); }

// Sorts v[0 .. samples - 1] in ascending order; each thread handles a pair of elements at a time.
__device__ inline void bitonic_sort(double* v) {
  for (int size = 2; size <= samples; size *= 2)
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (int q = me(); q < samples / 2; q += threads) {
        const int low = q / distance * 2 * distance + q % distance, high = low + distance;
        const bool ascending = (low & size) == 0;
        const double a = v[low], b = v[high];
        if ((b < a) == ascending && a != b) {
          v[low] = b;
          v[high] = a;
        }
      }
    }
  __syncthreads();
}

__device__ inline void leave_splitters(const double* v, Splitters* out) {
  constexpr int step = samples / buckets;
  const int b = me();
  out->s[b] = v[b * step];
  out->equal[b] = b > 0 && b + 1 < buckets && v[b * step] == v[(b + 1) * step];
  out->tree[b] = b + 1 < buckets ? v[splitter_of_node(b) * step] : 0;
}

}  // namespace weir::select
