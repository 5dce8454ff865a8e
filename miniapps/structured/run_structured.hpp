// The run of a structured flow code. A flow code is a Scheme, derived from StructuredScheme, with these members
// (staggered_scheme.hpp, and run.cpp of each code):
//
//   systems(), attach(lab, linear)   its linear systems, and information on them for the instrumentation
//   initialise(run)                  sets x^0; false: a solve failed
//   advance(run, dt)                 does one step and records its solves; failure() has the reason of Progress::failed
//   courant_rate()                   rate of this rank; dt times the largest rate of all ranks is the CFL number
//   measure(run, row)                sets the columns of history.csv of every step
//   diagnose(row)                    sets columns that need a pass over the fields, every diagnostics_every steps
//   was_interrupted()                true if the failure is a solve that was cancelled
//   solvers()                        linear solvers with their names in checkpoints
//   level()                          progress of the flow, for branches
//   with_fields(f)                   f(WholeFlow) on rank 0
//   quantities(), quantities_of(whole)  results of run.json: of all ranks, and those that rank 0 evaluates
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
#include "miniapps/driver/history_row.hpp"
#include "miniapps/driver/lab.hpp"
#include "miniapps/driver/record_solve.hpp"
#include "miniapps/driver/run_loop.hpp"
#include "miniapps/driver/solver_state.hpp"
#include "miniapps/structured/diagnostics.hpp"
#include "miniapps/structured/facts.hpp"
#include "miniapps/structured/output.hpp"
#include "miniapps/structured/plan.hpp"
#include "miniapps/structured/time/clock.hpp"
#include "miniapps/structured/whole/whole_fields.hpp"

namespace weir {

enum class Progress { advanced, converged, failed };

// "pressure: max_iterations at step 3", "NaN or Inf in the pressure solve of step 3".
std::string failed_solve_text(const std::string& system, Reason reason, std::int64_t step);
// "NaN or Inf at step 3: first in u of cell (1, 2, 0)"; empty where all is finite.
std::string where_not_finite(const WholeFlow& fields, std::int64_t step);
std::uint64_t hash_of_flow(const WholeFlow& flow);
// [output] diagnostics_every.
int read_diagnostics_every(const Table& config);

// Common part of the schemes, with members that do nothing by default.
template <class SchemeSpace, class FlowCode, class Whole>
struct StructuredScheme {
  using Space = SchemeSpace;
  template <class... Arguments>
  explicit StructuredScheme(Arguments&&... arguments)
      : flow(std::forward<Arguments>(arguments)...), whole(flow.ranks()) {}

  // Rate of walls that move by themselves (StepSize).
  std::function<double(double)> wall_rate(const Table&) const { return {}; }
  double level() { return flow.time; }
  void measure(Run&, HistoryRow&) {}
  void measured(HistoryRow&, bool /*last*/) {}
  void describe(RunHeader&) const {}
  void begun(Run&, std::optional<double> /*restart_time*/) {}
  void prepare_output() {}  // before the fields are written
  // Additional output fields, on rank 0.
  std::vector<OutputField> more_fields(const WholeFlow&) { return {}; }
  void write_beside(Run&) {}  // writes further files of a field output, on rank 0
  void save(CheckpointState&) {}
  void load(const Checkpoint&) {}
  void ended(Run&) {}

