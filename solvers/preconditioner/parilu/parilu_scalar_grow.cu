// S u F of scalar rows, a team of lanes a row: once to count, once to fill. The columns of S lie in shared memory, ascending; entries of A
// and of the rows of U that L_i names come as streams, a lane an entry. What S does not have goes to a list, in the order of the
// streams: with repeats, whose sum is F_ij. Its place among the columns of S and what is new in the list say where an entry goes:
// the row comes out sorted.
//   bytes: as a sweep on S; fill also writes S u F
#include <climits>

#include "solvers/device/reduce.hpp"
#include "solvers/preconditioner/parilu/parilu_scalar.hpp"
#include "solvers/preconditioner/parilu/parilu_teams.hpp"

namespace weir::parilu {
namespace {

constexpr int most_candidates = 8;  // of a row, a lane of its team

// What A and L U have in row i and S has not, a list in shared memory; value: null, or the terms of F there. Returns how many, of
// which the first `room` are there.
template <int G>
__device__ int list_candidates(const Team<G>& team, const BlockCsrView& A, const FactorsView& S, const RowOfFactors& r,
                               int* column, int* candidate, double* value) {
  constexpr int room = most_candidates * G;
  const std::int64_t a0 = A.row_start[r.row];
  const int of_A = static_cast<int>(A.row_start[r.row + 1] - a0), first = team.lane < of_A ? team.lane : of_A - 1;
  int c[1] = {A.column[a0 + first]}, count = 0;
  double a = A.value[a0 + first];
  const Term term = term_of<false>(team, A, S, r, 0);
  fetch_columns(team, S, r, A.column.data(), column);
  team.sync();
  const auto offer = [&](bool is_new, int j, double v) {
    int more = 0;
    const int at = count + team.place(is_new, more);
    if (is_new && at < room) {
      candidate[at] = j;
      if (value) value[at] = v;
    }
    count += more;
  };
  for (int e0 = 0; e0 < of_A; e0 += G) {
    const int e = e0 + team.lane;
    if (e0 > 0 && e < of_A) c[0] = A.column[a0 + e], a = A.value[a0 + e];
    int at[1];
    locate(column, r.all, c, at);
    offer(e < of_A && column[at[0]] != c[0], c[0], a);
  }
  for_products<false>(team, A, S, r, term, [&](const auto& product_column, const auto& product) {
    constexpr int products = sizeof(product) / sizeof(product[0]);
    int at[products];
    locate(column, r.all, product_column, at);
    for (int j = 0; j < products; ++j)
      offer(product_column[j] >= 0 && column[at[j]] != product_column[j], product_column[j], -product[j]);
  });
  team.sync();
  return count;
}

template <int G>
__global__ void __launch_bounds__(team_threads, team_groups)
    count_grown_rows(BlockCsrView A, FactorsView S, int* lower_count, int* upper_count, Seen* seen) {
  WEIR_SHARED(int, columns, [most_of_team * team_threads]);
  WEIR_SHARED(int, candidates, [most_candidates * team_threads]);
  const Team<G> team;
  if (team.row >= S.rows) return;
  int* candidate = candidates + threadIdx.x / G * (most_candidates * G);
  const RowOfFactors r(S, team.row);
  const int count = list_candidates(team, A, S, r, columns + threadIdx.x / G * (most_of_team * G), candidate, nullptr);
  const bool fits = count <= most_candidates * G;
  int lowers = 0, uppers = 0;
  for (int e = team.lane; e < count && fits; e += G) {
    const int j = candidate[e];
    bool is_new = true;
    for (int q = 0; q < e; ++q) is_new = is_new && candidate[q] != j;
    lowers += is_new && j < r.row;
    uppers += is_new && j > r.row;
  }
  lowers = r.lowers + team.sum(lowers);
  uppers = r.all - r.lowers - 1 + team.sum(uppers);
  if (team.lane != 0) return;
  lower_count[r.row] = lowers;
  upper_count[r.row] = uppers;
  const int all = lowers + 1 + uppers;
  for (int k = 0; k < 4; ++k)
    if (all > 32 << k) store_relaxed(&seen->longer[k], 1);
  if (!fits) store_relaxed(&seen->too_many, 1);
}

// S_ij to where it belongs, L's or U's.
__device__ inline void put(const RowsView& lower, const RowsView& upper, std::int64_t l, std::int64_t u, int i, int j,
                           double v) {
  const RowsView& to = j < i ? lower : upper;
  const std::int64_t at = j < i ? l : u;
  to.column[at] = j;
  to.value[at] = v;
}

template <int G>
__global__ void __launch_bounds__(team_threads, team_groups)
    fill_grown_rows(BlockCsrView A, FactorsView S, RowsView lower, RowsView upper, double* row_sum) {
  WEIR_SHARED(int, columns, [most_of_team * team_threads]);
  WEIR_SHARED(int, candidates, [most_candidates * team_threads]);
  WEIR_SHARED(int, fresh, [most_candidates * team_threads]);
  WEIR_SHARED(double, values, [most_candidates * team_threads]);
  const Team<G> team;
  if (team.row >= S.rows) return;
  const int team_of_block = static_cast<int>(threadIdx.x) / G, i = team.row;
  int *column = columns + team_of_block * (most_of_team * G),
      *candidate = candidates + team_of_block * (most_candidates * G),
      *is_new = fresh + team_of_block * (most_candidates * G);  // the column where it is there for the first time
  double* value = values + team_of_block * (most_candidates * G);
  const RowOfFactors r(S, i);
  const std::int64_t l0 = lower.start[i], u0 = upper.start[i];
  const int count = list_candidates(team, A, S, r, column, candidate, value);
  for (int e = team.lane; e < count; e += G) {
    const int j = candidate[e];
    bool first = true;
    for (int q = 0; q < e; ++q) first = first && candidate[q] != j;
    is_new[e] = first ? j : INT_MAX;
  }
  team.sync();
  int lowers = r.lowers;
  for (int q = 0; q < count; ++q) lowers += is_new[q] < i;
  const std::int64_t upper_from = u0 - lowers - 1;
  double squares = 0;
  for (int e = team.lane; e < count; e += G) {
    const int j[1] = {is_new[e]};
    if (j[0] == INT_MAX) continue;
    int at[1];
    locate(column, r.all, j, at);
    int place = at[0] + (column[at[0]] < j[0] ? 1 : 0);
    double F = 0;
    for (int q = 0; q < count; ++q) {
      place += is_new[q] < j[0];
      if (candidate[q] == j[0]) F += value[q];
    }
    squares += F * F;
    put(lower, upper, l0 + place, upper_from + place, i, j[0], j[0] < i ? F * S.inverse[j[0]] : F);
  }
  for (int t = team.lane; t < r.all; t += G) {
    const int j = column[t];
    int place = t;
    for (int q = 0; q < count; ++q) place += is_new[q] < j;
    if (t == r.lowers) continue;
    put(lower, upper, l0 + place, upper_from + place, i, j,
        t < r.lowers ? S.lower.value[r.l0 + t] : S.upper.value[r.u0 + t - r.lowers - 1]);
  }
  squares = team.sum(squares);
  if (team.lane == 0) row_sum[i] = squares;
}

}  // namespace

void leave_squares(const double* v, std::int64_t count, double* to) {
  const SumsStay here(to, 1);
  sum<Device>(count, [=] WEIR_HD(int i) { return v[i] * v[i]; });
}
void leave_count(const int* v, std::int64_t count, double* to) {
  const SumsStay here(to, 1);
  sum<Device>(count, [=] WEIR_HD(int i) { return static_cast<double>(v[i]); });
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
  const SumsStay here(&step.seen.data()->square_of_F, 1);
  sum<Device>(S.rows, [=] WEIR_HD(int i) { return row_sum[i]; });
}

}  // namespace weir::parilu
