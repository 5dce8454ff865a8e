#include "miniapps/immersed/immersed_flow.hpp"

#include <algorithm>

#include "miniapps/structured/initial.hpp"
#include "miniapps/incompressible/momentum.hpp"
#include "miniapps/incompressible/projection.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/ledger.hpp"
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

Periodic periodic_of(const Layout& l) { return {l.periodic[0], l.periodic[1], l.dim == 3 && l.periodic[2]}; }

template <class Space>
bool solve(BandedSystem<Space>& s, View<const double> b, View<double> x) {
  s.result = s.solver.solve(s.A, b, x);
  return s.result.converged();
}

Uploads uploads_since(const Ledger& before) {
  return {ledger().copies_to_device - before.copies_to_device, ledger().bytes_to_device - before.bytes_to_device};
}

template <class Space>
std::unique_ptr<Matrix<Space>> make_matrix(const FlowRanks& ranks, int component) {
  const Layout& l = ranks.whole();
  const Extents unknowns = component == 3 ? l.cells() : l.unknowns(component);
  if (ranks.alone()) return std::make_unique<Banded<Space>>(unknowns, periodic_of(l));
  return std::make_unique<DistributedBanded<Space>>(ranks.communicator(), unknowns, periodic_of(l),
                                                    ranks.cuts(component), ranks.options().halo);
}

}  // namespace

template <class Space>
BandedSystem<Space>::BandedSystem(std::string system, int component, const FlowRanks& ranks, LinearSolver<Space> with)
    : name(std::move(system)),
      matrix_(make_matrix<Space>(ranks, component)),
      spread(dynamic_cast<DistributedBanded<Space>*>(matrix_.get())),
      bands(spread ? spread->own() : dynamic_cast<Banded<Space>&>(*matrix_)),
      A(*matrix_),
      solver(std::move(with)) {
  if (spread) solver.spread_over_ranks(&A);
}

template <class Space>
void BandedSystem<Space>::set_remainder(const InterpolationRows& rows, const std::vector<RemoteEntry>& remote) {
  if (spread)
    spread->set_remainder(remainder_of(rows), remote);
  else
    bands.set_remainder(remainder_of(rows));
}

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
    : ImmersedFlow(c, std::move(body), linear, std::make_unique<Communicator>()) {}

template <class Space>
ImmersedFlow<Space>::ImmersedFlow(const ImmersedCase& c, Body body, const Table& linear,
                                  std::unique_ptr<Communicator> alone)
    : ImmersedFlow(c, std::move(body), linear, FlowRanks(*alone, c.flow, {})) {
  alone_ = std::move(alone);
}

template <class Space>
ImmersedFlow<Space>::ImmersedFlow(const ImmersedCase& c, Body body, const Table& linear, const FlowRanks& ranks,
                                  int layers)
    : case_(c),
      body_(std::move(body)),
      ranks_(ranks),
      metrics_(case_.flow.grid, ranks.local()),
      flow_(ranks.local()),
      boundary_(flow_.layout, &ranks.communicator()),
      halo_(ranks_),
      cut_(case_.flow.grid, cut_region(ranks_, layers > 0 ? layers : body_layers(case_.flow.grid, body_))),
      wide_(ranks_, case_.flow.grid, cut_.layout()),
      part_(ranks_),
      arrays_(flow_.layout),
      control_(c.forces.box, c.flow.viscosity, ranks.communicator()) {
  const Layout& l = flow_.layout;
  for (int d = 0; d < l.dim; ++d) {
    const auto s = static_cast<std::size_t>(d);
    advection_[s] = Array<double, Space>(l.unknowns(d).count());
    delta_[s] = Array<double, Space>(l.unknowns(d).count());
    lines_.emplace_back(momentum_operator(case_.flow, d, 0), ranks_.cuts(d).box(ranks_.communicator().rank()));
    systems_.push_back(
        std::make_unique<BandedSystem<Space>>("advection_diffusion", d, ranks_, velocity_solver<Space>(linear)));
  }
  psi_ = Array<double, Space>(l.cells().count());
  rhs_ = Array<double, Space>(l.cells().count());
  systems_.push_back(std::make_unique<BandedSystem<Space>>("pressure", 3, ranks_, cut_pressure_solver<Space>(linear)));
  for (auto& [name, array] : state()) fill(*array, 0);
}

