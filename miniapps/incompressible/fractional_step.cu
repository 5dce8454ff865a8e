#include "miniapps/incompressible/fractional_step.hpp"

#include <utility>

#include "miniapps/incompressible/projection.hpp"
#include "miniapps/structured/initial.hpp"
#include "solvers/device/asynchronous/skip_where.hpp"
#include "solvers/device/asynchronous/sums_stay.hpp"
#include "solvers/device/space_timer.hpp"
#include "solvers/device/vector_ops.hpp"

namespace weir {

// component: 3 for the pressure
template <class Space>
void FractionalStep<Space>::add_system(const SystemDefaults& system, SeparableOperator op, int component,
                                       const Table& linear) {
  std::unique_ptr<Matrix<Space>> A;
  if (ranks_.alone())
    A = std::make_unique<SeparableStencil<Space>>(std::move(op));
  else
    A = std::make_unique<DistributedStencil<Space>>(ranks_.communicator(), std::move(op), ranks_.cuts(component),
                                                    ranks_.options().halo);
  systems_.push_back(std::make_unique<FlowSystem<Space>>(system, std::move(A), ranks_, linear));
}

template <class Space>
FractionalStep<Space>::FractionalStep(const IncompressibleCase& c, const Table& linear, const FlowRanks& ranks)
    : Base(c, ranks), scalars_(make_scalars(flow_case_, this->metrics(), ranks_, halo_, flow_)) {
  for (int d = 0; d < c.dim(); ++d) add_system(momentum_system, momentum_operator(c, d, 0), d, linear);
  if (systems_.front()->solver.name() == "chebyshev") {
    work_ = Array<double, Space>(psi_.size());
    for (auto& momentum : systems_) momentum->solver.krylov().lend(work_);
  }
  for (std::size_t s = 0; s < scalars_.size(); ++s)
    add_system(scalar_system(c.scalars[s]), scalar_operator(c, s, 0), 3, linear);
  add_system(pressure_system, pressure_operator(c), 3, linear);
}

template <class Space>
bool FractionalStep<Space>::initialise(Timings& timings) {
  const Metrics& m = this->metrics();
  this->seen_ = {};
  set_initial_velocity(flow_case_, flow_);
  for (Scalar<Space>& scalar : scalars_) scalar.initialise(flow_, this->time);
  halo_.velocity(flow_);
  boundary_.initialise(flow_, this->time);
  boundary_.set_ghosts(flow_);
  this->pressure().prepare();
  SpaceTimer<Space> timer(timings.at("flow", "initial field"));
  minus_divergence(flow_, m, rhs_);  // (3)
  if (!this->pressure().solve(rhs_, psi_)) return false;
  correct_velocity(m, psi_, flow_, halo_.psi(psi_));  // (4)
  this->velocity_changed();
  this->pressure_changed();
  fill<Space>(0, psi_);
  return true;
}

// The momentum operators know the time step.
template <class Space>
void FractionalStep<Space>::prepare_momentum(double dt) {
  for (auto& system : systems_) system->setup_seconds = -1;
  if (dt == operator_dt_) return;
  for (int c = 0; c < flow_case_.dim(); ++c) {
    dynamic_cast<ChebyshevPasses<Space>&>(*systems_[c]->matrix).set_coefficients(1, dt * flow_case_.viscosity / 2);
    systems_[c]->prepare();
  }
  for (std::size_t s = 0; s < scalars_.size(); ++s) {
    FlowSystem<Space>& system = this->scalar_system_of_flow(s);
    dynamic_cast<ChebyshevPasses<Space>&>(*system.matrix)
        .set_coefficients(1, dt * flow_case_.scalars[s].diffusivity / 2);
    system.prepare();
  }
  operator_dt_ = dt;
}

template <class Space>
const FlowSystem<Space>* FractionalStep<Space>::advance_scalars(double dt, Timings& timings) {
  for (std::size_t s = 0; s < scalars_.size(); ++s) {
    Scalar<Space>& scalar = scalars_[s];
    FlowSystem<Space>& system = this->scalar_system_of_flow(s);
    timed<Space>(timings.at(system.name, "rhs"), [&] { scalar.rhs(flow_, this->time, dt, this->dt_before, rhs_); });
    if (!system.solve(rhs_, scalar.delta())) return &system;
    timed<Space>(timings.at(system.name, "add increment"), [&] { scalar.add_increment(flow_); });
  }
  return nullptr;
}

template <class Space>
FlowSystem<Space>& FractionalStep<Space>::system_of(int solve) {
  return solve < flow_case_.dim() ? *systems_[static_cast<std::size_t>(solve)] : this->pressure();
}

template <class Space>
void FractionalStep<Space>::make_rhs(int solve, const Moment& now, Timings& timings) {
  const Metrics& m = this->metrics();
  if (solve < flow_case_.dim()) {
    const View<double> b = rhs_of(solve);
    return timed<Space>(timings.at("momentum", "rhs"), [&] {
      momentum_rhs(flow_, m, solve, this->momentum_terms(solve, now.dt), advection_[solve], b);  // (2)
      force_.add_to(solve, m, now.dt, b);
      for (const Scalar<Space>& scalar : scalars_) scalar.add_buoyancy(solve, now.dt, b);
      if (now.moving) boundary_.add_increment(solve, now.dt, b);
    });
  }
  timed<Space>(timings.at("momentum", "add increment"),
               [&] { repeat(increments_, 0, [&] { this->add_increments(); }); });  // u*
  timed<Space>(timings.at("pressure", "divergence"), [&] {
    if (now.moving) boundary_.swap();
    repeat(divergence_, sides(), [&] {
      halo_.velocity(flow_);
      boundary_.set_normal_velocity(flow_);
      minus_divergence(flow_, m, rhs_);  // (3)
    });
  });
}

template <class Space>
void FractionalStep<Space>::correct(const Moment& now, Timings& timings) {
  const Metrics& m = this->metrics();
  timed<Space>(timings.at("pressure", "correction"), [&] {
    repeat(correction_, now.dt, [&] {
      correct_velocity(m, psi_, flow_, halo_.psi(psi_));                    // (4)
      update_pressure(m, now.dt, flow_case_.viscosity, psi_, rhs_, flow_);  // (5)
    });
  });
  SpaceTimer<Space> timer(timings.at("flow", "boundary"));
  repeat(ghosts_, sides(), [&] {
    this->velocity_changed();
    this->pressure_changed();
  });
}

template <class Space>
const FlowSystem<Space>* FractionalStep<Space>::solve_from(int first, const Moment& now, Timings& timings) {
  for (int s = first; s < solves(); ++s) {
    make_rhs(s, now, timings);
    if (!system_of(s).solve(rhs_of(s), solution_of(s))) return &system_of(s);
  }
  correct(now, timings);
  return nullptr;
}

// Not where values on the sides change: they change places, and their fluxes come to the host.
template <class Space>
bool FractionalStep<Space>::can_queue(const Moment& now) {
  if constexpr (std::is_same_v<Space, Device>) {
    bool can = !now.moving && scalars_.empty() && ranks_.alone();
    for (int s = 0; s < solves(); ++s) can = can && system_of(s).solver.can_queue(system_of(s).A);
    if (can && queue_.is_empty()) queue_ = SolveQueue(solves(), 1 + range_scalars * this->variables());
    return can;
  } else {
    return false;
  }
}

template <class Space>
const FlowSystem<Space>* FractionalStep<Space>::queue_all(const Moment& now, Timings& timings) {
  const bool wants_rate = flow_case_.time.dt == 0 && !flow_case_.time.steady;
  const bool wants_ranges = std::exchange(this->wants_ranges_, false);
  {
    const SkipWhere skip(queue_.stop());
    for (int s = 0; s < solves(); ++s) {
      make_rhs(s, now, timings);
      if (!system_of(s).queue(rhs_of(s), solution_of(s), queue_.place(s))) return &system_of(s);
    }
    correct(now, timings);
    if (wants_rate)
      leave_sum<Space>(queue_.place_of_scalar(0), [&] { return weir::courant_rate(flow_, this->metrics()); });
    for (int v = 0; wants_ranges && v < this->variables(); ++v)
      leave_range(this->variable_of(v), queue_.place_of_scalar(1 + range_scalars * v));
  }
  queue_.look();
  const bool stopped = queue_.has_stopped();
  if (stopped) queue_.go_on();
  for (int s = 0; s < solves(); ++s) {
    const SeenSolve seen = queue_.seen(s);
    if (!system_of(s).settle(rhs_of(s), solution_of(s), seen)) return &system_of(s);
    if (!seen.is_done) return solve_from(s + 1, now, timings);
  }
  if (wants_rate) this->seen_.rate = *queue_.seen_scalars(0);
  for (int v = 0; wants_ranges && v < this->variables(); ++v)
    this->seen_.range[static_cast<std::size_t>(v)] = range_seen(queue_.seen_scalars(1 + range_scalars * v));
  this->seen_.has_ranges = wants_ranges;
  return nullptr;
}

template <class Space>
const FlowSystem<Space>* FractionalStep<Space>::advance(double dt, Timings& timings) {
  this->seen_ = {};
  prepare_momentum(dt);
  Moment now{dt, false};
  timed<Space>(timings.at("flow", "boundary"),
               [&] { now.moving = boundary_.advance(flow_, this->time, dt); });  // b^{n+1}
  if (const auto* failed = advance_scalars(dt, timings)) return failed;
  timed<Space>(timings.at("momentum", "rhs"), [&] { force_.set_time(this->time + dt / 2); });
  const FlowSystem<Space>* failed = can_queue(now) ? queue_all(now, timings) : solve_from(0, now, timings);
  if (!failed) this->end_step(dt);
  return failed;
}

template <class Space>
NamedArrays<Space> FractionalStep<Space>::state() {
  NamedArrays<Space> all = Base::state();
  for (Scalar<Space>& scalar : scalars_) scalar.add_state(flow_, all);
  return all;
}

template <class Space>
void FractionalStep<Space>::after_loading() {
  this->seen_ = {};
  boundary_.follow_loaded();
  for (Scalar<Space>& scalar : scalars_) scalar.after_loading(flow_, this->time);
  operator_dt_ = 0;
  if (this->dt_before > 0) prepare_momentum(this->dt_before);
  this->pressure().prepare();
}

template class FractionalStep<Host>;
template class FractionalStep<Device>;

}  // namespace weir
