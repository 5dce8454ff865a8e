// The momentum equation of one component, integrated over the control volumes of its faces, in delta form
// (equation (2) of fractional_step.hpp; V: volumes, K: the symmetric stiffness V (-laplacian)):
//   (V + dt nu/2 K) (u* - u^n) = dt [ -(1 + r/2) C(u^n) + r/2 C(u^{n-1}) - nu K u^n - V grad p^{n-1/2} + V f ]
// The symmetry-preserving advection of Verstappen & Veldman, J. Comput. Phys. 187 (2003) 343: volume fluxes through the
// faces of the control volume are half the sum of those of the two pressure cells it overlaps, the velocity they carry
// is the plain mean of its neighbours on any stretched grid. C is then skew-symmetric where div u = 0, so that
// advection neither makes nor destroys kinetic energy.
//
//        uN          north flux = 1/2 ( v_NW h_{i-1} + v_NE h_i ) (uP + uN) / 2
//    vNW +  vNE
//  uW   uP   uE      east flux  = 1/2 ( uP + uE ) h_y (uP + uE) / 2
//    vSW +  vSE
//        uS
#pragma once
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"

namespace weir {

struct IncompressibleCase;

struct MomentumTerms {
  double dt = 0, viscosity = 0;
  double now = 1, before = 0;  // Adams-Bashforth weights of C(u^n), C(u^{n-1})
  double force = 0;            // f of this component at the half level
};

// rhs of one component; advection is C(u^{n-1}) on entry and C(u^n) on return. Both have the box of the unknowns.
template <class Space>
void momentum_rhs(const Flow<Space>& flow, const Metrics& m, int component, const MomentumTerms& terms,
                  View<double> advection, View<double> rhs);

// u += delta on the unknowns of a component.
template <class Space>
void add_increment(Flow<Space>& flow, int component, View<const double> delta);

// V + dt nu/2 K of one component.
SeparableOperator momentum_operator(const IncompressibleCase& c, int component, double dt);

}  // namespace weir
