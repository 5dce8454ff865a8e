// Removal of small entries of L and U on the device: thresholds by SampleSelect after one count (sample_select.hpp),
// without the host, then a team of lanes per row, one pass to count and one to copy.
//  sample   a workgroup per triangle: splitters; few values are sorted directly
//  count    counters in shared memory, summed by integer atomics; the last workgroup takes the splitter of nearest rank
//  ties     only where many values may equal that splitter: number of values that do not exceed it (rule:
//           ParIluFactors::threshold_of)
// Sums of integers: results do not depend on timing.
//  bytes: 8 per entry and count; copying 12 in, 12 out
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "solvers/matrix/algorithms/sample_sort.hpp"
#include "solvers/preconditioner/parilu/parilu_scalar.hpp"
#include "solvers/preconditioner/parilu/parilu_teams.hpp"

namespace weir::parilu {
namespace {

using select::buckets;
using select::samples;

enum class Stage { done, counts, ties };
struct Selecting {
  select::Splitters splitters;
  int count[buckets];
  double value;
  int up_to;  // number of values at most `value`
  unsigned arrived;
  Stage stage;
};

// Magnitudes of the triangles, of which about `most` are kept.
struct Magnitudes {
  const double* x[2];
  std::int64_t count[2], most[2];
  std::uint64_t seed;
};

// Whether the threshold follows from the number of values below it; false: ties must be counted first. 1.1: as in
// ParIluFactors::threshold_of.
__device__ inline bool is_settled(std::int64_t count, std::int64_t below, std::int64_t most) {
  return static_cast<double>(count - below) <= 1.1 * static_cast<double>(most);
}
__device__ inline double threshold_above(double value, std::int64_t above, std::int64_t most) {
  return 2 * above >= most ? nextafter(value, HUGE_VAL) : value;
}

__global__ void sample_magnitudes(Magnitudes m, Selecting* all, double* threshold) {
  WEIR_SHARED(double, v, [samples]);
  const int which = static_cast<int>(blockIdx.x), me = select::me();
  const double* x = m.x[which];
  const std::int64_t n = m.count[which], most = m.most[which];
  Selecting& s = all[which];
  if (n <= most || n <= samples) {
    for (int q = me; q < samples; q += select::threads) v[q] = n > most && q < n ? fabs(x[q]) : HUGE_VAL;
    select::bitonic_sort(v);
    if (me != 0) return;
    s.stage = Stage::done;
    threshold[which] = 0;
    if (n <= most) return;
    const std::int64_t rank = n - most < n - 1 ? n - most : n - 1;
    std::int64_t below = rank, above = n - 1 - rank;
    while (below > 0 && v[below - 1] == v[rank]) --below;
    while (above > 0 && v[n - above] == v[rank]) --above;
    threshold[which] = is_settled(n, below, most) ? v[rank] : threshold_above(v[rank], above, most);
    return;
  }
  for (int q = me; q < samples; q += select::threads) v[q] = fabs(x[select::sample_index(m.seed, 0, q, n)]);
  select::bitonic_sort(v);
  select::leave_splitters(v, &s.splitters);
  s.count[me] = 0;
  if (me != 0) return;
  s.arrived = 0;
  s.stage = Stage::counts;
}

// True in the workgroup that arrives last with its `which`; the results of the others may then be read.
__device__ inline bool is_last(Selecting& s) {
  WEIR_SHARED(int, last, [1]);
  __syncthreads();
  if (select::me() == 0) {
    __threadfence();  // after the barrier: results of the whole workgroup precede its arrival
    last[0] = atomicAdd(&s.arrived, 1u) + 1 == gridDim.x;
    __threadfence();
  }
  __syncthreads();
  return last[0] != 0;
}

// Takes the first splitter with the rank nearest to the wanted one; called by all threads, a bucket each.
__device__ inline void take_nearest(Selecting& s, std::int64_t n, std::int64_t most, double* threshold) {
  WEIR_SHARED(std::int64_t, before, [2][buckets]);
  const int b = select::me();
  const std::int64_t rank = n - most < n - 1 ? n - most : n - 1;
  before[0][b] = b > 0 ? s.count[b - 1] : 0;
  int now = 0;
  for (int d = 1; d < buckets; d *= 2, now = 1 - now) {
    __syncthreads();
    before[1 - now][b] = before[now][b] + (b >= d ? before[now][b - d] : 0);
  }
  const std::int64_t mine = before[now][b], off = mine > rank ? mine - rank : rank - mine;
  const bool is_distinct = b > 0 && !s.splitters.equal[b - 1];
  constexpr std::int64_t none = INT64_MAX;
  const std::int64_t best = block_reduce(is_distinct ? off * buckets + b : none, Smaller{});
  if (b != 0) return;
  const int bucket = best == none ? 0 : static_cast<int>(best % buckets);
  const std::int64_t below = best == none ? 0 : before[now][bucket];
  s.value = best == none ? 0 : s.splitters.s[bucket];
  s.up_to = 0;
  s.arrived = 0;
  const bool settled = is_settled(n, below, most);
  s.stage = settled ? Stage::done : Stage::ties;
  *threshold = s.value;
}

__global__ void __launch_bounds__(select::threads) count_magnitudes(Magnitudes m, Selecting* all, double* threshold) {
  WEIR_SHARED(double, tree, [buckets]);
  WEIR_SHARED(double, splitter, [buckets]);
  WEIR_SHARED(int, equal, [buckets]);
  WEIR_SHARED(int, counter, [buckets]);
  const int which = static_cast<int>(blockIdx.y), me = select::me();
  Selecting& s = all[which];
  if (s.stage != Stage::counts) return;
  tree[me] = s.splitters.tree[me];
  splitter[me] = s.splitters.s[me];
  equal[me] = s.splitters.equal[me];
  counter[me] = 0;
  __syncthreads();
  const std::int64_t n = m.count[which], step = std::int64_t{gridDim.x} * select::threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * select::threads + me; i < n; i += step) {
    const double v = fabs(m.x[which][i]);
    int b = select::bucket_of(tree, v);
    if (b > 0 && equal[b - 1] && v == splitter[b]) --b;
    atomicAdd(&counter[b], 1);
  }
  __syncthreads();
  if (counter[me] > 0) atomicAdd(&s.count[me], counter[me]);
  if (is_last(s)) take_nearest(s, n, m.most[which], threshold + which);
}

__global__ void __launch_bounds__(select::threads) count_ties(Magnitudes m, Selecting* all, double* threshold) {
  const int which = static_cast<int>(blockIdx.y), me = select::me();
  Selecting& s = all[which];
  if (s.stage != Stage::ties) return;
  const std::int64_t n = m.count[which], step = std::int64_t{gridDim.x} * select::threads;
  int mine = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * select::threads + me; i < n; i += step)
    mine += fabs(m.x[which][i]) <= s.value;
  mine = block_reduce(mine, Plus{});
  if (me == 0 && mine > 0) atomicAdd(&s.up_to, mine);
  if (is_last(s) && me == 0) threshold[which] = threshold_above(s.value, n - load_relaxed(&s.up_to), m.most[which]);
}

