#include "miniapps/incompressible/fractional_step.hpp"
#include "miniapps/incompressible/incompressible.hpp"
#include "miniapps/incompressible/scalar_quantities.hpp"
#include "miniapps/incompressible/staggered_scheme.hpp"
#include "miniapps/structured/initial.hpp"
#include "miniapps/structured/time/growth.hpp"

namespace weir {
namespace {

template <class Space>
struct FractionalStepScheme : StaggeredScheme<Space, FractionalStep<Space>> {
  using Base = StaggeredScheme<Space, FractionalStep<Space>>;
  using Base::flow;
  template <class... Arguments>
  explicit FractionalStepScheme(std::optional<double> growth_from, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), growth(growth_from) {}

  void diagnose(HistoryRow& row) {
    const Communicator& ranks = flow.ranks().communicator();
    row["max_divergence"] = ranks.max(max_divergence(flow.flow(), flow.metrics()));
    row["kinetic_energy"] = ranks.sum(kinetic_energy(flow.flow(), flow.metrics(), flow.flow_case().grid));
    if (row.has("dissipation")) row["dissipation"] = ranks.sum(mean_dissipation());
    if (row.has("enstrophy")) row["enstrophy"] = ranks.sum(mean_enstrophy());
    for (std::size_t s = 0; s < this->scalars().size(); ++s)
      if (!this->scalars()[s].is_temperature())
        row[this->scalars()[s].name + "_total"] = ranks.sum(scalar_total(flow.flow(), flow.metrics(), s));
    if (growth.is_due(flow.time))
      growth.add(flow.time, ranks.sum(component_energy(flow.flow(), flow.metrics(), flow.flow_case().grid, 1)));
  }
  void describe(RunHeader& h) {
    Base::describe(h);
    if (growth.is_asked()) h.quantities.emplace_back("growth_rate");
  }
  void save(CheckpointState& state) { growth.save(state); }
  void load(const Checkpoint& from) {
    growth.load(from);
    Base::load(from);
  }
  std::map<std::string, double> quantities_of(const WholeFlow& fields) const {
    std::map<std::string, double> q = solution_errors(flow.flow_case(), fields, flow.time, flow.dt_before);
    q.merge(scalar_quantities(flow.flow_case(), fields, flow.time));
    return q;
  }
  std::map<std::string, double> quantities() const {
    const IncompressibleCase& c = flow.flow_case();
    const Communicator& ranks = flow.ranks().communicator();
    std::map<std::string, double> q;
    q["kinetic_energy"] = ranks.sum(kinetic_energy(flow.flow(), flow.metrics(), c.grid));
    q["max_divergence"] = ranks.max(max_divergence(flow.flow(), flow.metrics()));
    q["dissipation"] = ranks.sum(mean_dissipation());
    q["enstrophy"] = ranks.sum(mean_enstrophy());
    q["rate"] = flow.rate();
    if (growth.is_asked()) q["growth_rate"] = growth.rate();
    return q;
  }

  // Shares of this rank.
  double mean_dissipation() const {
    return dissipation(flow.flow(), flow.metrics(), flow.flow_case().grid, flow.flow_case().viscosity);
  }
  double mean_enstrophy() const { return enstrophy(flow.flow(), flow.metrics(), flow.flow_case().grid); }

  Growth growth;
};

constexpr Quantity quantity_list[] = {
    {"kinetic_energy", "velocity^2", "mean of |u|^2 / 2 over the box"},
    {"max_divergence", "1/time", "largest |div u| of all cells"},
    {"dissipation", "velocity^2/time", "kinematic viscosity times the mean of |grad u|^2"},
    {"enstrophy", "1/time^2", "mean of |curl u|^2 / 2 over the box (fractional_step)"},
    {"rate", "velocity/time", "largest |du/dt|"},
    {"growth_rate", "1/time", "growth rate of sqrt(mean v^2) from [output] growth_from on"},
    {"error_velocity_max", "velocity", "largest difference between the velocity and the exact solution"},
    {"error_velocity_l2", "velocity", "root mean square of the difference between the velocity and the exact solution",
     "incompressible, compressible"},
    {"error_pressure_l2", "pressure", "root mean square of the difference between the pressure and the exact solution",
     "incompressible, compressible"}};

constexpr Quantity column_list[] = {
    {"max_divergence", "1/time", "largest |div u| of all cells, every diagnostics_every steps"},
    {"kinetic_energy", "velocity^2", "mean of |u|^2 / 2 over the box, every diagnostics_every steps"},
    {"dissipation", "velocity^2/time",
     "kinematic viscosity times the mean of |grad u|^2, if [output] history names it"},
    {"enstrophy", "1/time^2", "mean of |curl u|^2 / 2 over the box, if [output] history names it"},
    {"rate", "velocity/time", "largest |du/dt|, every steady_every steps"},
    {"SCALAR_total", "scalar * volume", "integral of [scalar.SCALAR] over the box, every diagnostics_every steps"}};

}  // namespace

Results incompressible_results() {
  Results all;
  all.add("incompressible", quantity_list, column_list);
  all.add("incompressible", scalar_quantity_table());
  all.add("incompressible", coupled_quantities(), coupled_columns());
  all.add("incompressible, immersed", surface_quantities(), surface_columns());
  return all;
}

int run_incompressible(Run& run, const Table& config) {
  const IncompressibleCase c = read_incompressible_case(config);
  const StructuredPlan plan = incompressible_plan(c, config);
  if (c.scheme == Scheme::artificial_compressibility) return run_coupled(run, config, plan);
  const auto in = [&](auto space) {
    using InSpace = FractionalStepScheme<decltype(space)>;
    return run_structured<InSpace>(run, config, plan, [&] {
      return InSpace(Growth::read(config), momentum_system, scalar_system, pressure_system, c, config.table("linear"),
                     FlowRanks(run.ranks(), c, plan.ranks));
    });
  };
  return run.on_device() ? in(Device{}) : in(Host{});
}

}  // namespace weir
