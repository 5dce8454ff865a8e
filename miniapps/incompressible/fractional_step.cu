// Equations (1) to (5): fractional_step.hpp; (6): scalar.hpp. Discrete operators: momentum.hpp, projection.hpp.
#include "miniapps/incompressible/fractional_step.hpp"

#include "miniapps/structured/initial.hpp"
#include "solvers/device/space_timer.hpp"
#include "solvers/device/vector_ops.hpp"

namespace weir {

// component: 0, 1 or 2 for a velocity on faces, 3 for values at cell centres. The matrix is of a ChebyshevPasses class.
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
  // systems_ has only the momentum systems here. They are solved one after the other and share one work vector.
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
  correct_velocity(m, psi_, flow_, halo_.psi_below(psi_));  // (4)
  this->velocity_changed();
  this->pressure_changed();
  fill<Space>(0, psi_);  // the first time step starts (3) from psi = 0
  return true;
}

// V + scale K: scale = dt nu/2 in (2), dt kappa/2 in (6).
template <class Space>
void FractionalStep<Space>::set_matrix(FlowSystem<Space>& system, double scale) {
  dynamic_cast<ChebyshevPasses<Space>&>(*system.matrix).set_coefficients(1, scale);  // see add_system
  system.prepare();
}

template <class Space>
void FractionalStep<Space>::set_matrices(double dt) {
  if (dt == operator_dt_) return;
  for (int d = 0; d < flow_case_.dim(); ++d) set_matrix(*systems_[d], dt * flow_case_.viscosity / 2);
  for (std::size_t s = 0; s < scalars_.size(); ++s)
    set_matrix(this->scalar_equation(s), dt * flow_case_.scalars[s].diffusivity / 2);
  operator_dt_ = dt;
}

template <class Space>
const FlowSystem<Space>* FractionalStep<Space>::advance_scalars(double dt, Timings& timings) {
  for (std::size_t s = 0; s < scalars_.size(); ++s) {
    Scalar<Space>& scalar = scalars_[s];
    FlowSystem<Space>& system = this->scalar_equation(s);
    timed<Space>(timings.at(system.name, "rhs"), [&] { scalar.rhs(flow_, this->time, dt, this->dt_before, rhs_); });
    if (!system.solve(rhs_, scalar.delta())) return &system;
    timed<Space>(timings.at(system.name, "add increment"), [&] { scalar.add_increment(flow_); });
  }
  return nullptr;
}

// The right-hand side of (2) for the increment u* - u^n (momentum.hpp):
//   b = dt [ -(1 + r/2) C(u^n) + r/2 C(u^{n-1}) - nu K u^n - V grad p^{n-1/2} + V f ],   r = dt / dt_before
// If the velocity of the sides changes, their increment is known and its terms are added to b.
template <class Space>
View<const double> FractionalStep<Space>::assemble_momentum_rhs(int component, double dt, bool sides_move) {
  const Metrics& m = this->metrics();
  const View<double> b = rhs_.view().part(0, delta_[component].size());
  momentum_rhs(flow_, m, component, this->momentum_terms(component, dt), advection_[component], b);
  force_.add_to(component, m, dt, b);
  for (const Scalar<Space>& scalar : scalars_) scalar.add_buoyancy(component, dt, b);
  if (sides_move) boundary_.add_increment(component, dt, b);
  return b;
}

template <class Space>
const FlowSystem<Space>* FractionalStep<Space>::advance_momentum(double dt, bool sides_move, Timings& timings) {
  return this->solve_momentum(dt, "momentum", timings, [&](int d) { return assemble_momentum_rhs(d, dt, sides_move); });
}

template <class Space>
bool FractionalStep<Space>::advance_boundary(double dt, Timings& timings) {
  SpaceTimer<Space> timer(timings.at("flow", "boundary"));
  return boundary_.advance(flow_, this->time, dt);
}

template <class Space>
MinusDivergence FractionalStep<Space>::divergence_of_prediction(bool sides_move, Timings& timings) {
  SpaceTimer<Space> timer(timings.at("pressure", "divergence"));
  if (sides_move) boundary_.swap();  // on the sides u* takes the boundary velocity of time level n+1
  halo_.velocity(flow_);
  boundary_.set_normal_velocity(flow_);
  return minus_divergence(flow_, this->metrics(), rhs_);
}

template <class Space>
void FractionalStep<Space>::correct(double dt, const MinusDivergence& b, Timings& timings) {
  SpaceTimer<Space> timer(timings.at("pressure", "correction"));
  correct_velocity(this->metrics(), psi_, flow_, halo_.psi_below(psi_));       // (4)
  update_pressure(this->metrics(), dt, flow_case_.viscosity, psi_, b, flow_);  // (5)
}

template <class Space>
void FractionalStep<Space>::set_ghosts(Timings& timings) {
  SpaceTimer<Space> timer(timings.at("flow", "boundary"));
  this->velocity_changed();
  this->pressure_changed();
}

template <class Space>
const FlowSystem<Space>* FractionalStep<Space>::advance(double dt, Timings& timings) {
  this->begin_step();
  set_matrices(dt);                                       // of (2) and (6)
  const bool sides_move = advance_boundary(dt, timings);  // u^{n+1} on the sides
  // The buoyancy in (2) is that of (T^n + T^{n+1})/2.
  if (const auto* failed = advance_scalars(dt, timings)) return failed;               // (6)
  if (const auto* failed = advance_momentum(dt, sides_move, timings)) return failed;  // (2)
  const MinusDivergence b = divergence_of_prediction(sides_move, timings);  // b = -V div u*, in rhs_ until (5)
  if (!this->pressure().solve(b.values, psi_)) return &this->pressure();    // (3): V (-lap) psi = b
  correct(dt, b, timings);                                                  // (4), (5)
  set_ghosts(timings);
  this->end_step(dt);  // time += dt, ++step, dt_before = dt
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
  if (this->dt_before > 0) set_matrices(this->dt_before);
  this->pressure().prepare();
}

template class FractionalStep<Host>;
template class FractionalStep<Device>;

}  // namespace weir
