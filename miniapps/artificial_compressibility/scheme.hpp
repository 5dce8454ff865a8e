// Incompressible flow by artificial compressibility with dual time stepping, all unknowns coupled: Chorin, J. Comput.
// Phys. 2 (1967) 12; the scheme of INCOMP3D in Luo et al. 2015. Second order in space and time.
//
//   (1/U^2) dp/dtau + div u = 0
//   du/dtau + du/dt + div(u u) = -grad p + nu lap u + f          (p over the density)                              (1)
//   a time step (BDF2 in t) consists of pseudo-time steps (backward Euler in tau) until d/dtau vanishes:
//     b = -R(x)              face.hpp, equations.hpp                                         RHS of the paper      (2)
//     A = T + J(x)           into a BlockStencil                                             AFILL, TSD            (3)
//     A dx = b               [linear.flow]: block_ilu0 with a Krylov method or `correction`  BILU FACT, SOLV, CORR (4)
//     x += omega dx                                                                                                (5)
//   steady: no du/dt, every step is one pseudo-time step, and the CFL number of tau grows as the residual falls.
//
// turbulence = "k_omega": k and omega are two more unknowns of every cell (turbulence.hpp).
//
// Over ranks (ranks.hpp) an evaluation of (2) exchanges the ghosts of x once, and norms are sums over ranks, so that
// all ranks take the same decisions. A preconditioner without a parallel form is applied by each rank to its own cells.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "miniapps/artificial_compressibility/equations.hpp"
#include "miniapps/artificial_compressibility/ranks.hpp"
#include "miniapps/artificial_compressibility/turbulence.hpp"
#include "miniapps/driver/system_defaults.hpp"
#include "miniapps/structured/coupled_options.hpp"
#include "miniapps/structured/whole/whole_fields.hpp"
#include "postproc/run/timings.hpp"
#include "solvers/distributed/distributed_block_stencil.hpp"

namespace weir {

// The tolerance applies to the update of one pseudo-time step of several, so it can be loose.
inline constexpr SystemDefaults coupled_system{"flow", "gmres", "block_ilu0", 0.1, on_block_stencil, false, true};

// How a step ended.
enum class StepEnd { advanced, converged, linear_failed, not_converged, not_finite };

template <class Space>
class ArtificialCompressibility {
 public:
  // linear: [linear] of the case file.
  ArtificialCompressibility(const IncompressibleCase& c, const Table& linear)
      : ArtificialCompressibility(c, linear, CoupledRanks(c)) {}
  ArtificialCompressibility(const IncompressibleCase& c, const Table& linear, const CoupledRanks& ranks);

  void initialise();  // sets x^0 of the case at time 0

  // One time step, or (steady) one pseudo-time step, which does nothing and returns `converged` once the residual is
  // below the tolerance. after_solve is called after each linear solve; result and setup_seconds are its record.
  StepEnd advance(double dt, Timings& timings, const std::function<void()>& after_solve) {
    return options().steady ? advance_steady(timings, after_solve) : advance_in_time(dt, timings, after_solve);
  }

  double time = 0;
  std::int64_t step = 0;
  double dt_before = 0;  // 0: the next step is the first
  double cfl = 0;        // CFL number of pseudo-time; after a stagnated solve that of the next step
  double residual_before = 0;

  // Results of the last evaluation: residual_norms, and the largest residual in units of U/L and U^2/L.
  double norms[max_coupled_unknowns] = {};
  double largest_residual = 0;
  int sub_iterations = 0;  // of the last step
  SolveResult result;
  double setup_seconds = -1;

  const IncompressibleCase& flow_case() const { return case_; }
  const CoupledOptions& options() const { return case_.coupled; }
  const CoupledRanks& ranks() const { return ranks_; }
  const std::string& halo_path() const { return halo_.path(); }
  const CoupledCells& cells() const { return cells_; }  // of this rank
  CoupledView view();
  StudiedSolver<Space>& solver() { return solver_; }
  const StudiedSolver<Space>& solver() const { return solver_; }
  // The rows of this rank without their coupling to other ranks, and the matrix that is solved with.
  const BlockStencil<Space>& matrix() const { return A_.own(); }
  BlockStencil<Space>& matrix() { return A_.own(); }
  const Matrix<Space>& system() const;
  CoupledField<Space>& field() { return x_; }
  View<const double> minus_residual() const { return b_; }
  std::vector<double> minus_residual_on_host() const { return b_.to_vector(); }

  double rate();  // max |u^{n+1} - u^n| / dt of the last time step

  // Sets the ghosts and evaluates the steady terms of the residual of the current state. of_time: the factor of the new
  // time level in the time derivative, on which the pressure dissipation depends.
  void evaluate_steady(double of_time = 0);
  double factor_of_time() const { return derivative_.s0; }  // of the last step

  // All arrays that the next step needs, by name; checkpoints hold these, time, step, dt_before, cfl and
  // residual_before.
  NamedArrays<Space> state() { return {{"x", &x_.values()}, {"x_before", &x1_.values()}}; }

 private:
  void begin_step(double dt, Timings& timings);
  bool evaluate(Timings& timings);                                               // (2); false: not finite
  bool linear_step(Timings& timings, const std::function<void()>& after_solve);  // (3) to (5); false: the solver failed
  bool is_converged() const { return options().tolerance > 0 && largest_residual <= options().tolerance; }
  void follow_residual();  // of the CFL number
  void cut_cfl_if_stagnated();
  double smallest_cfl() const { return 0.01 * options().cfl_start; }
  bool has_model() const { return case_.turbulence == Turbulence::k_omega; }
  double residual_scale(int unknown) const;  // unit of the norms, from the speed and the length of the case
  StepEnd advance_steady(Timings& timings, const std::function<void()>& after_solve);
  StepEnd advance_in_time(double dt, Timings& timings, const std::function<void()>& after_solve);

  IncompressibleCase case_;
  CoupledRanks ranks_;
  CoupledCells cells_;
  CoupledLines<Space> lines_;
  CoupledField<Space> x_, x1_, x2_;  // present iterate, x^n, x^{n-1}
  Halo<Space> halo_;                 // over ranks
  DistributedBlockStencil<Space> A_;
  Array<double, Space> b_, dx_;
  Array<double, Space> eddy_;  // nu_t of every padded cell, with a turbulence model
  SideWalls walls_;
  StudiedSolver<Space> solver_;
  double length_ = 1;
  // Data of the present step:
  TimeDerivative derivative_;
  SideRules rules_;
  CellForce force_;
};

}  // namespace weir
