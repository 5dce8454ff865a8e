#include "miniapps/immersed/info.hpp"

#include <ostream>

#include "miniapps/immersed/immersed.hpp"
#include "miniapps/immersed/immersed_flow.hpp"
#include "miniapps/immersed/read.hpp"
#include "miniapps/structured/output.hpp"

namespace weir {

RunHeader immersed_header(const ImmersedCase& c) {
  RunHeader h = incompressible_header(c.flow);
  h.miniapp = "immersed";
  h.history = {"drag", "lift", "drag_control_volume", "lift_control_volume", "max_mass_error", "rate", "volume"};
  h.quantities = {"drag_mean",       "drag_amplitude", "drag_max",        "drag_control_volume", "lift_mean",
                  "lift_amplitude",  "lift_max",       "strouhal",        "wake_length",         "max_mass_error",
                  "force_agreement", "volume_error",   "geometry_copies", "geometry_bytes"};
  if (c.forces.period > 0) h.quantities.emplace_back("drag_noise");
  return h;
}

MemoryEstimate immersed_memory(const ImmersedCase& c, const Table& config) {
  constexpr std::int64_t megabyte = 1 << 20;
  const std::int64_t cells = c.flow.grid.count(), dim = c.flow.dim();
  MemoryEstimate m;
  // Fields and vectors; the geometry on the host (apertures, fractions, kinds, the signed distance's codes) and in the space.
  m.flow = cells * (8 * (3 * dim + 5) + dim * (2 * (8 + 8 + 1) + 4) + 40);
  const Table linear = config.table("linear");
  const auto vectors = [&](const char* system, const char* method, const char* type) {
    const Table t = linear.table(system);
    return work_vectors(t.get("method", method), t.table("preconditioner").get("type", type), t);
  };
  const auto bytes = [&](double n) { return static_cast<std::int64_t>(n * 8 * static_cast<double>(cells)); };
  const double bands = 2 * static_cast<double>(dim) + 1;
  m.momentum = bytes(static_cast<double>(dim) * (bands + vectors("advection_diffusion", default_velocity_method,
                                                                 default_velocity_preconditioner)));
  m.pressure = bytes(2 * bands + vectors("pressure", default_cut_pressure_method, default_cut_pressure_preconditioner));
  m.process = 16 * megabyte;
  return m;
}

RankOptions read_immersed_rank_options(const Table& config) {
  RankOptions options = read_rank_options(config);
  options.least_layers = 3;  // so that a box of the velocity along z has two
  return options;
}

void info_immersed(const Table& config, int ranks, std::ostream& out) {
  const ImmersedCase c = read_immersed_case(config);
  const Body body = read_case_body(config, c);
  const FlowOutput output(config, c.flow, immersed_header(c).history);
  const RunHeader h = immersed_header(c);
  const MemoryEstimate m = immersed_memory(c, config);
  const Table linear = config.table("linear");
  const auto megabytes = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  out << "miniapp    " << h.miniapp << "\ngrid       " << h.grid << "\ncells      " << h.cells << "\nunknowns   "
      << h.unknowns << "\nbody       " << body.surface().elements()
      << (body.surface().dimension == 2 ? " segments" : " triangles") << (body.is_fixed() ? ", fixed" : ", moving")
      << "\nvelocity   " << velocity_solver<Host>(linear).describe() << "\npressure   "
      << cut_pressure_solver<Host>(linear).describe() << "\n";
  out.setf(std::ios::fixed);
  out.precision(1);
  out << "memory     " << megabytes(m.total()) << " MB: flow and geometry " << megabytes(m.flow)
      << ", velocity systems " << megabytes(m.momentum) << ", pressure system " << megabytes(m.pressure) << ", program "
      << megabytes(m.process) << "\n";
  const RankOptions options = read_immersed_rank_options(config);
  read_body_layers(config);  // known keys
  if (ranks > 1) out << "           " << text_over_ranks(m, c.flow, options, ranks) << "\n";
}

}  // namespace weir
