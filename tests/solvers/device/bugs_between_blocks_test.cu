// Planted bugs between threads of different blocks, and between the indices of a loop.
#include <cmath>

#include "backend/grid_sync.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "tests/solvers/device/bugs.hpp"

namespace weir {
namespace {

template <bool repaired>
__global__ void add_block_numbers(View<int> x) {
  if (threadIdx.x != 0) return;
  const int b = static_cast<int>(blockIdx.x);
  if (repaired)
    atomicAdd(&x[0], b);
  else
    x[0] += b;
}

// Block 0 writes, raises the flag; block 1 waits for it and reads.
template <bool repaired>
__global__ void hand_over(View<int> x, int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    x[0] = 42;
    store_release(flag, 1);
  } else {
    while ((repaired ? load_acquire(flag) : load_relaxed(flag)) == 0) {
    }
    x[1] = x[0];
  }
}

template <bool repaired>
__global__ void hand_over_with_fences(View<int> x, int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    x[0] = 42;
    if (repaired) __threadfence();
    store_relaxed(flag, 1);
  } else {
    while (load_relaxed(flag) == 0) {
    }
    if (repaired) __threadfence();
    x[1] = x[0];
  }
}

template <bool repaired>
__global__ void neighbours_without_grid_barrier(View<int> x, View<int> y) {
  const int n = static_cast<int>(x.size()), i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  x[i] = i;
  if (repaired) grid_sync();
  y[i] = x[(i + 32) % n];
}

template <bool repaired>
__global__ void wait_for_nobody(int* flag) {
  if (threadIdx.x != 0) return;
  if (repaired && blockIdx.x == 0) store_release(flag, 1);
  while (load_acquire(flag) == 0) {
  }
}

template <bool repaired>
__global__ void take_a_lock_twice(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  if (repaired) atomicExch(lock, 0);
}

template <bool repaired>
__global__ void barriers_for_ever(int* stop) {
  for (int round = 0; !repaired || round < 10; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) *stop = round;
  }
}

template <bool repaired>
void shift_in_place(View<double> x) {
  const int n = static_cast<int>(x.size());
  if (repaired)
    for_each<Device>(n / 2, [=](int i) { x[i] = x[i + n / 2]; });
  else
    for_each<Device>(n - 1, [=](int i) { x[i] = x[i + 1]; });
}

template <bool repaired>
void smooth_in_a_box(Extents e, View<const double> old, View<double> x) {
  for_each<Device>(e, [=](int i, int j, int k) {
    const int c = e.index(i, j, k), left = i > 0 ? c - 1 : c;
    x[c] = 0.5 * (repaired ? old[left] : x[left]);
  });
}

double sum_of(View<const double> x, int n) {
  return sum<Device>(n, [=](int i) { return x[i]; });
}

}  // namespace

TEST(RaceBetweenBlocks, IsReported) {
  if (!simt::checks_accesses()) GTEST_SKIP() << "the race build finds it";
  Array<int, Device> x(std::vector<int>{0});
  const LaunchConfig config{.grid = 4, .block = 32, .name = "add"};
  EXPECT_CONTAINS(error_of([&] { launch(config, add_block_numbers<false>, x.view()); }), "race");
  Array<int, Device> y(std::vector<int>{0});
  launch(config, add_block_numbers<true>, y.view());
  EXPECT_EQ(y.to_vector()[0], 6);
}

TEST(MissingAcquire, IsARace) {
  if (!simt::checks_accesses()) GTEST_SKIP() << "the race build finds it";
  const LaunchConfig config{.grid = 2, .block = 32, .name = "hand over"};
  for (const bool fences : {false, true}) {
    Array<int, Device> x(std::vector<int>{0, 0}), flag(std::vector<int>{0});
    const auto kernel = fences ? hand_over_with_fences<false> : hand_over<false>;
    EXPECT_CONTAINS(error_of([&] { launch(config, kernel, x.view(), flag.data()); }), "race");
  }
}

TEST(MissingAcquire, RepairedIsNoRace) {
  const LaunchConfig config{.grid = 2, .block = 32, .name = "hand over"};
  for (const bool fences : {false, true}) {
    Array<int, Device> x(std::vector<int>{0, 0}), flag(std::vector<int>{0});
    launch(config, fences ? hand_over_with_fences<true> : hand_over<true>, x.view(), flag.data());
    EXPECT_EQ(x.to_vector()[1], 42);
  }
}

