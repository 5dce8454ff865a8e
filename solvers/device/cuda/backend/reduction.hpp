// Reductions on a CUDA device: a grid that depends on n only, a fixed tree in each block, then one block over the
// blocks' results, which writes into pinned host memory. Nothing is allocated after the first call.
#pragma once
#include "backend/runtime.hpp"
#include "solvers/device/chunked_reduce.hpp"
#if defined(__CUDACC__)
#include "solvers/device/block.hpp"
#endif

namespace weir::backend {

double* reduction_partials(std::int64_t count);  // device memory; grows, then stays
double* reduction_result();                      // pinned host memory

// Defined where nvcc compiles, used nowhere else.
template <class F>
double reduce_sum(int n, const F& f);
template <class F>
Pair reduce_sum2(int n, const F& f);
template <class F>
double reduce_max(int n, const F& f);

#if defined(__CUDACC__)

struct AddPair {
  __device__ Pair operator()(const Pair& x, const Pair& y) const { return {x.a + y.a, x.b + y.b}; }
};
struct LargerOrNan {
  __device__ double operator()(double m, double v) const { return detail::larger(m, v < 0 ? -v : v); }
};

inline constexpr unsigned reduction_threads = 256;
inline constexpr unsigned reduction_blocks = 1024;  // about eight a multiprocessor

// T{} is the identity of every operation used here: sums start from 0, magnitudes too.
template <class T, class Op, class F>
__global__ void reduce_kernel(int n, F f, T* out) {
  T v{};
  const int step = static_cast<int>(gridDim.x * reduction_threads);
  for (std::int64_t i = blockIdx.x * reduction_threads + threadIdx.x; i < n; i += step)
    v = Op{}(v, static_cast<T>(f(static_cast<int>(i))));
  v = block_reduce(v, Op{});
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

template <class T>
struct Load {
  const T* p;
  __device__ T operator()(int i) const { return p[i]; }
};

template <class T, class Op, class F>
T reduce(int n, const F& f) {
  if (n <= 0) return T{};
  constexpr unsigned per_block = 4 * reduction_threads;  // four indices a thread pay for the tree
  const unsigned wanted = blocks_for(n, per_block);
  const unsigned blocks = wanted < reduction_blocks ? wanted : reduction_blocks;
  T* partial = reinterpret_cast<T*>(reduction_partials(2 * reduction_blocks));
  T* result = reinterpret_cast<T*>(reduction_result());
  if (blocks == 1) {
    launch({.grid = 1, .block = reduction_threads, .name = "reduce"}, reduce_kernel<T, Op, F>, n, f, result);
  } else {
    launch({.grid = blocks, .block = reduction_threads, .name = "reduce"}, reduce_kernel<T, Op, F>, n, f, partial);
    launch({.grid = 1, .block = reduction_threads, .name = "reduce blocks"}, reduce_kernel<T, Op, Load<T>>,
           static_cast<int>(blocks), Load<T>{partial}, result);
  }
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

#endif

}  // namespace weir::backend
