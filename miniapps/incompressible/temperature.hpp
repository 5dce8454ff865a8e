// The temperature T of a flow on a staggered grid, at cell centres, second order in space and time:
//
//   (T^{n+1} - T^n)/dt + [(1 + r/2) C(T^n) - r/2 C(T^{n-1})] = kappa/2 lap(T^{n+1} + T^n),   r = dt / dt_before       (6)
//
// C: fluxes through the faces of a cell, with the plain mean of both cells (Verstappen & Veldman's advection, momentum.hpp). The
// momentum equation feels the buoyancy of (T^n + T^{n+1})/2. On the sides T or its flux is given (sides/patch.hpp); through an
// outlet it leaves without diffusing.
#pragma once
#include <utility>
#include <vector>

#include "miniapps/structured/case.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"
#include "miniapps/structured/ranks.hpp"
#include "miniapps/structured/sides/plane.hpp"
#include "miniapps/structured/whole_fields.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"

namespace weir {

template <class Space>
class Temperature {
 public:
  // Allocates nothing where the case has none. The case and the ranks' halo must outlive this.
  Temperature(const IncompressibleCase& c, const Metrics& metrics, const FlowRanks& ranks, FlowHalo<Space>& halo);

  // C = sum of u (T_face - T), as beside a body the nodes' velocities are not free of divergence in a cell that it cuts.
  void use_advective_form() { advective_ = true; }
  bool exists() const { return c_.temperature.exists; }
  void initialise(Flow<Space>& flow, double t);
  // Right-hand side of (6) in delta form, integrated over the cells, with the sides' values at t and t + dt.
  void rhs(const Flow<Space>& flow, double t, double dt, double dt_before, View<double> b);
  // T^{n+1} and the buoyancy's mean from delta(), and their ghosts.
  void add_increment(Flow<Space>& flow);
  // rhs of a velocity component += dt V (-expansion (T - reference) gravity).
  void add_buoyancy(int component, double dt, View<double> rhs) const;
  // What a checkpoint holds; nothing where there is none.
  void add_state(Flow<Space>& flow, NamedArrays<Space>& to) {
    if (!exists()) return;
    to.emplace_back("temperature", &flow.temperature);
    to.emplace_back("advection_temperature", &advection_);
    to.emplace_back("delta_temperature", &delta_);
  }
  void after_loading(Flow<Space>& flow, double t);

  Array<double, Space>& delta() { return delta_; }
  Array<double, Space>& advection() { return advection_; }

 private:
  void evaluate_sides(double t, Array<double, Space>& into);
  void set_ghosts(Flow<Space>& flow);

  const IncompressibleCase& c_;
  Metrics m_;
  Layout l_;
  bool advective_ = false;
  FlowHalo<Space>& halo_;
  BoundaryPlanes planes_;
  std::vector<int> owner_;
  std::vector<double> host_;
  Array<double, Space> now_, next_;                // what the sides say: T, or its flux into the fluid
  Array<double, Space> delta_, advection_, mean_;  // mean_: (T^n + T^{n+1})/2, padded
};

// V + dt kappa/2 K: shift and scale as momentum_operator's.
SeparableOperator temperature_operator(const IncompressibleCase& c, double dt);

}  // namespace weir
