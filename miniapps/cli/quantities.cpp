#include "miniapps/cli/lists.hpp"

namespace weir {
namespace {

constexpr Quantity probe_errors[] = {
    {"error_NAME", "", "largest difference from the published data of a [[probe]] or [[surface]]"},
    {"mean_error_NAME", "", "mean difference from the published data of a [[probe]]"},
    {"position_NAME", "length", "distance from the start of a [[probe]] at which its first field crosses `crossing`"}};
constexpr Quantity first_columns[] = {{"step, time, dt", "", "number of the step, time at its end, and its size"},
                                      {"cfl", "", "largest CFL number of the step"}};
constexpr Quantity last_columns[] = {{"wall", "s", "wall-clock time since the start"}};

}  // namespace

Results results_of(const Program& program) {
  Results all;
  all.add("all", {}, first_columns);
  for (const Miniapp& m : program.miniapps)
    if (m.results) {
      const Results own = m.results();
      all.add("", own.quantities, own.columns);
    }
  all.add("all", probe_errors, last_columns);
  return all;
}

std::string meaning_of(const Quantity& q) {
  return std::string(q.meaning) + (*q.unit ? std::string(" (") + q.unit + ")" : "");
}

const std::vector<std::array<const char*, 2>>& solves_columns() {
  static const std::vector<std::array<const char*, 2>> list = {
      {"step, system, solver, unknowns", "step, system, solver and number of unknowns of the solve; one row per solve"},
      {"iterations, reason", "number of iterations, and the reason why the solve ended"},
      {"r0, r_true, target", "norms of the initial residual and of b - A x at the end, and the norm to be reached"},
      {"tolerance, tolerance_reason",
       "tolerance of the solve, and its origin: fixed, or the rule of the forcing term (initial, ratio, safeguard, "
       "goal, max, limit; again: a step was rejected)"},
      {"setup_ms, solve_ms", "time of the set-up or update of the preconditioner, and of the solve, in milliseconds"},
      {"apply_ms, spmv_ms, reduce_ms, halo_ms",
       "parts of solve_ms: preconditioner, matrix-vector products, vector operations, halo exchange"},
      {"transfer_bytes", "bytes sent to other ranks"},
      {"preconditioner_age", "number of solves since the preconditioner was set up"},
      {"ilu_residual", "relative residual of the incomplete factorisation"},
      {"dominance_L, dominance_U",
       "largest ratio of the sum of the off-diagonal entries to the diagonal entry in the rows of the factors"}};
  return list;
}

const std::vector<ExitCode>& exit_codes() {
  static const std::vector<ExitCode> list = {{0, "finished"},           {1, "internal error"},
                                             {2, "usage or case file"}, {3, "solver failed"},
                                             {4, "not finite"},         {5, "[check] out of tolerance"},
                                             {6, "file I/O"},           {7, "out of memory"},
                                             {8, "device unavailable"}, {9, "wall limit"}};
  return list;
}

}  // namespace weir
