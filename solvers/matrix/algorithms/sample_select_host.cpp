// The steps of SampleSelect on host threads: each thread counts a range of the values into buckets of its own. Eight
// values walk down the tree at once to hide the latency of the loads.
#include <omp.h>
#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/matrix/algorithms/sample_select.hpp"

namespace weir {
namespace {

using select::buckets;
using select::Found;
using select::Splitters;

struct Stretch {
  std::int64_t from, to;
};
Stretch stretch(std::int64_t n, int part, int parts) { return {n * part / parts, n * (part + 1) / parts}; }

// Counts x[from .. to - 1] and, if Oracles, writes the oracles. Repeats: some splitters are equal.
template <bool Oracles, bool Repeats>
void count_stretch(const Splitters& p, const double* x, Stretch r, std::int64_t* counts, unsigned char* oracle) {
  constexpr int side_by_side = 8;
  // Two alternating tables, so that a counter is not read directly after it was written.
  std::int64_t local[2][buckets] = {};
  const auto place = [&](std::int64_t at, int b, int table) {
    if constexpr (Repeats) b -= p.equal[b - (b > 0)] && b > 0 && x[at] == p.s[b];
    ++local[table][b];
    if constexpr (Oracles) oracle[at] = static_cast<unsigned char>(b);
  };
  std::int64_t at = r.from;
  for (; at + side_by_side <= r.to; at += side_by_side) {
    std::int64_t node[side_by_side] = {};
    for (int l = 0; l < select::tree_height; ++l)
      for (int k = 0; k < side_by_side; ++k) node[k] = 2 * node[k] + 2 - (x[at + k] < p.tree[node[k]]);
    for (int k = 0; k < side_by_side; ++k) place(at + k, static_cast<int>(node[k]) - (buckets - 1), k % 2);
  }
  for (; at < r.to; ++at) place(at, select::bucket_of(p.tree, x[at]), 0);
  for (int b = 0; b < buckets; ++b) counts[b] = local[0][b] + local[1][b];
}

// Counts into the buckets lo .. hi - 1 only, for distinct splitters; smaller values go to bucket lo - 1. Most values
// need two comparisons and no walk.
void count_window(const Splitters& p, const double* x, Stretch r, int lo, int hi, std::int64_t* counts) {
  constexpr int room = 1024, together = 64;
  double near[room + together];
  std::int64_t below = 0, held = 0, local[buckets];
  std::fill_n(counts, buckets, 0);
  const double first = p.s[lo], end = p.s[hi];
  const auto walk = [&] {
    count_stretch<false, false>(p, near, {0, held}, local, nullptr);
    for (int b = 0; b < buckets; ++b) counts[b] += local[b];
    held = 0;
  };
  for (std::int64_t at = r.from; at < r.to;) {
    for (const std::int64_t to = std::min(at + together, r.to); at < to; ++at) {
      near[held] = x[at];
      below += x[at] < first;
      held += (x[at] >= first) & (x[at] < end);
    }
    if (held >= room) walk();
  }
  walk();
  counts[lo - 1] = below;
}

// The splitter among lo .. hi with the nearest rank; -1: a splitter outside the window may be nearer.
Found find_in_window(const Splitters& p, const std::int64_t* counts, int parts, std::int64_t rank, int lo, int hi) {
  Found best{-1, 0, 0, 0, 0};
  std::int64_t before = 0;
  for (int b = lo - 1; b <= hi; ++b) {
    if (b >= lo && (best.bucket < 0 || std::abs(before - rank) < std::abs(best.before - rank)))
      best = {b, 0, before, 0, p.s[b]};
    for (int part = 0; part < parts; ++part) before += counts[std::int64_t{part} * buckets + b];
  }
  if ((best.bucket == lo && lo > 1) || (best.bucket == hi && hi < buckets - 1)) best.bucket = -1;
  return best;
}

// The bucket that contains the rank; nearest: the bucket whose lower end has the nearest rank.
Found find_bucket(const Splitters& p, const std::int64_t* counts, int parts, std::int64_t rank, bool nearest) {
  Found best{-1, 0, 0, 0, 0};
  std::int64_t before = 0;
  for (int b = 0; b < buckets; ++b) {
    std::int64_t count = 0;
    for (int part = 0; part < parts; ++part) count += counts[std::int64_t{part} * buckets + b];
    const bool distinct = b > 0 && !p.equal[b - 1];  // s[b] has the rank `before`
    const bool takes = nearest ? distinct && (best.bucket < 0 || std::abs(before - rank) < std::abs(best.before - rank))
                               : rank >= before && rank < before + count;
    if (takes) best = {b, p.equal[b], before, count, p.s[b]};
    before += count;
  }
  return best;
}

void check(std::int64_t n, std::int64_t rank) {
  if (rank < 0 || rank >= n)
    throw Error(Exit::usage,
                "selection: rank " + std::to_string(rank) + " is not in the range of " + std::to_string(n) + " values");
}

}  // namespace

template <>
void SampleSelect<Host>::find_splitters(const double* x, std::int64_t n, int level) {
  const ScopedTimer timer(times_.splitters);
  Splitters& p = *splitters_.reserve(1);
  double sample[select::samples];
  for (int q = 0; q < select::samples; ++q) sample[q] = x[select::sample_index(seed_, level, q, n)];
  std::sort(sample, sample + select::samples);
  for (int b = 0; b < buckets; ++b) p.s[b] = sample[b * (select::samples / buckets)];
  for (int b = 0; b < buckets; ++b) p.equal[b] = b > 0 && b + 1 < buckets && p.s[b] == p.s[b + 1];
  for (int node = 0; node < buckets - 1; ++node) p.tree[node] = p.s[select::splitter_of_node(node)];
}

template <>
template <bool Oracles>
Found SampleSelect<Host>::count(const double* x, std::int64_t n, std::int64_t rank, bool nearest) {
  const ScopedTimer timer(times_.count);
  const Splitters& p = *splitters_.data();
  const bool repeats = std::any_of(p.equal, p.equal + buckets, [](unsigned char e) { return e != 0; });
  parts_ = n > parallel_grain ? omp_get_max_threads() : 1;
  std::int64_t* counts = counts_.reserve(std::int64_t{parts_} * buckets);
  unsigned char* oracle = Oracles ? oracles_.reserve(n) : nullptr;
  if (nearest && !repeats) {  // three standard deviations of a splitter's rank are 12 buckets
    const int guess = static_cast<int>(rank * buckets / n), lo = std::max(1, guess - 12),
              hi = std::min(buckets - 1, guess + 13);
#pragma omp parallel for schedule(static) num_threads(parts_) if (parts_ > 1)
    for (int part = 0; part < parts_; ++part)
      count_window(p, x, stretch(n, part, parts_), lo, hi, counts + std::int64_t{part} * buckets);
    const Found found = find_in_window(p, counts, parts_, rank, lo, hi);
    if (found.bucket > 0) return found;
  }
#pragma omp parallel for schedule(static) num_threads(parts_) if (parts_ > 1)
  for (int part = 0; part < parts_; ++part) {
    std::int64_t* mine = counts + std::int64_t{part} * buckets;
    if (repeats)
      count_stretch<Oracles, true>(p, x, stretch(n, part, parts_), mine, oracle);
    else
      count_stretch<Oracles, false>(p, x, stretch(n, part, parts_), mine, oracle);
  }
  return find_bucket(p, counts, parts_, rank, nearest);
}

template <>
const double* SampleSelect<Host>::extract(const double* x, std::int64_t n, const Found& found, int level) {
  const ScopedTimer timer(times_.extract);
  double* out = left_[level % 2].reserve(found.count);
  const unsigned char* oracle = oracles_.data();
  const std::int64_t* counts = counts_.data();
#pragma omp parallel for schedule(static) num_threads(parts_) if (parts_ > 1)
  for (int part = 0; part < parts_; ++part) {
    double* to = out;
    for (int q = 0; q < part; ++q) to += counts[std::int64_t{q} * buckets + found.bucket];
    const Stretch r = stretch(n, part, parts_);
    for (std::int64_t i = r.from; i < r.to; ++i)
      if (oracle[i] == found.bucket) *to++ = x[i];
  }
  return out;
}

template <>
Selection SampleSelect<Host>::sorted(const double* x, std::int64_t n, std::int64_t rank) {
  const ScopedTimer timer(times_.sort);
  double copy[select::smallest];
  std::copy_n(x, n, copy);
  std::sort(copy, copy + n);
  return {copy[rank], std::lower_bound(copy, copy + n, copy[rank]) - copy, 0};
}

template Found SampleSelect<Host>::count<true>(const double*, std::int64_t, std::int64_t, bool);
template Found SampleSelect<Host>::count<false>(const double*, std::int64_t, std::int64_t, bool);

template <class Space>
Selection SampleSelect<Space>::exact(View<const double> values, std::int64_t rank) {
  check(values.size(), rank);
  const double* x = values.data();
  std::int64_t n = values.size(), below = 0;
  int level = 0;
  for (; n > select::smallest; ++level) {
    find_splitters(x, n, level);
    const select::Found found = count<true>(x, n, rank, false);
    if (found.equal) return {found.value, below + found.before, level + 1};
    x = extract(x, n, found, level);
    n = found.count;
    rank -= found.before;
    below += found.before;
  }
  const Selection last = sorted(x, n, rank);
  return {last.value, below + last.below, level};
}

template <class Space>
Selection SampleSelect<Space>::approximate(View<const double> values, std::int64_t rank) {
  check(values.size(), rank);
  const std::int64_t n = values.size();
  if (n <= select::smallest) return sorted(values.data(), n, rank);
  find_splitters(values.data(), n, 0);
  const select::Found found = count<false>(values.data(), n, rank, true);
  return {found.value, found.before, 1};
}

template Selection SampleSelect<Host>::exact(View<const double>, std::int64_t);
template Selection SampleSelect<Host>::approximate(View<const double>, std::int64_t);
template Selection SampleSelect<Device>::exact(View<const double>, std::int64_t);
template Selection SampleSelect<Device>::approximate(View<const double>, std::int64_t);

}  // namespace weir
