// Common part of the fractional steps on a staggered grid, with a body in the flow (immersed/immersed_flow.hpp) and
// without (fractional_step.hpp): the state, its boundary values and ghosts, terms of the right-hand side, the linear
// systems.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "miniapps/driver/system_defaults.hpp"
#include "miniapps/driver/value_range.hpp"
#include "miniapps/incompressible/momentum.hpp"
#include "miniapps/structured/boundary.hpp"
#include "miniapps/structured/case.hpp"
#include "miniapps/structured/diagnostics.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"
#include "miniapps/structured/ranks.hpp"
#include "miniapps/structured/sides/force_field.hpp"
#include "miniapps/structured/whole/whole_fields.hpp"
#include "postproc/run/timings.hpp"
#include "solvers/device/space_timer.hpp"

namespace weir {

// A matrix, its solver and the result of the last solve.
template <class Space>
struct FlowSystem {
  // linear: [linear] of the case file
  FlowSystem(const SystemDefaults& system, std::unique_ptr<Matrix<Space>> matrix, const FlowRanks& ranks,
             const Table& linear);
  ~FlowSystem();
  FlowSystem(const FlowSystem&) = delete;
  FlowSystem& operator=(const FlowSystem&) = delete;
  void prepare();  // for the matrix as it is now
  bool solve(View<const double> b, View<double> x);

  std::string name;                       // "momentum", "pressure": [linear.NAME]
  std::unique_ptr<Matrix<Space>> matrix;  // over ranks a distributed one
  const Matrix<Space>& A;
  StudiedSolver<Space> solver;
  SolveResult result;
  double setup_seconds = -1;  // of this step; negative: nothing was set up. Device: known after a later wait
};

template <class Space>
class StaggeredFlow {
 public:
  // max |u* - u^n| / dt of the last step. One pass over the unknowns.
  double rate() const;
  // dt times the largest value of all ranks is the CFL number.
  double courant_rate() const { return weir::courant_rate(flow_, metrics()); }

  double time = 0;
  std::int64_t step = 0;
  double dt_before = 0;  // 0: the next step is the first

  const IncompressibleCase& flow_case() const { return flow_case_; }
  const FlowRanks& ranks() const { return ranks_; }
  const std::string& halo_path() const { return halo_.path(); }
  const Layout& layout() const { return flow_.layout; }  // of this rank
  const Metrics& metrics() const { return metrics_.view(); }
  const Flow<Space>& flow() const { return flow_; }
  Flow<Space>& flow() { return flow_; }
  // Velocity x, y(, z), scalars, pressure.
  std::vector<std::unique_ptr<FlowSystem<Space>>>& systems() { return systems_; }
  FlowSystem<Space>& scalar_equation(std::size_t index) {
    return *systems_[static_cast<std::size_t>(flow_case_.dim()) + index];
  }
  FlowSystem<Space>& pressure() { return *systems_.back(); }

  // All arrays that the next step needs, by name; checkpoints hold these, time, step and dt_before.
  NamedArrays<Space> state();

 protected:
  StaggeredFlow(const IncompressibleCase& c, const FlowRanks& ranks);
  void velocity_changed() {  // fills its ghosts
    halo_.velocity(flow_);
    boundary_.set_ghosts(flow_);
  }
  void pressure_changed() {
    halo_.pressure(flow_);
    pressure_ghosts(flow_);
  }
  // The steady-state criterion is the larger of rate() and the relative change of the scalars per time, times the speed
  // of the flow. In a fluid at rest the speed is diffusivity over the length of the box. steady_relative: see case.cpp.
  template <class Scalars>
  double steady_rate(const Scalars& scalars) const {
    const bool is_relative = flow_case_.time.steady_relative;
    if (scalars.empty() && !is_relative) return StaggeredFlow::rate();
    const double speed = largest_speed(), dt = dt_before > 0 ? dt_before : 1;
    double most = is_relative ? relative_rate(speed) : StaggeredFlow::rate();
    for (const auto& s : scalars) {
      const double scale = is_relative ? 1 : std::max(speed, s.given().diffusivity / box_length());
      most = std::max(most, scale * s.relative_change(flow_, ranks_.communicator()) / dt);
    }
    return most;
  }
  double box_length() const;
  double largest_speed() const;                                  // component of the velocity
  double relative_rate(double speed) const;                      // of velocity and pressure
  MomentumTerms momentum_terms(int component, double dt) const;  // of (2)
  // Solves (2): u* = u^n + delta. rhs(d): right-hand side of component d. label: of the timings. Returns null, or the
  // system that failed.
  template <class Rhs>
  const FlowSystem<Space>* solve_momentum(double dt, const char* label, Timings& timings, const Rhs& rhs) {
    timed<Space>(timings.at(label, "rhs"), [&] { force_.set_time(time + dt / 2); });
    for (int d = 0; d < layout().dim; ++d) {
      const View<const double> b = timed<Space>(timings.at(label, "rhs"), [&] { return rhs(d); });
      if (!systems_[d]->solve(b, delta_[d])) return systems_[d].get();
    }
    SpaceTimer<Space> timer(timings.at(label, "add increment"));
    for (int d = 0; d < layout().dim; ++d) add_increment<Space>(flow_, d, delta_[d]);
    return nullptr;
  }
  void begin_step() {  // no system has been set up in this step yet
    for (auto& system : systems_) system->setup_seconds = -1;
  }
  void end_step(double dt) {
    time += dt;
    dt_before = dt;
    ++step;
  }

  IncompressibleCase flow_case_;
  FlowRanks ranks_;
  MetricArrays<Space> metrics_;
  Flow<Space> flow_;
  BoundaryValues<Space> boundary_;
  ForceField<Space> force_;  // body forces given by formulas
  FlowHalo<Space> halo_;
  std::array<Array<double, Space>, 3> advection_;  // C(u^{n-1})
  std::array<Array<double, Space>, 3> delta_;      // u* - u^n; the next solve starts from the last one's
  Array<double, Space> psi_, rhs_;
  std::vector<std::unique_ptr<FlowSystem<Space>>> systems_;
  double operator_dt_ = 0;  // time step of the velocity matrices
};

}  // namespace weir
