// Planted bugs between threads of one block.
#include <cmath>

#include "tests/solvers/device/bugs.hpp"

namespace weir {
namespace {

template <bool repaired>
__global__ void exchange_without_barrier(View<int> x) {
  WEIR_SHARED(int, s, [128]);
  const unsigned i = threadIdx.x;
  s[i] = 0;  // whatever the schedule, what was never written is not read: that is another bug
  __syncthreads();
  s[i] = x[i];
  if (repaired) __syncthreads();
  x[i] = s[(i + 33) % 128];
}

template <bool repaired>
__global__ void warp_sum_without_barrier(View<int> x) {
  WEIR_SHARED(int, s, [32]);
  const unsigned i = threadIdx.x;
  s[i] = 0;
  __syncwarp();
  s[i] = x[i];
  for (unsigned d = 16; d > 0; d /= 2) {
    if (repaired) __syncwarp();
    const int other = i < d ? s[i + d] : 0;
    if (i < d) s[i] += other;
  }
  if (i == 0) x[0] = s[0];
}

template <bool repaired>
__global__ void barrier_in_branches(View<int> x) {
  const unsigned i = threadIdx.x;
  if (repaired) {
    x[i] = i < 32 ? 1 : 2;
    __syncthreads();
  } else if (i < 32) {
    x[i] = 1;
    __syncthreads();
  } else {
    x[i] = 2;
    __syncthreads();
  }
}

template <bool repaired>
__global__ void barrier_after_return(View<int> x) {
  const unsigned i = threadIdx.x;
  if (!repaired && i >= x.size()) return;
  if (i < x.size()) x[i] = 1;
  __syncthreads();
  if (i < x.size()) x[i] += 1;
}

template <bool repaired>
__global__ void shuffle_in_a_branch(View<int> x) {
  int v = x[threadIdx.x];
  if (repaired || threadIdx.x < 16) v = __shfl_sync(0xffffffffu, v, 3);
  x[threadIdx.x] = v;
}

template <bool repaired>
__global__ void read_unwritten_shared(View<double> x) {
  WEIR_SHARED(double, s, [32]);
  if (repaired || threadIdx.x < 31) s[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x];
}

template <bool repaired>
__global__ void past_a_shared_array(View<double> x) {
  WEIR_SHARED(double, s, [32]);
  const unsigned i = threadIdx.x;
  s[i] = 1;
  __syncthreads();
  x[i] = repaired && i == 31 ? 0 : s[i + 1];
}

template <bool repaired>
__global__ void past_a_device_array(View<const double> x, View<double> y) {
  const unsigned i = threadIdx.x;
  y[i] = (repaired && i + 1 == x.size() ? 0 : x[i + 1]) - x[i];
}

template <bool repaired>
__global__ void barrier_without_collectives(View<int> x) {
  if (!repaired) __syncthreads();
  x[threadIdx.x] = 1;
}

template <class T>
Array<T, Device> filled(int n, T value) {
  return Array<T, Device>(std::vector<T>(static_cast<std::size_t>(n), value));
}

std::vector<int> numbers(int n) {
  std::vector<int> v(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = i;
  return v;
}

template <int bytes>
__global__ void beside_dynamic_memory(View<int> x) {
  WEIR_SHARED(char, array, [bytes]);
  WEIR_DYNAMIC_SHARED(int, dynamic);
  array[0] = 1;
  dynamic[0] = array[0];
  x[0] = dynamic[0];
}

template <bool repaired>
bool exchange_is_wrong() {
  Array<int, Device> x(numbers(128));
  launch({.block = 128, .name = "exchange"}, exchange_without_barrier<repaired>, x.view());
  const auto v = x.to_vector();
  for (int i = 0; i < 128; ++i)
    if (v[static_cast<std::size_t>(i)] != (i + 33) % 128) return true;
  return false;
}

}  // namespace

TEST(MissingBarrier, GivesAWrongResultUnderSomeSchedule) {
  if (simt::checks_accesses()) GTEST_SKIP() << "reported as a race in this build";
  EXPECT_TRUE(for_some_seed(exchange_is_wrong<false>));
  EXPECT_FALSE(for_some_seed(exchange_is_wrong<true>));
}

TEST(MissingBarrier, IsARace) {
  if (!simt::checks_accesses()) GTEST_SKIP() << "the race build finds it";
  const std::string error = error_of([] { exchange_is_wrong<false>(); });
  EXPECT_CONTAINS(error, "race");
  EXPECT_CONTAINS(error, "exchange: block (0,0,0) thread (");
  EXPECT_CONTAINS(error, "bugs_in_blocks_test.cu:");
  EXPECT_CONTAINS(error, "shared 's'");
  EXPECT_FALSE(for_some_seed(exchange_is_wrong<true>));
}

TEST(MissingWarpBarrier, IsARace) {
  if (!simt::checks_accesses()) GTEST_SKIP() << "the race build finds it";
  auto x = filled(32, 1);
  EXPECT_CONTAINS(error_of([&] { launch({.block = 32}, warp_sum_without_barrier<false>, x.view()); }), "race");
  launch({.block = 32}, warp_sum_without_barrier<true>, x.view());
  EXPECT_EQ(x.to_vector()[0], 32);
}

TEST(DivergentBarrier, IsReportedWithBothPlaces) {
  auto x = filled(64, 0);
  const std::string error =
      error_of([&] { launch({.block = 64, .name = "branches"}, barrier_in_branches<false>, x.view()); });
  EXPECT_CONTAINS(error, "branches: ");
  EXPECT_CONTAINS(error, "divergent barrier");
  EXPECT_CONTAINS(error, "divergent barrier: at ");
  EXPECT_LT(error.find("bugs_in_blocks_test.cu:"), error.rfind("bugs_in_blocks_test.cu:"));
  launch({.block = 64}, barrier_in_branches<true>, x.view());
  EXPECT_EQ(x.to_vector()[63], 2);
}

TEST(DivergentBarrier, IsReportedWhereThreadsHaveLeft) {
  auto x = filled(50, 0);
  EXPECT_CONTAINS(error_of([&] { launch({.block = 64}, barrier_after_return<false>, x.view()); }), "divergent barrier");
  launch({.block = 64}, barrier_after_return<true>, x.view());
  EXPECT_EQ(x.to_vector(), std::vector<int>(50, 2));
}

// On a GPU such a launch is refused.
TEST(SharedMemory, BeyondWhatTheLaunchHasAskedForIsReported) {
  auto x = filled(1, 0);
  const auto run = [&](auto kernel, std::size_t dynamic) {
    return error_of([&] { launch({.shared_bytes = dynamic}, kernel, x.view()); });
  };
  constexpr int kb = 1024;
  EXPECT_EQ(run(beside_dynamic_memory<16 * kb>, 32 * kb), "");
  EXPECT_CONTAINS(run(beside_dynamic_memory<17 * kb>, 32 * kb), "launch() has not asked for");
  EXPECT_EQ(run(beside_dynamic_memory<17 * kb>, 33 * kb), "");
  EXPECT_CONTAINS(run(beside_dynamic_memory<17 * kb>, 220 * kb), "bytes of shared memory");
}

TEST(DivergentShuffle, IsReported) {
  Array<int, Device> x(numbers(32));
  EXPECT_NE(error_of([&] { launch({.block = 32}, shuffle_in_a_branch<false>, x.view()); }), "");
  launch({.block = 32}, shuffle_in_a_branch<true>, x.view());
  EXPECT_EQ(x.to_vector(), std::vector<int>(32, 3));
}

TEST(UninitialisedSharedRead, IsReportedOrNotANumber) {
  auto x = filled(32, 0.0);
  const std::string error = error_of([&] { launch({.block = 32}, read_unwritten_shared<false>, x.view()); });
  if (simt::checks_accesses()) {
    EXPECT_CONTAINS(error, "uninitialised");
  } else {
    EXPECT_TRUE(std::isnan(x.to_vector()[31]));
  }
  launch({.block = 32}, read_unwritten_shared<true>, x.view());
  EXPECT_EQ(x.to_vector(), std::vector<double>(32, 1.0));
}

TEST(OutOfBounds, InSharedMemoryIsReported) {
  auto x = filled(32, 0.0);
  const auto run = [&] { launch({.block = 32}, past_a_shared_array<false>, x.view()); };
  if (simt::checks_accesses()) {
    EXPECT_CONTAINS(error_of(run), "out-of-bounds read of 8 bytes");
  } else if (simt::address_sanitizer) {
    EXPECT_DEATH(run(), "AddressSanitizer|out of bounds");
  } else {
    GTEST_SKIP() << "the race and asan builds find it";
  }
  launch({.block = 32}, past_a_shared_array<true>, x.view());
  EXPECT_EQ(x.to_vector()[30], 1);
}

TEST(OutOfBounds, InDeviceMemoryIsReported) {
  const auto x = filled(32, 1.0);
  auto y = filled(32, 0.0);
  const auto run = [&] { launch({.block = 32}, past_a_device_array<false>, x.view(), y.view()); };
  if (simt::checks_accesses()) {
    EXPECT_CONTAINS(error_of(run), "offset 256 of a device array of 256 bytes");
  } else if (simt::address_sanitizer) {
    EXPECT_DEATH(run(), "AddressSanitizer");
  } else {
    GTEST_SKIP() << "the race and asan builds find it";
  }
  launch({.block = 32}, past_a_device_array<true>, x.view(), y.view());
  EXPECT_EQ(y.to_vector()[0], 0);
}

TEST(PlainLaunch, MayNotWaitAtABarrier) {
  auto x = filled(32, 0);
  const LaunchConfig plain{.block = 32, .collectives = false, .name = "plain"};
  EXPECT_CONTAINS(error_of([&] { launch(plain, barrier_without_collectives<false>, x.view()); }),
                  "collectives = false");
  launch(plain, barrier_without_collectives<true>, x.view());
  EXPECT_EQ(x.to_vector(), std::vector<int>(32, 1));
}

}  // namespace weir
