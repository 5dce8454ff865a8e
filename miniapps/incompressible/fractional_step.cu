#include "miniapps/incompressible/fractional_step.hpp"

#include <algorithm>

#include "miniapps/structured/initial.hpp"
#include "miniapps/incompressible/projection.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "base/timer.hpp"

namespace weir {
namespace {

template <class Space>
void fill(Array<double, Space>& a, double value) {
  double* p = a.data();
  for_each<Space>(static_cast<int>(a.size()), [=] WEIR_HD(int i) { p[i] = value; });
}

template <class Space>
double max_of(const Array<double, Space>& a) {
  const double* p = a.data();
  return max_abs<Space>(static_cast<int>(a.size()), [=] WEIR_HD(int i) { return p[i]; });
}

template <class Space>
bool solve(FlowSystem<Space>& s, View<const double> b, View<double> x) {
  s.result = s.solver.solve(s.A, b, x);
  return s.result.converged();
}

}  // namespace

template <class Space>
FlowSystem<Space>::FlowSystem(std::string system, SeparableOperator op, int component, const FlowRanks& ranks,
                              LinearSolver<Space> with)
    : name(std::move(system)),
      A((ranks.alone() ? take(std::make_unique<SeparableStencil<Space>>(std::move(op)))
                       : take(std::make_unique<DistributedStencil<Space>>(ranks.communicator(), std::move(op),
                                                                          ranks.cuts(component), ranks.options().halo)),
         *matrix_)),
      solver(std::move(with)) {
  if (!ranks.alone()) solver.spread_over_ranks(&A);
}

template <class Space>
LinearSolver<Space> momentum_solver(const Table& linear) {
  const Table options = linear.table("momentum");
  LinearSolver<Space> solver(options, default_momentum_method, "jacobi", default_momentum_tolerance);
  solver.lifetime().require_always(options);
  return solver;
}

template <class Space>
LinearSolver<Space> pressure_solver(const Table& linear) {
  const Table options = linear.table("pressure");
  LinearSolver<Space> solver(options, default_pressure_method, "jacobi");
  solver.lifetime().require_always(options);
  return solver;
}

template <class Space>
FractionalStep<Space>::FractionalStep(const IncompressibleCase& c, const Table& linear)
    : FractionalStep(c, linear, std::make_unique<Communicator>()) {}

template <class Space>
FractionalStep<Space>::FractionalStep(const IncompressibleCase& c, const Table& linear,
                                      std::unique_ptr<Communicator> alone)
    : FractionalStep(c, linear, FlowRanks(*alone, c, {})) {
  alone_ = std::move(alone);
}

template <class Space>
FractionalStep<Space>::FractionalStep(const IncompressibleCase& c, const Table& linear, const FlowRanks& ranks)
    : case_(c),
      ranks_(ranks),
      metrics_(c.grid, ranks.local()),
      flow_(ranks.local()),
      boundary_(flow_.layout, &ranks.communicator()),
      halo_(ranks) {
  const Layout& l = flow_.layout;
  const int cells = l.cells().count();
  for (int d = 0; d < l.dim; ++d) {
    const auto s = static_cast<std::size_t>(d);
    advection_[s] = Array<double, Space>(l.unknowns(d).count());
    delta_[s] = Array<double, Space>(l.unknowns(d).count());
    systems_.push_back(std::make_unique<FlowSystem<Space>>("momentum", momentum_operator(c, d, 0), d, ranks,
                                                           momentum_solver<Space>(linear)));
  }
  if (systems_.front()->solver.name() == "chebyshev") {
    work_ = Array<double, Space>(cells);
    for (auto& momentum : systems_) momentum->solver.krylov().lend(work_);
  }
  psi_ = Array<double, Space>(cells);
  rhs_ = Array<double, Space>(cells);
  systems_.push_back(
      std::make_unique<FlowSystem<Space>>("pressure", pressure_operator(c), 3, ranks, pressure_solver<Space>(linear)));
  for (auto& [name, array] : state()) fill(*array, 0);
}

template <class Space>
bool FractionalStep<Space>::initialise(Timings& timings) {
  set_initial_velocity(case_, flow_);
  halo_.velocity(flow_);
  initial_boundary(case_, metrics(), flow_, time, boundary_);
  velocity_ghosts(case_, boundary_, flow_);
  FlowSystem<Space>& poisson = pressure();
  {
    ScopedTimer timer(poisson.setup_seconds = 0);
    poisson.solver.setup(poisson.A);
  }
  ScopedTimer timer(timings.at("flow", "initial field"));
  minus_divergence(flow_, metrics(), rhs_);  // (3)
  if (!solve(poisson, rhs_, psi_)) return false;
  correct_velocity(metrics(), psi_, flow_, halo_.psi(psi_));  // (4)
  fill_ghosts();
  fill(psi_, 0);
  return true;
}

template <class Space>
MomentumTerms FractionalStep<Space>::momentum_terms(int component, double dt) const {
  const double r = dt_before > 0 ? dt / dt_before : 0;
  return {dt, case_.viscosity, 1 + r / 2, -r / 2,
          case_.body_force[component] * case_.force_modulation.at(time + dt / 2)};
}

// The momentum operators know the time step.
template <class Space>
void FractionalStep<Space>::prepare_momentum(double dt) {
  for (auto& system : systems_) system->setup_seconds = -1;
  if (dt == operator_dt_) return;
  for (int c = 0; c < layout().dim; ++c) {
    FlowSystem<Space>& momentum = *systems_[static_cast<std::size_t>(c)];
    ScopedTimer timer(momentum.setup_seconds = 0);
    momentum.set_coefficients(1, dt * case_.viscosity / 2);
    if (operator_dt_ == 0)
      momentum.solver.setup(momentum.A);
    else
      momentum.solver.update(momentum.A);
  }
  operator_dt_ = dt;
}

template <class Space>
const FlowSystem<Space>* FractionalStep<Space>::advance(double dt, Timings& timings) {
  const Metrics& m = metrics();
  const int dim = layout().dim;
  prepare_momentum(dt);
  bool moving = false;
  {
    ScopedTimer timer(timings.at("flow", "boundary"));
    moving = advance_boundary(case_, m, flow_, time, dt, boundary_);  // b^{n+1}
  }
  for (int c = 0; c < dim; ++c) {
    const auto s = static_cast<std::size_t>(c);
    {
      ScopedTimer timer(timings.at("momentum", "rhs"));
      momentum_rhs(flow_, m, c, momentum_terms(c, dt), advection_[s], rhs_);  // (2)
      if (moving) add_boundary_increment(case_, m, layout(), c, dt, boundary_, rhs_.view());
    }
    if (!solve(*systems_[s], rhs_.view().part(0, delta_[s].size()), delta_[s])) return systems_[s].get();
  }
  {
    ScopedTimer timer(timings.at("momentum", "add increment"));
    for (int c = 0; c < dim; ++c) add_increment<Space>(flow_, c, delta_[static_cast<std::size_t>(c)]);  // u*
  }
  {
    ScopedTimer timer(timings.at("pressure", "divergence"));
    if (moving) boundary_.swap();
    halo_.velocity(flow_);
    normal_velocity_on_sides(case_, boundary_, flow_);
    minus_divergence(flow_, m, rhs_);  // (3)
  }
  if (!solve(pressure(), rhs_, psi_)) return systems_.back().get();
  {
    ScopedTimer timer(timings.at("pressure", "correction"));
    correct_velocity(m, psi_, flow_, halo_.psi(psi_));           // (4)
    update_pressure(m, dt, case_.viscosity, psi_, rhs_, flow_);  // (5)
  }
  ScopedTimer timer(timings.at("flow", "boundary"));
  fill_ghosts();
  time += dt;
  dt_before = dt;
  ++step;
  return nullptr;
}

template <class Space>
void FractionalStep<Space>::fill_ghosts() {
  halo_.velocity(flow_);
  velocity_ghosts(case_, boundary_, flow_);
  halo_.pressure(flow_);
  pressure_ghosts(flow_);
}

template <class Space>
double FractionalStep<Space>::rate() const {
  double change = 0;
  for (int c = 0; c < layout().dim; ++c) change = std::max(change, max_of(delta_[static_cast<std::size_t>(c)]));
  change = ranks_.communicator().max(change);
  return dt_before > 0 ? change / dt_before : change;
}

template <class Space>
std::vector<std::pair<std::string, Array<double, Space>*>> FractionalStep<Space>::state() {
  static const std::array<const char*, 3> u = {"u", "v", "w"};
  std::vector<std::pair<std::string, Array<double, Space>*>> all;
  for (int c = 0; c < layout().dim; ++c) {
    const auto s = static_cast<std::size_t>(c);
    all.emplace_back(u[s], &flow_.velocity[c]);
    all.emplace_back(std::string("advection_") + u[s], &advection_[s]);
    all.emplace_back(std::string("delta_") + u[s], &delta_[s]);
  }
  all.emplace_back("p", &flow_.p);
  all.emplace_back("psi", &psi_);
  if (BoundaryPlanes(ranks_.whole()).total > 0) all.emplace_back("boundary", &boundary_.values());
  return all;
}

template <class Space>
void FractionalStep<Space>::after_loading() {
  follow_loaded(metrics(), layout(), boundary_);
  FlowSystem<Space>& poisson = pressure();
  ScopedTimer timer(poisson.setup_seconds = 0);
  poisson.solver.setup(poisson.A);
}

template <class Space>
std::int64_t FractionalStep<Space>::bytes() const {
  std::int64_t values = flow_.p.size() + psi_.size() + rhs_.size() + work_.size() + 2 * boundary_.size();
  for (int c = 0; c < layout().dim; ++c) {
    const auto s = static_cast<std::size_t>(c);
    values += flow_.velocity[c].size() + advection_[s].size() + delta_[s].size();
  }
  return values * static_cast<std::int64_t>(sizeof(double));
}

template LinearSolver<Host> momentum_solver<Host>(const Table&);
template LinearSolver<Device> momentum_solver<Device>(const Table&);
template LinearSolver<Host> pressure_solver<Host>(const Table&);
template LinearSolver<Device> pressure_solver<Device>(const Table&);
template struct FlowSystem<Host>;
template struct FlowSystem<Device>;
template class FractionalStep<Host>;
template class FractionalStep<Device>;

}  // namespace weir
