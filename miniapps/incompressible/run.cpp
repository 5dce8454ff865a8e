#include "postproc/run/run.hpp"
#include "miniapps/incompressible/incompressible.hpp"

#include <cmath>
#include <memory>
#include <type_traits>

#include "miniapps/structured/clock.hpp"
#include "miniapps/artificial_compressibility/run.hpp"
#include "miniapps/structured/diagnostics.hpp"
#include "miniapps/structured/facts.hpp"
#include "miniapps/incompressible/fractional_step.hpp"
#include "miniapps/incompressible/info.hpp"
#include "miniapps/structured/initial.hpp"
#include "miniapps/structured/output.hpp"
#include "miniapps/structured/ranks.hpp"
#include "miniapps/structured/staggered_loop.hpp"
#include "miniapps/study/lab.hpp"
#include "base/timer.hpp"

namespace weir {
namespace {

struct Watch {
  int every = 10;  // steps between two looks at what costs a pass
  bool is_steady = false;
};

template <class Space>
void record_step(Run& run, const FractionalStep<Space>& flow, Watch& watch, bool last) {
  const TimeControl& time = flow.flow_case().time;
  StepRecord r;
  r.step = flow.step;
  r.time = flow.time;
  r.dt = flow.dt_before;
  r.values.resize(3);
  const bool look_at_rate = time.steady_tolerance > 0 && flow.step % time.steady_every == 0;
  {
    ScopedTimer timer(run.timings().at("flow", "diagnostics"));
    if (look_at_rate) {
      r.values[2] = flow.rate();
      watch.is_steady = *r.values[2] < time.steady_tolerance;
    }
    if (flow.step % watch.every == 0 || last || watch.is_steady) {
      const Communicator& ranks = flow.ranks().communicator();
      r.cfl = flow.dt_before * ranks.max(courant_rate(flow.flow(), flow.metrics()));
      r.values[0] = ranks.max(max_divergence(flow.flow(), flow.metrics()));
      r.values[1] = ranks.sum(kinetic_energy(flow.flow(), flow.metrics(), flow.flow_case().grid));
    }
  }
  run.step(r);
}

template <class Space>
void save(Run& run, FractionalStep<Space>& flow, const StepSize& clock, const WholeFields<Space>& host) {
  host.save(run, checkpoint_of(flow, clock), flow.state());
}

template <class Space>
void load(const Checkpoint& from, FractionalStep<Space>& flow, StepSize& clock, const WholeFields<Space>& host) {
  load_flow(from, flow, clock, host);
  flow.after_loading();
}

template <class Space>
std::map<std::string, double> quantities(FractionalStep<Space>& flow, const Flow<Host>& fields) {
  const IncompressibleCase& c = flow.flow_case();
  const Communicator& ranks = flow.ranks().communicator();
  std::map<std::string, double> q;
  if (ranks.is_root()) q = solution_errors(c, fields, flow.time, flow.dt_before);
  q["kinetic_energy"] = ranks.sum(kinetic_energy(flow.flow(), flow.metrics(), c.grid));
  q["max_divergence"] = ranks.max(max_divergence(flow.flow(), flow.metrics()));
  q["dissipation"] = ranks.sum(dissipation(flow.flow(), flow.metrics(), c.grid, c.viscosity));
  q["rate"] = flow.rate();
  return q;
}

template <class Space>
RunHeader header_of(FractionalStep<Space>& flow, const FlowOutput& output, const Table& config) {
  RunHeader h = incompressible_header(flow.flow_case());
  for (const auto& name : output.quantities()) h.quantities.push_back(name);
  h.systems.emplace_back("momentum", flow.systems().front()->solver.describe());
  h.systems.emplace_back("pressure", flow.pressure().solver.describe());
  note_ranks(flow, h);
  tell_memory(memory_estimate(flow.flow_case(), config), flow.flow_case(), flow.ranks().options(),
              flow.ranks().communicator().size(), h);
  return h;
}

template <class Space>
void attach(Lab<Space>& lab, FractionalStep<Space>& flow, const Table& linear) {
  lab.describe(facts_of_staggered<Space>(flow, flow.flow_case().grid, "momentum"));
  for (int d = 0; d < flow.layout().dim; ++d)
    lab.attach("momentum", flow.systems()[static_cast<std::size_t>(d)]->solver, linear.table("momentum"),
               default_momentum_method, "jacobi", default_momentum_tolerance);
  lab.attach("pressure", flow.pressure().solver, linear.table("pressure"), default_pressure_method, "jacobi", 1e-8);
}

// All ranks call. Returns the fields of the whole box, on rank 0.
template <class Space>
const Flow<Host>& picture(Run& run, const FractionalStep<Space>& flow, FlowOutput& output, WholeFields<Space>& host,
                          Lab<Space>& lab) {
  ScopedTimer timer(run.timings().at("output", "pictures"));
  const Flow<Host>& fields = host.of(flow.flow());
  const std::vector<RowField> of_lab = lab.fields("pressure");
  run.on_root(
      [&] { output.write_picture(fields, flow.step, flow.time, pictures_of(of_lab, flow.ranks().whole().cells())); });
  return fields;
}

template <class Space>
int run_in(Run& run, const Table& config, const IncompressibleCase& c) {
  FlowOutput output(config, c);
  Watch watch;
  watch.every = read_diagnostics_every(config);
  const RankOptions rank_options = read_rank_options(config);
  run.require_memory(over_ranks(memory_estimate(c, config), c, rank_options, run.ranks().size()).all);
  run.ranks().use(rank_options.reduction);
  std::string devices;
  if (run.ranks().size() > 1 && std::is_same_v<Space, Device>) devices = choose_device(run.ranks());
  const FlowRanks ranks(run.ranks(), c, rank_options);
  FractionalStep<Space> flow(c, config.table("linear"), ranks);
  Lab<Space> lab(config, {"momentum", "pressure"}, run.ranks());
  attach(lab, flow, config.table("linear"));
  StepSize clock(c);
  WholeFields<Space> host(ranks);
  const bool writes = run.ranks().is_root();
  const bool restarted = run.restart() != nullptr;
  if (restarted) load(*run.restart(), flow, clock, host);
  RunHeader header = header_of(flow, output, config);
  if (!devices.empty()) header.notes.emplace_back("devices", devices);
  run.begin(std::move(header));
  if (writes) output.open(run.directory(), run.name(), restarted ? std::optional<double>(flow.time) : std::nullopt);
  lab.open(run);
  if (!restarted && !flow.initialise(run.timings())) return stop(run, flow, flow.pressure(), host, lab);

  bool done = clock.finished(flow.time);
  while (!done && !run.should_stop()) {
    const double rate = clock.needs_rate() ? run.ranks().max(courant_rate(flow.flow(), flow.metrics())) : 0;
    const double dt = clock.next(flow.time, rate);
    lab.begin_step(flow.step + 1);
    const FlowSystem<Space>* failed = flow.advance(dt, run.timings());  // (2) to (5)
    record_solves(run, flow);
    if (failed) return stop(run, flow, *failed, host, lab);
    record_step(run, flow, watch, clock.finished(flow.time));
    done = clock.finished(flow.time) || watch.is_steady;
    if (output.picture_due(flow.step, flow.time, dt) && !done) picture(run, flow, output, host, lab);
    if (run.checkpoint_due(done)) save(run, flow, clock, host);
  }
  const Flow<Host>& fields = picture(run, flow, output, host, lab);
  Outcome outcome;
  outcome.reason = watch.is_steady ? "steady state" : done ? "end time" : "";  // empty: the shell knows why
  outcome.quantities = quantities(flow, fields);
  if (writes) {
    outcome.quantities.merge(output.write_profiles(fields));
    outcome.state_hash = hash_of_flow(fields);
  }
  lab.finish(run);
  return run.finish(outcome);
}

}  // namespace

int run_incompressible(Run& run, const Table& config) {
  const IncompressibleCase c = read_incompressible_case(config);
  if (c.scheme == Scheme::artificial_compressibility) return run_coupled(run, config, c);
  return run.on_device() ? run_in<Device>(run, config, c) : run_in<Host>(run, config, c);
}

}  // namespace weir
