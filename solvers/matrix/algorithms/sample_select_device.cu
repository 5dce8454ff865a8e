// The steps of SampleSelect as kernels with 256 threads per workgroup.
//   splitters   one workgroup: 1024 samples gathered and sorted in shared memory (bitonic)
//   count       tree and counters in shared memory, 8 steps per value, integer atomics; workgroups write their counts
//   bucket      one workgroup: each thread adds the workgroups' counts of one bucket, then a prefix sum
//   extract     each workgroup writes its values to its part of the bucket. Their order depends on timing, but not
//               their set, and so not the result.
// Bytes as in sample_select.hpp; a workgroup handles at least 4096 values.
#include <algorithm>

#include "solvers/device/launch.hpp"
#include "solvers/device/space_timer.hpp"
#include "solvers/matrix/algorithms/sample_select.hpp"
#include "solvers/matrix/algorithms/sample_sort.hpp"

namespace weir {
namespace select {

constexpr std::int64_t values_a_workgroup = 4096, most_workgroups = 1024;

__global__ void find_splitters(const double* x, std::int64_t n, std::uint64_t seed, int level, Splitters* out) {
  WEIR_SHARED(double, v, [samples]);
  for (int q = me(); q < samples; q += threads) v[q] = x[sample_index(seed, level, q, n)];
  bitonic_sort(v);
  leave_splitters(v, out);
}

template <bool Oracles>
__global__ void count_values(const double* x, std::int64_t n, const Splitters* p, std::int64_t* counts,
                             unsigned char* oracle) {
  WEIR_SHARED(double, tree, [buckets]);
  WEIR_SHARED(double, s, [buckets]);
  WEIR_SHARED(int, equal, [buckets]);
  WEIR_SHARED(int, counter, [buckets]);
  const int b0 = me();
  tree[b0] = p->tree[b0];
  s[b0] = p->s[b0];
  equal[b0] = p->equal[b0];
  counter[b0] = 0;
  __syncthreads();
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + me(); i < n; i += step) {
    const double v = x[i];
    int b = bucket_of(tree, v);
    if (b > 0 && equal[b - 1] && v == s[b]) --b;
    atomicAdd(&counter[b], 1);
    if (Oracles) oracle[i] = static_cast<unsigned char>(b);
  }
  __syncthreads();
  counts[std::int64_t{blockIdx.x} * buckets + b0] = counter[b0];
}

// parts: number of workgroups; their counts are contiguous. Every thread repeats the same short search at the end.
__global__ void find_bucket(const Splitters* p, const std::int64_t* counts, int parts, std::int64_t rank, bool nearest,
                            Found* found) {
  WEIR_SHARED(std::int64_t, total, [buckets]);
  const int b = me();
  std::int64_t sum = 0;
  for (int part = 0; part < parts; ++part) sum += counts[std::int64_t{part} * buckets + b];
  total[b] = sum;
  __syncthreads();
  if (b != 0) return;
  Found best{-1, 0, 0, 0, 0};
  std::int64_t before = 0;
  for (int q = 0; q < buckets; ++q) {
    const std::int64_t off = before > rank ? before - rank : rank - before,
                       best_off = best.before > rank ? best.before - rank : rank - best.before;
    const bool distinct = q > 0 && !p->equal[q - 1];
    const bool takes =
        nearest ? distinct && (best.bucket < 0 || off < best_off) : rank >= before && rank < before + total[q];
    if (takes) best = {q, p->equal[q], before, total[q], p->s[q]};
    before += total[q];
  }
  *found = best;
}

// Replaces each workgroup's count of the bucket by the position of its first value.
__global__ void place_parts(std::int64_t* counts, int parts, int bucket) {
  WEIR_SHARED(std::int64_t, count, [most_workgroups]);
  for (int part = me(); part < parts; part += threads) count[part] = counts[std::int64_t{part} * buckets + bucket];
  __syncthreads();
  if (me() == 0) {
    std::int64_t before = 0;
    for (int part = 0; part < parts; ++part) {
      const std::int64_t mine = count[part];
      count[part] = before;
      before += mine;
    }
  }
  __syncthreads();
  for (int part = me(); part < parts; part += threads) counts[std::int64_t{part} * buckets + bucket] = count[part];
}

__global__ void extract_values(const double* x, std::int64_t n, const unsigned char* oracle, int bucket,
                               const std::int64_t* counts, double* out) {
  WEIR_SHARED(int, taken, [1]);
  if (me() == 0) taken[0] = 0;
  __syncthreads();
  const std::int64_t first = counts[std::int64_t{blockIdx.x} * buckets + bucket];
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + me(); i < n; i += step) {
    if (oracle[i] != bucket) continue;
    out[first + atomicAdd(&taken[0], 1)] = x[i];
  }
}