__device__ inline bool keeps(double v, double threshold) { return threshold == 0 || fabs(v) >= threshold; }

template <int G>
__global__ void __launch_bounds__(team_threads)
    count_kept_rows(FactorsView f, const Seen* seen, int* lower_count, int* upper_count) {
  const Team<G> team;
  const int i = team.row;
  const auto count = [&](const RowsView& s, double threshold) {
    const std::int64_t end = i < f.rows ? s.start[i + 1] : 0;
    int kept = 0;
    for (std::int64_t e = i < f.rows ? s.start[i] + team.lane : 0; any_of_warp(e < end); e += G)
      kept += team.count(e < end && keeps(s.value[e], threshold));
    return kept;
  };
  const int lowers = count(f.lower, seen->threshold[0]), uppers = count(f.upper, seen->threshold[1]);
  if (team.lane != 0 || i >= f.rows) return;
  lower_count[i] = lowers;
  upper_count[i] = uppers;
}

template <int G>
__global__ void __launch_bounds__(team_threads)
    copy_kept_rows(FactorsView f, const Seen* seen, RowsView lower, RowsView upper) {
  const Team<G> team;
  const int i = team.row;
  const auto copy = [&](const RowsView& s, double threshold, const RowsView& out) {
    const std::int64_t end = i < f.rows ? s.start[i + 1] : 0;
    std::int64_t to = i < f.rows ? out.start[i] : 0;
    for (std::int64_t e = i < f.rows ? s.start[i] + team.lane : 0; any_of_warp(e < end); e += G) {
      const bool is_there = e < end;
      const double v = is_there ? s.value[e] : 0;
      const int j = is_there ? s.column[e] : 0;
      int more = 0;
      const bool stays = is_there && keeps(v, threshold);
      const int at = team.place(stays, more);
      if (stays) {
        out.column[to + at] = j;
        out.value[to + at] = v;
      }
      to += more;
    }
  };
  copy(f.lower, seen->threshold[0], lower);
  copy(f.upper, seen->threshold[1], upper);
}

}  // namespace

void find_thresholds(const FactorsView& f, const Wanted& wanted, ScalarStep& step) {
  auto* all = reinterpret_cast<Selecting*>(step.selecting.reserve(2 * sizeof(Selecting)));
  const Magnitudes m{
      {f.lower.value, f.upper.value}, {wanted.lower, wanted.upper}, {wanted.most_lower, wanted.most_upper}, 1};
  double* threshold = step.seen.data()->threshold;
  constexpr std::int64_t of_block = 16 * select::threads, most_blocks = 1056;  // eight a multiprocessor
  const std::int64_t n = std::max(wanted.lower, wanted.upper),
                     blocks = std::min((n + of_block - 1) / of_block, most_blocks);
  const dim3 grid(static_cast<unsigned>(std::max<std::int64_t>(1, blocks)), 2);
  launch({.grid = 2, .block = select::threads, .name = "ParILUT samples"}, sample_magnitudes, m, all, threshold);
  if (n <= samples) return;
  launch({.grid = grid, .block = select::threads, .name = "ParILUT counts"}, count_magnitudes, m, all, threshold);
  launch({.grid = grid, .block = select::threads, .name = "ParILUT ties"}, count_ties, m, all, threshold);
}

void keep_largest(const FactorsView& f, const RowLengths& lengths, const RowsView& lower, const RowsView& upper,
                  Work<Device>& work, ScalarStep& step) {
  int *lower_count = work.lower_count.reserve(f.rows), *upper_count = work.upper_count.reserve(f.rows);
  Seen* seen = step.seen.data();
  with_team(lengths.mean / 2, 0, [&](auto lanes) {
    constexpr int G = lanes;
    launch(config_of_teams<G>(f.rows, "ParILUT kept entries"), count_kept_rows<G>, f, static_cast<const Seen*>(seen),
           lower_count, upper_count);
    step.scan({{lower_count, upper_count}}, f.rows, {{lower.start, upper.start}}, seen->kept);
    launch(config_of_teams<G>(f.rows, "ParILUT copies of them"), copy_kept_rows<G>, f, static_cast<const Seen*>(seen),
           lower, upper);
  });
}

}  // namespace weir::parilu
