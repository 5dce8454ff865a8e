// The row of solves.csv of a solve.
#pragma once
#include "postproc/run/run.hpp"
#include "solvers/krylov/krylov.hpp"

namespace weir {

// `record` has step, system, solver and unknowns; negative seconds were not measured. An interrupted solve has no row,
// because its step will be repeated.
inline void record_solve(Run& run, SolveRecord record, const SolveResult& result, double setup_seconds) {
  if (result.reason == Reason::interrupted) return;
  const auto milliseconds = [](double seconds) { return seconds >= 0 ? Measure(1e3 * seconds) : Measure(); };
  record.iterations = result.iterations;
  record.reason = to_string(result.reason);
  record.r0 = result.residual0;
  record.r_true = result.true_residual;
  if (result.target >= 0) record.target = result.target;
  if (result.tolerance >= 0) {
    record.tolerance = result.tolerance;
    record.tolerance_reason = to_string(result.tolerance_reason);
  }
  record.setup_ms = milliseconds(setup_seconds);
  record.solve_ms = milliseconds(result.solve_seconds);
  record.apply_ms = milliseconds(result.apply_seconds);
  record.spmv_ms = milliseconds(result.spmv_seconds);
  record.reduce_ms = milliseconds(result.reduce_seconds);
  record.halo_ms = milliseconds(result.halo_seconds);
  if (result.transfer_bytes >= 0) record.transfer_bytes = result.transfer_bytes;
  run.solve(record);
}

}  // namespace weir
