// Reductions over the threads of a warp or of a block, in one fixed tree each: bits repeat from run to run. For device
// code.
//   const double all = block_reduce(mine, Plus{});      valid in thread 0; every thread of the block must call it
#pragma once
#include "backend/dialect.hpp"

namespace weir {

inline constexpr unsigned full_warp = 0xffffffffu;

struct Plus {
  template <class T>
  __device__ T operator()(const T& x, const T& y) const {
    return x + y;
  }
};
struct Larger {
  template <class T>
  __device__ T operator()(const T& x, const T& y) const {
    return y > x ? y : x;
  }
};
struct Smaller {
  template <class T>
  __device__ T operator()(const T& x, const T& y) const {
    return y < x ? y : x;
  }
};

// A shuffle of any small struct, word by word.
template <class T>
__device__ __forceinline__ T shuffle_down(T v, unsigned distance) {
  static_assert(sizeof(T) % sizeof(int) == 0);
  constexpr unsigned words = sizeof(T) / sizeof(int);
  int w[words];
  __builtin_memcpy(w, &v, sizeof(T));
  for (unsigned k = 0; k < words; ++k) w[k] = __shfl_down_sync(full_warp, w[k], distance);
  __builtin_memcpy(&v, w, sizeof(T));
  return v;
}

__device__ inline unsigned thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__device__ inline unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

// All 32 lanes take part; the result is lane 0's.
template <class T, class Op>
__device__ T warp_reduce(T v, Op op) {
  for (unsigned d = 16; d > 0; d /= 2) v = op(v, shuffle_down(v, d));
  return v;
}

// Bytes of a T: shared memory holds no type that needs a constructor.
template <class T>
struct alignas(T) Raw {
  unsigned char bytes[sizeof(T)];
};

// The block's size must be a multiple of 32 (at most 1024); the result is thread 0's. The barrier at the start lets a
// kernel call it twice: no thread overwrites a partial result that thread 0 still reads.
template <class T, class Op>
__device__ T block_reduce(T v, Op op) {
  WEIR_SHARED(Raw<T>, partial, [32]);
  const unsigned rank = thread_rank(), lane = rank % 32, warp = rank / 32, warps = block_size() / 32;
  v = warp_reduce(v, op);
  __syncthreads();
  if (lane == 0) __builtin_memcpy(&partial[warp], &v, sizeof(T));
  __syncthreads();
  if (rank == 0)
    for (unsigned w = 1; w < warps; ++w) {
      T other;
      __builtin_memcpy(&other, &partial[w], sizeof(T));
      v = op(v, other);
    }
  return v;
}

}  // namespace weir
