// Teams of lanes for rows of scalars, with columns looked up in shared memory. Included by device code only.
#pragma once
#include <climits>

#include "solvers/device/block.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"

namespace weir::parilu {

inline constexpr int team_threads = 256, most_of_team = 8;  // most_of_team: entries of a row in shared memory per lane
// Workgroups per multiprocessor: 64 registers per thread, and enough rows to hide memory latency.
inline constexpr int team_groups = 4;

// All lanes of a warp stay together, whatever their teams, so that a barrier or a vote is one instruction (seven for a
// subset unknown to ptxas): a loop continues while any lane needs it, and teams after the last row have empty rows.
__device__ inline bool any_of_warp(bool mine) { return __any_sync(full_warp, mine); }

// G neighbouring lanes of a warp, one team per row.
template <int G>
struct Team {
  // Entries of a row in shared memory; distance between the teams, so that those of a warp use different banks.
  static constexpr int room = most_of_team * G, stride = room + G, of_block = team_threads / G * stride;
  int row, lane, base;   // base: first entry of the team
  unsigned mask, below;  // lanes of the team in the warp; those before this one

  __device__ Team() {
    const int thread = static_cast<int>(threadIdx.x);
    row = static_cast<int>(blockIdx.x) * (team_threads / G) + thread / G;
    lane = thread % G;
    base = thread / G * stride;
    mask = (full_warp >> (32 - G)) << (thread - lane) % 32;
    below = mask & ((1u << thread % 32) - 1);
  }
  // Rank of this lane among the lanes of the team with `mine`; count: their number.
  __device__ int place(bool mine, int& count) const {
    const unsigned all = __ballot_sync(full_warp, mine);
    count = __popc(all & mask);
    return __popc(all & below);
  }
  __device__ int count(bool mine) const { return __popc(__ballot_sync(full_warp, mine) & mask); }
  template <class T>
  __device__ T sum(T v) const {
    for (int d = G / 2; d > 0; d /= 2) v += __shfl_xor_sync(full_warp, v, d, G);
    return v;
  }
};

template <int G>
LaunchConfig config_of_teams(int rows, const char* name) {
  constexpr int of_block = team_threads / G;
  return {.grid = static_cast<unsigned>((rows + of_block - 1) / of_block), .block = team_threads, .name = name};
}

// f(std::integral_constant<int, G>) for the team size that suits rows of this length: teams of a warp share the cost
// per row, so that fewer lanes with several turns need a tenth fewer instructions (but teams of 2 read a third more
// sectors than teams of 4). longest: of all rows, or 0 if irrelevant.
template <class F>
void with_team(double mean, int longest, const F& f) {
  const auto suits = [&](int lanes) { return mean <= 3.0 * lanes && longest <= most_of_team * lanes; };
  if (suits(4)) return f(std::integral_constant<int, 4>());
  if (suits(8)) return f(std::integral_constant<int, 8>());
  if (suits(16)) return f(std::integral_constant<int, 16>());
  f(std::integral_constant<int, 32>());
}

template <bool Shared>
__device__ inline double load_value(const double* p) {
  return Shared ? load_relaxed(p) : *p;
}

// The row of a team in a pattern without gaps: columns of L, the diagonal, columns of U. After the last row: empty.
template <int G>
struct RowOfFactors {
  std::int64_t l0 = 0, u0 = 0;
  int lowers = 0, all = 0;
  bool is_long;  // a row of the warp takes more than half of the room

