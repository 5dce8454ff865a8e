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

  ImmersedScheme(const ImmersedCase& of, const Table& config, Bodies bodies, const FlowRanks& ranks,
                 std::vector<std::string> messages_of_body, std::vector<std::string> warnings_of_body)
      : Base(velocity_system, body_scalar_system, cut_pressure_system, of, std::move(bodies), config.table("linear"),
             ranks, read_body_layers(config)),
        c(of),
        messages(std::move(messages_of_body)),
        warnings(std::move(warnings_of_body)),
        forces_of(of.bodies.size() > 1 ? of.bodies.size() : 0) {}

  // Factor from a force to its coefficient.
  double scale_of(const ForceOptions& f) const {
    double scale = 1 / (0.5 * f.velocity * f.velocity * f.area);
    for (int d = c.flow.dim(); d < 3; ++d) scale /= c.flow.grid.line[2].length();  // per unit of depth
    return scale;
  }

  std::function<double(double)> wall_rate(const Table& config) const { return body_rate(config, c); }

  void measure(Run& run, HistoryRow& row) {
    ScopedTimer timer(run.timings().at("body", "surface force"));
    const double scale = scale_of(c.forces);
    double sum[3] = {};  // over the bodies
    for (std::size_t b = 0; b < c.bodies.size(); ++b) {
      const Force force = flow.surface_force(b);
      const double own[3] = {force.total(0), force.total(1), force.torque[2]};
      for (int d = 0; d < 3; ++d) sum[d] += own[d];
      if (forces_of.empty()) break;
      const ForceOptions& f = c.bodies[b].forces;
      row[with_name("drag", c.bodies[b])] = scale_of(f) * own[0];
      row[with_name("lift", c.bodies[b])] = scale_of(f) * own[1];
      row[with_name("torque", c.bodies[b])] = scale_of(f) / f.length * own[2];
    }
    row["drag"] = scale * sum[0];
    row["lift"] = scale * sum[1];
    row["torque"] = scale / c.forces.length * sum[2];
    row["drag_control_volume"] = scale * flow.control_volume_force()[0];
    row["lift_control_volume"] = scale * flow.control_volume_force()[1];
  }
  void diagnose(HistoryRow& row) {
    row["max_mass_error"] = flow.max_mass_error();
    max_mass_error = std::max(max_mass_error, *row["max_mass_error"]);
  }
  void measured(HistoryRow& row, bool last) {
    for (const Body& body : flow.bodies()) {
      if (!body.is_cavity()) continue;
      row["volume"] = flow.cut().cavity_volume;
      volume_error = std::max(volume_error, std::abs(*row["volume"] / body.volume() - 1));
    }
    if (flow.time < c.forces.average_from && !last) return;
    forces.add(flow.time, flow.dt_before, *row["drag"], *row["lift"], *row["drag_control_volume"]);
    torque.add(flow.time, flow.dt_before, *row["torque"], 0, 0);
    for (std::size_t b = 0; b < forces_of.size(); ++b)
      forces_of[b].add(flow.time, flow.dt_before, *row[with_name("drag", c.bodies[b])],
                       *row[with_name("lift", c.bodies[b])], *row[with_name("torque", c.bodies[b])]);
  }

  void describe(RunHeader& h) {
    Base::describe(h);
    h.warnings = warnings;
  }
  void begun(Run& run, std::optional<double> restart_time) {
    for (const std::string& message : messages) run.event("body", message);
    if (!run.ranks().is_root()) return;
    for (const BodyCase& body : c.bodies)
      surfaces.emplace_back(run.directory() + "/vtk/" + run.name() + "_" + body.name + ".pvd", restart_time);
  }
  template <class F>
  void with_fields(const F& f) {
    std::vector<std::span<const double>> parts;
    for (int d = 0; d < c.flow.dim(); ++d) parts.emplace_back(flow.own_cut().fraction[at(d)]);
    this->whole.with(flow.flow(), parts, f);
  }
  void prepare_output() {
    loads.clear();
    for (std::size_t b = 0; b < c.bodies.size(); ++b) loads.push_back(flow.surface_loads(b));
  }
  std::vector<OutputField> more_fields(const WholeFlow& fields) { return {fluid_field(fields)}; }
  void write_beside(Run& run) {
    std::vector<std::string> names;
    for (const ScalarCase& s : c.flow.scalars) names.insert(names.end(), {s.name, s.flux_name()});
    for (std::size_t b = 0; b < c.bodies.size(); ++b) {
      const std::string file = fmt::format("{}_{}_{:08}.vtp", run.name(), c.bodies[b].name, flow.step);
      write_surface(run.directory() + "/vtk/" + file, flow.bodies()[b].surface(), loads[b], names);
      surfaces[b].add(flow.time, file);
    }
  }

  void ended(Run& run) {
    prepare_output();
    with_fields([&](const WholeFlow& fields) {
      run.on_root([&] {
        for (std::size_t b = 0; b < c.bodies.size(); ++b)
          write_surface_coefficients(run.directory() + "/surface/" + c.bodies[b].name + ".csv", c,
                                     c.bodies[b].forces.velocity, fields, std::move(loads[b]));
      });
    });
  }

  template <class F>
  void for_statistics(const F& f) {
    f("forces", forces);
    f("torque", torque);
    for (std::size_t b = 0; b < forces_of.size(); ++b) f(with_name("forces", c.bodies[b]), forces_of[b]);
  }
  void save(CheckpointState& state) {
    saved.clear();
    for_statistics([&](const std::string& name, ForceStatistics& of) {
      std::vector<double>& kept = saved.emplace_back(of.state());
      state.add(name + "_count", static_cast<double>(kept.size()));
      kept.push_back(0);  // an array of no length cannot be kept
      state.add(name, std::span<const double>(kept));
    });
    state.add("max_mass_error", max_mass_error);
    state.add("volume_error", volume_error);
  }
  void load(const Checkpoint& from) {
    for_statistics([&](const std::string& name, ForceStatistics& of) {
      if (!from.find(name + "_count")) return;  // an older checkpoint
      std::vector<double> kept = from.doubles(name, static_cast<std::int64_t>(from.scalar(name + "_count")) + 1);
      kept.pop_back();
      of.restore(kept);
    });
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
    SurfaceScalar sum;
    for (std::size_t b = 0; b < c.bodies.size(); ++b) {
      const SurfaceScalar s = flow.surface_scalar(scalar, b);
      sum = {sum.area + s.area, sum.flux + s.flux, sum.value + s.value};
      if (c.bodies.size() > 1) add_numbers(scalar, s, c.bodies[b].forces.length, "_" + c.bodies[b].name, q);
    }
    add_numbers(scalar, sum, c.forces.length, "", q);
  }
  void add_numbers(std::size_t scalar, const SurfaceScalar& s, double length, const std::string& ending,
                   std::map<std::string, double>& q) const {
    const ScalarCase& t = c.flow.scalars[scalar];
    const double flux = s.flux / s.area, mean = s.value / s.area;
    const double excess = mean - ambient(scalar), number = excess == 0 ? 0 : flux * length / (t.diffusivity * excess);
    const std::vector<std::string> names = body_quantities_of(t);
    for (std::size_t i = 0; i < 3; ++i) q[names[i] + ending] = std::array{number, flux, mean}[i];
  }
  std::map<std::string, double> quantities_of(const WholeFlow& fields) {
    std::map<std::string, double> q = mean_velocity(c, fields);
    q["wake_length"] = wake_length(c, fields, flow.bodies()[0].surface());
    return q;
  }
  std::map<std::string, double> quantities() {
    auto q = forces.quantities(c.forces.length, c.forces.velocity, c.forces.period);
    q["torque_mean"] = torque.quantities(1, 1, 0)["drag_mean"];
    for (std::size_t b = 0; b < forces_of.size(); ++b) {
      const BodyCase& body = c.bodies[b];
      auto own = forces_of[b].quantities(body.forces.length, body.forces.velocity, 0);
      own["torque_mean"] = own["drag_control_volume"];  // the third column
      for (const char* name : body_force_quantities) q[with_name(name, body)] = own[name];
    }
    for (std::size_t s = 0; s < c.flow.scalars.size(); ++s) add_scalar(s, q);
    q["max_mass_error"] = max_mass_error;
    if (flow.bodies().has_cavity()) q["volume_error"] = volume_error;
    q["geometry_copies"] = static_cast<double>(flow.uploads().copies);  // of the last step, this rank's
    q["geometry_bytes"] = static_cast<double>(flow.uploads().bytes);
    return q;
  }

  const ImmersedCase& c;
  std::vector<std::string> messages, warnings;  // repairs of the file of the body; checks that failed
  ForceStatistics forces, torque;               // statistics of the sums over the bodies; torque: as if it were a drag
  // Per body if there are several; the torque is in the column of the control volume.
  std::vector<ForceStatistics> forces_of;
  std::vector<std::vector<double>> saved;
  double max_mass_error = 0, volume_error = 0;  // the largest seen
  std::vector<PvdCollection> surfaces;          // surfaces in the field output, on rank 0
  std::vector<std::vector<SurfaceLoad>> loads;  // loads of each body, for field output
};

