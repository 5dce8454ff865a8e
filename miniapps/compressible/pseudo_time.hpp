// Backward Euler in pseudo-time with a residual-driven CFL number: Kashi & Nadarajah 2020, section 2.
//   (V / dtau I + dR/dU) dU = -R(U)                                                                            (1)
//   U <- U + omega dU                                                                                          (2)
//   cfl <- clamp(g cfl (|R^n| / |R^{n+1}|)^r, min(cfl_start, 2 cfl), cfl_max),                                 (3)
//       r = exponent_down if the ratio exceeds 1, else exponent_up;   g = growth if omega = 1, else 1
//   dtau_i = cfl V_i / sum over the faces of area * eigenvalue                                                 (4)
// omega = min(1, max(relaxation / c, least_relaxation)), c: the largest relative change of density or pressure that dU
// causes. The norm in (3) is that of all equations.
// A step is rejected if density or pressure become negative, or if the residual is not finite or grows by more than
// `largest_growth`: the state is kept, the CFL number is reduced, and the step is repeated. With `line_search` the
// residual may grow by any factor, and omega is halved until |R(U + omega dU) + V / dtau omega dU| <= 1.01 |R(U)|; the
// step is rejected if omega falls below 0.05.
// In (1) the Jacobian is that of the first-order scheme, or, with jacobian = "matrix_free", of the scheme itself.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "miniapps/compressible/case.hpp"
#include "miniapps/compressible/discretisation/mesh_ranks.hpp"
#include "miniapps/compressible/flow_equations.hpp"
#include "postproc/run/timings.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/studied_solver.hpp"

namespace weir {

// Controller state from one step to the next, saved in checkpoints.
struct PseudoTimeControl {
  int order = 1;
  double cfl = 0;
  double reference = 0;  // largest energy residual of the first steps of the phase
  int steps_in_phase = 0;
  double turbulence_reference = 0;     // largest turbulence residual of the first steps of the phase
  std::array<double, 5> norm{};        // current residual of each flow equation and of the turbulence model
  std::array<double, 5> rounding{};    // rounding error of `norm` at the start of the phase
  std::int64_t linear_iterations = 0;  // cumulative, rejected attempts included
};

struct Attempt {
  bool accepted = false;
  std::string why;  // reason for a rejection
  bool not_finite = false;
  int bad_cell = -1;  // cell of the whole mesh that caused the rejection; -1: unknown
  double cfl = 0, omega = 0;
  int rejections = 0;  // number of rejections of the current step, counted by the run
  SolveResult solve;
  bool is_interrupted() const { return solve.reason == Reason::interrupted; }
};

template <class Space>
class PseudoTime {
 public:
  // ranks: null for one rank. Both must outlive this.
  PseudoTime(FlowEquations<Space>& equations, const PseudoTimeOptions& options, StudiedSolver<Space> solver,
             const BlockCsrData& pattern, const MeshRanks* ranks = nullptr);

  Array<double, Space>& state() { return U_; }
  View<const double> minus_residual() const { return minus_R_; }
  PseudoTimeControl control;

  void resume();                // evaluates the residual with the order in `control`, after a restart
  void start_phase(int order);  // evaluates the residual and sets the references in `control`
  // Sets the CFL number for the start of a run or of a time step.
  void reset_cfl() { control.cfl = options_.cfl_start; }

  Attempt attempt(Timings& timings);  // (1) to (4)
  // True if rejections have reduced the CFL number to where explicit steps are stable: a smaller one cannot help.
  bool has_collapsed() const { return control.cfl < 1e-5 * std::min(options_.cfl_start, 1.0); }
  // Reduction of the energy residual, or of that of the turbulence model if it has fallen less. 0: the residual is at
  // the level of rounding errors, as in an exact steady state.
  double drop() const {
    const double energy = reduction(3, control.reference);
    return control.norm[4] > 0 ? std::max(energy, reduction(4, control.turbulence_reference)) : energy;
  }
  // Lower bounds of the references of drop(). With those of an earlier run, a run that starts from its converged state
  // is converged at once.
  double least_reference = 0, least_turbulence_reference = 0;

  StudiedSolver<Space>& solver() { return solver_; }
  const StudiedSolver<Space>& solver() const { return solver_; }
  double setup_seconds() const { return setup_seconds_; }
  // For [linear.flow] refresh other than "always": the state from which the preconditioner's matrix was assembled, so
  // that a restarted run can build it again.
  struct Origin {
    Array<double, Space> U;
    double cfl = 0, time_factor = 0, far_field_time = 0;  // time_factor: of BDF2
  };
  const Origin& origin() const { return origin_; }
  void resume_preconditioner(Origin origin);      // the far-field states must be those at origin.far_field_time
  double far_field_time = 0;                      // time of the current far-field states
  BlockSparse<Space>& jacobian() { return *J_; }  // with ranks: rows of own cells

 private:
  template <class F>
  void timed(Timings& timings, const char* part, const F& body);
  double reduction(std::size_t equation, double reference) const {
    return control.norm[equation] > control.rounding[equation] ? control.norm[equation] / reference : 0;
  }
  std::array<double, 5> rounding();
  std::array<double, 5> norms(View<const double> R) const;
  template <class Of>
  std::array<double, 5> norms_of(const Of& of) const;
  SolveResult solve(Timings& timings);  // (1)
  void set_linear_tolerance();
  void keep_origin();
  // (2), (3). Here and in the parts below, false means rejected, with the reason in `attempt`.
  bool update(Attempt& attempt, Timings& timings);
  bool limit_update(Attempt& attempt);                                              // sets omega
  bool move_state(Attempt& attempt);                                                // trial_ = U + omega dU
  bool search_line(Attempt& attempt, Timings& timings);                             // lowers omega
  bool is_small_enough(Attempt& attempt, const std::array<double, 5>& norm) const;  // norm: of R(trial_)
  void accept(const std::array<double, 5>& norm);                                   // U <- trial_
  double norm_before() const;                                                       // |R^n|
  void raise_cfl(double ratio, double omega);                                       // (3)

  FlowEquations<Space>& equations_;
  PseudoTimeOptions options_;
  StudiedSolver<Space> solver_;
  const MeshRanks* ranks_;
  std::unique_ptr<BlockSparse<Space>> J_;
  std::unique_ptr<DistributedMatrix<Space>> spread_;  // with ranks: J and its coupling
  const Matrix<Space>* J_over_ranks_;
  MatrixFreeJacobian<Space> newton_;
  Array<double, Space> U_, minus_R_, dU_, trial_, trial_R_, scale_;
  Origin origin_;
  double setup_seconds_ = 0;
  bool was_rejected_ = false;  // whether the last attempt was rejected
};

}  // namespace weir
