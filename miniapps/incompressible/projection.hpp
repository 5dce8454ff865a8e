// The projection of u* to a velocity free of divergence: equations (3) to (5) of fractional_step.hpp.
#pragma once
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"

namespace weir {

struct IncompressibleCase;

// b = -V div u*: minus the volume flux out of each cell,
//   -( (u_{i+1} - u_i) hy hz + (v_{j+1} - v_j) hx hz + (w_{k+1} - w_k) hx hy )
// The result is the right-hand side of (3) and is used again in (5): b must not change in between.
struct MinusDivergence {
  View<const double> values;
};
template <class Space>
MinusDivergence minus_divergence(const Flow<Space>& flow, const Metrics& m, View<double> b);

// u -= grad psi on the faces that are unknowns, e.g. u_i -= (psi_i - psi_{i-1}) / m_i.
template <class Space>
void correct_velocity(const Metrics& m, View<const double> psi, Flow<Space>& flow, const PsiBelow& below = {});

// p += psi/dt - (nu/2) div u*: the rotational form for Crank-Nicolson.
template <class Space>
void update_pressure(const Metrics& m, double dt, double viscosity, View<const double> psi, const MinusDivergence& div,
                     Flow<Space>& flow);

// V (-laplacian) at cell centres, Neumann or periodic.
SeparableOperator pressure_operator(const IncompressibleCase& c);

}  // namespace weir
