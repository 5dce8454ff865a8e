// Reductions on a CUDA device, one launch each: a grid that depends on n and on how many blocks of the kernel are
// resident, a fixed tree in each block, and the block that arrives last adds up the blocks' results. The bits repeat on
// one kind of device with one compiler. The sum goes to pinned host memory or stays in device memory. Nothing is
// allocated after the first call.
#pragma once
#include <algorithm>

#include "backend/runtime.hpp"
#include "solvers/device/chunked_reduce.hpp"
#if defined(__CUDACC__)
#include "solvers/device/block.hpp"
#endif

namespace weir::backend {

// Device memory. One of each serves all threads of the host and all graphs: kernels of the default stream run one after
// the other.
double* reduction_partials();                                    // two values per block
unsigned* reduction_arrivals();                                  // how many blocks have arrived; 0 between launches
unsigned resident_blocks(const void* kernel, unsigned threads);  // blocks of that size on the whole device at a time
double* reduction_result();                                      // pinned host memory of the calling thread

inline constexpr unsigned reduction_threads = 256;
inline constexpr unsigned most_reduction_blocks = 2048;

// Defined where nvcc compiles, used nowhere else.
template <class F>
double reduce_sum(int n, const F& f);
template <class F>
Pair reduce_sum2(int n, const F& f);
template <class F>
double reduce_max(int n, const F& f);
template <class F>
Extrema reduce_extrema(int n, const F& f);
template <class T, class F>
void reduce_sum_to(int n, const F& f, T* to);  // a double or a Pair, to device memory

#if defined(__CUDACC__)

struct AddPair {
  __device__ Pair operator()(const Pair& x, const Pair& y) const { return {x.a + y.a, x.b + y.b}; }
};
struct Wider {
  __device__ Extrema operator()(const Extrema& m, const Extrema& v) const { return detail::wider(m, v); }
};
struct LargerOrNan {
  __device__ double operator()(double m, double v) const { return detail::larger(m, v < 0 ? -v : v); }
};

// T{} is the identity of every operation used here: sums start from 0, magnitudes too.
template <class T, class Op, class F>
__global__ void reduce_kernel(int n, F f, T* partial, unsigned* arrivals, T* result) {
  T v{};
  const int step = static_cast<int>(gridDim.x * reduction_threads);
  for (std::int64_t i = blockIdx.x * reduction_threads + threadIdx.x; i < n; i += step)
    v = Op{}(v, static_cast<T>(f(static_cast<int>(i))));
  v = block_reduce(v, Op{});
  if (gridDim.x > 1) {
    WEIR_SHARED(bool, is_last, [1]);
    if (threadIdx.x == 0) {
      partial[blockIdx.x] = v;
      __threadfence();  // also of what the block's other threads wrote: block_reduce's barrier came before
      is_last[0] = atomicAdd(arrivals, 1u) + 1 == gridDim.x;
    }
    __syncthreads();
    if (!is_last[0]) return;
    __threadfence();
    v = T{};
    for (unsigned b = threadIdx.x; b < gridDim.x; b += reduction_threads) v = Op{}(v, partial[b]);
    v = block_reduce(v, Op{});
    if (threadIdx.x == 0) *arrivals = 0;
  }
  if (threadIdx.x == 0) *result = v;
}

template <class T, class Op, class F>
void reduce_to(int n, const F& f, T* result) {
  constexpr unsigned per_block = 4 * reduction_threads;  // four indices per thread amortise the tree
  constexpr auto kernel = reduce_kernel<T, Op, F>;
  static const unsigned most = std::min(most_reduction_blocks,  // a second wave would run on a part of the device
                                        resident_blocks(reinterpret_cast<const void*>(kernel), reduction_threads));
  const unsigned blocks = n > 0 ? std::min(most, blocks_for(n, per_block)) : 1;
  launch({.grid = blocks, .block = reduction_threads, .name = "reduce"}, kernel, n, f,
         reinterpret_cast<T*>(reduction_partials()), reduction_arrivals(), result);
}

template <class T, class Op, class F>
T reduce(int n, const F& f) {
  if (n <= 0) return T{};
  T* result = reinterpret_cast<T*>(reduction_result());
  reduce_to<T, Op>(n, f, result);
  refuse_recording("a sum for the host");
  check(cudaStreamSynchronize(nullptr), "waiting for a reduction");
  return *result;
}

template <class F>
double reduce_sum(int n, const F& f) {
  return reduce<double, Plus>(n, f);
}
template <class F>
Pair reduce_sum2(int n, const F& f) {
  return reduce<Pair, AddPair>(n, f);
}
template <class F>
double reduce_max(int n, const F& f) {
  return reduce<double, LargerOrNan>(n, f);
}
template <class F>
Extrema reduce_extrema(int n, const F& f) {
  return reduce<Extrema, Wider>(n, f);
}
template <class T, class F>
void reduce_sum_to(int n, const F& f, T* to) {
  reduce_to<T, std::conditional_t<std::is_same_v<T, Pair>, AddPair, Plus>>(n, f, to);
}

#endif

}  // namespace weir::backend
