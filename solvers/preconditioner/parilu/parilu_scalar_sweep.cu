// Sweeps of scalar rows, a team of lanes per row. The pattern and the sums of the row lie in shared memory; a lane
// takes an entry of A, then entries of the rows of U that L_i names, looks its column up and subtracts. Rows of U are
// read two at a time, by 48 warps per multiprocessor. Additions have one order: synchronous results do not depend on
// timing. In place: relaxed loads and stores, each value whole, old or new.
//  bytes: 12 per entry of A, of L and of U, starts; 12 per product, most of them from L2
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
  WEIR_SHARED(int, column, [Team<G>::of_block]);
  WEIR_SHARED(double, sum, [Team<G>::of_block]);
  const Team<G> team;
  const int i = team.row;
  const RowOfFactors<G> r(team, in);
  for (int n = 0; n < (r.is_long ? most_of_team : most_of_team / 2); ++n) sum[team.base + team.lane + n * G] = 0;
  for_entries_of_A(team, A, in, r, column, [&](int, double a, int at, bool has) {
    if (has) entry(sum, 2 * at) = a;
  });
  __syncwarp();
  for_products<Shared>(team, in, r, column, [&](int, double product, int at, bool has) {
    if (has) entry(sum, 2 * at) -= product;
    __syncwarp();  // the next row of U may have the same column
  });
  if (team.lane == 0 && r.is_there()) {
    double d = sum[team.base + r.lowers];
    out.replaced[i] = async_ilu::invert_or_replace(1, &d) ? 0 : 1;
    store_value<Shared>(out.inverse + i, d);
  }
  double *lower = out.lower.value + r.l0, *upper = out.upper.value + r.u0 - r.lowers - 1;
  for (int t = team.lane; t < r.all; t += G) {
    if (t == r.lowers) continue;
    double s = sum[team.base + t];
    if (t < r.lowers) s *= load_value<Shared>(in.inverse + column[team.base + t]);
    store_value<Shared>((t < r.lowers ? lower : upper) + t, s);
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
