#include "miniapps/driver/lab.hpp"
#include "miniapps/immersed/immersed.hpp"
#include "miniapps/immersed/immersed_flow.hpp"
#include "miniapps/incompressible/scalar_quantities.hpp"
#include "miniapps/structured/output.hpp"
#include "miniapps/structured/run_structured.hpp"

namespace weir {
namespace {

RunHeader immersed_header(const ImmersedCase& c) {
  RunHeader h = structured_header(c.flow);
  h.miniapp = "immersed";
  h.history = {"drag",           "lift", "torque", "drag_control_volume", "lift_control_volume",
               "max_mass_error", "rate", "volume"};
  h.quantities = {"drag_mean",       "drag_amplitude", "drag_max",        "drag_control_volume", "lift_mean",
                  "lift_amplitude",  "lift_max",       "strouhal",        "wake_length",         "max_mass_error",
                  "force_agreement", "volume_error",   "geometry_copies", "geometry_bytes"};
  for (const ScalarCase& s : c.flow.scalars)
    for (const std::string& name : body_quantities_of(s)) h.quantities.push_back(name);
  h.quantities.emplace_back("torque_mean");
  for (int d = 0; d < c.flow.dim(); ++d) h.quantities.push_back(std::string("mean_velocity_") + "xyz"[d]);
  for (const BodyCase& body : c.bodies) {
    if (c.bodies.size() == 1) break;
    for (const char* column : {"drag", "lift", "torque"}) h.history.push_back(with_name(column, body));
    for (const char* name : body_force_quantities) h.quantities.push_back(with_name(name, body));
    for (const ScalarCase& s : c.flow.scalars)
      for (const std::string& name : body_quantities_of(s)) h.quantities.push_back(with_name(name, body));
  }
  if (c.forces.period > 0) h.quantities.emplace_back("drag_noise");
  return h;
}

}  // namespace

RankOptions read_immersed_rank_options(const Table& config) {
  RankOptions options = read_rank_options(config);
  options.least_layers = 3;  // so that a box of the velocity along z has two
  return options;
}

StructuredPlan immersed_plan(const ImmersedCase& c, const Table& config) {
  const std::int64_t cells = c.flow.grid.count(), dim = c.flow.dim();
  const Table linear = config.table("linear");
  const MatrixSize A{.rows = static_cast<double>(cells)};
  const std::int64_t bands = 8 * (2 * dim + 1) * cells;
  // Fields and vectors; the geometry on the host (apertures, fractions, kinds, the signed distance's codes) and in the
  // space.
  const std::int64_t flow = cells * (8 * (3 * dim + 5) + dim * (2 * (8 + 8 + 1) + 4) + 40);
  std::int64_t of_scalars = 0;
  for (const ScalarCase& s : c.flow.scalars)
    of_scalars += 12 * 8 * cells + bands + body_scalar_system(s).bytes(linear, A) + (s.has_source() ? 8 * cells : 0);
  return {c.flow,
          read_immersed_rank_options(config),
          immersed_header(c),
          {{"flow and geometry", flow},
           {"velocity systems", dim * (bands + velocity_system.bytes(linear, A))},
           {"scalars", of_scalars},
           {"pressure system", 2 * bands + cut_pressure_system.bytes(linear, A)}},
          8 * (3 * dim + 2) * cells,
          std::int64_t{16} << 20};
}

void info_immersed(const Table& config, int ranks, std::ostream& out) {
  const ImmersedCase c = read_immersed_case(config);
  Bodies bodies = read_case_bodies(config, c);
  StructuredPlan plan = immersed_plan(c, config);
  plan.header.warnings = body_warnings(bodies, c);
  const FlowOutput output(config, c.flow, plan.header.history);
  const Table linear = config.table("linear");
  read_body_layers(config);  // known keys
  read_diagnostics_every(config);
  const std::vector<SystemDefaults> systems =
      with_scalars(velocity_system, c.flow, body_scalar_system, cut_pressure_system);
  read_lab(config, systems);
  std::vector<std::pair<std::string, std::string>> lines{{"unknowns", std::to_string(plan.header.unknowns)}};
  for (std::size_t b = 0; b < bodies.size(); ++b)
    lines.emplace_back(bodies.name(b), std::to_string(bodies[b].surface().elements()) +
                                           (bodies[b].surface().dimension == 2 ? " segments" : " triangles") +
                                           (bodies[b].is_fixed() ? ", fixed" : ", moving"));
  for (const SystemDefaults& s : systems) lines.emplace_back(s.name, s.solver<Host>(linear).describe());
  plan.print(lines, ranks, out);
}

}  // namespace weir
