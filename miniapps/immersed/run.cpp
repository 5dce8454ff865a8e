#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "miniapps/driver/force_statistics.hpp"
#include "miniapps/immersed/immersed.hpp"
#include "miniapps/immersed/immersed_flow.hpp"
#include "miniapps/immersed/output.hpp"
#include "miniapps/incompressible/staggered_scheme.hpp"
#include "miniapps/structured/sides/patch_values.hpp"

namespace weir {
namespace {

template <class Space>
struct ImmersedScheme : StaggeredScheme<Space, ImmersedFlow<Space>> {
  using Base = StaggeredScheme<Space, ImmersedFlow<Space>>;
  using Base::flow;

  ImmersedScheme(const ImmersedCase& of, const Table& config, Body body, const FlowRanks& ranks,
                 std::vector<std::string> messages_of_body, std::vector<std::string> warnings_of_body)
      : Base(velocity_system, body_scalar_system, cut_pressure_system, of, std::move(body), config.table("linear"),
             ranks, read_body_layers(config)),
        c(of),
        messages(std::move(messages_of_body)),
        warnings(std::move(warnings_of_body)) {
    scale = 1 / (0.5 * c.forces.velocity * c.forces.velocity * c.forces.area);
    for (int d = c.flow.dim(); d < 3; ++d) scale /= c.flow.grid.line[2].length();  // per unit of depth
  }

  std::function<double(double)> wall_rate(const Table& config) const { return body_rate(config, c); }

  void measure(Run& run, HistoryRow& row) {
    ScopedTimer timer(run.timings().at("body", "surface force"));
    const Force force = flow.surface_force();
    row["drag"] = scale * force.total(0);
    row["lift"] = scale * force.total(1);
    row["drag_control_volume"] = scale * flow.control_volume_force()[0];
    row["lift_control_volume"] = scale * flow.control_volume_force()[1];
  }
  void diagnose(HistoryRow& row) {
    row["max_mass_error"] = flow.max_mass_error();
    max_mass_error = std::max(max_mass_error, *row["max_mass_error"]);
  }
  void measured(HistoryRow& row, bool last) {
    if (const Body& body = flow.body(); body.is_cavity()) {
      row["volume"] = flow.cut().cavity_volume;
      volume_error = std::max(volume_error, std::abs(*row["volume"] / body.volume() - 1));
    }
    if (flow.time >= c.forces.average_from || last)
      forces.add(flow.time, flow.dt_before, *row["drag"], *row["lift"], *row["drag_control_volume"]);
  }

  void describe(RunHeader& h) {
    Base::describe(h);
    h.warnings = warnings;
  }
  void begun(Run& run, std::optional<double> restart_time) {
    for (const std::string& message : messages) run.event("body", message);
    if (!run.ranks().is_root()) return;
    surfaces.emplace(run.directory() + "/vtk/" + run.name() + "_body.pvd", restart_time);
  }
  std::vector<OutputField> more_fields() {
    for (std::size_t d = 0; d < 3; ++d)
      if (!flow.own_cut().fraction[d].empty()) parts[d] = this->whole.of(flow.own_cut().fraction[d]);
    return {fluid_field(flow.ranks().whole(), parts)};
  }
  void write_beside(Run& run) {
    const std::string file = fmt::format("{}_body_{:08}.vtp", run.name(), flow.step);
    write_surface(run.directory() + "/vtk/" + file, flow.body().surface());
    surfaces->add(flow.time, file);
  }

  void ended(Run& run) {
    const Flow<Host>& fields = this->fields();
    std::vector<SurfaceLoad> loads = flow.surface_loads();
    run.on_root(
        [&] { write_surface_coefficients(run.directory() + "/surface/body.csv", c, fields, std::move(loads)); });
  }

  void save(CheckpointState& state) {
    saved_forces = forces.state();
    state.add("forces_count", static_cast<double>(saved_forces.size()));
    saved_forces.push_back(0);  // an array of no length cannot be kept
    state.add("forces", std::span<const double>(saved_forces));
    state.add("max_mass_error", max_mass_error);
    state.add("volume_error", volume_error);
  }
  void load(const Checkpoint& from) {
    std::vector<double> kept = from.doubles("forces", static_cast<std::int64_t>(from.scalar("forces_count")) + 1);
    kept.pop_back();
    forces.restore(kept);
    if (from.find("max_mass_error")) max_mass_error = from.scalar("max_mass_error");  // older checkpoints have none
    if (from.find("volume_error")) volume_error = from.scalar("volume_error");
    Base::load(from);
  }

