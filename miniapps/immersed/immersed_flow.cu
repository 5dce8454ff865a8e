#include "miniapps/immersed/immersed_flow.hpp"

#include <algorithm>

#include "miniapps/immersed/pressure_system.hpp"
#include "miniapps/incompressible/initial.hpp"
#include "miniapps/incompressible/momentum.hpp"
#include "miniapps/incompressible/projection.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/timer.hpp"

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

Layout layout_of(const IncompressibleCase& c) {
  const bool periodic[3] = {c.is_periodic(0), c.is_periodic(1), c.is_periodic(2)};
  return make_layout(c.grid, periodic);
}

Periodic periodic_of(const Layout& l) { return {l.periodic[0], l.periodic[1], l.dim == 3 && l.periodic[2]}; }

template <class Space>
bool solve(BandedSystem<Space>& s, View<const double> b, View<double> x) {
  s.result = s.solver.solve(s.A, b, x);
  return s.result.converged();
}

}  // namespace

template <class Space>
LinearSolver<Space> velocity_solver(const Table& linear) {
  const Table options = linear.table("advection_diffusion");
  LinearSolver<Space> solver(options, default_velocity_method, default_velocity_preconditioner,
                             default_velocity_tolerance);
  solver.lifetime().require_always(options);
  return solver;
}

template <class Space>
LinearSolver<Space> cut_pressure_solver(const Table& linear) {
  const Table options = linear.table("pressure");
  LinearSolver<Space> solver(options, default_cut_pressure_method, default_cut_pressure_preconditioner,
                             default_cut_pressure_tolerance);
  solver.lifetime().require_always(options);
  return solver;
}

template <class Space>
ImmersedFlow<Space>::ImmersedFlow(const ImmersedCase& c, Body body, const Table& linear)
    : case_(c),
      body_(std::move(body)),
      metrics_(case_.flow.grid, layout_of(case_.flow)),
      flow_(layout_of(case_.flow)),
      boundary_(flow_.layout),
      cut_(case_.flow.grid, flow_.layout),
      arrays_(flow_.layout),
      control_(c.forces.box, c.flow.viscosity) {
  const Layout& l = flow_.layout;
  const Periodic periodic = periodic_of(l);
  for (int d = 0; d < l.dim; ++d) {
    const auto s = static_cast<std::size_t>(d);
    advection_[s] = Array<double, Space>(l.unknowns(d).count());
    delta_[s] = Array<double, Space>(l.unknowns(d).count());
    lines_.emplace_back(momentum_operator(case_.flow, d, 0));
    systems_.push_back(std::make_unique<BandedSystem<Space>>("advection_diffusion", l.unknowns(d), periodic,
                                                             velocity_solver<Space>(linear)));
  }
  psi_ = Array<double, Space>(l.cells().count());
  rhs_ = Array<double, Space>(l.cells().count());
  systems_.push_back(
      std::make_unique<BandedSystem<Space>>("pressure", l.cells(), periodic, cut_pressure_solver<Space>(linear)));
  for (auto& [name, array] : state()) fill(*array, 0);
}

template <class Space>
void ImmersedFlow<Space>::place_body(double t) {
  body_.move(t);
  cut_.update(body_);
  arrays_.upload(cut_);
  wet_cells_ =
      static_cast<int>(cut_.wet.size()) - static_cast<int>(std::count(cut_.wet.begin(), cut_.wet.end(), dry_cell));
}

template <class Space>
void ImmersedFlow<Space>::prepare(BandedSystem<Space>& system) {
  ScopedTimer timer(system.setup_seconds = 0);
  if (system.is_set_up)
    system.solver.update(system.A);
  else
    system.solver.setup(system.A);
  system.is_set_up = true;
}

// The matrices know the time step and where the body is.
template <class Space>
void ImmersedFlow<Space>::assemble(double dt) {
  const bool moved = !body_.is_fixed() || operator_dt_ == 0;
  if (!moved && dt == operator_dt_) return;
  for (int c = 0; c < layout().dim; ++c) {
    const auto s = static_cast<std::size_t>(c);
    assemble_velocity(layout(), c, lines_[s], 0.5 * dt * case_.flow.viscosity, arrays_, moved ? &cut_.rows[s] : nullptr,
                      systems_[s]->A);
    prepare(*systems_[s]);
  }
  operator_dt_ = dt;
}

template <class Space>
bool ImmersedFlow<Space>::project(double dt, Timings& timings) {
  {
    ScopedTimer timer(timings.at("pressure", "divergence"));
    normal_velocity_on_sides(case_.flow, boundary_, flow_);
    minus_mass_balance(flow_, metrics(), arrays_, rhs_);  // (3)
    remove_wet_mean(arrays_, wet_cells_, rhs_);
  }
  if (!solve(pressure(), rhs_, psi_)) return false;
  ScopedTimer timer(timings.at("pressure", "correction"));
  remove_wet_mean(arrays_, wet_cells_, psi_);
  correct_open_faces(metrics(), arrays_, psi_, flow_);  // (4)
  if (dt > 0) {
    update_pressure(metrics(), dt, case_.flow.viscosity, psi_, rhs_, flow_);  // (5)
    extend_pressure(arrays_, flow_);
    pressure_ghosts(flow_);
  }
  return true;
}