  __device__ RowOfFactors(const Team<G>& team, const FactorsView& f) {
    const int i = team.row;
    if (i < f.rows) {
      l0 = f.lower.start[i];
      u0 = f.upper.start[i];
      lowers = static_cast<int>(f.lower.start[i + 1] - l0);
      all = lowers + 1 + static_cast<int>(f.upper.start[i + 1] - u0);
    }
    is_long = any_of_warp(all > Team<G>::room / 2);
  }
  __device__ bool is_there() const { return all > 0; }
};

// Copies the columns of the row into shared memory, INT_MAX after them, as far as `locate` searches.
template <int G>
__device__ inline void fetch_columns(const Team<G>& team, const FactorsView& f, const RowOfFactors<G>& r, int* column) {
  const int *lower = f.lower.column + r.l0 + team.lane, *upper = f.upper.column + r.u0 - r.lowers - 1 + team.lane;
  const auto fetch = [&](auto first) {
    constexpr int half = most_of_team / 2;
    int c[half];
    for (int n = 0; n < half; ++n) {
      const int t = team.lane + (first + n) * G;
      c[n] = t == r.lowers && r.is_there() ? team.row : INT_MAX;
      if (t < r.all && t != r.lowers) c[n] = (t < r.lowers ? lower : upper)[(first + n) * G];
    }
    for (int n = 0; n < half; ++n) column[team.base + team.lane + (first + n) * G] = c[n];
  };
  fetch(std::integral_constant<int, 0>());
  if (r.is_long) fetch(std::integral_constant<int, most_of_team / 2>());
}

// The element at a byte offset: additions instead of multiplications in the search.
template <class T>
__device__ inline T& entry(T* shared, int bytes) {
  return *reinterpret_cast<T*>(reinterpret_cast<char*>(shared) + bytes);
}

// K searches at once: at[k] = byte offset of the last ascending column that is at most c[k], or of the first.
template <int G, int K>
__device__ inline void locate(const Team<G>& team, const RowOfFactors<G>& r, int* column, const int (&c)[K],
                              int (&at)[K]) {
  const auto halve = [&](int half) {
    const int step = static_cast<int>(sizeof(int)) * half;
    for (int k = 0; k < K; ++k) at[k] += entry(column, at[k] + step) <= c[k] ? step : 0;
  };
  for (int k = 0; k < K; ++k) at[k] = static_cast<int>(sizeof(int)) * team.base;
  if (r.is_long) halve(Team<G>::room / 2);
  for (int half = Team<G>::room / 4; half > 0; half /= 2) halve(half);
}

// visit(c, v, at, has) for the entries of the row of A, one per lane; c < 0: none. has: the pattern has that column, at
// byte offset `at` of `column`, which is filled first. All lanes of the warp call visit equally often.
template <int G, class F>
__device__ inline void for_entries_of_A(const Team<G>& team, const BlockCsrView& A, const FactorsView& f,
                                        const RowOfFactors<G>& r, int* column, const F& visit) {
  constexpr int at_once = 2;
  const std::int64_t a0 = r.is_there() ? A.row_start[team.row] : 0;
  const int count = r.is_there() ? static_cast<int>(A.row_start[team.row + 1] - a0) : 0;
  int c[at_once];
  double a[at_once];
  const auto load = [&](int e0) {
    for (int k = 0; k < at_once; ++k) {
      const int e = e0 + k * G + team.lane;
      c[k] = -1;
      a[k] = 0;
      if (e < count) c[k] = A.column[a0 + e], a[k] = A.value[a0 + e];
    }
  };
  load(0);
  fetch_columns(team, f, r, column);
  __syncwarp();
  for (int e0 = 0; any_of_warp(e0 < count); e0 += at_once * G) {
    if (e0 > 0) load(e0);
    int at[at_once];
    locate(team, r, column, c, at);
    for (int k = 0; k < at_once; ++k) visit(c[k], a[k], at[k], entry(column, at[k]) == c[k]);
  }
}

// The same for the rows of U that L_i names, times L_ik. Two rows at a time, in the order of k, to overlap their reads
// (four take 63 registers per thread in a sweep instead of 40). Each lane reads L_ik itself.
template <bool Shared, int G, class F>
__device__ inline void for_products(const Team<G>& team, const FactorsView& f, const RowOfFactors<G>& r, int* column,
                                    const F& visit) {
  constexpr int at_once = 2;
  for (int q = 0; any_of_warp(q < r.lowers); q += at_once) {
    std::int64_t start[at_once];     // first entry of the lane in a row of U
    int rest[at_once], longest = 0;  // rest: of the row from there
    double l[at_once];
    for (int j = 0; j < at_once; ++j) {
      const int k = column[team.base + q + j];
      int length = 0;
      start[j] = 0;
      l[j] = 0;
      if (q + j < r.lowers) {
        start[j] = f.upper.start[k];
        length = static_cast<int>(f.upper.start[k + 1] - start[j]);
        l[j] = load_value<Shared>(f.lower.value + r.l0 + q + j);
      }
      start[j] += team.lane;
      rest[j] = length - team.lane;
      longest = length > longest ? length : longest;
    }
    for (int o = 0; any_of_warp(o < longest); o += G) {
      int c[at_once], at[at_once];
      double v[at_once];
      for (int j = 0; j < at_once; ++j) {
        c[j] = -1;
        v[j] = 0;
        if (o < rest[j]) {
          c[j] = f.upper.column[start[j] + o];
          v[j] = load_value<Shared>(f.upper.value + start[j] + o);
        }
      }
      locate(team, r, column, c, at);
      for (int j = 0; j < at_once; ++j) visit(c[j], l[j] * v[j], at[j], entry(column, at[j]) == c[j]);
    }
  }
}

}  // namespace weir::parilu