template <class Space>
void ImmersedFlow<Space>::place_body(double t) {
  body_.move(t);
  cut_.update(body_);
  const Ledger before = ledger();
  if (!ranks_.alone()) {
    part_.take(cut_);
    wide_wet_.assign(cut_.wet);
  }
  arrays_.upload(own_cut());
  uploads_ = uploads_since(before);
  const std::vector<unsigned char>& wet = own_cut().wet;
  const auto own = static_cast<double>(wet.size()) - static_cast<double>(std::count(wet.begin(), wet.end(), dry_cell));
  wet_cells_ = static_cast<int>(ranks_.communicator().sum(own));
}

template <class Space>
void ImmersedFlow<Space>::upload_rows() {
  const Ledger before = ledger();
  for (int c = 0; c < layout().dim; ++c)
    systems_[static_cast<std::size_t>(c)]->set_remainder(own_cut().rows[static_cast<std::size_t>(c)], part_.remote(c));
  const Uploads rows = uploads_since(before);
  uploads_ = {uploads_.copies + rows.copies, uploads_.bytes + rows.bytes};
}

template <class Space>
void ImmersedFlow<Space>::prepare(BandedSystem<Space>& system) {
  ScopedTimer timer(system.setup_seconds = 0);
  if (system.spread) system.spread->finish_bands();
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
  if (moved) upload_rows();
  for (int c = 0; c < layout().dim; ++c) {
    const auto s = static_cast<std::size_t>(c);
    assemble_velocity(layout(), c, lines_[s], 0.5 * dt * case_.flow.viscosity, arrays_, systems_[s]->bands);
    prepare(*systems_[s]);
  }
  operator_dt_ = dt;
}

template <class Space>
bool ImmersedFlow<Space>::project(double dt, Timings& timings) {
  {
    ScopedTimer timer(timings.at("pressure", "divergence"));
    halo_.velocity(flow_);
    normal_velocity_on_sides(case_.flow, boundary_, flow_);
    wide_.fetch(flow_);
    open_faces_.open(arrays_, wide_.of(flow_), flow_);
    halo_.velocity(flow_);
    minus_mass_balance(flow_, metrics(), arrays_, rhs_);  // (3)
    remove_wet_mean(arrays_, ranks_.communicator(), wet_cells_, rhs_);
  }
  if (!solve(pressure(), rhs_, psi_)) return false;
  ScopedTimer timer(timings.at("pressure", "correction"));
  remove_wet_mean(arrays_, ranks_.communicator(), wet_cells_, psi_);
  correct_open_faces(metrics(), arrays_, psi_, flow_, halo_.psi(psi_));  // (4)
  open_faces_.close(arrays_, flow_);
  if (dt > 0) {
    update_pressure(metrics(), dt, case_.flow.viscosity, psi_, rhs_, flow_);  // (5)
    wide_.fetch_pressure(flow_);
    extend_pressure(ranks_.alone() ? arrays_.wet() : wide_wet_.data(), wide_.of(flow_), flow_);
    halo_.pressure(flow_);
    pressure_ghosts(flow_);
  }
  return true;
}

template <class Space>
void ImmersedFlow<Space>::fill_ghosts() {
  halo_.velocity(flow_);
  velocity_ghosts(case_.flow, boundary_, flow_);
  wide_.forget();
}

// The predictor's ghosts mirror u*. Left so, what the projection takes from u* would come back through the explicit terms of the
// next step, with the other sign: in an opening through which fluid enters with W that grows where W dt / h is above 0.3.
template <class Space>
void ImmersedFlow<Space>::set_ghosts_of_body() {
  wide_.fetch(flow_);
  for (int c = 0; c < layout().dim; ++c) set_ghost_nodes(wide_.of(flow_), c, arrays_, rhs_, flow_);
  fill_ghosts();
}

