// Incompressible flow by a fractional step on a staggered grid, second order in space and time.
//
//   du/dt + div(u u) = -grad p + nu lap u + f,   div u = 0                            (p: over the density)          (1)
//
//   (u* - u^n)/dt + [(1 + r/2) C(u^n) - r/2 C(u^{n-1})] = -grad p^{n-1/2} + nu/2 lap(u* + u^n) + f^{n+1/2},
//        u* = b^{n+1} on the boundaries,   r = dt / dt_before                                                        (2)
//   lap psi = div u*,   dpsi/dn = 0 on the boundaries                                                                (3)
//   u^{n+1} = u* - grad psi                                                                                          (4)
//   p^{n+1/2} = p^{n-1/2} + psi/dt - nu/2 div u*                                                                     (5)
//
// Staggered grid: Harlow & Welch, Phys. Fluids 8 (1965) 2182. Fractional step with Adams-Bashforth and Crank-Nicolson:
// Kim & Moin, J. Comput. Phys. 59 (1985) 308. Incremental pressure: Van Kan, SIAM J. Sci. Stat. Comput. 7 (1986) 870.
// The last term of (5), which makes the pressure second order up to the walls: Brown, Cortez & Minion, J. Comput. Phys.
// 168 (2001) 464. The first step has r = 0 (Euler), one step of first order, which leaves the whole second order.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/structured/boundary.hpp"
#include "miniapps/structured/case.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"
#include "miniapps/incompressible/momentum.hpp"
#include "miniapps/structured/ranks.hpp"
#include "postproc/run/timings.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"

namespace weir {

// What [linear.SYSTEM] method is where the case file does not say.
inline constexpr const char* default_momentum_method = "chebyshev";
inline constexpr double default_momentum_tolerance = 1e-6;  // of an increment: far below the step's truncation error
inline constexpr const char* default_pressure_method = "fast_poisson";

// A matrix, its solver and what its last solve gave.
template <class Space>
struct FlowSystem {
  // component: 3 for the pressure
  FlowSystem(std::string system, SeparableOperator op, int component, const FlowRanks& ranks, LinearSolver<Space> with);
  void set_coefficients(double shift, double scale) { separable_->set_coefficients(shift, scale); }
  std::string name;  // "momentum" or "pressure": [linear.NAME]

 private:
  template <class Stencil>
  void take(std::unique_ptr<Stencil> stencil) {
    separable_ = stencil.get();
    matrix_ = std::move(stencil);
  }
  std::unique_ptr<Matrix<Space>> matrix_;  // a SeparableStencil, or where there are ranks a DistributedStencil
  ChebyshevPasses<Space>* separable_ = nullptr;

 public:
  const Matrix<Space>& A;
  LinearSolver<Space> solver;
  SolveResult result;
  double setup_seconds = -1;  // of this step; negative: nothing was set up
};

// From [linear.momentum] and [linear.pressure] of the table [linear].
template <class Space>
LinearSolver<Space> momentum_solver(const Table& linear);
template <class Space>
LinearSolver<Space> pressure_solver(const Table& linear);

template <class Space>
class FractionalStep {
 public:
  FractionalStep(const IncompressibleCase& c, const Table& linear);  // linear: [linear] of the case file
  FractionalStep(const IncompressibleCase& c, const Table& linear, const FlowRanks& ranks);

  // Sets u^0 by the case, free of divergence. False: the projection failed (see pressure().result).
  bool initialise(Timings& timings);

  // Equations (2) to (5). Null where all went well, else the system whose solver failed; the flow is then what it was
  // (momentum) or u* (pressure).
  const FlowSystem<Space>* advance(double dt, Timings& timings);

  // max |u* - u^n| / dt of the last step: what `steady_tolerance` looks at. One pass over the unknowns.
  double rate() const;

  double time = 0;
  std::int64_t step = 0;
  double dt_before = 0;  // 0: the next step is the first

  const IncompressibleCase& flow_case() const { return case_; }
  const FlowRanks& ranks() const { return ranks_; }
  Traffic traffic() const { return halo_.traffic(); }  // of the fields; the systems' is theirs
  const std::string& halo_path() const { return halo_.path(); }
  const Layout& layout() const { return flow_.layout; }  // of this rank
  const Metrics& metrics() const { return metrics_.view(); }
  const Flow<Space>& flow() const { return flow_; }
  Flow<Space>& flow() { return flow_; }
  std::vector<std::unique_ptr<FlowSystem<Space>>>& systems() { return systems_; }  // momentum x, y(, z), pressure
  FlowSystem<Space>& pressure() { return *systems_.back(); }

  // Everything the next step needs, by name: checkpoints write and read these, with time, step and dt_before.
  std::vector<std::pair<std::string, Array<double, Space>*>> state();
  void after_loading();  // what follows from the state: boundary fluxes

  std::int64_t bytes() const;  // of the arrays above and the work vectors here, without the solvers'

 private:
  FractionalStep(const IncompressibleCase& c, const Table& linear, std::unique_ptr<Communicator> alone);
  void fill_ghosts();
  void prepare_momentum(double dt);
  MomentumTerms momentum_terms(int component, double dt) const;

  std::unique_ptr<Communicator> alone_;  // where no ranks were given
  IncompressibleCase case_;
  FlowRanks ranks_;
  MetricArrays<Space> metrics_;
  Flow<Space> flow_;
  BoundaryValues<Space> boundary_;
  FlowHalo<Space> halo_;
  std::array<Array<double, Space>, 3> advection_;  // C(u^{n-1})
  std::array<Array<double, Space>, 3> delta_;      // u* - u^n; the next solve starts from the last one's
  Array<double, Space> psi_, rhs_;
  Array<double, Space> work_;  // lent to the momentum solvers, which take turns
  std::vector<std::unique_ptr<FlowSystem<Space>>> systems_;
  double operator_dt_ = 0;
};

}  // namespace weir
