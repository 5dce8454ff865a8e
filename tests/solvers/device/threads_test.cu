// Cooperation of threads of different blocks: atomics, flags, the barrier of a cooperative grid, kernels without
// collectives.
#include <gtest/gtest.h>

#include <numeric>

#include "backend/grid_sync.hpp"
#include "solvers/device/array.hpp"
#include "solvers/device/launch.hpp"

namespace weir {
namespace {

__global__ void atomics(View<int> n, View<double> x) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&n[0], 1);
  if (i == 17) atomicExch(&n[1], 5);
  atomicAdd(&x[0], 0.5);
}

__global__ void count_under_a_lock(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *count += 1;
  __threadfence();
  atomicExch(lock, 0);
}

// Each block waits for the one before: x_b = 2 x_{b-1} + 1. Blocks are numbered as they come: CUDA promises no order.
__global__ void chain(View<int> x, View<int> done, View<int> ticket) {
  if (threadIdx.x != 0) return;
  const int b = atomicAdd(&ticket[0], 1);
  int v = 0;
  if (b > 0) {
    while (load_acquire(&done[b - 1]) == 0) {
    }
    v = x[b - 1];
  }
  x[b] = (2 * v + 1) % 1000003;
  store_release(&done[b], 1);
}

// Three steps of x_i <- x_{i-1} + x_{i+1} on a ring, old and new in turn.
__global__ void ring_steps(View<int> x, View<int> y) {
  const int n = static_cast<int>(x.size()), first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int s = 0; s < 3; ++s) {
    const View<int> from = s % 2 ? y : x, to = s % 2 ? x : y;
    for (int i = first; i < n; i += step) to[i] = from[(i + n - 1) % n] + from[(i + 1) % n];
    grid_sync();
  }
}

// Chaotic relaxation: whole values are all it needs.
__global__ void relax(View<double> x) {
  const int n = static_cast<int>(x.size()), i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  for (int s = 0; s < 200; ++s) {
    const double left = i > 0 ? load_relaxed(&x[i - 1]) : 0, right = i + 1 < n ? load_relaxed(&x[i + 1]) : 0;
    store_relaxed(&x[i], 0.25 * (left + right) + 1);
  }
}

__global__ void write_rank(View<int> x, int offset) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int i = static_cast<int>(block * blockDim.x * blockDim.y * blockDim.z + thread);
  x[i] = i + offset;
}

}  // namespace

TEST(Atomics, OnIntAndDoubleAddUp) {
  Array<int, Device> n(std::vector<int>{0, 0});
  Array<double, Device> x(std::vector<double>{0});
  launch({.grid = 5, .block = 40, .name = "atomics"}, atomics, n.view(), x.view());
  EXPECT_EQ(n.to_vector(), (std::vector<int>{200, 5}));
  EXPECT_EQ(x.to_vector()[0], 100.0);
}

TEST(Atomics, MakeALock) {
  Array<int, Device> v(std::vector<int>(65, 0));  // lock and count in cache lines of their own
  launch({.grid = 20, .block = 32, .name = "lock"}, count_under_a_lock, v.data(), v.data() + 64);
  EXPECT_EQ(v.to_vector().front(), 0);
  EXPECT_EQ(v.to_vector().back(), 20);
}

TEST(Flags, HandDataFromBlockToBlock) {
  constexpr int n = 50;
  Array<int, Device> x(n), done(std::vector<int>(n, 0)), ticket(std::vector<int>{0});
  launch({.grid = n, .block = 32, .name = "chain"}, chain, x.view(), done.view(), ticket.view());
  const auto got = x.to_vector();
  for (int v = 0, i = 0; i < n; ++i) {
    v = (2 * v + 1) % 1000003;
    ASSERT_EQ(got[static_cast<std::size_t>(i)], v);
  }
}

TEST(Grid, MeetsAtItsBarrier) {
  constexpr int n = 100;
  std::vector<int> v(n), w(n);
  std::iota(v.begin(), v.end(), 0);
  Array<int, Device> x(v), y(v);
  launch({.grid = 4, .block = 32, .cooperative = true, .name = "ring"}, ring_steps, x.view(), y.view());
  for (int s = 0; s < 3; ++s) {
    for (std::size_t i = 0; i < n; ++i) w[i] = v[(i + n - 1) % n] + v[(i + 1) % n];
    v.swap(w);
  }
  EXPECT_EQ(y.to_vector(), v);
}

// The iteration contracts by 1/2 per sweep in the maximum norm, for any schedule: 60 sweeps bring any error below eps.
TEST(Flags, RelaxedLoadsAndStoresConverge) {
  constexpr int n = 60;
  Array<double, Device> x(std::vector<double>(n, 0.0));
  for (int k = 0; k < 3; ++k) launch({.grid = 2, .block = 32, .name = "relax"}, relax, x.view());
  const auto v = x.to_vector();
  for (std::size_t i = 1; i + 1 < n; ++i) EXPECT_NEAR(v[i], 0.25 * (v[i - 1] + v[i + 1]) + 1, 1e-14);
}

TEST(Kernels, WithoutCollectivesVisitEveryThread) {
  for (const bool collectives : {false, true}) {
    Array<int, Device> x(2 * 3 * 2 * 4 * 2 * 2);
    launch({.grid = {2, 3, 2}, .block = {4, 2, 2}, .collectives = collectives, .name = "rank"}, write_rank, x.view(),
           7);
    const auto v = x.to_vector();
    for (int i = 0; i < 192; ++i) EXPECT_EQ(v[static_cast<std::size_t>(i)], i + 7);
  }
}

}  // namespace weir
