#include "postproc/run/run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "miniapps/immersed/geometry/body_rate.hpp"
#include "miniapps/immersed/immersed.hpp"
#include "miniapps/immersed/immersed_flow.hpp"
#include "miniapps/immersed/info.hpp"
#include "miniapps/immersed/output.hpp"
#include "miniapps/immersed/read.hpp"
#include "miniapps/immersed/statistics.hpp"
#include "miniapps/structured/clock.hpp"
#include "miniapps/structured/diagnostics.hpp"
#include "miniapps/structured/facts.hpp"
#include "miniapps/structured/staggered_loop.hpp"
#include "miniapps/study/lab.hpp"
#include "postproc/fields/vtk.hpp"
#include "base/timer.hpp"

namespace weir {
namespace {

// What is looked at between two steps.
template <class Space>
class Watch {
 public:
  Watch(const ImmersedCase& c, const Table& config) : options_(c.forces), every_(read_diagnostics_every(config)) {
    scale_ = 1 / (0.5 * options_.velocity * options_.velocity * options_.area);
    for (int d = c.flow.dim(); d < 3; ++d) scale_ /= c.flow.grid.line[2].length();  // per unit of depth
  }

  void look(Run& run, ImmersedFlow<Space>& flow, bool last) {
    const TimeControl& time = flow.flow_case().time;
    StepRecord r;
    r.step = flow.step;
    r.time = flow.time;
    r.dt = flow.dt_before;
    r.values.resize(7);
    {
      ScopedTimer timer(run.timings().at("body", "surface force"));
      const Force force = flow.surface_force();
      for (int d = 0; d < 2; ++d) {
        const auto s = static_cast<std::size_t>(d);
        r.values[s] = scale_ * force.total(d);
        r.values[2 + s] = scale_ * flow.control_volume_force()[d];
      }
    }
    ScopedTimer timer(run.timings().at("flow", "diagnostics"));
    if (time.steady_tolerance > 0 && flow.step % time.steady_every == 0) {
      r.values[5] = flow.rate();
      is_steady = *r.values[5] < time.steady_tolerance;
    }
    if (flow.step % every_ == 0 || last || is_steady) {
      r.cfl = flow.dt_before * run.ranks().max(courant_rate(flow.flow(), flow.metrics()));
      r.values[4] = flow.max_mass_error();
      max_mass_error = std::max(max_mass_error, *r.values[4]);
    }
    if (const Body& body = flow.body(); body.is_cavity()) {
      r.values[6] = flow.cut().cavity_volume;
      volume_error = std::max(volume_error, std::abs(*r.values[6] / body.volume() - 1));
    }
    if (flow.time >= options_.average_from || last || is_steady)
      forces.add(flow.time, flow.dt_before, *r.values[0], *r.values[1], *r.values[2]);
    run.step(r);
  }

  bool is_steady = false;
  ForceStatistics forces;
  double max_mass_error = 0, volume_error = 0;  // the largest seen, since the start or the restart

 private:
  ForceOptions options_;
  int every_ = 10;
  double scale_ = 1;
};

template <class Space>
void save(Run& run, ImmersedFlow<Space>& flow, const StepSize& clock, const Watch<Space>& watch,
          const WholeFields<Space>& host) {
  CheckpointState state = checkpoint_of(flow, clock);
  std::vector<double> forces = watch.forces.state();
  state.add("forces_count", static_cast<double>(forces.size()));
  forces.push_back(0);  // an array of no length cannot be kept
  state.add("forces", std::span<const double>(forces));
  host.save(run, std::move(state), flow.state());
}

template <class Space>
void load(const Checkpoint& from, ImmersedFlow<Space>& flow, StepSize& clock, Watch<Space>& watch,
          const WholeFields<Space>& host) {
  load_flow(from, flow, clock, host);
  std::vector<double> forces = from.doubles("forces", static_cast<std::int64_t>(from.scalar("forces_count")) + 1);
  forces.pop_back();
  watch.forces.restore(forces);
  flow.after_loading();
}

template <class Space>
std::map<std::string, double> quantities(ImmersedFlow<Space>& flow, const Flow<Host>& fields,
                                         const Watch<Space>& watch) {
  const ImmersedCase& c = flow.immersed_case();
  auto q = watch.forces.quantities(c.forces.length, c.forces.velocity, c.forces.period);
  if (flow.ranks().communicator().is_root()) q["wake_length"] = wake_length(c, fields, flow.body().surface());
  q["max_mass_error"] = watch.max_mass_error;
  if (flow.body().is_cavity()) q["volume_error"] = watch.volume_error;
  q["geometry_copies"] = static_cast<double>(flow.uploads().copies);  // of the last step, this rank's
  q["geometry_bytes"] = static_cast<double>(flow.uploads().bytes);
  return q;
}

template <class Space>
class Pictures {
 public:
  Pictures(Run& run, FlowOutput& output, Lab<Space>& lab) : run_(run), output_(output), lab_(lab) {}
  // On rank 0: the body's surfaces have a collection of their own, a picture's time each.
  void open(std::optional<double> restart_time) {
    const std::string path = run_.directory() + "/vtk/" + run_.name() + "_body.pvd";
    if (restart_time)
      surfaces_ = PvdCollection::continued(path, *restart_time);
    else
      surfaces_ = PvdCollection(path);
  }
  // All ranks call. Returns the fields of the whole box, on rank 0.
  const Flow<Host>& write(const ImmersedFlow<Space>& flow, WholeFields<Space>& host) {
    ScopedTimer timer(run_.timings().at("output", "pictures"));
    const Flow<Host>& fields = host.of(flow.flow());
    FluidParts parts;
    for (std::size_t d = 0; d < 3; ++d)
      if (!flow.own_cut().fraction[d].empty()) parts[d] = host.of(flow.own_cut().fraction[d]);
    std::vector<CellField> more = pictures_of(lab_.fields("pressure"), flow.ranks().whole().cells());
    run_.on_root([&] {
      more.insert(more.begin(), fluid_field(fields.layout, parts));
      output_.write_picture(fields, flow.step, flow.time, std::move(more));
      char step[32];
      std::snprintf(step, sizeof step, "%08lld", static_cast<long long>(flow.step));
      const std::string file = run_.name() + "_body_" + step + ".vtp";
      write_surface(run_.directory() + "/vtk/" + file, flow.body().surface());
      surfaces_->add(flow.time, file);
    });
    return fields;
  }

