#include "postproc/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/hash.hpp"
#include "base/timer.hpp"
#include "miniapps/compressible/convergence/coarse_start.hpp"
#include "miniapps/compressible/flow_facts.hpp"
#include "miniapps/compressible/flow_records.hpp"
#include "miniapps/compressible/output.hpp"
#include "miniapps/compressible/read_flow.hpp"
#include "miniapps/driver/lab.hpp"
#include "miniapps/driver/run_loop.hpp"
#include "postproc/run/machine.hpp"
#include "solvers/diagnosis/finding.hpp"

namespace weir {
namespace {

std::string count_text(double n) { return std::to_string(std::llround(n)); }

// One step of (1) to (4): attempts until one is accepted or too many are rejected. Every rejection is logged.
template <class Space>
Attempt take_step(Run& run, CompressibleFlow<Space>& flow) {
  const int most = flow.c.pseudo_time.max_rejections;
  for (int rejections = 0;;) {
    Attempt a = flow.pseudo.attempt(run.timings());
    record_attempt(run, flow, a);
    if (a.accepted || a.is_interrupted()) return a;
    const double next = flow.pseudo.control.cfl;
    run.event("rejected", fmt::format("step {}: {}{}; CFL {:.3g} to {:.3g}", flow.step + 1, a.why,
                                      place_of_cell(flow.whole, a.bad_cell), a.cfl, next));
    a.rejections = ++rejections;
    if (rejections > most || flow.pseudo.has_collapsed()) return a;
  }
}

template <class Space>
Outcome given_up(const CompressibleFlow<Space>& flow, const Attempt& a) {
  Outcome outcome;
  outcome.exit = a.not_finite ? Exit::not_finite : Exit::solver_failed;
  outcome.reason = fmt::format("flow: {} attempts rejected at step {}, the last one: {}", a.rejections, flow.step + 1,
                               a.why + place_of_cell(flow.whole, a.bad_cell));
  if (flow.pseudo.has_collapsed())
    outcome.reason = fmt::format(
        "flow: the CFL number has fallen to {:.3g} at step {} (cfl_start is {:.3g}), the last attempt was rejected: {}",
        flow.pseudo.control.cfl, flow.step + 1, flow.c.pseudo_time.cfl_start,
        a.why + place_of_cell(flow.whole, a.bad_cell));
  outcome.limit = "pseudo_time.max_rejections";
  return outcome;
}

constexpr const char* steady_forces = "steady lift and drag";
constexpr const char* steps_ran_out = "pseudo_time.max_steps";

// Equal time steps from `time` to the end, none longer than dt.
TimeSteps steps_from(const UnsteadyOptions& c, double time, std::int64_t step) {
  const double left = c.end - time;
  return {time, left / std::max(1.0, std::ceil(left / c.dt * (1 - 1e-9))), step};
}

// Continues with the time steps of the checkpoint if the case still has them, otherwise with new ones.
template <class Space>
void continue_time_steps(CompressibleFlow<Space>& flow) {
  const UnsteadyOptions& c = flow.c.time;
  TimeSteps& t = flow.time_steps;
  if (t.dt == 0) t = steps_from(c, 0, 0);  // of an older checkpoint
  const double reached = t.time + t.dt * static_cast<double>(flow.step - t.step);
  if (std::abs(steps_from(c, t.time, t.step).dt - t.dt) > 1e-9 * t.dt || std::abs(reached - flow.time) > 1e-6 * t.dt)
    t = steps_from(c, flow.time, flow.step);
}

// Why the run ends at this step; empty: it continues.
template <class Space>
std::string end_of(const CompressibleFlow<Space>& flow) {
  const PseudoTimeOptions& options = flow.c.pseudo_time;
  if (flow.step == 0) return "";
  if (flow.c.is_unsteady()) return flow.time >= flow.c.time.end - 1e-6 * flow.c.time.dt ? "end time" : "";
  if (flow.pseudo.control.order == flow.c.scheme.order && flow.pseudo.drop() <= options.tolerance)
    return "steady state";
  if (flow.force_window.is_settled()) return steady_forces;
  return flow.step >= options.max_steps ? steps_ran_out : "";
}

// The criterion that has ended a steady run, in the log.
template <class Space>
void tell_criterion(Run& run, const CompressibleFlow<Space>& flow, const std::string& end) {
  const auto text = [](double x) { return three_digits(x); };
  const double drop = flow.pseudo.drop(), tolerance = flow.c.pseudo_time.tolerance;
  const ForceWindow& forces = flow.force_window;
  if (end == steady_forces)
    run.event("converged", "lift and drag have varied by less than " + text(forces.span()) + " over " +
                               std::to_string(forces.steps()) + " steps (force_tolerance " + text(forces.tolerance()) +
                               "); the residual has fallen to " + text(drop) + ", not to " + text(tolerance));
  if (end == "steady state")
    run.event("converged", drop > 0
                               ? "the residual has fallen to " + text(drop) + " (tolerance " + text(tolerance) + ")"
                               : "the residual has reached the level of rounding errors");
}

// Pseudo-time steps to the steady state: first order until its residual has fallen, then the scheme itself.
template <class Space>
class SteadyMarch {
 public:
  explicit SteadyMarch(CompressibleFlow<Space>& flow) : flow_(flow), options_(flow.c.pseudo_time) {}

