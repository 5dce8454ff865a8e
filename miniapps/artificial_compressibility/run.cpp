#include <fmt/format.h>

#include <cmath>

#include "miniapps/artificial_compressibility/diagnostics.hpp"
#include "miniapps/artificial_compressibility/scheme.hpp"
#include "miniapps/driver/lagged_preconditioner.hpp"
#include "miniapps/incompressible/incompressible.hpp"
#include "miniapps/structured/initial.hpp"
#include "miniapps/structured/run_structured.hpp"

namespace weir {
namespace {

template <class Space>
class WholeCoupled : public WholeArrays<Space> {
 public:
  using WholeArrays<Space>::WholeArrays;

  // f(WholeFlow) on rank 0.
  template <class F>
  void with(ArtificialCompressibility<Space>& flow, const F& f) {
    const Flow<Host>& mine = copy_.of(flow.cells(), flow.field().values().to_vector(), flow.minus_residual_on_host(),
                                      flow.flow_case().grid, flow.options().speed);
    Layout whole = mine.layout;
    static_cast<GridPart&>(whole) = flow.ranks().whole();
    this->read(whole, mine, {}, f);
  }

 private:
  CoupledCopy copy_;
};

template <class Space>
struct CoupledScheme : StructuredScheme<Space, ArtificialCompressibility<Space>, WholeCoupled<Space>> {
  using Base = StructuredScheme<Space, ArtificialCompressibility<Space>, WholeCoupled<Space>>;
  using Base::flow;

  CoupledScheme(const IncompressibleCase& c, const Table& linear, const CoupledRanks& ranks) : Base(c, linear, ranks) {
    if (!ranks.alone() && !flow.solver().refresh_policy().is_always())
      coupled_system.options(linear).fail("refresh", "'refresh' must be \"always\" on more than one rank");
  }

  std::vector<std::string> unknown_names() const {  // of a cell
    std::vector<std::string> names{"p", "u", "v"};
    if (flow.cells().dim == 3) names.emplace_back("w");
    if (flow.cells().unknowns > flow.cells().dim + 1) names.insert(names.end(), {"k", "omega"});
    return names;
  }
  std::vector<std::string> systems() const { return {coupled_system.name}; }
  std::vector<std::pair<std::string, LinearSolver<Space>*>> solvers() {
    return {{coupled_system.name, &flow.solver()}};
  }
  void attach(Lab<Space>& lab, const Table& linear) {
    auto& f = flow;
    const std::vector<std::string> names = unknown_names();
    FlowFacts<Space> facts = common_facts(*this);
    facts.cfl = [&f] { return f.cfl; };
    facts.nonlinear_residual = [&f] { return f.largest_residual; };
    facts.is_cfl_stored = true;
    facts.places = [&f](const std::string&, int) {
      Layout cells;
      static_cast<GridPart&>(cells) = f.ranks().whole();
      return places_of_unknowns(f.flow_case().grid, cells, 3);
    };
    if (!f.ranks().alone()) facts.numbers = [&f](const std::string&, int) { return f.ranks().cell_numbers(); };
    facts.variables = [names](const std::string&, int) { return names; };
    facts.step_key = f.flow_case().time.steady ? "pseudo_time.cfl_start" : "time.dt";
    for (std::size_t k = 0; k < names.size(); ++k)
      facts.watched.push_back(
          watched_variable<Space>(names[k], f.cells(), f.field().values(), static_cast<int>(k), f.cells().unknowns));
    facts.row_name = [&f, names](const std::string&, int, int row) {
      const auto per_cell = static_cast<int>(names.size());
      return names[row % per_cell] + " of " + name_of_cell(f.ranks().whole(), row / per_cell);
    };
    lab.describe(facts);
    lab.attach(coupled_system, f.solver(), linear);
  }
  void describe(RunHeader& h) const {
    h.systems.emplace_back(coupled_system.name, flow.solver().describe());
    if (!flow.ranks().alone() && !flow.solver().is_independent_of_ranks())
      h.notes.emplace_back("iterations", "depend on the number of ranks: the preconditioner depends on the partition");
  }

  bool initialise(Run&) {
    flow.initialise();
    return true;
  }
  Progress advance(Run& run, double dt) {
    end = flow.advance(dt, run.timings(), [&] {
      SolveRecord r;
      r.step = flow.step + 1;
      r.system = coupled_system.name;
      r.solver = flow.solver().name();
      r.unknowns = flow.system().unknowns();
      r.preconditioner_age = flow.solver().refresh_policy().age();
      lagged.follow(flow.solver(), flow.matrix().values());
      record_solve(run, r, flow.result, flow.setup_seconds);
    });
    if (end == StepEnd::converged) return Progress::converged;
    return end == StepEnd::advanced ? Progress::advanced : Progress::failed;
  }
  bool was_interrupted() const { return flow.result.reason == Reason::interrupted; }
  Outcome failure() const {
    Outcome outcome;
    const std::string at = " at step " + std::to_string(flow.step + 1);
    outcome.exit = Exit::solver_failed;
    outcome.reason = failed_solve_text("flow", flow.result.reason, flow.step + 1);
    if (end == StepEnd::not_converged) {
      outcome.reason = fmt::format(
          "flow: the residual is {:g}, not {:g}, after {} pseudo-time steps{} ([pseudo_time] tolerance, max_steps)",
          flow.largest_residual, flow.options().tolerance, flow.options().max_steps, at);
      outcome.limit = "pseudo_time.max_steps";
    }
    if (end == StepEnd::not_finite || flow.result.reason == Reason::not_finite) {
      outcome.exit = Exit::not_finite;
      outcome.reason = "NaN or Inf in the flow" + at;
    }
    return outcome;
  }