 private:
  Run& run_;
  FlowOutput& output_;
  Lab<Space>& lab_;
  std::optional<PvdCollection> surfaces_;
};

template <class Space>
RunHeader header_of(ImmersedFlow<Space>& flow, const FlowOutput& output, const Table& config) {
  RunHeader h = immersed_header(flow.immersed_case());
  for (const auto& name : output.quantities()) h.quantities.push_back(name);
  h.systems.emplace_back("advection_diffusion", flow.systems().front()->solver.describe());
  h.systems.emplace_back("pressure", flow.pressure().solver.describe());
  note_ranks(flow, h);
  tell_memory(immersed_memory(flow.immersed_case(), config), flow.flow_case(), flow.ranks().options(),
              flow.ranks().communicator().size(), h);
  return h;
}

template <class Space>
void attach(Lab<Space>& lab, ImmersedFlow<Space>& flow, const Table& linear) {
  lab.describe(facts_of_staggered<Space>(flow, flow.flow_case().grid, "advection_diffusion"));
  for (int d = 0; d < flow.layout().dim; ++d)
    lab.attach("advection_diffusion", flow.systems()[static_cast<std::size_t>(d)]->solver,
               linear.table("advection_diffusion"), default_velocity_method, default_velocity_preconditioner,
               default_velocity_tolerance);
  lab.attach("pressure", flow.pressure().solver, linear.table("pressure"), default_cut_pressure_method,
             default_cut_pressure_preconditioner, default_cut_pressure_tolerance);
}

template <class Space>
int run_in(Run& run, const Table& config, const ImmersedCase& c) {
  FlowOutput output(config, c.flow, immersed_header(c).history);
  Watch<Space> watch(c, config);
  std::vector<std::string> messages;
  const RankOptions rank_options = read_immersed_rank_options(config);
  run.require_memory(over_ranks(immersed_memory(c, config), c.flow, rank_options, run.ranks().size()).all);
  run.ranks().use(rank_options.reduction);
  std::string devices;
  if (run.ranks().size() > 1 && std::is_same_v<Space, Device>) devices = choose_device(run.ranks());
  const FlowRanks ranks(run.ranks(), c.flow, rank_options);
  ImmersedFlow<Space> flow(c, read_case_body(config, c, &messages), config.table("linear"), ranks,
                           read_body_layers(config));
  Lab<Space> lab(config, {"advection_diffusion", "pressure"}, run.ranks());
  attach(lab, flow, config.table("linear"));
  StepSize clock(c.flow, body_rate(config, c));
  WholeFields<Space> host(ranks);
  Pictures<Space> pictures(run, output, lab);
  const bool restarted = run.restart() != nullptr;
  if (restarted) load(*run.restart(), flow, clock, watch, host);
  RunHeader header = header_of(flow, output, config);
  if (!devices.empty()) header.notes.emplace_back("devices", devices);
  run.begin(std::move(header));
  for (const std::string& message : messages) run.event("body", message);
  const bool writes = run.ranks().is_root();
  if (writes) {
    const auto from = restarted ? std::optional<double>(flow.time) : std::nullopt;
    output.open(run.directory(), run.name(), from);
    pictures.open(from);
  }
  lab.open(run);
  if (!restarted && !flow.initialise(run.timings())) return stop(run, flow, flow.pressure(), host, lab);

  bool done = clock.finished(flow.time);
  while (!done && !run.should_stop()) {
    const double rate = clock.needs_rate() ? run.ranks().max(courant_rate(flow.flow(), flow.metrics())) : 0;
    const double dt = clock.next(flow.time, rate);
    lab.begin_step(flow.step + 1);
    const BandedSystem<Space>* failed = flow.advance(dt, run.timings());  // (2) to (5)
    record_solves(run, flow);
    if (failed) return stop(run, flow, *failed, host, lab);
    watch.look(run, flow, clock.finished(flow.time));
    done = clock.finished(flow.time) || watch.is_steady;
    if (output.picture_due(flow.step, flow.time, dt) && !done) pictures.write(flow, host);
    if (run.checkpoint_due(done)) save(run, flow, clock, watch, host);
  }
  const Flow<Host>& fields = pictures.write(flow, host);
  Outcome outcome;
  outcome.reason = watch.is_steady ? "steady state" : done ? "end time" : "";  // empty: the shell knows why
  outcome.quantities = quantities(flow, fields, watch);
  if (writes) {
    outcome.quantities.merge(output.write_profiles(fields));
    outcome.state_hash = hash_of_flow(fields);
  }
  lab.finish(run);
  return run.finish(outcome);
}

}  // namespace

int run_immersed(Run& run, const Table& config) {
  const ImmersedCase c = read_immersed_case(config);
  return run.on_device() ? run_in<Device>(run, config, c) : run_in<Host>(run, config, c);
}

}  // namespace weir