  void begin(bool restarted) {
    flow_.set_outside(0);
    if (restarted) return flow_.pseudo.resume();
    const bool is_near = !flow_.c.start_from.empty() || options_.coarse_meshes > 0;
    const bool starts_low = flow_.c.scheme.order == 2 && options_.first_order_tolerance > 0 && !is_near;
    flow_.pseudo.start_phase(starts_low ? 1 : flow_.c.scheme.order);
    if (!starts_low) flow_.first_step_second_order = 0;
  }

  // After StepResult::failed `failure` has the reason.
  StepResult step(Run& run, Outcome& failure) {
    const double before = flow_.pseudo.control.norm[3];
    const Attempt a = take_step(run, flow_);
    if (a.is_interrupted()) return StepResult::interrupted;
    if (!a.accepted) {
      failure = given_up(flow_, a);
      return StepResult::failed;
    }
    ++flow_.step;
    fallen_ += std::log10(before / flow_.pseudo.control.norm[3]);
    record_step(run, flow_, a);
    const bool is_low = flow_.pseudo.control.order < flow_.c.scheme.order;
    if (!is_low || flow_.pseudo.drop() > options_.first_order_tolerance) return StepResult::advanced;
    const double drop = flow_.pseudo.drop();
    flow_.first_step_second_order = flow_.step;
    flow_.pseudo.start_phase(flow_.c.scheme.order);
    run.event("second order", "the first-order residual has fallen to " + std::to_string(drop));
    return StepResult::advanced;
  }
  double level() const { return fallen_; }

 private:
  CompressibleFlow<Space>& flow_;
  const PseudoTimeOptions& options_;
  double fallen_ = 0;  // decades by which the residual of energy has fallen
};

// Time steps (5 of flow_equations.hpp), each solved by pseudo-time steps from the previous state.
template <class Space>
class TimeMarch {
 public:
  explicit TimeMarch(CompressibleFlow<Space>& flow) : flow_(flow), options_(flow.c.pseudo_time) {}

  void begin(bool restarted) {
    flow_.pseudo.control.order = flow_.c.scheme.order;
    restarted ? continue_time_steps(flow_) : void(flow_.time_steps = steps_from(flow_.c.time, 0, 0));
  }

