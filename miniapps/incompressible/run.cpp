#include "postproc/run.hpp"
#include "miniapps/incompressible/incompressible.hpp"

#include <cmath>

#include "miniapps/incompressible/clock.hpp"
#include "miniapps/incompressible/coupled/run.hpp"
#include "miniapps/incompressible/diagnostics.hpp"
#include "miniapps/incompressible/fractional_step.hpp"
#include "miniapps/incompressible/info.hpp"
#include "miniapps/incompressible/initial.hpp"
#include "miniapps/incompressible/loop.hpp"
#include "miniapps/incompressible/output.hpp"
#include "miniapps/study/lab.hpp"
#include "solvers/timer.hpp"

namespace weir {
namespace {

template <class Space>
void record_solves(Run& run, FractionalStep<Space>& flow) {
  for (const auto& s : flow.systems()) {
    SolveRecord r;
    r.step = flow.step;
    r.system = s->name;
    r.solver = s->solver.name();
    r.unknowns = s->A.rows();
    record_solve(run, r, s->result, s->setup_seconds);
  }
}

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
      r.cfl = flow.dt_before * courant_rate(flow.flow(), flow.metrics());
      r.values[0] = max_divergence(flow.flow(), flow.metrics());
      r.values[1] = kinetic_energy(flow.flow(), flow.metrics(), flow.flow_case().grid);
    }
  }
  run.step(r);
}

template <class Space>
void save(Run& run, FractionalStep<Space>& flow, const StepSize& clock) {
  CheckpointState state;
  state.step = flow.step;
  state.time = flow.time;
  state.add("dt_before", flow.dt_before);
  state.add("dt", clock.dt);
  save_checkpoint<Space>(run, std::move(state), flow.state());
}

template <class Space>
void load(const Checkpoint& from, FractionalStep<Space>& flow, StepSize& clock) {
  load_arrays<Space>(from, flow.state());
  flow.time = from.header.time;
  flow.step = from.header.step;
  flow.dt_before = from.scalar("dt_before");
  if (clock.needs_rate()) clock.dt = from.scalar("dt");
  flow.after_loading();
}

template <class Space>
std::map<std::string, double> quantities(FractionalStep<Space>& flow, const Flow<Host>& fields) {
  const IncompressibleCase& c = flow.flow_case();
  std::map<std::string, double> q = solution_errors(c, fields, flow.time, flow.dt_before);
  q["kinetic_energy"] = kinetic_energy(flow.flow(), flow.metrics(), c.grid);
  q["max_divergence"] = max_divergence(flow.flow(), flow.metrics());
  q["dissipation"] = dissipation(flow.flow(), flow.metrics(), c.grid, c.viscosity);
  q["rate"] = flow.rate();
  return q;
}

// The one branch where a step fails: which system, and where the flow went wrong.
template <class Space>
int stop(Run& run, const FractionalStep<Space>& flow, const FlowSystem<Space>& failed, OnHost<Space>& host) {
  Outcome outcome;
  const std::string at = " at step " + std::to_string(flow.step + 1);
  outcome.exit = failed.result.reason == Reason::not_finite ? Exit::not_finite : Exit::solver_failed;
  outcome.reason = failed.name + ": " + to_string(failed.result.reason) + at;
  if (const std::string where = where_not_finite(host.of(flow.flow()), flow.step + 1); !where.empty()) {
    outcome.exit = Exit::not_finite;
    outcome.reason = where;
  }
  return run.finish(outcome);
}

template <class Space>
RunHeader header_of(FractionalStep<Space>& flow, const FlowOutput& output, const Table& config) {
  RunHeader h = incompressible_header(flow.flow_case());
  for (const auto& name : output.quantities()) h.quantities.push_back(name);
  h.systems.emplace_back("momentum", flow.systems().front()->solver.describe());
  h.systems.emplace_back("pressure", flow.pressure().solver.describe());
  h.memory_estimate = memory_estimate(flow.flow_case(), config).total();
  return h;
}

// Of the momentum systems, which are alike, the first.
template <class Space>
void attach(Lab<Space>& lab, FractionalStep<Space>& flow, const Table& linear) {
  lab.attach("momentum", flow.systems().front()->solver, linear.table("momentum"), default_momentum_method, "jacobi",
             default_momentum_tolerance);
  lab.attach("pressure", flow.pressure().solver, linear.table("pressure"), default_pressure_method, "jacobi", 1e-8);
}

template <class Space>
int run_in(Run& run, const Table& config, const IncompressibleCase& c) {
  FlowOutput output(config, c);
  Watch watch;
  watch.every = read_diagnostics_every(config);
  run.require_memory(memory_estimate(c, config).total());
  FractionalStep<Space> flow(c, config.table("linear"));
  Lab<Space> lab(config, {"momentum", "pressure"});
  attach(lab, flow, config.table("linear"));
  StepSize clock(c);
  OnHost<Space> host;
  const bool restarted = run.restart() != nullptr;
  if (restarted) load(*run.restart(), flow, clock);
  run.begin(header_of(flow, output, config));
  output.open(run.directory(), run.name(), restarted ? std::optional<double>(flow.time) : std::nullopt);
  lab.open(run);
  if (!restarted && !flow.initialise(run.timings())) return stop(run, flow, flow.pressure(), host);

  bool done = clock.finished(flow.time);
  while (!done && !run.should_stop()) {
    const double rate = clock.needs_rate() ? courant_rate(flow.flow(), flow.metrics()) : 0;
    const double dt = clock.next(flow.time, rate);
    lab.begin_step(flow.step + 1);
    const FlowSystem<Space>* failed = flow.advance(dt, run.timings());  // (2) to (5)
    record_solves(run, flow);
    if (failed) return stop(run, flow, *failed, host);
    record_step(run, flow, watch, clock.finished(flow.time));
    done = clock.finished(flow.time) || watch.is_steady;
    if (output.picture_due(flow.step, flow.time, dt) && !done) {
      ScopedTimer timer(run.timings().at("output", "pictures"));
      output.write_picture(host.of(flow.flow()), flow.step, flow.time);
    }
    if (run.checkpoint_due(done)) save(run, flow, clock);
  }
  const Flow<Host>& fields = host.of(flow.flow());
  {
    ScopedTimer timer(run.timings().at("output", "pictures"));
    output.write_picture(fields, flow.step, flow.time);
  }
  Outcome outcome;
  outcome.reason = watch.is_steady ? "steady state" : done ? "end time" : "";  // empty: the shell knows why
  outcome.quantities = quantities(flow, fields);
  outcome.quantities.merge(output.write_profiles(fields));
  outcome.state_hash = hash_of_flow(fields);
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
