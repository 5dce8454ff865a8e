#include "miniapps/structured/run_structured.hpp"

#include "base/hash.hpp"

namespace weir {

std::string failed_solve_text(const std::string& system, Reason reason, std::int64_t step) {
  if (reason == Reason::not_finite) return "NaN or Inf in the " + system + " solve of step " + std::to_string(step);
  return system + ": " + to_string(reason) + " at step " + std::to_string(step);
}

std::string where_not_finite(const WholeFlow& fields, std::int64_t step) {
  const auto bad = first_not_finite(fields);
  if (!bad) return "";
  return "NaN or Inf at step " + std::to_string(step) + ": first in " + bad->field + " of " + cell_name(bad->cell);
}

std::uint64_t hash_of_flow(const WholeFlow& flow) {
  Hash64 hash;
  const std::size_t arrays = at(flow.layout.dim) + 1 + flow.scalars();
  for (std::size_t a = 0; a < arrays; ++a) flow.arrays[a].add_to(hash);
  return hash.value();
}

int read_diagnostics_every(const Table& config) {
  return config.table("output").described_by(FlowOutput::options()).get<int>("diagnostics_every");
}

}  // namespace weir
