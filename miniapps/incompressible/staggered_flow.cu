#include "miniapps/incompressible/staggered_flow.hpp"

#include "solvers/device/vector_ops.hpp"

namespace weir {

template <class Space>
FlowSystem<Space>::FlowSystem(const SystemDefaults& system, std::unique_ptr<Matrix<Space>> of, const FlowRanks& ranks,
                              const Table& linear)
    : name(system.name), matrix(std::move(of)), A(*matrix), solver(system.solver<Space>(linear)) {
  solver.refresh_policy().require_always(system.options(linear));
  if (!ranks.alone()) solver.spread_over_ranks(&A);
}

template <class Space>
void FlowSystem<Space>::prepare() {
  SpaceTimer<Space> timer(setup_seconds = std::max(setup_seconds, 0.0));
  if (solver.is_set_up())
    solver.update(A);
  else
    solver.setup(A);
}

template <class Space>
FlowSystem<Space>::~FlowSystem() {
  if constexpr (std::is_same_v<Space, Device>) backend::complete_timers();
}

template <class Space>
bool FlowSystem<Space>::solve(View<const double> b, View<double> x) {
  result = solver.solve(A, b, x);
  return result.converged();
}

template <class Space>
StaggeredFlow<Space>::StaggeredFlow(const IncompressibleCase& c, const FlowRanks& ranks)
    : flow_case_(c),
      ranks_(ranks),
      metrics_(c.grid, ranks.local()),
      flow_(ranks.local()),
      boundary_(flow_case_, metrics_.view(), flow_.layout, &ranks_.communicator()),
      force_(flow_case_, flow_.layout),
      halo_(ranks_),
      psi_(flow_.layout.cells().count()),
      rhs_(flow_.layout.cells().count()) {
  for (int d = 0; d < layout().dim; ++d) {
    advection_[d] = Array<double, Space>(layout().unknowns(d).count());
    delta_[d] = Array<double, Space>(layout().unknowns(d).count());
  }
  for (auto& [name, array] : state()) fill<Space>(0, *array);
}

template <class Space>
MomentumTerms StaggeredFlow<Space>::momentum_terms(int component, double dt) const {
  const double r = dt_before > 0 ? dt / dt_before : 0;
  const double force = flow_case_.force_has_formula
                           ? 0
                           : flow_case_.body_force[component] * flow_case_.force_modulation.at(time + dt / 2);
  return {dt, flow_case_.viscosity, 1 + r / 2, -r / 2, force};
}

template <class Space>
double StaggeredFlow<Space>::rate() const {
  double change = 0;
  for (int c = 0; c < layout().dim; ++c) change = std::max(change, max_norm<Space>(delta_[c]));
  change = ranks_.communicator().max(change);
  return dt_before > 0 ? change / dt_before : change;
}

template <class Space>
double StaggeredFlow<Space>::box_length() const {
  double length = 0;
  for (int d = 0; d < layout().dim; ++d) length = std::max(length, flow_case_.grid.line[d].length());
  return length;
}

template <class Space>
double StaggeredFlow<Space>::largest_speed() const {
  double speed = 0;
  for (int d = 0; d < layout().dim; ++d)
    speed = std::max(speed, ranks_.communicator().max(weir::range_of<Space>(flow_.velocity[d]).size()));
  return speed;
}

// The pressure changes by psi / dt (5).
template <class Space>
double StaggeredFlow<Space>::relative_rate(double speed) const {
  const double U = std::max(speed, flow_case_.viscosity / box_length()), dt = dt_before > 0 ? dt_before : 1;
  const Communicator& ranks = ranks_.communicator();
  const double P = std::max(largest_deviation(layout(), flow_.p, ranks), U * U);
  return std::max(StaggeredFlow::rate() / U, ranks.max(max_norm<Space>(psi_)) / (dt * dt) / P);
}

template <class Space>
NamedArrays<Space> StaggeredFlow<Space>::state() {
  NamedArrays<Space> all;
  for (int c = 0; c < layout().dim; ++c) {
    const std::string u(1, "uvw"[c]);
    all.emplace_back(u, &flow_.velocity[c]);
    all.emplace_back("advection_" + u, &advection_[c]);
    all.emplace_back("delta_" + u, &delta_[c]);
  }
  all.emplace_back("p", &flow_.p);
  all.emplace_back("psi", &psi_);
  if (BoundaryPlanes(ranks_.whole()).total > 0) all.emplace_back("boundary", &boundary_.values());
  return all;
}

template struct FlowSystem<Host>;
template struct FlowSystem<Device>;
template class StaggeredFlow<Host>;
template class StaggeredFlow<Device>;

}  // namespace weir
