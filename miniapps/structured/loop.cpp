#include "miniapps/structured/loop.hpp"

namespace weir {
namespace {

Measure milliseconds(double seconds) { return seconds >= 0 ? Measure(1e3 * seconds) : Measure(); }

}  // namespace

void record_solve(Run& run, SolveRecord record, const SolveResult& result, double setup_seconds) {
  record.iterations = result.iterations;
  record.reason = to_string(result.reason);
  record.r0 = result.residual0;
  record.r_true = result.true_residual;
  if (result.target >= 0) record.target = result.target;
  record.setup_ms = milliseconds(setup_seconds);
  record.solve_ms = milliseconds(result.solve_seconds);
  record.apply_ms = milliseconds(result.apply_seconds);
  record.spmv_ms = milliseconds(result.spmv_seconds);
  record.reduce_ms = milliseconds(result.reduce_seconds);
  record.halo_ms = milliseconds(result.halo_seconds);
  if (result.transfer_bytes >= 0) record.transfer_bytes = result.transfer_bytes;
  run.solve(record);
}

std::string failed_solve_text(const std::string& system, Reason reason, std::int64_t step) {
  if (reason == Reason::not_finite) return "NaN or Inf in the " + system + " solve of step " + std::to_string(step);
  return system + ": " + to_string(reason) + " at step " + std::to_string(step);
}

std::string where_not_finite(const Flow<Host>& fields, std::int64_t step) {
  const auto bad = first_not_finite(fields);
  if (!bad) return "";
  const auto& [i, j, k] = bad->cell;
  return "NaN or Inf at step " + std::to_string(step) + ": first in " + bad->field + " of cell (" + std::to_string(i) +
         ", " + std::to_string(j) + ", " + std::to_string(k) + ")";
}

int read_diagnostics_every(const Table& config) {
  const Table output = config.table("output");
  const int every = output.get<int>("diagnostics_every", 10);
  if (every < 1) output.fail("diagnostics_every", "'diagnostics_every' must be at least 1");
  return every;
}

std::uint64_t hash_of_flow(const Flow<Host>& flow) {
  Hash64 hash;
  for (int c = 0; c < flow.layout.dim; ++c)
    hash.add(flow.velocity[c].data(), static_cast<std::size_t>(flow.velocity[c].size()) * sizeof(double));
  hash.add(flow.p.data(), static_cast<std::size_t>(flow.p.size()) * sizeof(double));
  return hash.value();
}

}  // namespace weir
