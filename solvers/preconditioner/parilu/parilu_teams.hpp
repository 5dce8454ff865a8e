// Included by sources of device code only: teams of lanes for rows of scalars, and columns looked up in shared memory.
#pragma once
#include <climits>

#include "solvers/device/block.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"

namespace weir::parilu {

inline constexpr int team_threads = 256, most_of_team = 8;  // entries of a row in shared memory, a lane
// Workgroups of them that a multiprocessor is to hold: 64 registers a thread, and rows enough to wait for memory.
inline constexpr int team_groups = 4;

// The lanes of a warp go together, whatever their teams, so that a barrier or a vote is one instruction (of some lanes, which ptxas
// does not know, it takes seven): a loop goes on while any lane wants it to, and teams behind the last row have rows of no entries.
__device__ inline bool any_of_warp(bool mine) { return __any_sync(full_warp, mine); }

// G lanes of a warp side by side, one team a row.
template <int G>
struct Team {
  // Entries of a row in shared memory; places from one team's to the next's: those of a warp have banks of their own.
  static constexpr int room = most_of_team * G, stride = room + G, of_block = team_threads / G * stride;
  int row, lane, base;   // base: where the team's entries begin
  unsigned mask, below;  // the team's lanes of the warp; those before this one

  __device__ Team() {
    const int thread = static_cast<int>(threadIdx.x);
    row = static_cast<int>(blockIdx.x) * (team_threads / G) + thread / G;
    lane = thread % G;
    base = thread / G * stride;
    mask = (full_warp >> (32 - G)) << (thread - lane) % 32;
    below = mask & ((1u << thread % 32) - 1);
  }
  // Where among those of the team that have something mine goes; count: how many have.
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

// f(std::integral_constant<int, G>) for the team that suits rows of this length: what a row costs beside its entries is shared by
// the teams of a warp, so few lanes take several turns (a tenth fewer instructions than twice as many lanes; but teams of 2 read a
// third more sectors than teams of 4). longest: none is longer, or 0 where that does not matter.
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

// A team's row of a pattern without gaps: L's columns, its own, U's. Behind the last row: none.
template <int G>
struct RowOfFactors {
  std::int64_t l0 = 0, u0 = 0;
  int lowers = 0, all = 0;
  bool is_long;  // a row of the warp's takes more than half of the room

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

// Its columns into shared memory, INT_MAX behind them, as far as `locate` looks.
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

// What lies so many bytes into a shared array: addresses are added up, not multiplied out at each step of a search.
template <class T>
__device__ inline T& entry(T* shared, int bytes) {
  return *reinterpret_cast<T*>(reinterpret_cast<char*>(shared) + bytes);
}

// K side by side: at[k] = where the last of the row's ascending columns lies that is at most c[k], or the first; in bytes.
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

// visit(c, v, at, has): columns of the row of A with their values, a lane an entry; c < 0: none. has: whether the pattern has that
// column; then it lies `at` bytes into `column`, which is filled first. All lanes of the warp call visit equally often.
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

// The same of the rows of U that L_i names, times their L_ik. Two rows at a time, in the order of k: their reads wait together, and
// of a short row little is in vain (four at a time take 63 registers a thread of a sweep, not 40). What is of L_ik alone each lane
// reads for itself, which costs less than to hand it round.
template <bool Shared, int G, class F>
__device__ inline void for_products(const Team<G>& team, const FactorsView& f, const RowOfFactors<G>& r, int* column,
                                    const F& visit) {
  constexpr int at_once = 2;
  for (int q = 0; any_of_warp(q < r.lowers); q += at_once) {
    std::int64_t start[at_once];     // where the lane's first entry of a row of U is
    int rest[at_once], longest = 0;  // rest: of the row, from there
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
