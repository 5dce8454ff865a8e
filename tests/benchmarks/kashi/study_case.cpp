#include "tests/benchmarks/kashi/study_case.hpp"

#include <stdexcept>

#include "inputs/case.hpp"
#include "miniapps/compressible/compressible.hpp"
#include "tests/benchmarks/bench.hpp"

namespace weir::kashi {

StudyCase::StudyCase(const std::string& file, const std::vector<std::string>& sets)
    : path(file),
      overrides(sets),
      config(read_case(file, sets)),
      c(read_compressible_case(config)),
      ordering_type(config.table("ordering").get("type", "")),
      mesh(read_ordered_mesh(config, ordering)),
      boundary(read_flow_boundary(config, c, mesh)) {}

std::string Variant::text() const {
  if (type == "block_ilu0") return "{ type = \"block_ilu0\" }";
  std::string t = "{ type = \"" + type + "\", chunk = " + std::to_string(chunk) + ", diagnostics = true";
  t += ", build_sweeps = " + std::to_string(build_sweeps) + ", apply_sweeps = " + std::to_string(apply_sweeps);
  if (scaled) t += ", scaling = true";
  if (prescribed)
    t += ", asynchrony = { type = \"prescribed\", lanes = " + std::to_string(threads) +
         ", seed = " + std::to_string(seed) + " }";
  return t + " }";
}

Table linear_with(const StudyCase& study, const Variant& variant, const std::vector<std::string>& more) {
  std::vector<std::string> sets = study.overrides;
  sets.push_back("linear.flow.preconditioner=" + variant.text());
  sets.insert(sets.end(), more.begin(), more.end());
  return read_case(study.path, sets).table("linear");
}

std::vector<double> first_order_state(const StudyCase& study) {
  bench::set_threads(1);
  Variant sequential;
  sequential.type = "block_ilu0";
  CompressibleFlow<Host> flow(study.c, study.mesh, study.boundary, linear_with(study, sequential));
  flow.initialise();
  flow.set_outside(0);
  flow.pseudo.start_phase(1);
  Timings timings;
  for (int step = 0; flow.pseudo.drop() > study.c.pseudo_time.first_order_tolerance; ++step) {
    if (step == study.c.pseudo_time.max_steps) throw std::runtime_error("the first-order start does not converge");
    flow.pseudo.attempt(timings);
  }
  return flow.on_host();
}

}  // namespace weir::kashi
