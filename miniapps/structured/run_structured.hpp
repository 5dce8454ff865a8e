// The run of a structured flow code: one story for all of them, which run_structured tells. What a code adds to it stands in
// its Scheme, a StructuredScheme with these hooks (staggered_scheme.hpp, and run.cpp of each code):
//
//   systems(), attach(lab, linear)   its linear systems, and what the instrumentation may know of them
//   initialise(run)                  x^0; false: a solve failed
//   advance(run, dt)                 one step, its solves recorded; after a Progress::failed, failure() says why
//   courant_rate()                   of this rank: dt times the largest of all ranks is the CFL number
//   measure(run, row), look(row)     columns of history.csv: every step, and where a pass over the fields is due
//   was_interrupted()                the failure is a solve that was asked to stop
//   solvers()                        its linear solvers, and how checkpoints name them
//   level()                          how far the flow has come, for branches
//   fields(), quantities(fields)     the whole flow in host memory, on rank 0; what is compared with the literature
#pragma once
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "mesh/place_sum.hpp"
#include "miniapps/structured/clock.hpp"
#include "miniapps/structured/diagnostics.hpp"
#include "miniapps/structured/facts.hpp"
#include "miniapps/structured/output.hpp"
#include "miniapps/structured/plan.hpp"
#include "miniapps/structured/whole_fields.hpp"
#include "miniapps/study/lab.hpp"
#include "miniapps/driver/record_solve.hpp"
#include "miniapps/driver/solver_state.hpp"

namespace weir {

enum class Progress { advanced, converged, failed };

// "pressure: max_iterations at step 3", "NaN or Inf in the pressure solve of step 3".
std::string failed_solve_text(const std::string& system, Reason reason, std::int64_t step);
// "NaN or Inf at step 3: first in u of cell (1, 2, 0)"; empty where all is finite.
std::string where_not_finite(const Flow<Host>& fields, std::int64_t step);
std::uint64_t hash_of_flow(const Flow<Host>& flow);
// [output] diagnostics_every.
int read_diagnostics_every(const Table& config);

// What schemes share, and the hooks that do nothing where a code has nothing to add.
template <class SchemeSpace, class FlowCode, class Whole>
struct StructuredScheme {
  using Space = SchemeSpace;
  template <class... Arguments>
  explicit StructuredScheme(Arguments&&... arguments)
      : flow(std::forward<Arguments>(arguments)...), whole(flow.ranks()) {}

  std::function<double(double)> wall_rate(const Table&) const {
    return {};
  }  // of walls that move by themselves: StepSize
  double level() { return flow.time; }
  void measure(Run&, StepRecord&) {}
  void measured(const StepRecord&, bool /*last*/) {}
  void describe(RunHeader&) const {}
  void begun(Run&, std::optional<double> /*restart_time*/) {}
  std::vector<OutputField> more_fields() { return {}; }  // of the whole box, on rank 0; all ranks call
  void write_beside(Run&) {}                             // the field output, on rank 0
  void save(CheckpointState&) {}
  void load(const Checkpoint&) {}
  void ended(Run&) {}