constexpr Quantity quantity_list[] = {
    {"drag_mean", "", "mean drag coefficient of the surface force, from average_from on"},
    {"drag_amplitude", "", "half of (maximum - minimum) of the drag coefficient"},
    {"drag_max", "", "largest drag coefficient"},
    {"drag_noise", "",
     "largest deviation of the drag from its 12 harmonics of forces_period, divided by drag_amplitude"},
    {"drag_control_volume", "", "mean drag coefficient from the momentum balance of control_volume"},
    {"lift_mean", "", "mean lift coefficient of the surface force, from average_from on"},
    {"lift_amplitude", "", "half of (maximum - minimum) of the lift coefficient"},
    {"lift_max", "", "largest lift coefficient"},
    {"strouhal", "", "Strouhal number: frequency of the lift times reference_length / reference_velocity"},
    {"wake_length", "", "length of the recirculation zone downstream of the body, divided by reference_length"},
    {"mean_velocity_x", "velocity",
     "mean over the box of the velocity along x, where the velocity in a body counts as zero; also y, z"},
    {"force_agreement", "", "root mean square of drag - drag_control_volume, divided by that of drag"},
    {"max_mass_error", "1/time", "largest divergence of the fluxes of a cut cell"},
    {"volume_error", "", "largest relative error of the volume of a cavity"},
    {"geometry_copies", "", "number of copies of geometry to the device in the last step"},
    {"geometry_bytes", "bytes", "size of the copies of geometry to the device in the last step"},
    {"torque_mean", "", "mean torque coefficient of the surface force, from average_from on"},
    {"drag_mean_NAME", "",
     "drag_mean of the body NAME, if there are several; without name: sum over all bodies, with the reference values "
     "of the first"},
    {"drag_amplitude_NAME", "", "drag_amplitude of the body NAME, if there are several"},
    {"lift_mean_NAME", "", "lift_mean of the body NAME, if there are several"},
    {"lift_amplitude_NAME", "", "lift_amplitude of the body NAME, if there are several"},
    {"strouhal_NAME", "", "strouhal of the body NAME, if there are several"},
    {"torque_mean_NAME", "", "torque_mean of the body NAME, if there are several"},
    {"nusselt_NAME", "", "nusselt of the body NAME, if there are several"},
    {"body_heat_flux_NAME", "temperature * velocity", "body_heat_flux of the body NAME, if there are several"},
    {"body_temperature_NAME", "temperature", "body_temperature of the body NAME, if there are several"},
    {"nusselt", "",
     "Nusselt number of the body: mean heat flux times reference_length, divided by the diffusivity and by the mean "
     "difference of temperature from the inlets (without inlets: from the sides)"},
    {"body_heat_flux", "temperature * velocity", "mean heat flux from the body into the fluid"},
    {"body_temperature", "temperature", "mean temperature of the surface of the body"},
    {"sherwood_SCALAR", "", "Sherwood number of [scalar.SCALAR], defined like nusselt"},
    {"body_SCALAR_flux", "scalar * velocity", "mean flux of [scalar.SCALAR] from the body into the fluid"},
    {"body_SCALAR", "scalar", "mean of [scalar.SCALAR] on the surface of the body"}};