  StepResult step(Run& run, Outcome& failure) {
    CompressibleFlow<Space>& f = flow_;
    const TimeSteps& t = f.time_steps;
    f.time = t.time + t.dt * static_cast<double>(f.step - t.step + 1);
    f.set_outside(f.time);
    f.equations.start_time_step(t.dt, f.pseudo.state(), f.older, f.step == t.step);  // (5)
    f.pseudo.reset_cfl();
    f.pseudo.start_phase(f.c.scheme.order);
    Attempt a;
    for (int inner = 0; inner < options_.max_steps; ++inner) {
      a = take_step(run, f);
      if (a.is_interrupted()) return StepResult::interrupted;
      if (!a.accepted) {
        failure = given_up(f, a);
        return StepResult::failed;
      }
      if (f.pseudo.drop() <= options_.tolerance) break;
      if (run.must_abandon_step()) return StepResult::interrupted;  // solves without iterations do not ask
    }
    ++f.step;
    record_step(run, f, a);
    if (f.pseudo.drop() <= options_.tolerance) return StepResult::advanced;
    failure.exit = Exit::solver_failed;
    failure.reason = "time step not converged after " + std::to_string(options_.max_steps) +
                     " pseudo-time steps at step " + std::to_string(f.step);
    failure.limit = steps_ran_out;
    return StepResult::failed;
  }
  double level() const { return flow_.time; }

 private:
  CompressibleFlow<Space>& flow_;
  const PseudoTimeOptions& options_;
};

template <class Space>
void add_rank_notes(const CompressibleFlow<Space>& flow, RunHeader& h) {
  const MeshRanks& r = *flow.ranks;
  const Communicator& all = r.communicator;
  const double own = r.part.own, ghosts = static_cast<double>(r.part.ghost.size());
  h.notes.emplace_back("partition", "METIS, implicit lines kept whole: " + count_text(-all.max(-own)) + " to " +
                                        count_text(all.max(own)) + " cells per rank, at most " +
                                        count_text(all.max(ghosts)) + " ghosts");
  h.notes.emplace_back("halo", std::string(to_string(r.halo.strategy)) + ", " + flow.space.halo().path());
  h.notes.emplace_back("output", "fields, wall data and checkpoints are written by the root rank");
  if (!flow.pseudo.solver().is_independent_of_ranks())
    h.notes.emplace_back("iterations", "depend on the number of ranks: the preconditioner depends on the partition");
}

template <class Space>
RunHeader header_of(const CompressibleFlow<Space>& flow, const CompressibleOutput& output, const Table& config,
                    const ReadCase& read) {
  RunHeader h = compressible_header(flow.c, read.facts, flow.boundary);
  for (const auto& name : output.quantities()) h.quantities.push_back(name);
  h.systems.emplace_back("flow", flow.pseudo.solver().describe());
  h.notes.emplace_back("ordering", read.ordering);
  h.memory_estimate =
      compressible_memory(read.facts, flow.c, config).each_of(flow.ranks ? flow.ranks->communicator.size() : 1);
  if (flow.ranks) add_rank_notes(flow, h);
  return h;
}

// All ranks call.
template <class Space>
Outcome results(CompressibleFlow<Space>& flow, const CompressibleOutput& output) {
  Outcome o;
  const std::vector<WallSurface> surfaces = flow.walls.surfaces(flow.space, flow.pseudo.state());
  const Forces forces = flow.walls.measure(flow.space, flow.pseudo.state());
  const std::vector<double>& points = flow.points.measure(flow.pseudo.state());
  Hash64 hash;
  flow.with_fields([&](const FlowFields& fields) {
    o.quantities = flow_quantities(flow.c, fields, surfaces, forces, flow.walls.of_walls(), flow.time);
    o.quantities.merge(output.write_profiles(fields));
    fields.U.add_to(hash);
    o.state_hash = hash.value();
  });
  if (flow.ranks && !flow.ranks->communicator.is_root()) return o;
  for (std::size_t k = 0; k < points.size(); ++k) o.quantities["point_" + flow.c.points[k].name] = points[k];
  o.quantities.merge(output.write_surfaces(surfaces));
  if (flow.c.is_unsteady() && flow.walls.has_walls()) {
    o.quantities.merge(flow.statistics.phases());
    for (const auto& [name, value] : flow.statistics.quantities(flow.c.reference_length, 1, 0))
      if (std::ranges::count(statistics_names, name)) o.quantities[name] = value;
  }
  if (!flow.c.is_unsteady()) {
    o.quantities["residual_drop"] = flow.pseudo.drop();
    o.quantities["linear_iterations"] = static_cast<double>(flow.pseudo.control.linear_iterations);
    o.quantities["steps_second_order"] =
        flow.first_step_second_order < 0 ? 0.0 : static_cast<double>(flow.step - flow.first_step_second_order);
  }
  return o;
}

// All ranks call.
template <class Space>
void write_fields(Run& run, CompressibleFlow<Space>& flow, CompressibleOutput& output, Lab<Space>& lab) {
  ScopedTimer timer(run.timings().at("output", "field output"));
  const std::vector<RowField> of_lab = lab.fields("flow");
  flow.with_fields([&](const FlowFields& fields) {
    run.on_root([&] { output.write_fields(fields, flow.step, output_time(flow), of_lab); });
  });
}

// A compressible flow as the run loop (run_loop.hpp) needs it. March: SteadyMarch or TimeMarch.
template <class Space, class March>
class CompressibleRun {
 public:
  CompressibleRun(Run& run, CompressibleFlow<Space>& flow, CompressibleOutput& output, Lab<Space>& lab)
      : run_(run), flow_(flow), output_(output), lab_(lab), march_(flow) {
    march_.begin(run.restart() != nullptr);
  }

