// Prefix sums. Device: each workgroup scans 256 counts by shuffles; one workgroup scans the sums of the workgroups;
// all add the sum of those before them. Reads 4 bytes and writes 16 bytes per row.
#include "solvers/matrix/algorithms/prefix_sum.hpp"

#include "solvers/device/block.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/launch.hpp"

namespace weir {
namespace {

constexpr int threads = 256, many_threads = 1024;

// The sum over the preceding threads of the workgroup; total: over all threads.
template <int threads, class T>
__device__ T scan_workgroup(T mine, T& total) {
  WEIR_SHARED(T, of_warp, [threads / 32]);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T sum = mine;
  for (unsigned d = 1; d < 32; d *= 2) {
    const T other = __shfl_up_sync(full_warp, sum, d);
    if (lane >= d) sum += other;
  }
  __syncthreads();  // of_warp may still be read by the previous call
  if (lane == 31) of_warp[warp] = sum;
  __syncthreads();
  T before = 0;
  total = 0;
  for (unsigned w = 0; w < threads / 32; ++w) {
    if (w < warp) before += of_warp[w];
    total += of_warp[w];
  }
  return before + sum - mine;
}

__global__ void scan_counts(const int* count, int n, std::int64_t* start, std::int64_t* block_sum) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  std::int64_t total = 0;
  const std::int64_t before = scan_workgroup<threads>(std::int64_t{i < n ? count[i] : 0}, total);
  if (i < n) start[i] = before;
  if (threadIdx.x == 0) block_sum[blockIdx.x] = total;
}

// In place; the element after the last block is the total.
__global__ void scan_blocks(std::int64_t* block_sum, int blocks) {
  std::int64_t carried = 0;
  for (int from = 0; from < blocks; from += threads) {
    const int b = from + static_cast<int>(threadIdx.x);
    std::int64_t total = 0;
    const std::int64_t before = scan_workgroup<threads>(b < blocks ? block_sum[b] : std::int64_t{0}, total);
    if (b < blocks) block_sum[b] = carried + before;
    carried += total;
  }
  if (threadIdx.x == 0) block_sum[blocks] = carried;
}

void add_blocks(const std::int64_t* block_sum, int n, int blocks, std::int64_t* start) {
  for_each<Device>(n + 1,
                   [=] WEIR_HD(int i) { start[i] = i < n ? start[i] + block_sum[i / threads] : block_sum[blocks]; });
}

__global__ void scan_two_counts(TwoPrefixSums::Counts count, int n, TwoPrefixSums::Starts start,
                                std::int64_t* block_sum) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), which = static_cast<int>(blockIdx.y);
  int total = 0;
  const int before = scan_workgroup<threads>(i < n ? count.of[which][i] : 0, total);
  if (i < n) start.of[which][i] = before;
  if (threadIdx.x == 0) block_sum[blockIdx.y * gridDim.x + blockIdx.x] = total;
}

__global__ void scan_two_rows_of_blocks(std::int64_t* block_sum, int blocks, int n, TwoPrefixSums::Starts start,
                                        double* total) {
  std::int64_t *sums = block_sum + std::int64_t{blockIdx.x} * blocks, carried = 0;
  for (int from = 0; from < blocks; from += many_threads) {
    const int b = from + static_cast<int>(threadIdx.x);
    std::int64_t sum = 0;
    const std::int64_t before = scan_workgroup<many_threads>(b < blocks ? sums[b] : std::int64_t{0}, sum);
    if (b < blocks) sums[b] = carried + before;
    carried += sum;
  }
  if (threadIdx.x != 0) return;
  start.of[blockIdx.x][n] = carried;
  total[blockIdx.x] = static_cast<double>(carried);
}

}  // namespace

void TwoPrefixSums::operator()(const Counts& count, int n, const Starts& start, double* total) {
  const int blocks = (n + threads - 1) / threads;
  std::int64_t* sums = blocks_.reserve(std::int64_t{2} * blocks + 1);
  if (blocks > 0)
    launch({.grid = dim3(static_cast<unsigned>(blocks), 2), .block = threads, .name = "two prefix sums"},
           scan_two_counts, count, n, start, sums);
  launch({.grid = 2, .block = many_threads, .name = "two prefix sums of workgroups"}, scan_two_rows_of_blocks, sums,
         blocks, n, start, total);
  const Starts to = start;
  for_each<Device>(n, [=] WEIR_HD(int i) {
    const int block = i / threads;
    to.of[0][i] += sums[block];
    to.of[1][i] += sums[blocks + block];
  });
}

template <>
std::int64_t PrefixSum<Host>::operator()(const int* count, int n, std::int64_t* start) {
  start[0] = 0;
  for (int i = 0; i < n; ++i) start[i + 1] = start[i] + count[i];
  return start[n];
}

template <>
std::int64_t PrefixSum<Device>::operator()(const int* count, int n, std::int64_t* start) {
  const int blocks = (n + threads - 1) / threads;
  std::int64_t* sums = blocks_.reserve(blocks + 1);
  if (blocks > 0)
    launch({.grid = static_cast<unsigned>(blocks), .block = threads, .name = "prefix sum"}, scan_counts, count, n,
           start, sums);
  launch({.grid = 1, .block = threads, .name = "prefix sum of workgroups"}, scan_blocks, sums, blocks);
  add_blocks(sums, n, blocks, start);
  std::int64_t total = 0;
  backend::copy_to_host(&total, sums + blocks, sizeof total);
  return total;
}

}  // namespace weir
