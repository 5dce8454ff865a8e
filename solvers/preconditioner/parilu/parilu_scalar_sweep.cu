// Sweeps of scalar rows, a team of lanes a row. The row's pattern and its sums lie in shared memory; a lane takes an entry of A, then
// entries of the rows of U that L_i names, looks its column up and subtracts. Rows of U come four at a time, so a row waits
// some six times for memory however many products it has. The order of additions is that of the entries of L: where values are read
// and written apart, results do not depend on timing. In place: relaxed loads and stores, each value whole, old or new.
//   bytes: 12 an entry of A, of L and of U, starts; 12 a product, most of them from L2
#include "solvers/preconditioner/async_ilu/async_ilu.hpp"
#include "solvers/preconditioner/parilu/parilu_scalar.hpp"
#include "solvers/preconditioner/parilu/parilu_teams.hpp"

namespace weir::parilu {
namespace {

template <bool Shared>
__device__ inline void store_value(double* p, double v) {
  if (Shared)
    store_relaxed(p, v);
  else
    *p = v;
}

template <bool Shared, int G>
__global__ void __launch_bounds__(team_threads, team_groups)
    sweep_scalar_rows(BlockCsrView A, FactorsView in, FactorsView out) {
  WEIR_SHARED(int, columns, [most_of_team * team_threads]);
  WEIR_SHARED(double, sums, [most_of_team * team_threads]);
  const Team<G> team;
  const int i = team.row;
  if (i >= in.rows) return;  // the whole team
  int* column = columns + threadIdx.x / G * (most_of_team * G);
  double* sum = sums + threadIdx.x / G * (most_of_team * G);
  const RowOfFactors r(in, i);
  const std::int64_t a0 = A.row_start[i];
  const int of_A = static_cast<int>(A.row_start[i + 1] - a0), first = team.lane < of_A ? team.lane : of_A - 1;
  int c[1] = {A.column[a0 + first]};
  double a = A.value[a0 + first];
  const Term term = term_of<Shared>(team, A, in, r, 0);
  const double inverse = load_value<Shared>(in.inverse + term.column);
  fetch_columns(team, in, r, A.column.data(), column);
  for (int t = team.lane; t < r.all; t += G) sum[t] = 0;
  team.sync();
  for (int e = team.lane; e < of_A; e += G) {
    if (e >= G) c[0] = A.column[a0 + e], a = A.value[a0 + e];
    int at[1];
    locate(column, r.all, c, at);
    if (column[at[0]] == c[0]) sum[at[0]] = a;
  }
  team.sync();
  for_products<Shared>(team, A, in, r, term, [&](const auto& product_column, const auto& product) {
    constexpr int count = sizeof(product) / sizeof(product[0]);
    int at[count];
    locate(column, r.all, product_column, at);
    for (int j = 0; j < count; ++j) {
      if (column[at[j]] == product_column[j]) sum[at[j]] -= product[j];
      team.sync();  // the next row of U may have this column, too
    }
  });
  for (int t = team.lane; t < r.all; t += G) {
    double s = sum[t];
    if (t < r.lowers) {
      store_value<Shared>(out.lower.value + r.l0 + t,
                          s * (t < G ? inverse : load_value<Shared>(in.inverse + column[t])));
    } else if (t > r.lowers) {
      store_value<Shared>(out.upper.value + r.u0 + t - r.lowers - 1, s);
    } else {
      out.replaced[i] = async_ilu::invert_or_replace(1, &s) ? 0 : 1;
      store_value<Shared>(out.inverse + i, s);
    }
  }
}

}  // namespace

void sweep_scalar(const BlockCsrView& A, const FactorsView& in, const FactorsView& out, const RowLengths& lengths) {
  const bool in_place = in.inverse == out.inverse;
  with_team(lengths.mean, lengths.longest, [&](auto lanes) {
    constexpr int G = lanes;
    launch(config_of_teams<G>(in.rows, "ParILU sweep of scalars"),
           in_place ? sweep_scalar_rows<true, G> : sweep_scalar_rows<false, G>, A, in, out);
  });
}

}  // namespace weir::parilu
