#include "miniapps/compressible/pseudo_time.hpp"

#include <cmath>
#include <limits>

#include "miniapps/driver/cfl_ramp.hpp"
#include "physics/scalar.hpp"
#include "solvers/device/space_timer.hpp"
#include "solvers/device/vector_ops.hpp"

namespace weir {
namespace {

// drop() divides the energy and turbulence residuals by their maximum over the first `first_steps` steps of a phase.
constexpr int first_steps = 5;

double length(const std::array<double, 5>& norm) {
  return std::hypot(std::hypot(std::hypot(norm[0], norm[1]), norm[2], norm[3]), norm[4]);
}

// Entry: R_i. WithInertia: (R + omega V/dtau dU)_i, where V/dtau = scale / cfl by (4), and factor = omega / cfl.
struct Entry {
  const double* r;
  WEIR_HD double operator()(int i, int /*cell*/) const { return r[i]; }
};
struct WithInertia {
  const double *r, *scale, *d;
  double factor;
  WEIR_HD double operator()(int i, int cell) const { return r[i] + factor * scale[cell] * d[i]; }
};
// Estimate of the magnitude of the terms in residual i: the fluxes, and the part a V U of the time derivative.
struct SizeOfTerms {
  const double *U, *scale, *V;
  double a;
  WEIR_HD double operator()(int i, int cell) const { return U[i] * (scale[cell] + a * V[cell]); }
};

// Sums of squares of equations e and f over all cells.
template <class Space, int n, class Of>
Pair two_squares(int cells, const Of& of, int e, int f) {
  return sum2<Space>(cells, [=] WEIR_HD(int i) {
    const double x = of(n * i + e, i), y = of(n * i + f, i);
    return Pair{x * x, y * y};
  });
}
// Sum of squares of the residual of each equation. For n = 6 the last entry combines k and omega; for n = 4 it is 0.
template <class Space, int n, class Of>
std::array<double, 5> squares(int cells, const Of& of) {
  const Pair a = two_squares<Space, n>(cells, of, 0, 1), b = two_squares<Space, n>(cells, of, 2, 3);
  double last = 0;
  if constexpr (n == 5) last = two_squares<Space, n>(cells, of, n - 1, n - 1).a;
  if constexpr (n == 6) {
    const Pair c = two_squares<Space, n>(cells, of, 4, 5);
    last = c.a + c.b;
  }
  return {a.a, a.b, b.a, b.b, last};
}

// The larger of the relative changes of density and pressure that dU causes, to first order.
WEIR_HD inline double relative_change(const double* U, const double* dU) {
  const double u = U[1] / U[0], v = U[2] / U[0];
  const double p = U[3] - 0.5 * (U[1] * u + U[2] * v);  // without (gamma - 1), which cancels
  const double dp = dU[3] - u * dU[1] - v * dU[2] + 0.5 * (u * u + v * v) * dU[0];
  const double of_rho = absolute(dU[0] / U[0]), of_p = absolute(dp / p);
  // NaN in either change must be returned, because limit_update() tests the result.
  return of_p > of_rho || of_p != of_p ? of_p : of_rho;
}

template <class Space, int n>
double largest_change(View<const double> U, View<const double> dU) {
  const double *u = U.data(), *d = dU.data();
  return max_abs<Space>(U.size() / n, [=] WEIR_HD(int i) { return relative_change(u + n * i, d + n * i); });
}

// trial = U + omega dU (omega: under-relaxation). Returns a cell with non-positive density or pressure; -1: none. The
// turbulence variables k and omega (n = 6) are reduced to no less than a tenth of their values.
template <class Space, int n>
int move(double omega, View<const double> U, View<const double> dU, View<double> trial) {
  const double *u = U.data(), *d = dU.data();
  double* t = trial.data();
  const double bad = max_abs<Space>(U.size() / n, [=] WEIR_HD(int i) {
    for (int e = n * i; e < n * i + n; ++e) t[e] = u[e] + omega * d[e];
    if constexpr (n == 6)
      for (int e = n * i + 4; e < n * i + n; ++e) t[e] = larger_of(t[e], 0.1 * u[e]);
    const double* s = t + n * i;
    const double inner = s[3] - 0.5 * (s[1] * s[1] + s[2] * s[2]) / s[0];
    return s[0] > 0 && inner > 0 ? 0.0 : i + 1.0;
  });
  return static_cast<int>(bad) - 1;
}

template <class Space>
std::unique_ptr<BlockSparse<Space>> jacobian_of(const BlockCsrData& pattern, bool floats) {
  if (floats) return std::make_unique<RoundedCsr<Space>>(pattern);
  return std::make_unique<BlockCsr<Space>>(pattern);
}

template <class Space>
void negate(View<const double> R, View<double> minus_R) {
  scaled<Space>(-1, R, minus_R);
}

}  // namespace

template <class Space>
PseudoTime<Space>::PseudoTime(FlowEquations<Space>& equations, const PseudoTimeOptions& options,
                              StudiedSolver<Space> solver, const BlockCsrData& pattern, const MeshRanks* ranks)
    : equations_(equations),
      options_(options),
      solver_(std::move(solver)),
      ranks_(ranks),
      J_(jacobian_of<Space>(pattern, options.float_jacobian)),
      J_over_ranks_(J_.get()),
      newton_(equations, options.dual_products),
      U_(equations.equations() * static_cast<std::int64_t>(equations.cells())),
      minus_R_(U_.size()),
      dU_(U_.size()),
      trial_(U_.size()),
      trial_R_(U_.size()),
      scale_(equations.cells()) {
  newton_.share_work(trial_, trial_R_);
  if (ranks_) {
    spread_ = std::make_unique<DistributedMatrix<Space>>(ranks_->communicator, *J_, ranks_->nearest, ranks_->coupling(),
                                                         false, false, ranks_->halo);
    spread_->name_rows([this](int row) { return "cell " + std::to_string(ranks_->part.cell[row]); });
    J_over_ranks_ = spread_.get();
    solver_.precondition_each_rank();
  }
  reset_cfl();
}

// l2 norm of the residual of each equation, with the entries of squares().
template <class Space>
template <class Of>
std::array<double, 5> PseudoTime<Space>::norms_of(const Of& of) const {
  const int cells = static_cast<int>(U_.size() / equations_.equations());
  std::array<double, 5> norm =
      with_equations(equations_.equations(), [&](auto n) { return squares<Space, n.value>(cells, of); });
  if (ranks_) ranks_->communicator.sum(norm);
  for (double& n : norm) n = std::sqrt(n);
  return norm;
}
template <class Space>
std::array<double, 5> PseudoTime<Space>::norms(View<const double> R) const {
  return norms_of(Entry{R.data()});
}

// Estimate of the rounding errors of the norms: machine epsilon times the norm of SizeOfTerms.
template <class Space>
std::array<double, 5> PseudoTime<Space>::rounding() {
  equations_.space().time_step_scale(U_, scale_);
  std::array<double, 5> norm =
      norms_of(SizeOfTerms{U_.data(), scale_.data(), equations_.space().volume().data(), equations_.time_factor()});
  for (double& n : norm) n *= std::numeric_limits<double>::epsilon();
  return norm;
}

// The time of the halo exchange is recorded separately.
template <class Space>
template <class F>
void PseudoTime<Space>::timed(Timings& timings, const char* part, const F& body) {
  const double& halo = equations_.space().halo().traffic().seconds;
  const NamedSeconds to = timings.at("flow equations", part);
  const double before = halo;
  {
    SpaceTimer<Space> timer(to);
    body();
  }
  if (!ranks_) return;
  to.seconds -= halo - before;
  timings.at("flow equations", "halo") += halo - before;
}

template <class Space>
void PseudoTime<Space>::resume() {
  was_rejected_ = false;
  equations_.space().set_order(control.order);
  equations_.residual(U_, trial_R_);
  negate<Space>(trial_R_, minus_R_);
}

template <class Space>
void PseudoTime<Space>::start_phase(int order) {
  control.order = order;
  if (options_.line_search) reset_cfl();
  resume();
  control.norm = norms(minus_R_);
  control.reference = std::max(control.norm[3], least_reference);
  control.turbulence_reference = std::max(control.norm[4], least_turbulence_reference);
  control.rounding = rounding();
  control.steps_in_phase = 0;
  solver_.forcing().begin_phase();
}

// The forcing term uses the norm of all residuals, while the run ends on that of energy (or turbulence), see drop().
template <class Space>
void PseudoTime<Space>::set_linear_tolerance() {
  if (was_rejected_) return solver_.forcing().again();
  const double residual = length(control.norm);
  // |R| at which drop() reaches `tolerance`, estimated from the present ratio of the two
  const double goal = drop() > 0 ? residual * options_.tolerance / drop() : 0;
  solver_.forcing().aim(residual, goal);
}

template <class Space>
SolveResult PseudoTime<Space>::solve(Timings& timings) {
  timed(timings, "jacobian", [&] {
    equations_.space().time_step_scale(U_, scale_);  // (4): V/dtau = scale / cfl
    // J = V/dtau I + dR/dU of the first-order scheme
    equations_.matrix(U_, scale_, control.cfl, equations_.time_factor(), *J_);
    if (spread_) equations_.space().couple(spread_->coupling_values());
  });
  setup_seconds_ = 0;
  {
    WaitingTimer<Space> timer(setup_seconds_);
    if (solver_.is_set_up())
      solver_.update(*J_over_ranks_);
    else
      solver_.setup(*J_over_ranks_);
  }
  fill<Space>(0, dU_);
  set_linear_tolerance();
  // A: the same matrix, or products with dR/dU of the scheme itself
  if (options_.matrix_free) newton_.linearise(U_, minus_R_, scale_, control.cfl);
  const Matrix<Space>& A = options_.matrix_free ? newton_ : *J_over_ranks_;
  const SolveResult result = solver_.solve(A, minus_R_, dU_);
  keep_origin();
  return result;
}

template <class Space>
void PseudoTime<Space>::keep_origin() {
  if (solver_.refresh_policy().is_always() || solver_.refresh_policy().age() > 0) return;
  if (origin_.U.size() != U_.size()) origin_.U = Array<double, Space>(U_.size());
  assign<Space>(U_.view(), origin_.U);
  origin_.cfl = control.cfl;
  origin_.time_factor = equations_.time_factor();
  origin_.far_field_time = far_field_time;
}

template <class Space>
void PseudoTime<Space>::resume_preconditioner(Origin origin) {
  origin_ = std::move(origin);
  equations_.space().time_step_scale(origin_.U, scale_);
  equations_.matrix(origin_.U, scale_, origin_.cfl, origin_.time_factor, *J_);
  solver_.resume(*J_over_ranks_);
}

// Equation (3). Rejections can leave the CFL number below cfl_start; each accepted step then at least doubles it, up to
// cfl_start.
template <class Space>
void PseudoTime<Space>::raise_cfl(double ratio, double omega) {
  const double least = std::min(options_.cfl_start, 2 * control.cfl);
  const double growth = omega < 1 ? 1 : options_.growth;
  const CflRamp ramp{options_.exponent_up, options_.exponent_down, least, options_.cfl_max, growth};
  control.cfl = ramp.next(control.cfl, ratio);
}

template <class Space>
bool PseudoTime<Space>::limit_update(Attempt& a) {
  const double change_on_rank =
      with_equations(equations_.equations(), [&](auto n) { return largest_change<Space, n.value>(U_, dU_); });
  const double change = max_over_ranks(equations_.space(), change_on_rank);
  a.not_finite = !std::isfinite(change);
  if (a.not_finite) {
    a.why = "the linear solution has NaN or Inf";
    return false;
  }
  a.omega = std::min(1.0, std::max(options_.relaxation / change, options_.least_relaxation));
  return true;
}

template <class Space>
bool PseudoTime<Space>::move_state(Attempt& a) {
  a.bad_cell =
      with_equations(equations_.equations(), [&](auto n) { return move<Space, n.value>(a.omega, U_, dU_, trial_); });
  if (ranks_) {
    const int bad = a.bad_cell < 0 ? -1 : ranks_->part.cell[a.bad_cell];
    a.bad_cell = static_cast<int>(ranks_->communicator.max(bad));
  }
  if (a.bad_cell >= 0) a.why = "density or pressure is not positive";
  return a.bad_cell < 0;
}

// Line search: halves the update until |R + V/dtau omega dU|, the residual with its pseudo-time term, is at most
// `allowed` times |R^n|. It falls below |R^n| for small omega if dU solves (1) accurately; |R| alone may grow.
template <class Space>
bool PseudoTime<Space>::search_line(Attempt& a, Timings& timings) {
  const int n = equations_.equations();
  constexpr double allowed = 1.01, least = 0.05;
  const double before = norm_before();
  for (;;) {
    // trial_R_ itself is not modified, so that it equals bit for bit what a restarted run evaluates.
    const WithInertia unsteady{trial_R_.data(), scale_.data(), dU_.data(), a.omega / control.cfl};
    const double grown = length(norms_of(unsteady)) / before;
    if (grown <= allowed) return true;
    const double tried = a.omega;
    a.omega *= 0.5;
    if (!(a.omega >= least)) {
      a.why = "line search: with omega = " + std::to_string(tried) + " the residual with its pseudo-time term is " +
              std::to_string(grown) + " times the previous residual (at most " + std::to_string(allowed) + ")";
      return false;
    }
    with_equations(n, [&](auto m) { move<Space, m.value>(a.omega, U_, dU_, trial_); });
    timed(timings, "residual", [&] { equations_.residual(trial_, trial_R_); });
  }
}

// Residuals below their rounding errors may grow.
template <class Space>
double PseudoTime<Space>::norm_before() const {
  return std::max(length(control.norm), length(control.rounding));
}

template <class Space>
bool PseudoTime<Space>::is_small_enough(Attempt& a, const std::array<double, 5>& norm) const {
  const double before = norm_before(), after = length(norm);
  a.not_finite = !std::isfinite(after);
  if (a.not_finite)
    a.why = "the residual has NaN or Inf";
  else if (!options_.line_search && after > options_.largest_growth * before)
    a.why = "the residual grows by a factor of " + std::to_string(after / before);
  return a.why.empty();
}

template <class Space>
void PseudoTime<Space>::accept(const std::array<double, 5>& norm) {
  std::swap(U_, trial_);
  newton_.share_work(trial_, trial_R_);
  negate<Space>(trial_R_, minus_R_);
  control.norm = norm;
  // The energy residual may be zero in the initial state, so the reference is its maximum over the first steps of the
  // phase.
  if (control.steps_in_phase++ < first_steps) {
    control.reference = std::max(control.reference, norm[3]);
    control.turbulence_reference = std::max(control.turbulence_reference, norm[4]);
  }
}

template <class Space>
bool PseudoTime<Space>::update(Attempt& a, Timings& timings) {
  if (!limit_update(a) || !move_state(a)) return false;  // (2)
  timed(timings, "residual", [&] { equations_.residual(trial_, trial_R_); });
  if (options_.line_search && !search_line(a, timings)) return false;
  const std::array<double, 5> norm = norms(trial_R_);
  if (!is_small_enough(a, norm)) return false;
  const double before = norm_before(), after = length(norm);
  accept(norm);
  raise_cfl(after > 0 ? before / after : 1, a.omega);  // (3)
  return true;
}

template <class Space>
Attempt PseudoTime<Space>::attempt(Timings& timings) {
  Attempt a;
  a.cfl = control.cfl;
  a.solve = solve(timings);  // (1), (4)
  if (a.is_interrupted()) return a;
  control.linear_iterations += a.solve.iterations;
  a.accepted = update(a, timings);  // (2), (3)
  was_rejected_ = !a.accepted;
  if (was_rejected_) control.cfl *= options_.rejected_cut;
  return a;
}

template class PseudoTime<Host>;
template class PseudoTime<Device>;

}  // namespace weir