template <class Space>
bool ImmersedFlow<Space>::initialise(Timings& timings) {
  {
    ScopedTimer timer(timings.at("body", "geometry"));
    place_body(time);
  }
  set_initial_velocity(case_.flow, flow_);
  halo_.velocity(flow_);
  initial_boundary(case_.flow, metrics(), flow_, time, boundary_, cut_.total_body_flux);
  velocity_ghosts(case_.flow, boundary_, flow_);
  assemble_pressure(layout(), metrics(), arrays_, pressure().bands);
  prepare(pressure());
  if (!project(0, timings)) return false;
  fill_ghosts();
  fill(psi_, 0);
  control_.remember(flow_, metrics(), arrays_, wall_motion(body_, case_.flow.grid, case_.forces.box));
  return true;
}

template <class Space>
const BandedSystem<Space>* ImmersedFlow<Space>::advance(double dt, Timings& timings) {
  const Metrics& m = metrics();
  const int dim = layout().dim;
  for (auto& system : systems_) system->setup_seconds = -1;
  if (operator_dt_ > 0) uploads_ = {};
  if (!body_.is_fixed()) {
    {
      ScopedTimer timer(timings.at("body", "geometry"));
      place_body(time + dt);
    }
    ScopedTimer timer(timings.at("pressure", "assembly"));
    assemble_pressure(layout(), m, arrays_, pressure().bands);
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
  if (!wide_.is_current()) wide_.fetch(flow_);
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
      finish_velocity_rhs(flow_, wide_.of(flow_), c, lines_[s], arrays_, dt * terms.before, advection_[s], b);
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
    fill_ghosts();
    set_ghosts_of_body();
  }
  ScopedTimer timer(timings.at("body", "control volume"));
  control_.advance(flow_, m, arrays_, wall_motion(body_, case_.flow.grid, case_.forces.box), dt, control_force_);
  time += dt;
  dt_before = dt;
  ++step;
  return nullptr;
}

template <class Space>
double ImmersedFlow<Space>::rate() const {
  double change = 0;
  for (int c = 0; c < layout().dim; ++c) change = std::max(change, max_of(delta_[static_cast<std::size_t>(c)]));
  change = ranks_.communicator().max(change);
  return dt_before > 0 ? change / dt_before : change;
}

template <class Space>
Force ImmersedFlow<Space>::surface_force() {
  const Vec3& w = body_.placement().angular_velocity;
  const double omega[3] = {w[0], w[1], w[2]};
  if (!wide_.is_current()) wide_.fetch(flow_);
  const Force own =
      weir::surface_force(wide_.of(flow_), wide_.metrics(metrics()), arrays_, case_.flow.viscosity, omega, piece_work_);
  double parts[6];
  for (int d = 0; d < 3; ++d) {
    parts[d] = own.pressure[d];
    parts[3 + d] = own.viscous[d];
  }
  ranks_.communicator().sum(parts);
  Force all;
  for (int d = 0; d < 3; ++d) {
    all.pressure[d] = parts[d];
    all.viscous[d] = parts[3 + d];
  }
  return all;
}

template <class Space>
double ImmersedFlow<Space>::max_mass_error() {
  open_faces_.swap(arrays_, flow_);
  halo_.velocity(flow_);
  minus_mass_balance(flow_, metrics(), arrays_, rhs_);
  open_faces_.swap(arrays_, flow_);
  halo_.velocity(flow_);
  return ranks_.communicator().max(weir::max_mass_error<Space>(layout(), metrics(), rhs_));
}

template <class Space>
Traffic ImmersedFlow<Space>::traffic() const {
  Traffic t = halo_.traffic();
  const Traffic more = wide_.traffic();
  return {t.seconds + more.seconds, t.bytes + more.bytes, t.calls + more.calls};
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
  if (BoundaryPlanes(ranks_.whole()).total > 0) all.emplace_back("boundary", &boundary_.values());
  return all;
}

// The body is moved as it was in the last step, so that the same nodes are fresh.
template <class Space>
void ImmersedFlow<Space>::after_loading() {
  if (!body_.is_fixed() && dt_before > 0) place_body(time - dt_before);
  place_body(time);
  follow_loaded(metrics(), layout(), boundary_);
  wide_.fetch(flow_);
  open_faces_.open(arrays_, wide_.of(flow_), flow_);
  open_faces_.close(arrays_, flow_);
  assemble_pressure(layout(), metrics(), arrays_, pressure().bands);
  prepare(pressure());
  control_.remember(flow_, metrics(), arrays_, wall_motion(body_, case_.flow.grid, case_.forces.box));
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
