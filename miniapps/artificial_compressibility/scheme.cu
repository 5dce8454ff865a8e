#include "miniapps/artificial_compressibility/scheme.hpp"

#include <algorithm>
#include <cmath>

#include "miniapps/artificial_compressibility/diagnostics.hpp"
#include "miniapps/driver/cfl_ramp.hpp"
#include "miniapps/structured/initial.hpp"
#include "physics/k_omega.hpp"
#include "solvers/device/space_timer.hpp"
#include "solvers/device/vector_ops.hpp"

namespace weir {
namespace {

// Sets x to the guess x^n + r (x^n - x^{n-1}) and shifts the three arrays by one time level.
template <class Space>
void shift_levels(double r, CoupledField<Space>& x, CoupledField<Space>& x1, CoupledField<Space>& x2) {
  double *now = x.values().data(), *one = x1.values().data(), *two = x2.values().data();
  for_each<Space>(x.values().size(), [=] WEIR_HD(int i) {
    const double xn = now[i], before = one[i];
    two[i] = before;
    one[i] = xn;
    now[i] = xn + r * (xn - before);
  });
}

}  // namespace

template <class Space>
ArtificialCompressibility<Space>::ArtificialCompressibility(const IncompressibleCase& c, const Table& linear,
                                                            const CoupledRanks& ranks)
    : cfl(c.coupled.cfl_start),
      case_(c),
      ranks_(ranks),
      cells_(ranks.local()),
      lines_(c.grid, cells_),
      x_(cells_),
      x1_(cells_),
      x2_(cells_),
      A_(ranks_.communicator(), ranks.whole().extents(), ranks.whole().wraps_here(), cells_.unknowns, ranks.cuts(),
         ranks.options().halo),
      b_(std::int64_t{1} * A_.size()),
      dx_(std::int64_t{1} * A_.size()),
      solver_(coupled_system.solver<Space>(linear)),
      length_(reference_length(c)) {
  if (!ranks_.alone()) {
    halo_ = Halo<Space>(ranks_.communicator(), ranks_.ghosts(), cells_.unknowns, ranks_.options().halo);
    solver_.precondition_each_rank();
  }
  for (auto& [name, array] : state()) fill<Space>(0, *array);
  if (!has_model()) return;
  eddy_ = Array<double, Space>(cells_.padded_count());
  fill<Space>(0, eddy_);
  for (int s = 0; s < 2 * cells_.dim; ++s) walls_.wall[s] = c.side(s / 2, s % 2).type == SidePatch::Type::wall;
}

template <class Space>
CoupledView ArtificialCompressibility<Space>::view() {
  CoupledView v;
  v.cells = cells_;
  for (int d = 0; d < 3; ++d) v.line[d] = lines_[d];
  v.x = x_.origin();
  v.viscosity = case_.viscosity;
  v.speed = options().speed;
  if (has_model()) {
    v.eddy = eddy_.data() + cells_.origin();
    v.diffusion[0] = k_omega::sigma_star;
    v.diffusion[1] = k_omega::sigma;
  }
  return v;
}

template <class Space>
void ArtificialCompressibility<Space>::initialise() {
  std::vector<double> values(static_cast<std::size_t>(x_.values().size()), 0.0);
  double* x = values.data() + static_cast<std::ptrdiff_t>(cells_.origin()) * cells_.unknowns;
  cells_.for_cells([&](int i, int j, int k) {
    const int at[3] = {i, j, k};
    double point[3];
    for (std::size_t d = 0; d < 3; ++d) point[d] = case_.grid.line[d].centre[at[d] + cells_.low[d]];
    double* cell = x + static_cast<std::ptrdiff_t>(cells_.at(i, j, k)) * cells_.unknowns;
    for (int e = 0; e < cells_.dim; ++e) cell[1 + e] = solution_velocity(case_, case_.initial, e, point, 0);
    if (has_model()) {
      const KOmega guess = turbulent_channel_k_omega(case_, point);
      cell[cells_.dim + 1] = guess.k;
      cell[cells_.dim + 2] = guess.omega;
    }
  });
  x_.values().upload(values);
  evaluate_steady();  // sets the ghosts
}

template <class Space>
void ArtificialCompressibility<Space>::evaluate_steady(double of_time) {
  Timings none;
  begin_step(0, none);
  lines_.set_dissipation({options().pressure_dissipation, of_time, options().speed, case_.viscosity, true});
  evaluate(none);
}

template <class Space>
void ArtificialCompressibility<Space>::begin_step(double dt, Timings& timings) {
  SpaceTimer<Space> timer(timings.at("flow", "time levels"));
  derivative_ = {};
  if (dt > 0) {
    derivative_ = time_derivative(dt, dt_before);
    shift_levels(dt_before > 0 ? dt / dt_before : 0, x_, x1_, x2_);
    derivative_.x1 = x1_.origin();
    derivative_.x2 = x2_.origin();
  }
  rules_ = side_rules(case_, cells_, time + dt);
  for (int d = 0; d < cells_.dim; ++d) force_.value[d] = case_.body_force[d] * case_.force_modulation.at(time + dt);
  lines_.set_dissipation({options().pressure_dissipation, derivative_.s0, options().speed, case_.viscosity, true});
}

template <class Space>
double ArtificialCompressibility<Space>::residual_scale(int unknown) const {
  const double speed = options().speed;
  if (unknown == 0) return speed / length_;
  if (unknown <= cells_.dim) return speed * speed / length_;
  if (unknown == cells_.dim + 1) return speed * speed * speed / length_;
  return speed * speed / (length_ * length_);
}

template <class Space>
bool ArtificialCompressibility<Space>::evaluate(Timings& timings) {
  const CoupledView v = view();
  timed<Space>(timings.at("flow", "boundary"), [&] { fill_ghosts<Space>(rules_, v); });
  if (!ranks_.alone()) {
    SpaceTimer<Space> timer(timings.at("flow", "halo of the fields"));
    halo_.exchange(HaloFields::blocks(x_.values().data(), cells_.unknowns));
  }
  if (has_model()) {
    SpaceTimer<Space> timer(timings.at("flow", "turbulence"));
    k_omega::update_eddy_viscosity<Space>(v, eddy_.data() + cells_.origin());
  }
  timed<Space>(timings.at("flow", "residual"), [&] { residual<Space>(v, derivative_, force_, b_); });
  if (has_model()) {
    SpaceTimer<Space> timer(timings.at("flow", "turbulence"));
    k_omega::add_sources<Space>(v, walls_, b_);
    k_omega::balance_rows<Space>(v, options().speed / length_, b_);
  }
  SpaceTimer<Space> timer(timings.at("flow", "norms"));
  residual_norms<Space>(v, ranks_.communicator(), b_, norms);
  largest_residual = 0;
  for (int u = 0; u < cells_.unknowns; ++u) {
    const double relative = norms[u] / residual_scale(u);
    if (!std::isfinite(relative)) return false;
    largest_residual = std::max(largest_residual, relative);
  }
  return true;
}

template <class Space>
bool ArtificialCompressibility<Space>::linear_step(Timings& timings, const std::function<void()>& after_solve) {
  const CoupledView v = view();
  timed<Space>(timings.at("flow", "jacobian"),
               [&] { assemble_jacobian<Space>(v, derivative_, rules_, 1 / cfl, matrix().stencil()); });
  if (has_model()) {
    SpaceTimer<Space> timer(timings.at("flow", "turbulence"));
    k_omega::add_source_jacobian<Space>(v, walls_, matrix().stencil());
    k_omega::balance_rows<Space>(v, options().speed / length_, matrix().stencil());
  }
  A_.finish_blocks();
  setup_seconds = 0;
  {
    WaitingTimer<Space> timer(setup_seconds);
    if (solver_.is_set_up())
      solver_.update(system());
    else
      solver_.setup(system());
  }
  timed<Space>(timings.at("flow", "update"), [&] { fill<Space>(0, dx_); });
  solver_.forcing().aim(largest_residual, options().tolerance);
  result = solver_.solve(system(), b_, dx_);
  after_solve();
  // An inner solve may miss its tolerance, as a fixed number of corrections usually does. If it did not reduce the
  // residual, it is rejected: dx = 0 would be closer to the solution of (4), and the corrections of the next
  // sub-iteration would diverge further. The pseudo-time step is then too large for the method.
  const bool lowered = result.true_residual < result.residual0;
  if (result.reason == Reason::interrupted) return false;
  if (!result.converged() && !(lowered && result.reason != Reason::not_finite)) return false;
  SpaceTimer<Space> timer(timings.at("flow", "update"));
  if (has_model()) k_omega::limit_update<Space>(v, options().relaxation, dx_);
  add_update<Space>(v, options().relaxation, dx_);
  return true;
}

template <class Space>
const Matrix<Space>& ArtificialCompressibility<Space>::system() const {
  if (ranks_.alone()) return A_.own();
  return A_;
}

template <class Space>
double ArtificialCompressibility<Space>::rate() {
  if (!(dt_before > 0)) return 0;
  return ranks_.communicator().max(largest_change<Space>(view(), x1_.origin())) / dt_before;
}

template <class Space>
void ArtificialCompressibility<Space>::follow_residual() {
  const CflRamp ramp{options().exponent_up, options().exponent_down, smallest_cfl(), options().cfl_max};
  if (residual_before > 0 && largest_residual > 0) cfl = ramp.next(cfl, residual_before / largest_residual);
  residual_before = largest_residual;
}

// If a solve has hardly reduced its residual, the flow does not change, and so the residual does not change the CFL
// number.
template <class Space>
void ArtificialCompressibility<Space>::cut_cfl_if_stagnated() {
  constexpr double hardly_lowered = 0.9, cut = 0.1;
  if (!result.converged() && result.true_residual > hardly_lowered * result.residual0)
    cfl = std::max(cut * cfl, smallest_cfl());
}

template <class Space>
StepEnd ArtificialCompressibility<Space>::advance_steady(Timings& timings, const std::function<void()>& after_solve) {
  sub_iterations = 0;
  begin_step(0, timings);
  if (!evaluate(timings)) return StepEnd::not_finite;
  if (is_converged()) return StepEnd::converged;
  if (options().tolerance > 0 && step >= options().max_steps) return StepEnd::not_converged;
  follow_residual();
  if (!linear_step(timings, after_solve)) return StepEnd::linear_failed;
  cut_cfl_if_stagnated();
  sub_iterations = 1;
  time = static_cast<double>(++step);
  return StepEnd::advanced;
}

template <class Space>
StepEnd ArtificialCompressibility<Space>::advance_in_time(double dt, Timings& timings,
                                                          const std::function<void()>& after_solve) {
  begin_step(dt, timings);
  solver_.forcing().begin_phase();
  for (sub_iterations = 0;; ++sub_iterations) {
    if (!evaluate(timings)) return StepEnd::not_finite;
    if (is_converged()) break;
    if (sub_iterations == options().max_steps) {
      if (options().tolerance > 0) return StepEnd::not_converged;
      break;
    }
    if (!linear_step(timings, after_solve)) return StepEnd::linear_failed;
  }
  time += dt;
  dt_before = dt;
  ++step;
  return StepEnd::advanced;
}

template class ArtificialCompressibility<Host>;
template class ArtificialCompressibility<Device>;

}  // namespace weir
