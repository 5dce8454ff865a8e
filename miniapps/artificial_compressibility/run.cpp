#include "miniapps/artificial_compressibility/run.hpp"

#include <cmath>
#include <sstream>

#include "miniapps/structured/clock.hpp"
#include "miniapps/artificial_compressibility/diagnostics.hpp"
#include "miniapps/artificial_compressibility/scheme.hpp"
#include "miniapps/artificial_compressibility/whole_flow.hpp"
#include "miniapps/structured/facts.hpp"
#include "miniapps/structured/initial.hpp"
#include "miniapps/structured/loop.hpp"
#include "miniapps/structured/output.hpp"
#include "miniapps/study/lab.hpp"
#include "miniapps/study/lifetime.hpp"
#include "base/timer.hpp"

namespace weir {
namespace {

template <class Space>
using Coupled = ArtificialCompressibility<Space>;

struct Watch {
  int every = 10;  // steps between two looks at what costs a pass
  bool is_steady = false;
};

// Columns as coupled_header has them.
template <class Space>
void record_step(Run& run, Coupled<Space>& flow, Watch& watch, bool last) {
  const TimeControl& time = flow.flow_case().time;
  StepRecord r;
  r.step = flow.step;
  r.time = flow.time;
  r.dt = flow.dt_before;
  for (int u = 0; u < flow.cells().unknowns; ++u) r.values.emplace_back(flow.norms[u]);
  r.values.emplace_back(flow.sub_iterations);
  r.values.emplace_back(flow.cfl);
  r.values.resize(r.values.size() + 3);
  Measure* watched = &r.values[r.values.size() - 3];
  {
    ScopedTimer timer(run.timings().at("flow", "diagnostics"));
    if (time.steady_tolerance > 0 && flow.step % time.steady_every == 0) {
      watched[2] = flow.rate();
      watch.is_steady = *watched[2] < time.steady_tolerance;
    }
    if (flow.step % watch.every == 0 || last || watch.is_steady) {
      const Communicator& ranks = flow.ranks().communicator();
      if (!time.steady) r.cfl = flow.dt_before * ranks.max(courant_rate<Space>(flow.view()));
      watched[0] = ranks.max(max_divergence<Space>(flow.view(), flow.minus_residual()));
      watched[1] = ranks.sum(mean_kinetic_energy<Space>(flow.view(), flow.flow_case().grid));
    }
  }
  run.step(r);
}

template <class Space>
void save(Run& run, Coupled<Space>& flow, const StepSize& clock, Lifetime<Space>& lifetime,
          const WholeCoupled<Space>& whole) {
  CheckpointState state;
  state.step = flow.step;
  state.time = flow.time;
  state.add("dt_before", flow.dt_before);
  state.add("dt", clock.dt);
  state.add("cfl", flow.cfl);
  state.add("residual_before", flow.residual_before);
  lifetime.save(flow.solver(), state);
  whole.save(run, std::move(state), flow.state());
}

template <class Space>
void load(const Checkpoint& from, Coupled<Space>& flow, StepSize& clock, Lifetime<Space>& lifetime,
          const WholeCoupled<Space>& whole) {
  whole.load(from, flow.state());
  flow.time = from.header.time;
  flow.step = from.header.step;
  flow.dt_before = from.scalar("dt_before");
  flow.cfl = from.scalar("cfl");
  flow.residual_before = from.scalar("residual_before");
  if (clock.needs_rate()) clock.dt = from.scalar("dt");
  flow.evaluate_steady();
  lifetime.load(from, flow.solver(), flow.matrix(), flow.matrix().values());
}

template <class Space>
std::map<std::string, double> quantities(Coupled<Space>& flow, const Flow<Host>& fields) {
  const IncompressibleCase& c = flow.flow_case();
  const CoupledView v = flow.view();
  const Communicator& ranks = flow.ranks().communicator();
  std::map<std::string, double> q;
  if (ranks.is_root()) q = solution_errors(c, fields, flow.time, flow.dt_before);
  q["kinetic_energy"] = ranks.sum(mean_kinetic_energy<Space>(v, c.grid));
  q["max_divergence"] = ranks.max(max_divergence<Space>(v, flow.minus_residual()));
  q["dissipation"] = ranks.sum(mean_dissipation<Space>(v, c.grid));
  q["residual"] = flow.largest_residual;
  if (!c.time.steady) q["rate"] = flow.rate();
  return q;
}

template <class Space>
const Flow<Host>& picture(Run& run, Coupled<Space>& flow, FlowOutput& output, WholeCoupled<Space>& whole,
                          Lab<Space>& lab) {
  ScopedTimer timer(run.timings().at("output", "pictures"));
  const Flow<Host>& fields = whole.of(flow);
  const std::vector<RowField> of_lab = lab.fields("flow");
  run.on_root(
      [&] { output.write_picture(fields, flow.step, flow.time, pictures_of(of_lab, flow.ranks().whole().extents())); });
  return fields;
}

// The one branch where a step fails: why, and where the flow went wrong.
template <class Space>
int stop(Run& run, Coupled<Space>& flow, StepEnd end, WholeCoupled<Space>& whole, Lab<Space>& lab) {
  Outcome outcome;
  const std::string at = " at step " + std::to_string(flow.step + 1);
  outcome.exit = Exit::solver_failed;
  if (end == StepEnd::not_converged) {
    std::ostringstream text;
    text << "flow: the residual is " << flow.largest_residual << ", not " << flow.options().tolerance << ", after "
         << flow.options().max_steps << " pseudo-time steps" << at << " ([pseudo_time] tolerance, max_steps)";
    outcome.reason = text.str();
    outcome.limit = "pseudo_time.max_steps";
  } else {
    outcome.reason = failed_solve_text("flow", flow.result.reason, flow.step + 1);
  }
  const Flow<Host>& fields = whole.of(flow);
  const std::string where = run.ranks().is_root() ? where_not_finite(fields, flow.step + 1) : "";
  if (end == StepEnd::not_finite || flow.result.reason == Reason::not_finite || !where.empty()) {
    outcome.exit = Exit::not_finite;
    outcome.reason = where.empty() ? "NaN or Inf in the flow" + at : where;
  }
  lab.failed(run, outcome);
  return run.finish(outcome);
}

template <class Space>
int end_of(Run& run, Coupled<Space>& flow, FlowOutput& output, WholeCoupled<Space>& whole, Lab<Space>& lab,
           const std::string& reason) {
  const Flow<Host>& fields = picture(run, flow, output, whole, lab);
  Outcome outcome;
  outcome.reason = reason;
  outcome.quantities = quantities(flow, fields);
  if (run.ranks().is_root()) {
    outcome.quantities.merge(output.write_profiles(fields));
    outcome.state_hash = hash_of_flow(fields);
  }
  return run.finish(outcome);
}

std::string name_of(const CoupledCells& c, int cell) {
  return name_of_cell({c.low[0] + cell % c.n[0], c.low[1] + cell / c.n[0] % c.n[1], c.low[2] + cell / c.n[0] / c.n[1]});
}

// The k-th unknown of every cell.
template <class Space>
WatchedVariable watched(Coupled<Space>& flow, const std::string& name, int k) {
  WatchedVariable v;
  v.name = name;
  v.range = [&flow, k] { return range_of<Space>(flow.field().values().view(), k, flow.cells().unknowns); };
  v.values = [&flow, k] {
    const CoupledCells& c = flow.cells();
    const std::vector<double> padded = flow.field().values().to_vector();
    std::vector<double> values;
    for (int z = 0; z < c.n[2]; ++z)
      for (int y = 0; y < c.n[1]; ++y)
        for (int x = 0; x < c.n[0]; ++x)
          values.push_back(padded[static_cast<std::size_t>((c.origin() + c.at(x, y, z)) * c.unknowns + k)]);
    return values;
  };
  v.place = [&flow](std::int64_t cell) { return name_of(flow.cells(), static_cast<int>(cell)); };
  return v;
}

template <class Space>
FlowFacts<Space> facts_of(Coupled<Space>& flow) {
  FlowFacts<Space> facts;
  facts.time = [&flow] { return flow.time; };
  facts.dt = [&flow] { return flow.dt_before; };
  facts.cfl = [&flow] { return flow.cfl; };
  facts.is_cfl_stored = true;
  facts.state = [&flow] { return WholeCoupled<Space>(flow.ranks()).arrays(flow.state()); };
  facts.places = [&flow](const std::string&, int) {
    Layout cells;
    for (int d = 0; d < 3; ++d) cells.n[d] = flow.cells().whole[d];
    return places_of_unknowns(flow.flow_case().grid, cells, 3);
  };
  if (!flow.ranks().alone()) {
    facts.numbers = [&flow](const std::string&, int) { return flow.ranks().cell_numbers(); };
    facts.partition = flow.ranks().partition().describe();
  }
  facts.variables = [&flow](const std::string&, int) {
    std::vector<std::string> names{"p", "u", "v"};
    if (flow.cells().dim == 3) names.emplace_back("w");
    if (flow.cells().unknowns > flow.cells().dim + 1) names.insert(names.end(), {"k", "omega"});
    return names;
  };
  facts.ordering = "natural";
  facts.step_key = flow.flow_case().time.steady ? "pseudo_time.cfl_start" : "time.dt";
  const std::vector<std::string> names = facts.variables("flow", 0);
  for (std::size_t k = 0; k < names.size(); ++k) facts.watched.push_back(watched(flow, names[k], static_cast<int>(k)));
  facts.row_name = [&flow, names](const std::string&, int, int row) {
    const auto per_cell = static_cast<int>(names.size());
    return names[static_cast<std::size_t>(row % per_cell)] + " of " + name_of(flow.ranks().whole(), row / per_cell);
  };
  return facts;
}

template <class Space>
void attach(Lab<Space>& lab, Coupled<Space>& flow, const Table& linear) {
  lab.describe(facts_of(flow));
  lab.attach("flow", flow.solver(), linear, default_flow_method, default_flow_preconditioner, default_flow_tolerance);
}

template <class Space>
void refuse_over_ranks(const Coupled<Space>& flow, const Table& config) {
  if (!flow.solver().lifetime().is_always())
    config.table("linear").table("flow").fail("refresh", "in parallel the preconditioner is rebuilt for every matrix");
}

template <class Space>
RunHeader header_of(const Coupled<Space>& flow, const FlowOutput& output, const Table& config) {
  RunHeader h = coupled_header(flow.flow_case());
  for (const auto& name : output.quantities()) h.quantities.push_back(name);
  h.systems.emplace_back("flow", flow.solver().describe());
  if (!flow.ranks().alone()) {
    h.notes.emplace_back("partition", flow.ranks().partition().describe());
    h.notes.emplace_back("halo",
                         std::string(to_string(flow.ranks().options().halo.strategy)) + ", " + flow.halo_path());
    h.notes.emplace_back("output", "fields and checkpoints are written by the root rank");
    if (!flow.solver().is_independent_of_ranks())
      h.notes.emplace_back("iterations", "depend on the number of ranks: each rank preconditions its own cells");
  }
  tell_memory(coupled_memory_estimate(flow.flow_case(), config), flow.flow_case(), flow.ranks().options(),
              flow.ranks().communicator().size(), h);
  return h;
}

template <class Space>
int run_in(Run& run, const Table& config, const IncompressibleCase& c) {
  FlowOutput output(config, c);
  Watch watch;
  watch.every = read_diagnostics_every(config);
  const RankOptions rank_options = read_rank_options(config);
  run.require_memory(over_ranks(coupled_memory_estimate(c, config), c, rank_options, run.ranks().size()).all);
  run.ranks().use(rank_options.reduction);
  std::string devices;
  if (run.ranks().size() > 1 && std::is_same_v<Space, Device>) devices = choose_device(run.ranks());
  const CoupledRanks ranks(run.ranks(), c, rank_options);
  Coupled<Space> flow(c, config.table("linear"), ranks);
  if (!ranks.alone()) refuse_over_ranks(flow, config);
  StepSize clock(c);
  WholeCoupled<Space> whole(ranks);
  Lifetime<Space> lifetime;
  const bool restarted = run.restart() != nullptr;
  if (restarted)
    load(*run.restart(), flow, clock, lifetime, whole);
  else
    flow.initialise();
  Lab<Space> lab(config, {"flow"}, run.ranks());
  attach(lab, flow, config.table("linear").table("flow"));
  RunHeader header = header_of(flow, output, config);
  if (!devices.empty()) header.notes.emplace_back("devices", devices);
  run.begin(header);
  if (run.ranks().is_root())
    output.open(run.directory(), run.name(), restarted ? std::optional<double>(flow.time) : std::nullopt);
  lab.open(run);
  const auto record = [&] {
    SolveRecord r;
    r.step = flow.step + 1;
    r.system = "flow";
    r.solver = flow.solver().name();
    r.unknowns = flow.system().unknowns();
    r.preconditioner_age = flow.solver().lifetime().age();
    lifetime.follow(flow.solver(), flow.matrix().values());
    record_solve(run, r, flow.result, flow.setup_seconds);
  };
  const auto at_end = [&] { return !c.time.steady && clock.finished(flow.time); };
  bool done = at_end(), converged = false;
  while (!done && !run.should_stop()) {
    const bool needs_rate = !c.time.steady && clock.needs_rate();
    const double rate = needs_rate ? run.ranks().max(courant_rate<Space>(flow.view())) : 0;
    const double dt = c.time.steady ? 0 : clock.next(flow.time, rate);
    lab.begin_step(flow.step + 1);
    const StepEnd end = flow.advance(dt, run.timings(), record);  // (2) to (5)
    if (end != StepEnd::advanced && end != StepEnd::converged) return stop(run, flow, end, whole, lab);
    converged = end == StepEnd::converged;
    if (!converged) record_step(run, flow, watch, at_end());
    done = at_end() || watch.is_steady || converged;
    if (!done && output.picture_due(flow.step, flow.time, c.time.steady ? 1 : dt))
      picture(run, flow, output, whole, lab);
    if (run.checkpoint_due(done)) save(run, flow, clock, lifetime, whole);
  }
  if (c.time.steady && !converged) flow.evaluate_steady();  // an unfinished run: the residual of the last update
  lab.finish(run);
  lifetime.report(run, "flow", flow.solver());
  return end_of(run, flow, output, whole, lab, converged || watch.is_steady ? "steady state" : done ? "end time" : "");
}

}  // namespace

int run_coupled(Run& run, const Table& config, const IncompressibleCase& c) {
  return run.on_device() ? run_in<Device>(run, config, c) : run_in<Host>(run, config, c);
}

}  // namespace weir
