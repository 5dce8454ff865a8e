// Included by sources of device code only: teams of lanes for rows of scalars, and columns looked up in shared memory.
#pragma once
#include "solvers/device/block.hpp"
#include "solvers/device/launch.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"

namespace weir::parilu {

inline constexpr int team_threads = 256, most_of_team = 8;  // columns of a row in shared memory, a lane
// Workgroups of them that a multiprocessor is to hold: 80 registers a thread. Left alone, ptxas aims at more and spills.
inline constexpr int team_groups = 3;

// G lanes of a warp side by side, one team a row. Teams of a warp need not go together.
template <int G>
struct Team {
  int row, lane, first;  // first: the lane of the warp that is lane 0 here
  unsigned mask;

  __device__ Team() {
    const int thread = static_cast<int>(threadIdx.x);
    row = static_cast<int>(blockIdx.x) * (team_threads / G) + thread / G;
    lane = thread % G;
    first = thread % 32 - lane;
    mask = (full_warp >> (32 - G)) << first;
  }
  template <class T>
  __device__ T from(int other, T v) const {
    return __shfl_sync(mask, v, other, G);
  }
  __device__ void sync() const { __syncwarp(mask); }
  // Where among those of the team that have something mine goes; count: how many have.
  __device__ int place(bool mine, int& count) const {
    const unsigned all = (__ballot_sync(mask, mine) & mask) >> first;
    count = __popc(all);
    return __popc(all & ((1u << lane) - 1));
  }
  template <class T>
  __device__ T sum(T v) const {
    for (int d = G / 2; d > 0; d /= 2) v += __shfl_xor_sync(mask, v, d, G);
    return v;
  }
};

template <int G>
LaunchConfig config_of_teams(int rows, const char* name) {
  constexpr int of_block = team_threads / G;
  return {.grid = static_cast<unsigned>((rows + of_block - 1) / of_block), .block = team_threads, .name = name};
}

// f(std::integral_constant<int, G>) for the team that suits rows of this length: what a row costs beside its entries is shared by
// the teams of a warp, so few lanes take several turns (a tenth fewer instructions than twice as many lanes). longest: none is
// longer, or 0 where that does not matter.
template <class F>
void with_team(double mean, int longest, const F& f) {
  const auto suits = [&](int lanes) { return mean <= 3.0 * lanes && longest <= most_of_team * lanes; };
  if (suits(4)) return f(std::integral_constant<int, 4>());
  if (suits(8)) return f(std::integral_constant<int, 8>());
  if (suits(16)) return f(std::integral_constant<int, 16>());
  f(std::integral_constant<int, 32>());
}

// K of them side by side: at[k] = the last place among the ascending s[0 .. count - 1] that holds at most column[k], or 0.
template <int K>
__device__ inline void locate(const int* s, int count, const int (&column)[K], int (&at)[K]) {
  for (int k = 0; k < K; ++k) at[k] = 0;
  for (int rest = count; rest > 1;) {
    const int half = rest / 2;
    for (int k = 0; k < K; ++k) at[k] += s[at[k] + half] <= column[k] ? half : 0;
    rest -= half;
  }
}

template <bool Shared>
__device__ inline double load_value(const double* p) {
  return Shared ? load_relaxed(p) : *p;
}

// Row i of a pattern without gaps: L's columns, i, U's.
struct RowOfFactors {
  std::int64_t l0, u0;
  int row, lowers, all;
  __device__ RowOfFactors(const FactorsView& f, int i)
      : l0(f.lower.start[i]),
        u0(f.upper.start[i]),
        row(i),
        lowers(static_cast<int>(f.lower.start[i + 1] - l0)),
        all(lowers + 1 + static_cast<int>(f.upper.start[i + 1] - u0)) {}
};

// Its columns into shared memory; elsewhere: anything that may be read in place of what is not there.
template <int G>
__device__ inline void fetch_columns(const Team<G>& team, const FactorsView& f, const RowOfFactors& r,
                                     const int* elsewhere, int* column) {
  for (int t0 = team.lane; t0 < r.all; t0 += 2 * G) {
    int c[2];
    for (int k = 0; k < 2; ++k) {
      const int t = t0 + k * G, u = t - r.lowers - 1;
      const int* from = t < r.lowers          ? f.lower.column + r.l0 + t
                        : u >= 0 && t < r.all ? f.upper.column + r.u0 + u
                                              : elsewhere;
      c[k] = *from;
    }
    for (int k = 0; k < 2; ++k) {
      const int t = t0 + k * G;
      if (t < r.all) column[t] = t == r.lowers ? r.row : c[k];
    }
  }
}

// An entry L_ik of the row, a lane one, and where row k of U lies: length 0 where the row has no such entry.
struct Term {
  double l = 0;
  std::int64_t start = 0;
  int column = 0, length = 0;
};
template <bool Shared, int G>
__device__ inline Term term_of(const Team<G>& team, const BlockCsrView& A, const FactorsView& f, const RowOfFactors& r,
                               int from) {
  const int q = from + team.lane;
  const bool is_there = q < r.lowers;
  const int k = *(is_there ? f.lower.column + r.l0 + q : A.column.data());
  Term t;
  t.l = load_value<Shared>(is_there ? f.lower.value + r.l0 + q : A.value.data());
  t.column = is_there ? k : r.row;
  t.start = f.upper.start[t.column];
  const int length = static_cast<int>(f.upper.start[t.column + 1] - t.start);
  t.length = is_there ? length : 0;
  return t;
}

// visit(c, product): entries of the rows of U that L_i names, each times its L_ik, in the order of k; c < 0: none. Four rows at a
// time, a lane an entry of each, so that their reads wait together. Every lane of the team calls visit equally often.
template <bool Shared, int G, class F>
__device__ inline void for_products(const Team<G>& team, const BlockCsrView& A, const FactorsView& f,
                                    const RowOfFactors& r, Term mine, const F& visit) {
  constexpr int at_once = 4;
  for (int from = 0; from < r.lowers; from += G) {
    if (from > 0) mine = term_of<Shared>(team, A, f, r, from);
    for (int q = 0; q < G && from + q < r.lowers; q += at_once) {
      std::int64_t start[at_once];
      int length[at_once], longest = 0;
      double l[at_once];
      for (int j = 0; j < at_once; ++j) {
        start[j] = team.from(q + j, mine.start);
        length[j] = team.from(q + j, mine.length);
        l[j] = team.from(q + j, mine.l);
        longest = length[j] > longest ? length[j] : longest;
      }
      for (int o = 0; o < longest; o += G) {
        int c[at_once];
        double v[at_once];
        for (int j = 0; j < at_once; ++j) {
          const bool is_there = o + team.lane < length[j];
          const std::int64_t e = start[j] + o + team.lane;
          const int at = *(is_there ? f.upper.column + e : A.column.data());
          v[j] = l[j] * load_value<Shared>(is_there ? f.upper.value + e : A.value.data());
          c[j] = is_there ? at : -1;
        }
        visit(c, v);
      }
    }
  }
}

}  // namespace weir::parilu
