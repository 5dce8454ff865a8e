#include "miniapps/immersed/immersed_flow.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "miniapps/immersed/geometry/shut_off.hpp"
#include "miniapps/incompressible/momentum.hpp"
#include "miniapps/incompressible/projection.hpp"
#include "miniapps/structured/initial.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/device/space_timer.hpp"
#include "solvers/device/vector_ops.hpp"

namespace weir {
namespace {

Periodic periodic_of(const Layout& l) { return {l.periodic[0], l.periodic[1], l.dim == 3 && l.periodic[2]}; }

Uploads uploads_since(const Ledger& before) {
  return {ledger().copies_to_device - before.copies_to_device, ledger().bytes_to_device - before.bytes_to_device};
}

// The grid of the pressure system. Multigrid coarsens by the grid, not by the matrix, because cut faces distort the
// couplings and change as the body moves.
BandedGrid grid_of(const Grid& g, const Layout& l) {
  BandedGrid grid = cubes(l.cells(), periodic_of(l));
  for (int d = 0; d < l.dim; ++d) grid.faces[static_cast<std::size_t>(d)] = g.line[d].faces;
  return grid;
}

template <class Space>
std::unique_ptr<Matrix<Space>> make_matrix(const FlowRanks& ranks, const Grid& grid, int component) {
  const Layout& l = ranks.whole();
  const bool is_pressure = component == 3;
  const Extents unknowns = is_pressure ? l.cells() : l.unknowns(component);
  const auto with_grid = [&](auto matrix) {
    if (is_pressure) matrix->set_grid(grid_of(grid, l));
    return matrix;
  };
  if (ranks.alone()) return with_grid(std::make_unique<Banded<Space>>(unknowns, periodic_of(l)));
  return with_grid(std::make_unique<DistributedBanded<Space>>(ranks.communicator(), unknowns, periodic_of(l),
                                                              ranks.cuts(component), ranks.options().halo));
}

template <class Space>
DistributedBanded<Space>* spread_of(const FlowSystem<Space>& system) {  // null: one rank
  return dynamic_cast<DistributedBanded<Space>*>(system.matrix.get());
}

// This rank's.
template <class Space>
Banded<Space>& bands_of(const FlowSystem<Space>& system) {
  auto* spread = spread_of(system);
  return spread ? spread->own() : dynamic_cast<Banded<Space>&>(*system.matrix);
}

template <class Space>
void set_remainder(const FlowSystem<Space>& system, const InterpolationRows& rows, const CutPart& part, int component) {
  if (auto* spread = spread_of(system))  // else there is one rank
    spread->set_remainder(remainder_of(rows), part.remote(component));
  else
    bands_of(system).set_remainder(remainder_of(rows));
}

CutRegion region_around(const Bodies& bodies, const IncompressibleCase& c, const FlowRanks& ranks, int layers) {
  CutRegion region = cut_region(ranks, layers > 0 ? layers : body_layers(c.grid, bodies));
  for (const Body& body : bodies) region.crosses = region.crosses || crosses_sides(body, c.grid, c.dim());
  if (!region.crosses) return region;
  for (const SidePatch& p : c.patches)
    region.mirrors[p.side] = c.side(p.side / 2, p.side % 2).type == SidePatch::Type::slip;
  return region;
}

}  // namespace

template <class Space>
void ImmersedFlow<Space>::add_system(const SystemDefaults& system, int component, const Table& linear) {
  systems_.push_back(std::make_unique<FlowSystem<Space>>(system, make_matrix<Space>(ranks_, flow_case_.grid, component),
                                                         ranks_, linear));
}

template <class Space>
ImmersedFlow<Space>::ImmersedFlow(const ImmersedCase& c, Bodies bodies, const Table& linear, const FlowRanks& ranks,
                                  int layers)
    : Base(c.flow, ranks),
      case_(c),
      bodies_(std::move(bodies)),
      cut_(flow_case_.grid, region_around(bodies_, flow_case_, ranks_, layers)),
      wide_(ranks_, flow_case_.grid, cut_.layout(), c.flow.scalars.size()),
      scalars_(make_scalars(flow_case_, this->metrics(), ranks_, halo_, flow_)),
      part_(ranks_),
      control_(c.box, c.flow.viscosity, ranks_.communicator()) {
  for (int d = 0; d < c.flow.dim(); ++d) {
    lines_.emplace_back(momentum_operator(flow_case_, d, 0), ranks_.cuts(d).box(ranks_.communicator().rank()));
    add_system(velocity_system, d, linear);
  }
  std::vector<std::vector<WallScalar>> walls;
  for (const BodyCase& body : c.bodies) walls.push_back(body.walls);
  cut_.carry_scalars(flow_case_.grid, walls);
  for (std::size_t s = 0; s < scalars_.size(); ++s) {
    scalars_[s].use_advective_form();
    lines_.emplace_back(scalar_operator(flow_case_, s, 0), ranks_.cuts(3).box(ranks_.communicator().rank()));
    add_system(body_scalar_system(c.flow.scalars[s]), 3, linear);
  }
  add_system(cut_pressure_system, 3, linear);
  if (c.order != 4) return;
  cut_.use_cubic_ghosts();
  fourth_order_ = std::make_unique<FourthOrder<Space>>(flow_case_.grid, flow_.layout, cut_.layout());
}

template <class Space>
void ImmersedFlow<Space>::place_bodies(double t) {
  bodies_.move(t);
  cut_.update(bodies_);
  const Ledger before = ledger();
  if (!ranks_.alone()) {
    part_.take(cut_);
    wide_wet_.assign(cut_.wet);
  }
  arrays_.upload(own_cut());
  if (fourth_order_) fourth_order_->update(cut_);
  uploads_ = uploads_since(before);
  const std::vector<unsigned char>& wet = own_cut().wet;
  const auto own = static_cast<double>(wet.size()) - static_cast<double>(std::ranges::count(wet, dry_cell));
  wet_cells_ = static_cast<int>(ranks_.communicator().sum(own));
  if (wet_cells_ == 0) throw Error(Exit::usage, "the body fills the grid: no cell holds fluid");
}

template <class Space>
void ImmersedFlow<Space>::upload_rows() {
  const Ledger before = ledger();
  for (int c = 0; c < flow_case_.dim(); ++c) set_remainder(*systems_[c], own_cut().rows[c], part_, c);
  for (std::size_t s = 0; s < scalars_.size(); ++s)
    set_remainder(this->scalar_equation(s), own_cut().rows[scalar_nodes + s], part_, scalar_nodes_of(s));
  const Uploads rows = uploads_since(before);
  uploads_ = {uploads_.copies + rows.copies, uploads_.bytes + rows.bytes};
}

template <class Space>
void ImmersedFlow<Space>::prepare(FlowSystem<Space>& system) {
  timed(system.setup_seconds = 0, [&] {
    if (auto* spread = spread_of(system)) spread->finish_bands();
  });
  system.prepare();
}

// The matrices of (2) and (6) depend on dt and on the position of the body.
template <class Space>
void ImmersedFlow<Space>::assemble(double dt) {
  const bool moved = !bodies_.is_fixed() || operator_dt_ == 0;
  if (!moved && dt == operator_dt_) return;
  if (moved) upload_rows();
  for (int c = 0; c < flow_case_.dim(); ++c) {
    assemble_velocity(flow_.layout, c, lines_[c], 0.5 * dt * flow_case_.viscosity, arrays_, bands_of(*systems_[c]));
    prepare(*systems_[c]);
  }
  for (std::size_t s = 0; s < scalars_.size(); ++s) {
    FlowSystem<Space>& system = this->scalar_equation(s);
    const double scale = 0.5 * dt * flow_case_.scalars[s].diffusivity;
    assemble_velocity(flow_.layout, scalar_nodes_of(s), scalar_lines(s), scale, arrays_, bands_of(system));
    prepare(system);
  }
  operator_dt_ = dt;
}

template <class Space>
void ImmersedFlow<Space>::assemble_pressure() {
  weir::assemble_pressure(flow_.layout, metrics(), arrays_, bands_of(pressure()));
}

template <class Space>
bool ImmersedFlow<Space>::project(double dt, Timings& timings) {
  const MinusDivergence div = timed<Space>(timings.at("pressure", "divergence"), [&] {
    halo_.velocity(flow_);
    boundary_.set_normal_velocity(flow_);
    wide_.fetch(flow_);
    open_faces_.open(arrays_, wide_.of(flow_), flow_);
    halo_.velocity(flow_);
    minus_mass_balance(flow_, metrics(), arrays_, rhs_);
    remove_wet_mean(arrays_, ranks_.communicator(), wet_cells_, rhs_);
    return MinusDivergence{rhs_};
  });
  if (!pressure().solve(div.values, psi_)) return false;  // (3)
  SpaceTimer<Space> timer(timings.at("pressure", "correction"));
  remove_wet_mean(arrays_, ranks_.communicator(), wet_cells_, psi_);
  correct_open_faces(metrics(), arrays_, psi_, flow_, halo_.psi_below(psi_));  // (4)
  open_faces_.close(arrays_, flow_);
  if (dt > 0) {
    update_pressure(metrics(), dt, flow_case_.viscosity, psi_, div, flow_);  // (5)
    wide_.fetch_pressure(flow_);
    extend_pressure(ranks_.alone() ? arrays_.wet() : wide_wet_.data(), wide_.of(flow_), flow_);
    this->pressure_changed();
  }
  return true;
}

template <class Space>
void ImmersedFlow<Space>::velocity_changed() {
  Base::velocity_changed();
  wide_.forget();
}

// Ghost values must be recomputed from the projected velocity. Ghosts that mirror u* would feed the correction of the
// projection back through the explicit terms of the next step with the wrong sign: an opening with inflow velocity W is
// then unstable for W dt / h > 0.3.
template <class Space>
void ImmersedFlow<Space>::set_ghosts_of_body() {
  wide_.fetch(flow_);
  for (int c = 0; c < flow_.layout.dim; ++c) set_ghost_nodes(wide_.of(flow_), c, arrays_, rhs_, flow_);
  velocity_changed();
}

template <class Space>
void ImmersedFlow<Space>::refuse_shut_off_inflow() {
  if (!bodies_.is_fixed() || !ranks_.alone() || !flow_case_.has_outlet()) return;
  boundary_.set_normal_velocity(flow_);
  std::array<std::vector<double>, 3> velocity;
  for (int c = 0; c < flow_.layout.dim; ++c) velocity[c] = flow_.velocity[c].to_vector();
  const std::string side = shut_off_inflow(cut_, flow_case_, velocity);
  if (!side.empty())
    throw Error(Exit::usage, "the body shuts off the fluid at " + side +
                                 " from every outlet: the fluid that flows in through that side has no way out");
}

template <class Space>
bool ImmersedFlow<Space>::initialise(Timings& timings) {
  timed<Space>(timings.at("body", "geometry"), [&] { place_bodies(this->time); });
  set_initial_velocity(flow_case_, flow_);
  for (Scalar<Space>& scalar : scalars_) scalar.initialise(flow_, this->time);
  halo_.velocity(flow_);
  boundary_.initialise(flow_, this->time, cut_.total_body_flux);
  boundary_.set_ghosts(flow_);
  refuse_shut_off_inflow();
  assemble_pressure();
  prepare(pressure());
  if (!project(0, timings)) return false;
  velocity_changed();
  fill<Space>(0, psi_);
  control_.remember(flow_, metrics(), arrays_, wall_motions());
  return true;
}

template <class Space>
const FlowSystem<Space>* ImmersedFlow<Space>::advance_scalars(double dt, Timings& timings) {
  const double before = this->dt_before > 0 ? -0.5 * dt / this->dt_before : 0;  // the weight of C(T^{n-1})
  for (std::size_t s = 0; s < scalars_.size(); ++s) {
    Scalar<Space>& scalar = scalars_[s];
    FlowSystem<Space>& system = this->scalar_equation(s);
    timed<Space>(timings.at(system.name, "rhs"), [&] {
      scalar.rhs(flow_, this->time, dt, this->dt_before, rhs_);
      finish_velocity_rhs(flow_, wide_.of(flow_), scalar_nodes_of(s), scalar_lines(s), arrays_, dt * before,
                          scalar.advection(), rhs_);
    });
    if (!system.solve(rhs_, scalar.delta())) return &system;
    timed<Space>(timings.at(system.name, "add increment"), [&] { scalar.add_increment(flow_); });
  }
  return nullptr;
}

// The geometry and the matrices of t^{n+1}.
template <class Space>
void ImmersedFlow<Space>::move_bodies(double dt, Timings& timings) {
  if (operator_dt_ > 0) uploads_ = {};
  if (!bodies_.is_fixed()) {
    timed<Space>(timings.at("body", "geometry"), [&] { place_bodies(this->time + dt); });
    timed<Space>(timings.at("pressure", "assembly"), [&] { assemble_pressure(); });
    prepare(pressure());
  }
  timed<Space>(timings.at("velocity", "assembly"), [&] { assemble(dt); });
}

template <class Space>
View<const double> ImmersedFlow<Space>::assemble_momentum_rhs(int component, double dt, bool sides_move) {
  const Metrics& m = metrics();
  const View<double> b = rhs_.view().part(0, delta_[component].size());
  const MomentumTerms terms = this->momentum_terms(component, dt);
  momentum_rhs(flow_, m, component, terms, advection_[component], b);
  if (fourth_order_) fourth_order_->correct(wide_.of(flow_), m, component, dt * terms.now, advection_[component], b);
  force_.add_to(component, m, dt, b);
  for (const Scalar<Space>& scalar : scalars_) scalar.add_buoyancy(component, dt, b);
  if (sides_move) boundary_.add_increment(component, dt, b);
  finish_velocity_rhs(flow_, wide_.of(flow_), component, lines_[component], arrays_, dt * terms.before,
                      advection_[component], b);
  return b;
}

template <class Space>
const FlowSystem<Space>* ImmersedFlow<Space>::advance_momentum(double dt, bool sides_move, Timings& timings) {
  return this->solve_momentum(dt, "velocity", timings, [&](int d) { return assemble_momentum_rhs(d, dt, sides_move); });
}

template <class Space>
bool ImmersedFlow<Space>::advance_boundary(double dt, Timings& timings) {
  bool sides_move = false;
  timed<Space>(timings.at("flow", "boundary"),
               [&] { sides_move = boundary_.advance(flow_, this->time, dt, cut_.total_body_flux); });
  if (!wide_.is_current()) wide_.fetch(flow_);
  return sides_move;
}

template <class Space>
void ImmersedFlow<Space>::set_ghosts(Timings& timings) {
  SpaceTimer<Space> timer(timings.at("flow", "boundary"));
  velocity_changed();
  set_ghosts_of_body();
}

template <class Space>
void ImmersedFlow<Space>::measure_force(double dt, Timings& timings) {
  SpaceTimer<Space> timer(timings.at("body", "control volume"));
  double driven[3] = {};
  measure_driving(dt, driven);
  control_.advance(flow_, metrics(), arrays_, wall_motions(), dt, driven, control_force_);
}

template <class Space>
const FlowSystem<Space>* ImmersedFlow<Space>::advance(double dt, Timings& timings) {
  this->begin_step();
  move_bodies(dt, timings);                                              // geometry and matrices of t^{n+1}
  const bool sides_move = advance_boundary(dt, timings);                 // u^{n+1} on the sides
  if (const auto* failed = advance_scalars(dt, timings)) return failed;  // (6)
  if (const auto* failed = advance_momentum(dt, sides_move, timings)) return failed;  // (2)
  if (sides_move) boundary_.swap();               // on the sides u* takes the boundary velocity of time level n+1
  if (!project(dt, timings)) return &pressure();  // (3) to (5)
  set_ghosts(timings);
  measure_force(dt, timings);
  this->end_step(dt);  // time += dt, ++step, dt_before = dt
  return nullptr;
}

template <class Space>
NamedArrays<Space> ImmersedFlow<Space>::state() {
  NamedArrays<Space> all = Base::state();
  for (Scalar<Space>& scalar : scalars_) scalar.add_state(flow_, all);
  return all;
}

template <class Space>
double ImmersedFlow<Space>::max_mass_error() {
  open_faces_.swap(arrays_, flow_);
  halo_.velocity(flow_);
  minus_mass_balance(flow_, metrics(), arrays_, rhs_);
  open_faces_.swap(arrays_, flow_);
  halo_.velocity(flow_);
  return ranks_.communicator().max(weir::max_mass_error<Space>(flow_.layout, metrics(), rhs_));
}

// Restart: repeats the last body motion, so that the same nodes are marked as freshly cleared. A fixed body may be in
// place.
template <class Space>
void ImmersedFlow<Space>::after_loading() {
  const bool stands_there = bodies_.is_fixed() && operator_dt_ > 0;
  cut_.forget();
  if (!bodies_.is_fixed() && this->dt_before > 0) place_bodies(this->time - this->dt_before);
  if (!stands_there) place_bodies(this->time);
  boundary_.follow_loaded();
  for (Scalar<Space>& scalar : scalars_) scalar.after_loading(flow_, this->time);
  wide_.fetch(flow_);
  open_faces_.open(arrays_, wide_.of(flow_), flow_);
  open_faces_.close(arrays_, flow_);
  assemble_pressure();
  prepare(pressure());
  operator_dt_ = 0;
  if (bodies_.is_fixed() && this->dt_before > 0) assemble(this->dt_before);
  control_.remember(flow_, metrics(), arrays_, wall_motions());
}

template class ImmersedFlow<Host>;
template class ImmersedFlow<Device>;

}  // namespace weir
