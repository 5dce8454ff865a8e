// A scalar T (the temperature or another one) of a flow on a staggered grid, at cell centres, second order in space and
// time:
//
//   (T^{n+1} - T^n)/dt + [(1 + r/2) C(T^n) - r/2 C(T^{n-1})] = kappa/2 lap(T^{n+1} + T^n) + s^{n+1/2},
//        r = dt / dt_before                                                                                         (6)
//
// C: fluxes through the faces of a cell, with the plain mean of both cells (advection of Verstappen & Veldman,
// momentum.hpp). The momentum equation contains the buoyancy of (T^n + T^{n+1})/2. On the sides T or its flux is given
// (sides/patch.hpp); an outlet has no diffusive flux.
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/driver/system_defaults.hpp"
#include "miniapps/structured/case.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"
#include "miniapps/structured/ranks.hpp"
#include "miniapps/structured/sides/plane.hpp"
#include "miniapps/structured/whole/whole_fields.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"

namespace weir {

template <class Space>
class Scalar {
 public:
  // Number `index` of the case and of the flow. The case and the ranks' halo must outlive this.
  Scalar(const IncompressibleCase& c, std::size_t index, const Metrics& metrics, const FlowRanks& ranks,
         FlowHalo<Space>& halo);

  // C = sum of u (T_face - T): the node velocities are not free of divergence in a cell that a body cuts.
  void use_advective_form() { advective_ = true; }
  const ScalarCase& given() const { return c_.scalars[index_]; }
  void initialise(Flow<Space>& flow, double t);
  // Right-hand side of (6) in delta form, integrated over the cells, with the sides' values at t and t + dt.
  void rhs(const Flow<Space>& flow, double t, double dt, double dt_before, View<double> b);
  // T^{n+1} and the buoyancy's mean from delta(), and their ghosts.
  void add_increment(Flow<Space>& flow);
  // rhs of a velocity component += dt V (-expansion (T - reference) gravity).
  void add_buoyancy(int component, double dt, View<double> rhs) const;
  // The arrays of a checkpoint.
  void add_state(Flow<Space>& flow, NamedArrays<Space>& to) {
    const std::string name = (given().is_temperature() ? "" : "scalar_") + given().name;
    to.emplace_back(name, &flow.scalars[index_]);
    to.emplace_back("advection_" + name, &advection_);
    to.emplace_back("delta_" + name, &delta_);
  }
  void after_loading(Flow<Space>& flow, double t);
  // The largest change of the last step over the largest deviation from the mean, of all ranks.
  double relative_change(const Flow<Space>& flow, const Communicator& ranks) const;

  Array<double, Space>& delta() { return delta_; }
  Array<double, Space>& advection() { return advection_; }

 private:
  void evaluate_sides(double t, Array<double, Space>& into);
  void set_ghosts(Flow<Space>& flow);

  void add_source(double t, double dt, View<double> b);

  const IncompressibleCase& c_;
  std::size_t index_;
  Metrics m_;
  Layout l_;
  bool advective_ = false;
  FlowHalo<Space>& halo_;
  BoundaryPlanes planes_;
  std::vector<int> owner_;
  std::vector<double> host_, source_values_;
  Array<double, Space> now_, next_;                // values on the sides: T, or its flux into the fluid
  Array<double, Space> delta_, advection_, mean_;  // mean_: (T^n + T^{n+1})/2, padded
  Array<double, Space> source_;                    // source in the cells; empty until it is needed
};

// Makes the scalars of the case; `flow` must have their fields.
template <class Space>
std::vector<Scalar<Space>> make_scalars(const IncompressibleCase& c, const Metrics& metrics, const FlowRanks& ranks,
                                        FlowHalo<Space>& halo, Flow<Space>& flow);

// V + dt kappa/2 K: shift and scale as momentum_operator's.
SeparableOperator scalar_operator(const IncompressibleCase& c, std::size_t index, double dt);

// [linear.NAME], without a body in the flow. The case must outlive it.
inline SystemDefaults scalar_system(const ScalarCase& s) {
  return {s.name.c_str(), "chebyshev", "jacobi", 1e-8, on_stencil, true};
}

}  // namespace weir
