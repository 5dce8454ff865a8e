// Small flows of the compressible miniapp from the text of a case.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "inputs/case.hpp"
#include "miniapps/compressible/compressible.hpp"
#include "miniapps/compressible/flow.hpp"
#include "miniapps/compressible/quantities.hpp"

namespace weir::test {
inline namespace compressible_flow {  // one program may hold the tests of all flow codes

// A circle in a stream on a coarse O-grid: walls, far field, curved quadrilaterals.
inline const std::string circle = R"([mesh]
generator = { type = "cylinder", around = 24, outward = 10, far_field = 10.0 }
[flow]
mach = 0.38
[boundary]
wall = { type = "slip_wall" }
farfield = { type = "farfield" }
)";

// Everything that a run builds, without its records.
template <class Space>
class TestFlow {
 public:
  explicit TestFlow(const std::string& text)
      : config_(read_case_text(text, "case.toml")),
        case_(read_compressible_case(config_)),
        mesh_(read_ordered_mesh(config_, ordering_)),
        boundary_(read_flow_boundary(config_, case_, mesh_)),
        flow_(case_, mesh_, boundary_, config_.table("linear")) {
    take_periods(mesh_, case_);
    flow_.initialise();
    flow_.set_outside(0);
  }
  CompressibleFlow<Space>& operator*() { return flow_; }
  CompressibleFlow<Space>* operator->() { return &flow_; }
  PseudoTime<Space>& pseudo() { return flow_.pseudo; }
  const UnstructuredMesh& mesh() const { return mesh_; }
  const CompressibleCase& flow_case() const { return case_; }
  const Table& config() const { return config_; }
  Attempt attempt() { return flow_.pseudo.attempt(timings_); }
  std::vector<double> state() { return flow_.on_host(); }

  std::map<std::string, double> quantities() {
    const std::vector<double> U = state();
    const std::vector<WallSurface> surfaces = flow_.walls.surfaces(flow_.space, flow_.pseudo.state());
    const Forces forces = flow_.walls.measure(flow_.space, flow_.pseudo.state());
    const FlowFields fields{mesh_, PagedArray(U), case_.gas.gamma, PagedArray({})};
    return flow_quantities(case_, fields, surfaces, forces, flow_.walls.of_walls(), flow_.time);
  }

  // BDF2 steps to the case's end, each solved to the case's tolerance.
  void march() {
    const int steps = static_cast<int>(std::llround(case_.time.end / case_.time.dt));
    for (; flow_.step < steps; ++flow_.step) {
      flow_.time = case_.time.dt * static_cast<double>(flow_.step + 1);
      flow_.set_outside(flow_.time);
      flow_.equations.start_time_step(case_.time.dt, flow_.pseudo.state(), flow_.older, flow_.step == 0);
      flow_.pseudo.reset_cfl();
      flow_.pseudo.start_phase(case_.scheme.order);
      for (int i = 0; i < 20 && flow_.pseudo.drop() > case_.pseudo_time.tolerance; ++i) EXPECT_TRUE(attempt().accepted);
    }
  }

 private:
  Table config_;
  CompressibleCase case_;
  std::string ordering_;
  UnstructuredMesh mesh_;
  std::vector<FlowBoundary> boundary_;
  CompressibleFlow<Space> flow_;
  Timings timings_;
};

}  // namespace compressible_flow
}  // namespace weir::test