TEST(MissingGridBarrier, IsARace) {
  const LaunchConfig config{.grid = 4, .block = 32, .cooperative = true, .name = "neighbours"};
  Array<int, Device> x(128), y(128);
  if (simt::checks_accesses()) {
    const auto run = [&] { launch(config, neighbours_without_grid_barrier<false>, x.view(), y.view()); };
    EXPECT_NE(error_of(run), "");  // a race, or a read of what is not written yet
  }
  launch(config, neighbours_without_grid_barrier<true>, x.view(), y.view());
  EXPECT_EQ(y.to_vector()[5], 37);
}

TEST(EndlessSpin, IsGivenUp) {
  Array<int, Device> flag(std::vector<int>{0});
  const LaunchConfig config{.grid = 2, .block = 32, .name = "spin"};
  EXPECT_CONTAINS(error_of([&] { launch(config, wait_for_nobody<false>, flag.data()); }), "endless spin");
  launch(config, wait_for_nobody<true>, flag.data());
  EXPECT_EQ(flag.to_vector()[0], 1);
}

TEST(EndlessSpin, OnALockIsGivenUp) {
  Array<int, Device> lock(std::vector<int>{0});
  EXPECT_CONTAINS(error_of([&] { launch({.block = 2}, take_a_lock_twice<false>, lock.data()); }), "endless spin");
  Array<int, Device> free_lock(std::vector<int>{0});
  launch({.block = 2}, take_a_lock_twice<true>, free_lock.data());
  EXPECT_EQ(free_lock.to_vector()[0], 0);
}

TEST(EndlessLoop, OverBarriersMeetsTheStepBudget) {
  const KeepOptions keep;
  simt::options().steps = 20000;
  Array<int, Device> stop(std::vector<int>{0});
  EXPECT_CONTAINS(error_of([&] { launch({.block = 64}, barriers_for_ever<false>, stop.data()); }), "step budget");
  launch({.block = 64}, barriers_for_ever<true>, stop.data());
  EXPECT_EQ(stop.to_vector()[0], 9);
}

TEST(RaceBetweenIndices, OfALoopIsReported) {
  if (!simt::checks_accesses()) GTEST_SKIP() << "the race build finds it";
  Array<double, Device> x(std::vector<double>(100, 1.0));
  const std::string error = error_of([&] { shift_in_place<false>(x); });
  EXPECT_CONTAINS(error, "race");
  EXPECT_CONTAINS(error, "for_each: index 1: ");
  EXPECT_CONTAINS(error, "bugs_between_blocks_test.cu:");
  shift_in_place<true>(x);
}

TEST(RaceBetweenIndices, OfABoxIsReported) {
  if (!simt::checks_accesses()) GTEST_SKIP() << "the race build finds it";
  const Extents e{5, 4, 3};
  const Array<double, Device> old(std::vector<double>(60, 1.0));
  Array<double, Device> x(std::vector<double>(60, 1.0));
  EXPECT_CONTAINS(error_of([&] { smooth_in_a_box<false>(e, old, x); }), "race");
  smooth_in_a_box<true>(e, old, x);
}

TEST(UninitialisedDeviceRead, IsReportedOrNotANumber) {
  Array<double, Device> x(10), y(std::vector<double>(10, 1.0));
  if (simt::checks_accesses()) {
    EXPECT_CONTAINS(error_of([&] { sum_of(x, 10); }), "uninitialised");
  } else {
    EXPECT_TRUE(std::isnan(sum_of(x, 10)));
  }
  EXPECT_EQ(sum_of(y, 10), 10);
}

TEST(OutOfBounds, InALoopIsReported) {
  Array<double, Device> x(std::vector<double>(10, 1.0));
  if (simt::checks_accesses()) {
    EXPECT_CONTAINS(error_of([&] { sum_of(x, 11); }), "reduction: index 10: out-of-bounds");
  } else if (simt::address_sanitizer) {
    EXPECT_DEATH(sum_of(x, 11), "AddressSanitizer");
  }
  EXPECT_EQ(sum_of(x, 10), 10);
}

}  // namespace weir