// n <= samples values: sorts them, padded with infinities.
__global__ void sort_few(const double* x, int n, int rank, Found* found) {
  WEIR_SHARED(double, v, [samples]);
  for (int q = me(); q < samples; q += threads) v[q] = q < n ? x[q] : HUGE_VAL;
  bitonic_sort(v);
  if (me() != 0) return;
  int below = rank;
  while (below > 0 && v[below - 1] == v[rank]) --below;
  *found = {0, 0, below, 0, v[rank]};
}

int workgroups(std::int64_t n) {
  return static_cast<int>(std::min(most_workgroups, (n + values_a_workgroup - 1) / values_a_workgroup));
}
LaunchConfig config(int grid, const char* name) {
  return {.grid = static_cast<unsigned>(grid), .block = threads, .name = name};
}

Found to_host(const Found* found) {
  Found f;
  backend::copy_to_host(&f, found, sizeof f);  // synchronises
  return f;
}

}  // namespace select

using select::Found;

template <>
void SampleSelect<Device>::find_splitters(const double* x, std::int64_t n, int level) {
  const WaitingTimer<Device> timer(times_.splitters);
  launch(select::config(1, "splitters"), select::find_splitters, x, n, seed_, level, splitters_.reserve(1));
}

template <>
template <bool Oracles>
Found SampleSelect<Device>::count(const double* x, std::int64_t n, std::int64_t rank, bool nearest) {
  const WaitingTimer<Device> timer(times_.count);
  parts_ = select::workgroups(n);
  std::int64_t* counts = counts_.reserve(std::int64_t{parts_} * select::buckets);
  unsigned char* oracle = Oracles ? oracles_.reserve(n) : nullptr;
  launch(select::config(parts_, "count values"), select::count_values<Oracles>, x, n,
         static_cast<const select::Splitters*>(splitters_.data()), counts, oracle);
  Found* found = found_.reserve(1);
  launch(select::config(1, "find bucket"), select::find_bucket,
         static_cast<const select::Splitters*>(splitters_.data()), static_cast<const std::int64_t*>(counts), parts_,
         rank, nearest, found);
  return select::to_host(found);
}

template <>
const double* SampleSelect<Device>::extract(const double* x, std::int64_t n, const Found& found, int level) {
  const WaitingTimer<Device> timer(times_.extract);
  double* out = left_[level % 2].reserve(found.count);
  std::int64_t* counts = counts_.data();
  launch(select::config(1, "place parts"), select::place_parts, counts, parts_, found.bucket);
  launch(select::config(select::workgroups(n), "extract values"), select::extract_values, x, n,
         static_cast<const unsigned char*>(oracles_.data()), found.bucket, static_cast<const std::int64_t*>(counts),
         out);
  return out;
}

template <>
Selection SampleSelect<Device>::sorted(const double* x, std::int64_t n, std::int64_t rank) {
  const WaitingTimer<Device> timer(times_.sort);
  Found* found = found_.reserve(1);
  launch(select::config(1, "sort few"), select::sort_few, x, static_cast<int>(n), static_cast<int>(rank), found);
  const Found f = select::to_host(found);
  return {f.value, f.before, 0};
}

template Found SampleSelect<Device>::count<true>(const double*, std::int64_t, std::int64_t, bool);
template Found SampleSelect<Device>::count<false>(const double*, std::int64_t, std::int64_t, bool);

}  // namespace weir