  std::int64_t step_number() const { return flow_.step; }
  void choose_step() {}
  StepResult take_step() { return march_.step(run_, failure_); }
  std::string end() {
    const std::string why = end_of(flow_);
    tell_criterion(run_, flow_, why);
    return why;
  }
  bool output_due() const { return output_.is_due(flow_.step, flow_.time); }
  void write_output() { write_fields(run_, flow_, output_, lab_); }
  CheckpointState state() { return state_of(run_, flow_); }

  FlowBranch branch() {
    FlowBranch b;
    b.is_in_decades = !flow_.c.is_unsteady();
    b.state = [this] { return state(); };
    b.load = [this](const Checkpoint& from) {
      load_flow(run_.ranks(), from, flow_);
      march_.begin(true);
    };
    b.level = [this] { return march_.level(); };
    b.step = [this] {
      Outcome failure;
      const StepResult result = march_.step(run_, failure);
      if (result == StepResult::interrupted) return BranchEnd::interrupted;
      if (result == StepResult::failed) return BranchEnd::failed;
      return end_of(flow_).empty() ? BranchEnd::none : BranchEnd::reached;
    };
    return b;
  }

  StepResult check_stopped() const { return StepResult::advanced; }
  Outcome conclude(StepResult) {
    if (run_.end_reached() == steps_ran_out) {
      failure_ = {};
      failure_.exit = Exit::solver_failed;
      failure_.reason = "not converged after " + std::to_string(flow_.step) + " steps";
      failure_.limit = steps_ran_out;
    }
    write_fields(run_, flow_, output_, lab_);
    Outcome outcome = results(flow_, output_);
    outcome.exit = failure_.exit;
    outcome.limit = failure_.limit;
    outcome.reason = failure_.exit == Exit::finished ? run_.end_reached() : failure_.reason;  // empty: it was stopped
    flow_.lagged.report(run_, "flow", flow_.pseudo.solver());
    return outcome;
  }