  // The ambient scalar: the mean of the inlets, else of the sides that fix it, else the reference.
  double ambient(std::size_t scalar) const {
    for (const bool inlets : {true, false}) {
      double area = 0, sum = 0;
      for (const SidePatch& p : c.flow.patches) {
        if (!p.fixes(scalar) || (inlets && p.type != SidePatch::Type::inlet)) continue;
        double x[3];
        for (std::size_t d = 0; d < 3; ++d) {
          const GridLine& line = c.flow.grid.line[d];
          x[d] = 0.5 * (line.faces[at(p.first[d])] + line.faces[at(p.last[d])]);
          if (static_cast<int>(d) == p.side / 2) x[d] = p.side % 2 == 0 ? line.faces.front() : line.faces.back();
        }
        const double part = area_of_patch(c.flow, p);
        area += part;
        sum += part * p.scalars[scalar].value.at(x, flow.time);
      }
      if (area > 0) return sum / area;
    }
    return c.flow.scalars[scalar].reference;
  }
  // Nusselt or Sherwood number: of the mean flux and the mean difference to the ambient.
  void add_scalar(std::size_t scalar, std::map<std::string, double>& q) {
    const SurfaceScalar s = flow.surface_scalar(scalar);
    const ScalarCase& t = c.flow.scalars[scalar];
    const double flux = s.flux / s.area, mean = s.value / s.area;
    const double excess = mean - ambient(scalar),
                 number = excess == 0 ? 0 : flux * c.forces.length / (t.diffusivity * excess);
    const std::vector<std::string> names = body_quantities_of(t);
    for (std::size_t i = 0; i < 3; ++i) q[names[i]] = std::array{number, flux, mean}[i];
  }
  std::map<std::string, double> quantities(const Flow<Host>& fields) {
    auto q = forces.quantities(c.forces.length, c.forces.velocity, c.forces.period);
    if (flow.ranks().communicator().is_root()) q["wake_length"] = wake_length(c, fields, flow.body().surface());
    for (std::size_t s = 0; s < c.flow.scalars.size(); ++s) add_scalar(s, q);
    q["max_mass_error"] = max_mass_error;
    if (flow.body().is_cavity()) q["volume_error"] = volume_error;
    q["geometry_copies"] = static_cast<double>(flow.uploads().copies);  // of the last step, this rank's
    q["geometry_bytes"] = static_cast<double>(flow.uploads().bytes);
    return q;
  }

  const ImmersedCase& c;
  std::vector<std::string> messages, warnings;  // repairs of the file of the body; checks that failed
  double scale = 1;                             // from forces to coefficients
  ForceStatistics forces;
  std::vector<double> saved_forces;
  double max_mass_error = 0, volume_error = 0;  // the largest seen
  std::optional<PvdCollection> surfaces;        // of field output, on rank 0
  FluidParts parts;
};

}  // namespace

namespace {

constexpr Quantity quantity_list[] = {
    {"drag_mean", "", "immersed", "mean drag coefficient of the surface force, from average_from on"},
    {"drag_amplitude", "", "immersed", "half of (maximum - minimum) of the drag coefficient"},
    {"drag_max", "", "immersed", "largest drag coefficient"},
    {"drag_noise", "", "immersed",
     "largest deviation of the drag from its 12 harmonics of forces_period, divided by drag_amplitude"},
    {"drag_control_volume", "", "immersed", "mean drag coefficient from the momentum balance of control_volume"},
    {"lift_mean", "", "immersed", "mean lift coefficient of the surface force, from average_from on"},
    {"lift_amplitude", "", "immersed", "half of (maximum - minimum) of the lift coefficient"},
    {"lift_max", "", "immersed", "largest lift coefficient"},
    {"strouhal", "", "immersed", "Strouhal number: frequency of the lift times reference_length / reference_velocity"},
    {"wake_length", "", "immersed",
     "length of the recirculation zone downstream of the body, divided by reference_length"},
    {"force_agreement", "", "immersed", "root mean square of drag - drag_control_volume, divided by that of drag"},
    {"max_mass_error", "1/time", "immersed", "largest divergence of the fluxes of a cut cell"},
    {"volume_error", "", "immersed", "largest relative error of the volume of a cavity"},
    {"geometry_copies", "", "immersed", "number of copies of geometry to the device in the last step"},
    {"geometry_bytes", "bytes", "immersed", "size of the copies of geometry to the device in the last step"},
    {"nusselt", "", "immersed",
     "Nusselt number of the body: mean heat flux times reference_length, divided by the diffusivity and by the mean "
     "difference of temperature from the inlets (without inlets: from the sides)"},
    {"body_heat_flux", "temperature velocity", "immersed", "mean heat flux from the body into the fluid"},
    {"body_temperature", "temperature", "immersed", "mean temperature of the surface of the body"},
    {"sherwood_SCALAR", "", "immersed", "Sherwood number of [scalar.SCALAR], defined like nusselt"},
    {"body_SCALAR_flux", "scalar velocity", "immersed", "mean flux of [scalar.SCALAR] from the body into the fluid"},
    {"body_SCALAR", "scalar", "immersed", "mean of [scalar.SCALAR] on the surface of the body"}};

constexpr Quantity column_list[] = {{"drag, lift", "", "immersed", "coefficients of the surface force on the body"},
                                    {"drag_control_volume, lift_control_volume", "", "immersed",
                                     "force coefficients from the momentum balance of control_volume"},
                                    {"max_mass_error", "1/time", "immersed",
                                     "largest divergence of the fluxes of a cut cell, every diagnostics_every steps"},
                                    {"volume", "volume", "immersed", "volume of a cavity"}};

}  // namespace

Results immersed_results() {
  Results all;
  all.add(quantity_list, column_list);
  return all;
}

int run_immersed(Run& run, const Table& config) {
  const ImmersedCase c = read_immersed_case(config);
  const StructuredPlan plan = immersed_plan(c, config);
  const auto in = [&](auto space) {
    using InSpace = ImmersedScheme<decltype(space)>;
    return run_structured<InSpace>(run, config, plan, [&] {
      std::vector<std::string> messages;
      Body body = read_case_body(config, c, &messages);
      std::vector<std::string> warnings = body_warnings(body, c);
      return InSpace(c, config, std::move(body), FlowRanks(run.ranks(), c.flow, plan.ranks), std::move(messages),
                     std::move(warnings));
    });
  };
  return run.on_device() ? in(Device{}) : in(Host{});
}

}  // namespace weir
