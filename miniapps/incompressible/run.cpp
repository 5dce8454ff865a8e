#include "miniapps/incompressible/fractional_step.hpp"
#include "miniapps/incompressible/incompressible.hpp"
#include "miniapps/incompressible/scalar_quantities.hpp"
#include "miniapps/incompressible/staggered_scheme.hpp"
#include "miniapps/structured/growth.hpp"
#include "miniapps/structured/initial.hpp"

namespace weir {
namespace {

template <class Space>
struct FractionalStepScheme : StaggeredScheme<Space, FractionalStep<Space>> {
  using Base = StaggeredScheme<Space, FractionalStep<Space>>;
  using Base::flow;
  template <class... Arguments>
  explicit FractionalStepScheme(std::optional<double> growth_from, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), growth(growth_from) {}

  // Columns as structured_header has them.
  std::size_t rate_column() const { return 2; }
  void look(StepRecord& r) {
    const Communicator& ranks = flow.ranks().communicator();
    r.values[0] = ranks.max(max_divergence(flow.flow(), flow.metrics()));
    r.values[1] = ranks.sum(kinetic_energy(flow.flow(), flow.metrics(), flow.flow_case().grid));
    std::size_t column = 3;
    for (std::size_t s = 0; s < this->scalars().size(); ++s)
      if (!this->scalars()[s].is_temperature())
        r.values[column++] = ranks.sum(scalar_total(flow.flow(), flow.metrics(), s));
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
  std::map<std::string, double> quantities(const Flow<Host>& fields) const {
    const IncompressibleCase& c = flow.flow_case();
    const Communicator& ranks = flow.ranks().communicator();
    std::map<std::string, double> q;
    if (ranks.is_root()) {
      q = solution_errors(c, fields, flow.time, flow.dt_before);
      q.merge(scalar_quantities(c, fields, flow.time));
    }
    q["kinetic_energy"] = ranks.sum(kinetic_energy(flow.flow(), flow.metrics(), c.grid));
    q["max_divergence"] = ranks.max(max_divergence(flow.flow(), flow.metrics()));
    q["dissipation"] = ranks.sum(dissipation(flow.flow(), flow.metrics(), c.grid, c.viscosity));
    q["rate"] = flow.rate();
    if (growth.is_asked()) q["growth_rate"] = growth.rate();
    return q;
  }

  Growth growth;
};

}  // namespace

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