template <class Space>
bool ImmersedFlow<Space>::initialise(Timings& timings) {
  {
    ScopedTimer timer(timings.at("body", "geometry"));
    place_body(time);
  }
  set_initial_velocity(case_.flow, flow_);
  initial_boundary(case_.flow, metrics(), flow_, time, boundary_, cut_.total_body_flux);
  velocity_ghosts(case_.flow, boundary_, flow_);
  assemble_pressure(layout(), metrics(), arrays_, pressure().A);
  prepare(pressure());
  if (!project(0, timings)) return false;
  velocity_ghosts(case_.flow, boundary_, flow_);
  fill(psi_, 0);
  control_.remember(flow_, metrics(), arrays_);
  return true;
}

template <class Space>
const BandedSystem<Space>* ImmersedFlow<Space>::advance(double dt, Timings& timings) {
  const Metrics& m = metrics();
  const int dim = layout().dim;
  for (auto& system : systems_) system->setup_seconds = -1;
  if (!body_.is_fixed()) {
    {
      ScopedTimer timer(timings.at("body", "geometry"));
      place_body(time + dt);
    }
    ScopedTimer timer(timings.at("pressure", "assembly"));
    assemble_pressure(layout(), m, arrays_, pressure().A);
  }
  if (!body_.is_fixed()) prepare(pressure());
  {
    ScopedTimer timer(timings.at("velocity", "assembly"));
    assemble(dt);
  }
  bool moving = false;
  {
    ScopedTimer timer(timings.at("flow", "boundary"));
    moving = advance_boundary(case_.flow, m, flow_, time, dt, boundary_, cut_.total_body_flux);
  }
  const double r = dt_before > 0 ? dt / dt_before : 0;
  for (int c = 0; c < dim; ++c) {
    const auto s = static_cast<std::size_t>(c);
    const View<double> b = rhs_.view().part(0, delta_[s].size());
    {
      ScopedTimer timer(timings.at("velocity", "rhs"));
      const MomentumTerms terms = {dt, case_.flow.viscosity, 1 + r / 2, -r / 2,
                                   case_.flow.body_force[c] * case_.flow.force_modulation.at(time + dt / 2)};
      momentum_rhs(flow_, m, c, terms, advection_[s], b);  // (2)
      if (moving) add_boundary_increment(case_.flow, m, layout(), c, dt, boundary_, b);
      finish_velocity_rhs(flow_, c, lines_[s], arrays_, dt * terms.before, advection_[s], b);
    }
    if (!solve(*systems_[s], b, delta_[s])) return systems_[s].get();
  }
  {
    ScopedTimer timer(timings.at("velocity", "add increment"));
    for (int c = 0; c < dim; ++c) add_increment<Space>(flow_, c, delta_[static_cast<std::size_t>(c)]);  // u*
  }
  if (moving) boundary_.swap();
  if (!project(dt, timings)) return systems_.back().get();
  {
    ScopedTimer timer(timings.at("flow", "boundary"));
    velocity_ghosts(case_.flow, boundary_, flow_);
  }
  ScopedTimer timer(timings.at("body", "control volume"));
  control_.advance(flow_, m, arrays_, dt, control_force_);
  time += dt;
  dt_before = dt;
  ++step;
  return nullptr;
}

template <class Space>
double ImmersedFlow<Space>::rate() const {
  double change = 0;
  for (int c = 0; c < layout().dim; ++c) change = std::max(change, max_of(delta_[static_cast<std::size_t>(c)]));
  return dt_before > 0 ? change / dt_before : change;
}

template <class Space>
Force ImmersedFlow<Space>::surface_force() {
  const Vec3& w = body_.placement().angular_velocity;
  const double omega[3] = {w[0], w[1], w[2]};
  return weir::surface_force(flow_, metrics(), arrays_, case_.flow.viscosity, omega, piece_work_);
}

template <class Space>
double ImmersedFlow<Space>::max_mass_error() {
  minus_mass_balance(flow_, metrics(), arrays_, rhs_);
  return weir::max_mass_error<Space>(layout(), metrics(), rhs_);
}

template <class Space>
std::vector<std::pair<std::string, Array<double, Space>*>> ImmersedFlow<Space>::state() {
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
  if (boundary_.size() > 0) all.emplace_back("boundary", &boundary_.values());
  return all;
}

// The body is moved as it was in the last step, so that the same nodes are fresh.
template <class Space>
void ImmersedFlow<Space>::after_loading() {
  if (!body_.is_fixed() && dt_before > 0) place_body(time - dt_before);
  place_body(time);
  follow_loaded(metrics(), layout(), boundary_);
  assemble_pressure(layout(), metrics(), arrays_, pressure().A);
  prepare(pressure());
  control_.remember(flow_, metrics(), arrays_);
}

template LinearSolver<Host> velocity_solver<Host>(const Table&);
template LinearSolver<Device> velocity_solver<Device>(const Table&);
template LinearSolver<Host> cut_pressure_solver<Host>(const Table&);
template LinearSolver<Device> cut_pressure_solver<Device>(const Table&);
template struct BandedSystem<Host>;
template struct BandedSystem<Device>;
template class ImmersedFlow<Host>;
template class ImmersedFlow<Device>;

}  // namespace weir