  double level() {
    if (!flow.flow_case().time.steady) return flow.time;
    flow.evaluate_steady();  // of the state after the last update
    return -std::log10(flow.largest_residual);
  }
  double courant_rate() { return weir::courant_rate<Space>(flow.view()); }
  void measure(Run&, HistoryRow& row) {
    const std::vector<std::string> names = unknown_names();
    for (std::size_t u = 0; u < names.size(); ++u) row["residual_" + names[u]] = flow.norms[u];
    row["sub_iterations"] = flow.sub_iterations;
    row["pseudo_cfl"] = flow.cfl;
  }
  void diagnose(HistoryRow& row) {
    const Communicator& ranks = flow.ranks().communicator();
    row["max_divergence"] = ranks.max(max_divergence<Space>(flow.view(), flow.minus_residual()));
    row["kinetic_energy"] = ranks.sum(mean_kinetic_energy<Space>(flow.view(), flow.flow_case().grid));
    if (row.has("dissipation"))
      row["dissipation"] = ranks.sum(mean_dissipation<Space>(flow.view(), flow.flow_case().grid));
  }

  void save(CheckpointState& state) {
    state.add("cfl", flow.cfl);
    state.add("residual_before", flow.residual_before);
    state.add("residual", flow.largest_residual);
    state.add("factor_of_time", flow.factor_of_time());
    lagged.save(flow.solver(), state);
  }
  void load(const Checkpoint& from) {
    flow.cfl = from.scalar("cfl");
    flow.residual_before = from.scalar("residual_before");
    flow.result = {};
    flow.evaluate_steady(from.find("factor_of_time") ? from.scalar("factor_of_time") : 0);
    if (!flow.options().steady && from.find("residual")) flow.largest_residual = from.scalar("residual");
    lagged.load(from, flow.solver(), flow.matrix(), flow.matrix().values());
  }

  template <class F>
  void with_fields(const F& f) {
    this->whole.with(flow, f);
  }
  std::map<std::string, double> quantities_of(const WholeFlow& fields) {
    return solution_errors(flow.flow_case(), fields, flow.time, flow.dt_before);
  }
  std::map<std::string, double> quantities() {
    const IncompressibleCase& c = flow.flow_case();
    const CoupledView v = flow.view();
    const Communicator& ranks = flow.ranks().communicator();
    std::map<std::string, double> q;
    q["kinetic_energy"] = ranks.sum(mean_kinetic_energy<Space>(v, c.grid));
    q["max_divergence"] = ranks.max(max_divergence<Space>(v, flow.minus_residual()));
    q["dissipation"] = ranks.sum(mean_dissipation<Space>(v, c.grid));
    q["residual"] = flow.largest_residual;
    if (!c.time.steady) q["rate"] = flow.rate();
    return q;
  }
  void ended(Run& run) {
    // Evaluates the residual of an unfinished run after its last update.
    if (flow.flow_case().time.steady && end != StepEnd::converged) flow.evaluate_steady();
    lagged.report(run, coupled_system.name, flow.solver());
  }

  StepEnd end = StepEnd::advanced;  // of the last step
  LaggedPreconditioner<Space> lagged;
};

constexpr Quantity coupled_quantity_list[] = {
    {"residual", "", "largest residual at the end, in units of U/L and U^2/L (artificial_compressibility)"}};

constexpr Quantity coupled_column_list[] = {
    {"residual_p, residual_u, residual_v, residual_w, residual_k, residual_omega", "",
     "root mean square of the residual of each equation", "incompressible (artificial_compressibility)"},
    {"sub_iterations", "", "number of pseudo-time steps in the step", "incompressible (artificial_compressibility)"},
    {"pseudo_cfl", "", "CFL number of the last pseudo-time step", "incompressible (artificial_compressibility)"}};

}  // namespace

QuantityTable coupled_quantities() { return coupled_quantity_list; }
QuantityTable coupled_columns() { return coupled_column_list; }

int run_coupled(Run& run, const Table& config, const StructuredPlan& plan) {
  const auto in = [&](auto space) {
    using InSpace = CoupledScheme<decltype(space)>;
    const CoupledRanks ranks(run.ranks(), plan.c, plan.ranks);
    return run_structured<InSpace>(run, config, plan, [&] { return InSpace(plan.c, config.table("linear"), ranks); });
  };
  return run.on_device() ? in(Device{}) : in(Host{});
}

}  // namespace weir