 private:
  Run& run_;
  CompressibleFlow<Space>& flow_;
  CompressibleOutput& output_;
  Lab<Space>& lab_;
  March march_;
  Outcome failure_;
};

template <class Space, class March>
int march(Run& run, CompressibleFlow<Space>& flow, CompressibleOutput& output, Lab<Space>& lab) {
  CompressibleRun<Space, March> steps(run, flow, output, lab);
  return run_steps(run, steps, lab);
}

template <class Space>
void begin_on_coarser_meshes(Run& run, const Table& config, CompressibleFlow<Space>& flow) {
  const CoarseStop stop{[&run] { return run.should_stop(); }, [&run] { return run.must_abandon_step(); }};
  ScopedTimer timer(run.timings().at("flow equations", "coarser meshes"));
  for (const CoarseMesh& mesh : start_on_coarser_meshes(config, run.ranks(), stop, flow))
    run.event("coarse mesh",
              count_text(static_cast<double>(mesh.cells)) + " cells: " + count_text(static_cast<double>(mesh.steps)) +
                  " steps, " + count_text(static_cast<double>(mesh.iterations)) + " iterations, residual fallen to " +
                  three_digits(mesh.drop) + (mesh.failed ? "; steps were rejected, so it ends here" : ""));
}

template <class Space>
int run_in(Run& run, const Table& config) {
  ReadCase read(config, run.ranks());
  const CompressibleCase& c = read.c;
  return_freed_memory();  // the mesh in the order it was read in
  CompressibleOutput output(config, c, read.boundary, read.facts);
  run.ranks().use(read_reduction(config.table("ranks")));
  const bool is_alone = run.ranks().size() == 1;
  const std::string devices = !is_alone && std::is_same_v<Space, Device> ? choose_device(run.ranks()) : "";
  run.require_memory(compressible_memory(read.facts, c, config).each_of(run.ranks().size()));
  BuiltFlow<Space> built(read, config, run.ranks());
  CompressibleFlow<Space>& flow = built.flow;
  require_promises(run, flow.pseudo.solver());
  flow.pseudo.solver().stop_when([&run] { return run.must_abandon_step(); });
  const auto made_lab = make_lab<Space>(config, {"flow"}, run.ranks());
  Lab<Space>& lab = *made_lab;
  lab.describe(facts_of(flow, read.ordering));
  lab.attach(compressible_system, flow.pseudo.solver(), config.table("linear"));

  const bool restarted = run.restart() != nullptr, carries = !restarted && !c.start_from.empty();
  if (carries) {
    CarriedState carried = state_of_run(c.start_from, flow.values, read.numbers, run.ranks());
    flow.carry(std::move(carried.U));
    if (!c.is_unsteady() && carried.order == c.scheme.order) {
      flow.pseudo.least_reference = carried.reference;
      flow.pseudo.least_turbulence_reference = carried.turbulence_reference;
    }
  }
  if (restarted) lab.resume(*run.restart());
  const std::string note = restarted ? load_flow(run.ranks(), *run.restart(), flow) : "";
  if (restarted) run.reached(end_of(flow));
  if (!run.end_reached().empty())  // before this run has begun
    if (const auto code = run.nothing_left()) return *code;
  RunHeader header = header_of(flow, output, config, read);
  if (!note.empty()) header.notes.emplace_back("restart", note);
  if (carries) header.notes.emplace_back("start", "the last state of " + c.start_from);
  if (!devices.empty()) header.notes.emplace_back("devices", devices);
  run.begin(std::move(header));
  if (run.ranks().is_root())
    output.open(run.directory(), run.name(), restarted ? std::optional<double>(output_time(flow)) : std::nullopt);
  lab.open(run);
  if (!restarted && !carries && c.pseudo_time.coarse_meshes > 0) begin_on_coarser_meshes(run, config, flow);
  return c.is_unsteady() ? march<Space, TimeMarch<Space>>(run, flow, output, lab)
                         : march<Space, SteadyMarch<Space>>(run, flow, output, lab);
}

}  // namespace

int run_compressible(Run& run, const Table& config) {
  return run.on_device() ? run_in<Device>(run, config) : run_in<Host>(run, config);
}

}  // namespace weir
