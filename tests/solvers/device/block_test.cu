// Cooperation of the threads of one block: shared memory, barriers, shuffles, votes, reductions.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "solvers/device/array.hpp"
#include "solvers/device/block.hpp"
#include "solvers/device/launch.hpp"

namespace weir {
namespace {

__global__ void reverse(View<double> x) {
  WEIR_SHARED(double, tile, [128]);
  const unsigned i = threadIdx.x;
  tile[i] = x[i];
  __syncthreads();
  x[i] = tile[blockDim.x - 1 - i];
}

__global__ void transpose(View<const double> a, View<double> b, int n) {
  WEIR_SHARED(double, tile, [8][9]);
  const int i = static_cast<int>(blockIdx.x * 8 + threadIdx.x), j = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  if (i < n && j < n) tile[threadIdx.y][threadIdx.x] = a[j * n + i];
  __syncthreads();
  const int it = static_cast<int>(blockIdx.y * 8 + threadIdx.x), jt = static_cast<int>(blockIdx.x * 8 + threadIdx.y);
  if (it < n && jt < n) b[jt * n + it] = tile[threadIdx.x][threadIdx.y];
}

__global__ void prefix_sums(View<const int> x, View<int> y) {
  WEIR_DYNAMIC_SHARED(int, s);
  const unsigned i = threadIdx.x;
  s[i] = x[i];
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    const int left = i >= d ? s[i - d] : 0;
    __syncthreads();
    s[i] += left;
    __syncthreads();
  }
  y[i] = s[i];
}

__global__ void shuffles(View<int> out) {
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = __shfl_sync(full_warp, lane, 5);
  out[32 + lane] = __shfl_up_sync(full_warp, lane, 1);
  out[64 + lane] = __shfl_down_sync(full_warp, lane, 2, 8);
  out[96 + lane] = __shfl_xor_sync(full_warp, lane, 3);
  out[128 + lane] = static_cast<int>(__ballot_sync(full_warp, lane % 3 == 0));
  out[160 + lane] = __any_sync(full_warp, lane == 7) + 2 * __all_sync(full_warp, lane < 31);
  int quarter = -1;
  if (lane < 8) quarter = __shfl_sync(0xffu, lane, 7 - lane);
  __syncwarp();
  out[192 + lane] = quarter;
}

template <class Op>
__global__ void reduce_blocks(View<const double> x, View<double> out) {
  const unsigned i = blockIdx.x * block_size() + thread_rank();
  double v = block_reduce(x[i], Op{});
  if (thread_rank() == 0) out[2 * blockIdx.x] = v;
  v = block_reduce(2 * x[i], Op{});
  if (thread_rank() == 0) out[2 * blockIdx.x + 1] = v;
}

std::vector<double> numbers(int n) {
  std::vector<double> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 1.0);
  return v;
}

}  // namespace

TEST(Block, SharesMemoryBetweenBarriers) {
  auto expected = numbers(128);
  Array<double, Device> x(expected);
  launch({.block = 128, .name = "reverse"}, reverse, x.view());
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(x.to_vector(), expected);
}

TEST(Block, TransposesThroughATileInTwoDimensions) {
  constexpr int n = 21;
  const auto a = numbers(n * n);
  const Array<double, Device> x(a);
  Array<double, Device> y(n * n);
  launch({.grid = {3, 3}, .block = {8, 8}, .name = "transpose"}, transpose, x.view(), y.view(), n);
  const auto b = y.to_vector();
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(b[j * n + i], a[i * n + j]);
}

TEST(Block, UsesTheDynamicSharedMemoryOfTheLaunch) {
  std::vector<int> x(96, 1), expected(96);
  std::iota(expected.begin(), expected.end(), 1);
  const Array<int, Device> in(x);
  Array<int, Device> out(96);
  launch({.block = 96, .shared_bytes = 96 * sizeof(int), .name = "prefix sums"}, prefix_sums, in.view(), out.view());
  EXPECT_EQ(out.to_vector(), expected);
}

TEST(Warp, ExchangesRegistersAndVotes) {
  Array<int, Device> out(224);
  launch({.block = 32, .name = "shuffles"}, shuffles, out.view());
  const auto v = out.to_vector();
  for (int lane = 0; lane < 32; ++lane) {
    const auto l = static_cast<std::size_t>(lane);
    EXPECT_EQ(v[l], 5);
    EXPECT_EQ(v[32 + l], lane == 0 ? 0 : lane - 1);
    EXPECT_EQ(v[64 + l], lane % 8 < 6 ? lane + 2 : lane);
    EXPECT_EQ(v[96 + l], lane ^ 3);
    EXPECT_EQ(v[128 + l], 0x49249249);
    EXPECT_EQ(v[160 + l], 1);
    EXPECT_EQ(v[192 + l], lane < 8 ? 7 - lane : -1);
  }
}

TEST(Block, ReducesInThreeShapes) {
  for (const dim3 shape : {dim3(32), dim3(256), dim3(16, 4, 2), dim3(1024)}) {
    const unsigned size = shape.x * shape.y * shape.z;
    const int n = static_cast<int>(2 * size);
    const Array<double, Device> x(numbers(n));
    Array<double, Device> out(4);
    launch({.grid = 2, .block = shape, .name = "sums"}, reduce_blocks<Plus>, x.view(), out.view());
    const double half = size * (size + 1) / 2.0, whole = n * (n + 1) / 2.0;  // integers: exact
    EXPECT_EQ(out.to_vector(), (std::vector<double>{half, 2 * half, whole - half, 2 * (whole - half)}));
    launch({.grid = 2, .block = shape, .name = "maxima"}, reduce_blocks<Larger>, x.view(), out.view());
    EXPECT_EQ(out.to_vector(), (std::vector<double>{1.0 * size, 2.0 * size, 1.0 * n, 2.0 * n}));
    launch({.grid = 2, .block = shape, .name = "minima"}, reduce_blocks<Smaller>, x.view(), out.view());
    EXPECT_EQ(out.to_vector(), (std::vector<double>{1, 2, size + 1.0, 2 * (size + 1.0)}));
  }
}

}  // namespace weir
