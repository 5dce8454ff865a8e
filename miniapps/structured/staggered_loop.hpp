// What the time loops of the two fractional steps, with a body and without, do alike. Scheme: FractionalStep or ImmersedFlow;
// System: one of its linear systems.
#pragma once
#include <string>
#include <utility>

#include "miniapps/structured/clock.hpp"
#include "miniapps/structured/loop.hpp"
#include "miniapps/structured/ranks.hpp"
#include "miniapps/structured/whole_fields.hpp"
#include "miniapps/study/lab.hpp"

namespace weir {

// A record each system, of the last step.
template <class Scheme>
void record_solves(Run& run, Scheme& flow) {
  for (const auto& s : flow.systems()) {
    SolveRecord r;
    r.step = flow.step;
    r.system = s->name;
    r.solver = s->solver.name();
    r.unknowns = s->A.unknowns();
    record_solve(run, r, s->result, s->setup_seconds);
  }
}

// Step, time and step sizes of a checkpoint.
template <class Scheme>
CheckpointState checkpoint_of(const Scheme& flow, const StepSize& clock) {
  CheckpointState state;
  state.step = flow.step;
  state.time = flow.time;
  state.add("dt_before", flow.dt_before);
  state.add("dt", clock.dt);
  return state;
}

// The same back, and the fields; what follows from them (after_loading) is the caller's.
template <class Scheme, class Space>
void load_flow(const Checkpoint& from, Scheme& flow, StepSize& clock, const WholeFields<Space>& host) {
  host.load(from, flow.state());
  flow.time = from.header.time;
  flow.step = from.header.step;
  flow.dt_before = from.scalar("dt_before");
  if (clock.needs_rate()) clock.dt = from.scalar("dt");
}

// The one branch where a step fails: which system, and where the flow went wrong.
template <class Scheme, class System, class Space>
int stop(Run& run, const Scheme& flow, const System& failed, WholeFields<Space>& host, Lab<Space>& lab) {
  Outcome outcome;
  outcome.exit = failed.result.reason == Reason::not_finite ? Exit::not_finite : Exit::solver_failed;
  outcome.reason = failed_solve_text(failed.name, failed.result.reason, flow.step + 1);
  const Flow<Host>& fields = host.of(flow.flow());
  if (const std::string where = where_not_finite(fields, flow.step + 1); run.ranks().is_root() && !where.empty()) {
    outcome.exit = Exit::not_finite;
    outcome.reason = where;
  }
  lab.failed(run, outcome);
  return run.finish(outcome);
}

// How the flow is spread, in the header of a run over ranks.
template <class Scheme>
void note_ranks(const Scheme& flow, RunHeader& h) {
  if (flow.ranks().alone()) return;
  h.notes.emplace_back("partition", flow.ranks().partition().describe());
  h.notes.emplace_back("halo", std::string(to_string(flow.ranks().options().halo.strategy)) + ", " + flow.halo_path());
  h.notes.emplace_back("output", "fields and checkpoints are written by the root rank");
}

}  // namespace weir
