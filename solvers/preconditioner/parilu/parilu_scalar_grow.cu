// S u F of scalar rows, a team of lanes per row: one pass to count, one to fill. The columns of S lie in shared memory,
// ascending; entries of A and of the rows of U that L_i names are streams, one lane per entry. Entries outside of S go
// to a list, in the order of the streams, with repeats whose sum is F_ij. The place of an entry among the columns of S
// and the distinct ones of the list is its place in the sorted row.
//  bytes: as a sweep on S; fill also writes S u F
#include <climits>

#include "solvers/device/reduce.hpp"
#include "solvers/preconditioner/parilu/parilu_scalar.hpp"
#include "solvers/preconditioner/parilu/parilu_teams.hpp"

namespace weir::parilu {
namespace {

// Lists the entries of A and L U in row i outside of S in shared memory; keep(place, v): a term of F there. Returns
// their number, of which the first `room` are stored; the rest of the last G places is INT_MAX.
template <int G, class Keep>
__device__ int list_candidates(const Team<G>& team, const BlockCsrView& A, const FactorsView& S,
                               const RowOfFactors<G>& r, int* column, int* candidate, const Keep& keep) {
  int count = 0;
  const auto offer = [&](bool is_new, int j, double v) {
    if (!any_of_warp(is_new)) return;  // a vote skips the rest
    int more = 0;
    const int t = count + team.place(is_new, more);
    if (is_new && t < Team<G>::room) {
      candidate[team.base + t] = j;
      keep(team.base + t, v);
    }
    count += more;
  };
  for_entries_of_A(team, A, S, r, column, [&](int j, double a, int, bool has) { offer(j >= 0 && !has, j, a); });
  for_products<false>(team, S, r, column,
                      [&](int j, double product, int, bool has) { offer(j >= 0 && !has, j, -product); });
  if (count + team.lane < Team<G>::room) candidate[team.base + count + team.lane] = INT_MAX;
  __syncwarp();
  return count;
}

// visit(j, is_first) for each candidate, one per lane; is_first: no earlier occurrence. All lanes of the warp call
// visit equally often.
template <int G, class F>
__device__ inline void for_candidates(const Team<G>& team, const int* candidate, int count, const F& visit) {
  const int* mine = candidate + team.base;
  for (int e = 0; any_of_warp(e < count); e += G) {
    const int j = e < count ? mine[e + team.lane] : INT_MAX;
    bool is_first = j != INT_MAX;
    for (int p = 0; p < e; p += G)
      for (int d = 0; d < G; ++d) is_first = is_first && mine[p + d] != j;
    for (int d = 0; d < G - 1; ++d) is_first = is_first && (d >= team.lane || mine[e + d] != j);
    visit(j, is_first);
  }
}

template <int G>
__global__ void __launch_bounds__(team_threads, team_groups)
    count_grown_rows(BlockCsrView A, FactorsView S, int* lower_count, int* upper_count, Seen* seen) {
  WEIR_SHARED(int, columns, [Team<G>::of_block]);
  WEIR_SHARED(int, candidates, [Team<G>::of_block]);
  const Team<G> team;
  const RowOfFactors<G> r(team, S);
  const int count = list_candidates(team, A, S, r, columns, candidates, [](int, double) {});
  const bool fits = count <= Team<G>::room;
  int lowers = r.lowers, all = r.all;
  for_candidates(team, candidates, fits ? count : 0, [&](int j, bool is_first) {
    lowers += team.count(is_first && j < team.row);
    all += team.count(is_first);
  });
  if (team.lane != 0 || !r.is_there()) return;
  lower_count[team.row] = lowers;
  upper_count[team.row] = all - 1 - lowers;
  for (int k = 0; k < 4; ++k)
    if (all > 32 << k) store_relaxed(&seen->longer[k], 1);
  if (!fits) store_relaxed(&seen->too_many, 1);
}

template <int G>
__global__ void __launch_bounds__(team_threads, team_groups)
    fill_grown_rows(BlockCsrView A, FactorsView S, RowsView lower, RowsView upper, double* row_sum) {
  WEIR_SHARED(int, column, [Team<G>::of_block]);
  WEIR_SHARED(int, candidate, [Team<G>::of_block]);
  WEIR_SHARED(int, fresh, [Team<G>::of_block]);  // candidates once each
  WEIR_SHARED(double, value, [Team<G>::of_block]);
  const Team<G> team;
  const int i = team.row;
  const RowOfFactors<G> r(team, S);
  const int count = list_candidates(team, A, S, r, column, candidate, [&](int at, double v) { value[at] = v; });
  const std::int64_t l0 = r.is_there() ? lower.start[i] : 0, u0 = r.is_there() ? upper.start[i] : 0;
  int lowers = r.lowers, added = 0;
  for_candidates(team, candidate, count, [&](int j, bool is_first) {
    int more = 0;
    const int at = added + team.place(is_first, more);
    if (is_first) fresh[team.base + at] = j;
    added += more;
    lowers += team.count(is_first && j < i);
  });
  __syncwarp();
  int *L_column = lower.column + l0, *U_column = upper.column + u0 - lowers - 1;
  double *L_value = lower.value + l0, *U_value = upper.value + u0 - lowers - 1;
  const auto put = [&](int place, int j, double v) {
    (j < i ? L_column : U_column)[place] = j;
    (j < i ? L_value : U_value)[place] = v;
  };
  double squares = 0;
  for (int e = team.lane; e < added; e += G) {
    const int j[1] = {fresh[team.base + e]};
    int at[1];
    locate(team, r, column, j, at);
    int place = at[0] / 4 - team.base + (entry(column, at[0]) < j[0] ? 1 : 0);
    for (int d = team.base; d < team.base + added; ++d) place += fresh[d] < j[0];
    double F = 0;
    for (int p = team.base; p < team.base + count; p += G)
      for (int d = 0; d < G; ++d)
        if (candidate[p + d] == j[0]) F += value[p + d];
    squares += F * F;
    put(place, j[0], j[0] < i ? F * S.inverse[j[0]] : F);
  }
  const double *L = S.lower.value + r.l0, *U = S.upper.value + r.u0 - r.lowers - 1;
  constexpr int at_once = 3;
  for (int t0 = team.lane; t0 < r.all; t0 += at_once * G) {
    int j[at_once], place[at_once];
    double v[at_once];
    for (int n = 0; n < at_once; ++n) {
      const int t = t0 + n * G;
      j[n] = t < r.all && t != r.lowers ? column[team.base + t] : -1;
      place[n] = t;
      v[n] = 0;
      if (j[n] >= 0) v[n] = (t < r.lowers ? L : U)[t];
    }
    for (int d = team.base; d < team.base + added; ++d)
      for (int n = 0; n < at_once; ++n) place[n] += fresh[d] < j[n];
    for (int n = 0; n < at_once; ++n)
      if (j[n] >= 0) put(place[n], j[n], v[n]);
  }
  squares = team.sum(squares);
  if (team.lane == 0 && r.is_there()) row_sum[i] = squares;
}

}  // namespace

void leave_squares(const double* v, std::int64_t count, double* to) {
  leave_sum(
      count, [=] WEIR_HD(int i) { return v[i] * v[i]; }, to);
}
void leave_count(const int* v, std::int64_t count, double* to) {
  leave_sum(
      count, [=] WEIR_HD(int i) { return static_cast<double>(v[i]); }, to);
}

void count_grown(const BlockCsrView& A, const FactorsView& S, const RowLengths& lengths, Work<Device>& work,
                 std::int64_t* lower_start, std::int64_t* upper_start, ScalarStep& step) {
  int *lower_count = work.lower_count.reserve(S.rows), *upper_count = work.upper_count.reserve(S.rows);
  Seen* seen = step.seen.data();
  with_team(lengths.mean, lengths.longest, [&](auto lanes) {
    constexpr int G = lanes;
    launch(config_of_teams<G>(S.rows, "ParILUT candidates"), count_grown_rows<G>, A, S, lower_count, upper_count, seen);
  });
  step.scan({{lower_count, upper_count}}, S.rows, {{lower_start, upper_start}}, seen->grown);
}

void fill_grown(const BlockCsrView& A, const FactorsView& S, const RowLengths& lengths, const RowsView& lower,
                const RowsView& upper, ScalarStep& step) {
  double* row_sum = step.row_sum.reserve(S.rows);
  with_team(lengths.mean, lengths.longest, [&](auto lanes) {
    constexpr int G = lanes;
    launch(config_of_teams<G>(S.rows, "ParILUT growth"), fill_grown_rows<G>, A, S, lower, upper, row_sum);
  });
  leave_sum(
      S.rows, [=] WEIR_HD(int i) { return row_sum[i]; }, &step.seen.data()->square_of_F);
}

}  // namespace weir::parilu
