// Ways in which threads wait for each other, correct and with one word left out.
#include <cooperative_groups.h>

#include "tests/ptx/selftest/bugs.hpp"

namespace {

constexpr int numbers = 32, apart = 8;  // numbers in sectors of their own

enum class Mistake { none, relaxed_store, relaxed_load, no_fence, no_barrier };

// One block produces, the other waits for its flag.
template <Mistake mistake>
__global__ void flag(int* data, int* flag, int* out) {
  int one = 1, seen = 0;
  if (blockIdx.x == 0) {
    for (int k = 0; k < numbers; ++k) data[apart * k] = k + 1;
    if (mistake == Mistake::relaxed_store)
      __nv_atomic_store(flag, &one, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    else
      __nv_atomic_store(flag, &one, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  } else {
    for (int k = 0; k < numbers; ++k) out[k] = data[apart * k];  // before: lines that are stale after the flag
    while (!seen)
      if (mistake == Mistake::relaxed_load)
        __nv_atomic_load(flag, &seen, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
      else
        __nv_atomic_load(flag, &seen, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    for (int k = 0; k < numbers; ++k) out[k] = data[apart * k];
  }
}

// The last block to finish adds up what all have written.
template <Mistake mistake>
__global__ void last_block(int* partial, int* count, int* out) {
  partial[apart * blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
  if (mistake != Mistake::no_fence) __threadfence();
  if (atomicAdd(count, 1) == static_cast<int>(gridDim.x) - 1) {
    if (mistake != Mistake::no_fence) __threadfence();
    int sum = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) sum += partial[apart * k];
    *out = sum;
  }
}

// Each block reads what its neighbour wrote before the barrier of the grid.
template <Mistake mistake>
__global__ void grid_barrier(int* data, int* out) {
  const unsigned n = gridDim.x, me = blockIdx.x;
  if (threadIdx.x == 0) data[apart * me] = static_cast<int>(me) + 1;
  if (mistake != Mistake::no_barrier) cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) out[me] = data[apart * ((me + 1) % n)];
}

// A tree in shared memory.
template <Mistake mistake>
__global__ void tree(int* out) {
  __shared__ int s[128];
  s[threadIdx.x] = 1;
  for (unsigned half = 64; half > 0; half /= 2) {
    if (mistake != Mistake::no_barrier) __syncthreads();
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *out = s[0];
}

std::vector<int> counted_up() {
  std::vector<int> v(numbers);
  for (int k = 0; k < numbers; ++k) v[static_cast<std::size_t>(k)] = k + 1;
  return v;
}
template <Mistake mistake>
void run_flag(Buffers& b) {
  flag<mistake><<<2, 1>>>(b.ints + 1024, b.ints + 2048, b.ints);
  b.expected = counted_up();
}
template <Mistake mistake>
void run_last_block(Buffers& b) {
  last_block<mistake><<<16, 1>>>(b.ints + 1024, b.ints + 2048, b.ints);
  b.expected = {136};
}
template <Mistake mistake>
void run_grid_barrier(Buffers& b) {
  int *data = b.ints + 1024, *out = b.ints;
  void* arguments[] = {&data, &out};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&grid_barrier<mistake>), 32, 32, arguments, 0, nullptr);
  b.expected = counted_up();
  for (int& v : b.expected) v = v % 32 + 1;
}
template <Mistake mistake>
void run_tree(Buffers& b) {
  tree<mistake><<<1, 128>>>(b.ints);
  b.expected = {128};
}

}  // namespace

const std::map<std::string, Bug> waiting_protocols = {
    {"flag", run_flag<Mistake::none>},
    {"flag_relaxed_store", run_flag<Mistake::relaxed_store>},
    {"flag_relaxed_load", run_flag<Mistake::relaxed_load>},
    {"last_block", run_last_block<Mistake::none>},
    {"last_block_no_fence", run_last_block<Mistake::no_fence>},
    {"grid_barrier", run_grid_barrier<Mistake::none>},
    {"grid_barrier_left_out", run_grid_barrier<Mistake::no_barrier>},
    {"tree", run_tree<Mistake::none>},
    {"tree_no_barrier", run_tree<Mistake::no_barrier>},
};