  FlowCode flow;
  Whole whole;
};

// What the instrumentation may know of any of them.
template <class Scheme>
FlowFacts<typename Scheme::Space> common_facts(Scheme& scheme) {
  auto& flow = scheme.flow;
  FlowFacts<typename Scheme::Space> facts;
  facts.time = [&flow] { return flow.time; };
  facts.dt = [&flow] { return flow.dt_before; };
  facts.state = [&scheme] { return scheme.whole.arrays(scheme.flow.state()); };
  facts.ordering = "natural";
  if (!flow.ranks().alone()) facts.partition = flow.ranks().partition().describe();
  return facts;
}

// A row of history.csv. True where the flow has become steady.
template <class Scheme>
bool record_step(Run& run, Scheme& scheme, StepSize& clock, std::size_t columns, int every, bool last) {
  auto& flow = scheme.flow;
  const TimeControl& time = flow.flow_case().time;
  StepRecord r;
  r.step = flow.step;
  r.time = flow.time;
  r.dt = flow.dt_before;
  r.values.resize(columns);
  scheme.measure(run, r);
  bool is_steady = false;
  {
    ScopedTimer timer(run.timings().at("flow", "diagnostics"));
    if (time.steady_tolerance > 0 && flow.step % time.steady_every == 0) {
      const double rate = flow.rate();
      r.values[scheme.rate_column()] = rate;
      is_steady = rate < time.steady_tolerance;
    }
    const bool looks = flow.step % every == 0 || last || is_steady;
    if (!time.steady && (looks || !clock.has_seen())) {
      const double cfl = flow.dt_before * run.ranks().max(scheme.courant_rate());
      clock.saw(cfl);
      if (looks) r.cfl = cfl;
    }
    if (looks) scheme.look(r);
  }
  scheme.measured(r, last || is_steady);
  run.step(r);
  return is_steady;
}

inline constexpr const char* line_names[3] = {"places_x", "places_y", "places_z"};
inline double places_of(const GridLine& line) {
  return place_sum(line.faces.size(), [&](std::size_t i) { return line.faces[i]; });
}

// The state in a checkpoint belongs to the cells of a grid.
inline void require_same_grid(const Checkpoint& from, const Grid& grid) {
  for (std::size_t d = 0; d < 3; ++d) {
    const auto* kept = from.find(line_names[d]);  // older checkpoints have none
    const GridLine& line = grid.line[d];
    const double size = std::max(std::abs(line.faces.front()), std::abs(line.faces.back()));
    if (kept && !is_same_place_sum(kept->front(), places_of(line), line.faces.size(), size))
      throw Error(Exit::usage, std::string("the checkpoint belongs to a grid with other cells along ") + "xyz"[d] +
                                   ": restart with its [grid]");
  }
}

template <class Scheme>
CheckpointState state_of(const Run& run, Scheme& scheme, const StepSize& clock) {
  CheckpointState state;
  state.step = scheme.flow.step;
  state.time = scheme.flow.time;
  for (std::size_t d = 0; d < 3; ++d) state.add(line_names[d], places_of(scheme.flow.flow_case().grid.line[d]));
  state.add("dt_before", scheme.flow.dt_before);
  state.add("dt", clock.dt);
  state.add("dt_largest", clock.largest);
  for (const auto& [name, solver] : scheme.solvers()) save_solver(run.ranks(), name, *solver, state);
  scheme.save(state);
  scheme.whole.save(state, scheme.flow.state());
  return state;
}

// And what the lab wants to be kept.
template <class Scheme>
CheckpointState whole_state_of(const Run& run, Scheme& scheme, const StepSize& clock,
                               const Lab<typename Scheme::Space>& lab) {
  CheckpointState state = state_of(run, scheme, clock);
  lab.save(state);
  return state;
}

// Why linear solvers begin anew, or nothing.
template <class Scheme>
std::string load(const Checkpoint& from, Scheme& scheme, StepSize& clock) {
  require_same_grid(from, scheme.flow.flow_case().grid);
  scheme.whole.load(from, scheme.flow.state());
  scheme.flow.time = from.header.time;
  scheme.flow.step = from.header.step;
  scheme.flow.dt_before = from.scalar("dt_before");
  if (clock.needs_rate()) clock.dt = from.scalar("dt");
  if (from.find("dt_largest")) clock.largest = from.scalar("dt_largest");
  std::string note;
  for (const auto& [name, solver] : scheme.solvers()) {
    const std::string why = load_solver(scheme.flow.ranks().communicator(), name, *solver, from);
    if (!why.empty()) note += (note.empty() ? "" : "; ") + why;
  }
  scheme.load(from);
  return note;
}

template <class Scheme>
double next_dt(Run& run, Scheme& scheme, StepSize& clock) {
  return clock.next(scheme.flow.time, clock.needs_rate() ? run.ranks().max(scheme.courant_rate()) : 0);
}

// Steps as those of the run, without its records. All must outlive it.
template <class Scheme>
FlowBranch branch_of(Run& run, Scheme& scheme, StepSize& clock) {
  const auto kept_clock = std::make_shared<StepSize>(clock);
  FlowBranch b;
  b.is_in_decades = scheme.flow.flow_case().time.steady;
  b.state = [&run, &scheme, &clock, kept_clock] {
    *kept_clock = clock;
    return state_of(run, scheme, clock);
  };
  b.load = [&scheme, &clock, kept_clock](const Checkpoint& from) {
    load(from, scheme, clock);
    clock = *kept_clock;
  };
  b.level = [&scheme] { return scheme.level(); };
  b.step = [&run, &scheme, &clock] {
    const double dt = next_dt(run, scheme, clock);
    if (!clock.why_collapsed(scheme.flow.time, scheme.flow.step + 1).empty()) return BranchEnd::failed;
    const Progress progress = scheme.advance(run, dt);
    if (progress == Progress::failed && scheme.was_interrupted()) return BranchEnd::interrupted;
    const bool is_at_limit = scheme.flow.flow_case().time.steady && progress == Progress::failed &&
                             !scheme.failure().limit.empty();  // of steps, for whoever leads
    if (progress == Progress::failed && !is_at_limit) return BranchEnd::failed;
    const bool is_at_end = is_at_limit || progress == Progress::converged || clock.finished(scheme.flow.time);
    return is_at_end ? BranchEnd::reached : BranchEnd::none;
  };
  return b;
}

// All ranks call. Returns the fields of the whole box, on rank 0.
template <class Scheme>
const Flow<Host>& write_fields(Run& run, Scheme& scheme, FlowOutput& output, Lab<typename Scheme::Space>& lab) {
  ScopedTimer timer(run.timings().at("output", "pictures"));
  const Flow<Host>& fields = scheme.fields();
  std::vector<OutputField> more = scheme.more_fields();
  const std::vector<RowField> of_lab = lab.fields(scheme.systems().back());
  for (const auto& [name, values] : of_lab)  // those of a system that does not live in the cells are left out
    if (static_cast<int>(values.size()) == fields.layout.cells().count()) more.push_back(output_field(name, 1, values));
  run.on_root([&] {
    output.write_picture(fields, scheme.flow.step, scheme.flow.time, std::move(more));
    scheme.write_beside(run);
  });
  return fields;
}

// Pictures, quantities, profiles and the state's hash of the flow as it is.
template <class Scheme>
Outcome with_results(Run& run, Scheme& scheme, FlowOutput& output, Lab<typename Scheme::Space>& lab, Outcome outcome) {
  const Flow<Host>& fields = write_fields(run, scheme, output, lab);
  outcome.quantities = scheme.quantities(fields);
  if (run.ranks().is_root()) {
    outcome.quantities.merge(output.write_profiles(fields));
    outcome.state_hash = hash_of_flow(fields);
  }
  return outcome;
}

// The one branch where a step fails: why, and where the flow went wrong. What a limit has stopped is looked at as what has
// ended by itself.
template <class Scheme>
int stop(Run& run, Scheme& scheme, const StepSize& clock, FlowOutput& output, Lab<typename Scheme::Space>& lab,
         Outcome outcome) {
  if (scheme.was_interrupted()) {
    run.abandon_step();
    lab.finish(run);
    return run.finish({});  // what is there is no state of the flow
  }
  if (scheme.flow.flow_case().time.steady && !outcome.limit.empty()) {  // a larger limit lets it go on from here
    run.reached(outcome.limit);
    if (run.checkpoint_due()) run.checkpoint(whole_state_of(run, scheme, clock, lab));
    scheme.ended(run);
    outcome = with_results(run, scheme, output, lab, std::move(outcome));
  }
  const Flow<Host>& fields = scheme.fields();
  const std::string where = run.ranks().is_root() ? where_not_finite(fields, scheme.flow.step + 1) : "";
  if (!where.empty()) {
    outcome.exit = Exit::not_finite;
    outcome.reason = where;
  }
  lab.failed(run, outcome);
  return run.finish(outcome);
}

template <class Scheme>
RunHeader header_of(Scheme& scheme, const StructuredPlan& plan, const FlowOutput& output, const std::string& devices) {
  RunHeader h = plan.header;
  const auto& ranks = scheme.flow.ranks();
  for (const auto& name : output.quantities()) h.quantities.push_back(name);
  if (!ranks.alone()) {
    h.notes.emplace_back("partition", ranks.partition().describe());
    h.notes.emplace_back("halo",
                         std::string(to_string(ranks.options().halo.strategy)) + ", " + scheme.flow.halo_path());
    h.notes.emplace_back("output", "fields and checkpoints are written by the root rank");
  }
  scheme.describe(h);
  plan.tell_memory(ranks.communicator().size(), h);
  if (!devices.empty()) h.notes.emplace_back("devices", devices);
  return h;
}

// make(): the scheme.
template <class Scheme, class Make>
int run_structured(Run& run, const Table& config, const StructuredPlan& plan, const Make& make) {
  using Space = typename Scheme::Space;
  // 1. What the case says, and whether the machine has the memory for it.
  FlowOutput output(config, plan.c, plan.header.history);
  const int diagnostics_every = read_diagnostics_every(config);
  run.ranks().use(plan.ranks.reduction);
  std::string devices;
  if (run.ranks().size() > 1 && std::is_same_v<Space, Device>) devices = choose_device(run.ranks());
  const MemoryOverRanks memory = plan.over_ranks(run.ranks().size());
  run.require_memory(std::is_same_v<Space, Host> ? memory.all : memory.largest);  // each has a device of its own

  // 2. Grid, state, matrices and solvers; the instrumentation sees each of the solvers.
  Scheme scheme = make();
  auto& flow = scheme.flow;
  Lab<Space> lab(config, scheme.systems(), run.ranks());
  scheme.attach(lab, config.table("linear"));
  for (const auto& [name, solver] : scheme.solvers()) {
    require_promises(run, *solver);
    solver->stop_when([&run] { return run.must_abandon_step(); });
  }

  // 3. The first state: from a checkpoint, or by the case once the run directory is there.
  StepSize clock(plan.c, scheme.wall_rate(config));
  const Checkpoint* restart = run.restart();
  if (restart) lab.resume(*restart);
  const std::string note = restart ? load(*restart, scheme, clock) : "";
  bool is_steady = run.was_steady(plan.header.tolerance), done = clock.finished(flow.time) || is_steady;
  if (done) {  // before this run has begun
    if (const auto code = run.nothing_left()) return *code;
    run.reached(is_steady ? "steady state" : "end time");
  }
  RunHeader header = header_of(scheme, plan, output, devices);
  if (!note.empty()) header.notes.emplace_back("restart", note);
  run.begin(std::move(header));
  const auto from = restart ? std::optional<double>(flow.time) : std::nullopt;
  if (run.ranks().is_root()) output.open(run.directory(), run.name(), from);
  scheme.begun(run, from);
  lab.open(run);
  if (!restart && !scheme.initialise(run)) return stop(run, scheme, clock, output, lab, scheme.failure());

  // 4. Time steps.
  const FlowBranch branch = branch_of(run, scheme, clock);
  while (!done && !run.should_stop()) {
    run.keep_if_due([&] { return whole_state_of(run, scheme, clock, lab); });
    lab.between_steps(flow.step + 1, branch);
    const double dt = next_dt(run, scheme, clock);
    lab.begin_step(flow.step + 1);
    if (const Outcome end{Exit::not_finite, clock.why_collapsed(flow.time, flow.step + 1), {}, {}, 0};
        !end.reason.empty())
      return stop(run, scheme, clock, output, lab, end);
    const Progress progress = scheme.advance(run, dt);  // the scheme's equations (2) to (5)
    if (progress == Progress::failed) return stop(run, scheme, clock, output, lab, scheme.failure());
    is_steady = progress == Progress::converged || record_step(run, scheme, clock, plan.header.history.size(),
                                                               diagnostics_every, clock.finished(flow.time));
    done = clock.finished(flow.time) || is_steady;
    if (const Outcome end{Exit::not_finite, clock.why_collapsed(flow.time, flow.step + 1), {}, {}, 0};
        done && !end.reason.empty())
      return stop(run, scheme, clock, output, lab, end);
    if (done) run.reached(is_steady ? "steady state" : "end time");
    if (!done && output.picture_due(flow.step, flow.time, dt)) write_fields(run, scheme, output, lab);
    if (run.checkpoint_due()) run.checkpoint(whole_state_of(run, scheme, clock, lab));
  }
  if (run.checkpoint_due())
    run.checkpoint(whole_state_of(run, scheme, clock, lab));  // of a run that was stopped before its first step
  if (!done && flow.dt_before > 0 && !plan.c.time.steady) {
    clock.saw(flow.dt_before * run.ranks().max(scheme.courant_rate()));
    if (const Outcome end{Exit::not_finite, clock.why_collapsed(flow.time, flow.step + 1), {}, {}, 0};
        !end.reason.empty())
      return stop(run, scheme, clock, output, lab, end);
  }

  // 5. What came out.
  Outcome outcome;
  outcome.reason = run.end_reached();  // empty: the shell knows why
  scheme.ended(run);
  outcome = with_results(run, scheme, output, lab, std::move(outcome));
  lab.finish(run);
  return run.finish(outcome);
}

}  // namespace weir
