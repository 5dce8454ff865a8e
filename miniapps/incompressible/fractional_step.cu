#include "miniapps/incompressible/fractional_step.hpp"

#include "miniapps/incompressible/projection.hpp"
#include "miniapps/structured/initial.hpp"
#include "solvers/device/space_timer.hpp"
#include "solvers/device/vector_ops.hpp"

namespace weir {

// component: 0, 1 or 2 for a velocity on faces, 3 for values at cell centres
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
    for (auto& momentum : systems_) momentum->solver.krylov().share_work(work_);
  }
  for (std::size_t s = 0; s < scalars_.size(); ++s)
    add_system(scalar_system(c.scalars[s]), scalar_operator(c, s, 0), 3, linear);
  add_system(pressure_system, pressure_operator(c), 3, linear);
}

template <class Space>
bool FractionalStep<Space>::initialise(Timings& timings) {
  const Metrics& m = this->metrics();
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

// The matrices of (2) and (6) contain the time step.
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
View<const double> FractionalStep<Space>::momentum_rhs(int component, double dt, bool sides_move) {
  const Metrics& m = this->metrics();
  const View<double> b = rhs_.view().part(0, delta_[component].size());
  weir::momentum_rhs(flow_, m, component, this->momentum_terms(component, dt), advection_[component], b);
  force_.add_to(component, m, dt, b);
  for (const Scalar<Space>& scalar : scalars_) scalar.add_buoyancy(component, dt, b);
  if (sides_move) boundary_.add_increment(component, dt, b);
  return b;
}

template <class Space>
const FlowSystem<Space>* FractionalStep<Space>::advance(double dt, Timings& timings) {
  const Metrics& m = this->metrics();
  const auto time_of = [&](const char* system, const char* part, const auto& f) {
    return timed<Space>(timings.at(system, part), f);
  };
  prepare_momentum(dt);
  const bool sides_move = time_of("flow", "boundary", [&] { return boundary_.advance(flow_, this->time, dt); });
  if (const auto* failed = advance_scalars(dt, timings)) return failed;
  time_of("momentum", "rhs", [&] { force_.set_time(this->time + dt / 2); });
  for (int d = 0; d < flow_case_.dim(); ++d) {
    const View<const double> b = time_of("momentum", "rhs", [&] { return momentum_rhs(d, dt, sides_move); });
    if (!systems_[d]->solve(b, delta_[d])) return systems_[d].get();  // (2)
  }
  time_of("momentum", "add increment", [&] { this->add_increments(); });  // u* = u^n + delta
  const MinusDivergence div = time_of("pressure", "divergence", [&] {
    if (sides_move) boundary_.swap();  // on the sides u* takes the boundary velocity of time level n+1
    halo_.velocity(flow_);
    boundary_.set_normal_velocity(flow_);
    return minus_divergence(flow_, m, rhs_);
  });
  if (!this->pressure().solve(div.values, psi_)) return &this->pressure();  // (3)
  time_of("pressure", "correction", [&] {
    correct_velocity(m, psi_, flow_, halo_.psi(psi_));               // (4)
    update_pressure(m, dt, flow_case_.viscosity, psi_, div, flow_);  // (5)
  });
  time_of("flow", "boundary", [&] {
    this->velocity_changed();
    this->pressure_changed();
  });
  this->end_step(dt);
  return nullptr;
}

template <class Space>
NamedArrays<Space> FractionalStep<Space>::state() {
  NamedArrays<Space> all = Base::state();
  for (Scalar<Space>& scalar : scalars_) scalar.add_state(flow_, all);
  return all;
}

template <class Space>
void FractionalStep<Space>::after_loading() {
  boundary_.follow_loaded();
  for (Scalar<Space>& scalar : scalars_) scalar.after_loading(flow_, this->time);
  operator_dt_ = 0;
  if (this->dt_before > 0) prepare_momentum(this->dt_before);
  this->pressure().prepare();
}

template class FractionalStep<Host>;
template class FractionalStep<Device>;

}  // namespace weir
