// Reductions on a CUDA device, one launch each: a grid that depends on n only, a fixed tree in each block, and the block that
// arrives last adds up the blocks' results. What becomes of the sum is the finish's business: it goes to pinned host memory,
// stays on the device, or steers what comes next. Nothing is allocated after the first call.
#pragma once
#include "backend/runtime.hpp"
#include "solvers/device/chunked_reduce.hpp"
#if defined(__CUDACC__)
#include "solvers/device/block.hpp"
#endif

namespace weir::backend {

double* reduction_partials(std::int64_t count);  // device memory; grows, then stays
unsigned* reduction_arrivals();                  // device memory: how many blocks have arrived; 0 between launches
double* reduction_result();                      // pinned host memory

// Defined where nvcc compiles, used nowhere else. finish(sum) runs in one thread, after all else of the launch.
template <class F>
double reduce_sum(int n, const F& f);
template <class F>
Pair reduce_sum2(int n, const F& f);
template <class F>
double reduce_max(int n, const F& f);
template <class F, class Finish>
void reduce_sum_then(int n, const F& f, const Finish& finish);
template <class F, class Finish>
void reduce_sum2_then(int n, const F& f, const Finish& finish);
template <class F, class Finish>
void reduce_max_then(int n, const F& f, const Finish& finish);

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
template <class T, class Op, class F, class Finish>
__global__ void reduce_kernel(int n, F f, T* partial, unsigned* arrivals, Finish finish, const double* skip) {
  if (skip && *skip != 0) return;
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
  if (threadIdx.x == 0) finish(v);
}

template <class T, class Op, class F, class Finish>
void reduce_then(int n, const F& f, const Finish& finish) {
  constexpr unsigned per_block = 4 * reduction_threads;  // four indices a thread pay for the tree
  const unsigned wanted = n > 0 ? blocks_for(n, per_block) : 1;
  const unsigned blocks = wanted < reduction_blocks ? wanted : reduction_blocks;
  launch({.grid = blocks, .block = reduction_threads, .name = "reduce"}, reduce_kernel<T, Op, F, Finish>, n, f,
         reinterpret_cast<T*>(reduction_partials(2 * reduction_blocks)), reduction_arrivals(), finish,
         detail::skip_flag());
}

template <class T, class Op, class F>
T reduce(int n, const F& f) {
  if (n <= 0) return T{};
  double* result = reduction_result();
  reduce_then<T, Op>(n, f, detail::LeaveAt<T>{result});
  refuse_recording("a sum for the host");
  check(cudaStreamSynchronize(nullptr), "waiting for a reduction");
  return *reinterpret_cast<T*>(result);
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
template <class F, class Finish>
void reduce_sum_then(int n, const F& f, const Finish& finish) {
  reduce_then<double, Plus>(n, f, finish);
}
template <class F, class Finish>
void reduce_sum2_then(int n, const F& f, const Finish& finish) {
  reduce_then<Pair, AddPair>(n, f, finish);
}
template <class F, class Finish>
void reduce_max_then(int n, const F& f, const Finish& finish) {
  reduce_then<double, LargerOrNan>(n, f, finish);
}

#endif

}  // namespace weir::backend