  FlowCode flow;
  Whole whole;
};

// The information for the instrumentation that is common to all schemes.
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

inline std::vector<std::string> with_columns(std::vector<std::string> columns, const FlowOutput& output) {
  for (const std::string& name : output.columns()) columns.push_back(name);
  return columns;
}

// Writes a row of history.csv. Returns true if the flow has become steady.
template <class Scheme>
bool record_step(Run& run, Scheme& scheme, StepSize& clock, const FlowOutput& output,
                 const std::vector<std::string>& columns, int every, bool last) {
  auto& flow = scheme.flow;
  const TimeControl& time = flow.flow_case().time;
  HistoryRow row(columns);
  row.record.step = flow.step;
  row.record.time = flow.time;
  row.record.dt = flow.dt_before;
  scheme.measure(run, row);
  bool is_steady = false;
  {
    ScopedTimer timer(run.timings().at("flow", "diagnostics"));
    if (time.steady_tolerance > 0 && flow.step % time.steady_every == 0) {
      const double rate = flow.rate();
      row["rate"] = rate;
      is_steady = rate < time.steady_tolerance;
    }
    const bool diagnoses = flow.step % every == 0 || last || is_steady;
    if (!time.steady && (diagnoses || !clock.has_seen())) {
      const double cfl = flow.dt_before * run.ranks().max(scheme.courant_rate());
      clock.saw(cfl);
      if (diagnoses) row.record.cfl = cfl;
    }
    if (diagnoses) scheme.diagnose(row);
    if (diagnoses && !output.columns().empty())
      scheme.with_fields([&](const WholeFlow& fields) {
        for (const auto& [name, flux] : output.fluxes(fields)) row[name] = flux;
      });
  }
  scheme.measured(row, last || is_steady);
  run.step(row.record);
  return is_steady;
}

inline constexpr const char* line_names[3] = {"places_x", "places_y", "places_z"};
inline double places_of(const GridLine& line) {
  return place_sum(line.faces.size(), [&](std::size_t i) { return line.faces[i]; });
}

// The state in a checkpoint belongs to the cells of a grid.
inline void require_same_grid(const Checkpoint& from, const Grid& grid) {
  for (std::size_t d = 0; d < 3; ++d) {
    const bool is_kept = from.find(line_names[d]) != nullptr;  // older checkpoints have none
    const GridLine& line = grid.line[d];
    const double size = std::max(std::abs(line.faces.front()), std::abs(line.faces.back()));
    if (is_kept && !is_same_place_sum(from.scalar(line_names[d]), places_of(line), line.faces.size(), size))
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

// Returns the reasons for which linear solvers start without their history; empty: all have it.
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

// Called by all ranks.
template <class Scheme>
void write_fields(Run& run, Scheme& scheme, FlowOutput& output, Lab<typename Scheme::Space>& lab) {
  ScopedTimer timer(run.timings().at("output", "field output"));
  scheme.prepare_output();
  const std::vector<RowField> of_lab = lab.fields(scheme.systems().back());
  scheme.with_fields([&](const WholeFlow& fields) {
    run.on_root([&] {
      std::vector<OutputField> more = scheme.more_fields(fields);
      for (const auto& [name, values] : of_lab)  // fields of a system without one unknown per cell are left out
        if (static_cast<int>(values.size()) == fields.layout.cells().count())
          more.push_back(output_field(name, 1, values));
      output.write_fields(fields, scheme.flow.step, scheme.flow.time, std::move(more));
      scheme.write_beside(run);
    });
  });
}

// Field output, quantities, profiles and the state hash of the present flow.
template <class Scheme>
Outcome with_results(Run& run, Scheme& scheme, FlowOutput& output, Lab<typename Scheme::Space>& lab, Outcome outcome) {
  write_fields(run, scheme, output, lab);
  outcome.quantities = scheme.quantities();
  scheme.with_fields([&](const WholeFlow& fields) {
    outcome.quantities.merge(scheme.quantities_of(fields));
    outcome.quantities.merge(output.write_profiles(fields));
    outcome.state_hash = hash_of_flow(fields);
  });
  return outcome;
}

template <class Scheme>
RunHeader header_of(Scheme& scheme, const StructuredPlan& plan, const FlowOutput& output, const std::string& devices) {
  RunHeader h = plan.header;
  const auto& ranks = scheme.flow.ranks();
  for (const auto& name : output.quantities()) h.quantities.push_back(name);
  h.history = with_columns(h.history, output);
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

// A structured flow code as the run loop (run_loop.hpp) needs it.
template <class Scheme>
class StructuredRun {
 public:
  using FlowLab = Lab<typename Scheme::Space>;
  StructuredRun(Run& run, const Table& config, const StructuredPlan& plan, Scheme& scheme, FlowOutput& output,
                FlowLab& lab)
      : run_(run),
        columns_(with_columns(plan.header.history, output)),
        diagnostics_every_(read_diagnostics_every(config)),
        scheme_(scheme),
        output_(output),
        lab_(lab),
        clock_(plan.c, scheme.wall_rate(config)) {}

  std::string load(const Checkpoint& from) { return weir::load(from, scheme_, clock_); }
  bool is_finished() const { return clock_.finished(scheme_.flow.time); }
  StepResult initialise() { return scheme_.initialise(run_) ? StepResult::advanced : fail(scheme_.failure()); }

  std::int64_t step_number() const { return scheme_.flow.step; }
  void choose_step() {
    dt_ = clock_.next(scheme_.flow.time, clock_.needs_rate() ? run_.ranks().max(scheme_.courant_rate()) : 0);
  }
  StepResult take_step() {
    if (has_collapsed()) return StepResult::failed;
    const Progress progress = scheme_.advance(run_, dt_);  // the equations of the scheme
    if (progress == Progress::failed) return fail(scheme_.failure());
    const bool is_steady = progress == Progress::converged ||
                           record_step(run_, scheme_, clock_, output_, columns_, diagnostics_every_, is_finished());
    if (!is_steady && !is_finished()) return StepResult::advanced;
    end_ = is_steady ? "steady state" : "end time";
    return has_collapsed() ? StepResult::failed : StepResult::advanced;
  }
  std::string end() const { return end_; }
  bool output_due() const { return output_.is_due(scheme_.flow.step, scheme_.flow.time, dt_); }
  void write_output() { write_fields(run_, scheme_, output_, lab_); }
  CheckpointState state() { return state_of(run_, scheme_, clock_); }

  FlowBranch branch() {
    const auto kept_clock = std::make_shared<StepSize>(clock_);
    FlowBranch b;
    b.is_in_decades = is_steady_case();
    b.state = [this, kept_clock] {
      *kept_clock = clock_;
      return state();
    };
    b.load = [this, kept_clock](const Checkpoint& from) {
      load(from);
      clock_ = *kept_clock;
    };
    b.level = [this] { return scheme_.level(); };
    b.step = [this] {
      choose_step();
      if (!why_collapsed().empty()) return BranchEnd::failed;
      const Progress progress = scheme_.advance(run_, dt_);
      if (progress == Progress::failed && scheme_.was_interrupted()) return BranchEnd::interrupted;
      // The limit on the number of steps.
      const bool is_at_limit = is_steady_case() && progress == Progress::failed && !scheme_.failure().limit.empty();
      if (progress == Progress::failed && !is_at_limit) return BranchEnd::failed;
      return is_at_limit || progress == Progress::converged || is_finished() ? BranchEnd::reached : BranchEnd::none;
    };
    return b;
  }

  StepResult check_stopped() {
    if (!(scheme_.flow.dt_before > 0) || is_steady_case()) return StepResult::advanced;
    clock_.saw(scheme_.flow.dt_before * run_.ranks().max(scheme_.courant_rate()));
    return has_collapsed() ? StepResult::failed : StepResult::advanced;
  }
  // The results and, after a failure, the place at which the flow is not finite.
  Outcome conclude(StepResult end) {
    Outcome outcome = failure_;
    if (outcome.exit == Exit::finished) outcome.reason = run_.end_reached();  // empty: the run was stopped
    if (end == StepResult::advanced) {
      scheme_.ended(run_);
      outcome = with_results(run_, scheme_, output_, lab_, std::move(outcome));
    }
    if (outcome.exit == Exit::finished) return outcome;
    std::string where;
    scheme_.with_fields([&](const WholeFlow& fields) { where = where_not_finite(fields, scheme_.flow.step + 1); });
    if (where.empty()) return outcome;
    outcome.exit = Exit::not_finite;
    outcome.reason = where;
    return outcome;
  }

 private:
  bool is_steady_case() const { return scheme_.flow.flow_case().time.steady; }
  std::string why_collapsed() const { return clock_.why_collapsed(scheme_.flow.time, scheme_.flow.step + 1); }
  bool has_collapsed() {
    if (const std::string why = why_collapsed(); !why.empty()) failure_ = {Exit::not_finite, why, {}, {}, 0};
    return failure_.exit != Exit::finished;
  }
  // A steady flow that has used up its steps ends there; a larger limit lets a restart continue.
  StepResult fail(Outcome outcome) {
    if (scheme_.was_interrupted()) return StepResult::interrupted;
    failure_ = std::move(outcome);
    if (!is_steady_case() || failure_.limit.empty()) return StepResult::failed;
    end_ = failure_.limit;
    return StepResult::advanced;
  }

  Run& run_;
  const std::vector<std::string> columns_;
  int diagnostics_every_;
  Scheme& scheme_;
  FlowOutput& output_;
  FlowLab& lab_;
  StepSize clock_;
  double dt_ = 0;
  std::string end_;
  Outcome failure_;
};

// make(): returns the scheme.
template <class Scheme, class Make>
int run_structured(Run& run, const Table& config, const StructuredPlan& plan, const Make& make) {
  using Space = typename Scheme::Space;
  // 1. The case, and a check of the available memory.
  FlowOutput output(config, plan.c, plan.header.history);
  run.ranks().use(plan.ranks.reduction);
  run.ranks().use_exact_sums(plan.ranks.exact_sums);
  std::string devices;
  if (run.ranks().size() > 1 && std::is_same_v<Space, Device>) devices = choose_device(run.ranks());
  const MemoryOverRanks memory = plan.over_ranks(run.ranks().size());
  run.require_memory(std::is_same_v<Space, Host> ? memory.all : memory.largest);  // each rank has its own device

  // 2. Grid, state, matrices and solvers.
  Scheme scheme = make();
  const auto made_lab = make_lab<Space>(config, scheme.systems(), run.ranks());
  Lab<Space>& lab = *made_lab;
  scheme.attach(lab, config.table("linear"));
  for (const auto& [name, solver] : scheme.solvers()) {
    require_promises(run, *solver);
    solver->use_exact_sums(plan.ranks.exact_sums);
    solver->stop_when([&run] { return run.must_abandon_step(); });
  }
  StructuredRun<Scheme> steps(run, config, plan, scheme, output, lab);

  // 3. The first state: from a checkpoint, or from the case once the run directory exists.
  const Checkpoint* restart = run.restart();
  if (restart) lab.resume(*restart);
  const std::string note = restart ? steps.load(*restart) : "";
  if (const bool is_steady = run.was_steady(plan.header.tolerance); is_steady || steps.is_finished()) {
    if (const auto code = run.nothing_left()) return *code;
    run.reached(is_steady ? "steady state" : "end time");
  }
  RunHeader header = header_of(scheme, plan, output, devices);
  if (!note.empty()) header.notes.emplace_back("restart", note);
  run.begin(std::move(header));
  const auto from = restart ? std::optional<double>(scheme.flow.time) : std::nullopt;
  if (run.ranks().is_root()) output.open(run.directory(), run.name(), from);
  scheme.begun(run, from);
  lab.open(run);

  // 4. Time steps and results.
  return run_steps(run, steps, lab, restart ? StepResult::advanced : steps.initialise());
}

}  // namespace weir
