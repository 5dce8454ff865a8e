// Incompressible flow by a fractional step on a staggered grid, second order in space and time.
//
//   du/dt + div(u u) = -grad p + nu lap u + f,   div u = 0                            (p: over the density)         (1)
//
//   (u* - u^n)/dt + [(1 + r/2) C(u^n) - r/2 C(u^{n-1})] = -grad p^{n-1/2} + nu/2 lap(u* + u^n) + f^{n+1/2},
//        u* = b^{n+1} on the boundaries,   r = dt / dt_before                                                       (2)
//   lap psi = div u*,   dpsi/dn = 0 on the boundaries                                                               (3)
//   u^{n+1} = u* - grad psi                                                                                         (4)
//   p^{n+1/2} = p^{n-1/2} + psi/dt - nu/2 div u*                                                                    (5)
//
// Staggered grid: Harlow & Welch, Phys. Fluids 8 (1965) 2182. Fractional step with Adams-Bashforth and Crank-Nicolson:
// Kim & Moin, J. Comput. Phys. 59 (1985) 308. Incremental pressure: Van Kan, SIAM J. Sci. Stat. Comput. 7 (1986) 870.
// The last term of (5), which makes the pressure second order up to the walls: Brown, Cortez & Minion, J. Comput. Phys.
// 168 (2001) 464. The first step has r = 0 (Euler); a single first-order step does not reduce the order of the scheme.
#pragma once
#include "miniapps/incompressible/projection.hpp"
#include "miniapps/incompressible/scalar.hpp"
#include "miniapps/incompressible/staggered_flow.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"

namespace weir {

// The unknown is the increment u* - u^n, so this relative tolerance is far below the truncation error of a step.
inline constexpr SystemDefaults momentum_system{"momentum", "chebyshev", "jacobi", 1e-6, on_stencil, true};
inline constexpr SystemDefaults pressure_system{"pressure", "fast_poisson", "jacobi", 1e-8, on_stencil, true};

template <class Space>
class FractionalStep : public StaggeredFlow<Space> {
 public:
  // linear: [linear] of the case file
  FractionalStep(const IncompressibleCase& c, const Table& linear) : FractionalStep(c, linear, FlowRanks(c)) {}
  FractionalStep(const IncompressibleCase& c, const Table& linear, const FlowRanks& ranks);

  // Sets u^0 of the case and projects it. Returns false if the projection fails (see pressure().result).
  bool initialise(Timings& timings);

  // Equations (2) to (5). Returns null on success, otherwise the system whose solver failed; the velocity is then u^n
  // (momentum failed) or u* (pressure failed).
  const FlowSystem<Space>* advance(double dt, Timings& timings);
  double rate() const { return Base::steady_rate(scalars_); }

  // The state of StaggeredFlow and of the scalars.
  NamedArrays<Space> state();
  void after_loading();  // recomputes boundary fluxes and matrices from the state

 private:
  using Base = StaggeredFlow<Space>;
  using Base::flow_case_, Base::ranks_, Base::flow_, Base::boundary_, Base::force_, Base::halo_, Base::advection_,
      Base::delta_, Base::psi_, Base::rhs_, Base::systems_, Base::operator_dt_;

  void add_system(const SystemDefaults& system, SeparableOperator op, int component, const Table& linear);
  void set_matrix(FlowSystem<Space>& system, double scale);
  void set_matrices(double dt);  // of (2) and (6)
  View<const double> assemble_momentum_rhs(int component, double dt, bool sides_move);
  // The steps of advance, each with its timer. A pointer is null, or the system that failed.
  bool advance_boundary(double dt, Timings& timings);                     // returns whether the sides' velocity changes
  const FlowSystem<Space>* advance_scalars(double dt, Timings& timings);  // (6) of scalar.hpp
  const FlowSystem<Space>* advance_momentum(double dt, bool sides_move, Timings& timings);  // (2)
  MinusDivergence divergence_of_prediction(bool sides_move, Timings& timings);              // of u*
  void correct(double dt, const MinusDivergence& b, Timings& timings);                      // (4), (5)
  void set_ghosts(Timings& timings);

  std::vector<Scalar<Space>> scalars_;
  Array<double, Space> work_;  // shared by the momentum solvers, which run one after the other
};

}  // namespace weir