constexpr Quantity column_list[] = {
    {"drag, lift", "", "coefficients of the surface force on the body"},
    {"torque", "",
     "torque coefficient about z and the position of the body: torque / (0.5 density U^2 reference_area "
     "reference_length)"},
    {"drag_NAME, lift_NAME, torque_NAME", "",
     "drag, lift and torque coefficients of the body NAME, if there are several"},
    {"drag_control_volume, lift_control_volume", "", "force coefficients from the momentum balance of control_volume"},
    {"max_mass_error", "1/time", "largest divergence of the fluxes of a cut cell, every diagnostics_every steps"},
    {"volume", "volume", "volume of a cavity"}};

}  // namespace

Results immersed_results() {
  Results all;
  all.add("immersed", quantity_list, column_list);
  return all;
}

int run_immersed(Run& run, const Table& config) {
  const ImmersedCase c = read_immersed_case(config);
  const StructuredPlan plan = immersed_plan(c, config);
  const auto in = [&](auto space) {
    using InSpace = ImmersedScheme<decltype(space)>;
    return run_structured<InSpace>(run, config, plan, [&] {
      std::vector<std::string> messages;
      Bodies bodies = read_case_bodies(config, c, &messages);
      std::vector<std::string> warnings = body_warnings(bodies, c);
      return InSpace(c, config, std::move(bodies), FlowRanks(run.ranks(), c.flow, plan.ranks), std::move(messages),
                     std::move(warnings));
    });
  };
  return run.on_device() ? in(Device{}) : in(Host{});
}

}  // namespace weir
