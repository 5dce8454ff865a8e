// Small flows for tests: a case from a text, stepped to a time, its unknowns as plain vectors.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "inputs/case.hpp"
#include "miniapps/incompressible/fractional_step.hpp"
#include "miniapps/structured/diagnostics.hpp"
#include "miniapps/structured/initial.hpp"
#include "tests/support/larger.hpp"

namespace weir::test {
inline namespace incompressible_flow {  // one program may hold the tests of all flow codes

inline const std::string tight_solvers = R"(
[linear.momentum]
method = "cg"
tolerance = 1e-11
[linear.pressure]
method = "fast_poisson"
tolerance = 1e-11
)";

// [time] end is never reached in these tests.
inline std::string text_of(const std::string& grid, const std::string& flow, const std::string& boundary, double dt,
                           const std::string& linear = tight_solvers) {
  return "[grid]\n" + grid + "\n[flow]\n" + flow + "\n[boundary]\n" + boundary +
         "\n[time]\nend = 1000.0\ndt = " + std::to_string(dt) + "\n" + linear;
}

inline const std::string periodic_2d = R"(
x_min = { type = "periodic" }
x_max = { type = "periodic" }
y_min = { type = "periodic" }
y_max = { type = "periodic" })";

inline const std::string cavity_2d = R"(
x_min = { type = "wall" }
x_max = { type = "wall" }
y_min = { type = "wall" }
y_max = { type = "wall", velocity = [1.0, 0.0] })";

inline const std::string cavity_3d = R"(
x_min = { type = "wall" }
x_max = { type = "wall" }
y_min = { type = "wall" }
y_max = { type = "wall", velocity = [1.0, 0.0, 0.5] }
z_min = { type = "wall" }
z_max = { type = "slip" })";

template <class Space>
struct TestFlow {
  explicit TestFlow(const std::string& text)
      : config(read_case_text(text, "test.toml")),
        c(read_incompressible_case(config)),
        step(c, config.table("linear")) {
    EXPECT_TRUE(step.initialise(timings));
  }
  void advance(int steps) { advance(steps, c.time.dt); }
  void advance(int steps, double dt) {
    for (int i = 0; i < steps; ++i) {
      const auto* failed = step.advance(dt, timings);
      ASSERT_EQ(failed, nullptr) << failed->name << ": " << to_string(failed->result.reason);
    }
  }
  // The unknowns of a component, x fastest.
  std::vector<double> unknowns(int component) {
    const Layout& l = step.layout();
    const std::vector<double> padded = step.flow().velocity[component].to_vector();
    const Field<const double> f(padded.data() + l.origin(), l.stride(1), l.stride(2));
    const int first[3] = {component == 0 ? l.first(0) : 0, component == 1 ? l.first(1) : 0,
                          component == 2 ? l.first(2) : 0};
    std::vector<double> v;
    for (int k = first[2]; k < l.n[2]; ++k)
      for (int j = first[1]; j < l.n[1]; ++j)
        for (int i = first[0]; i < l.n[0]; ++i) v.push_back(f(i, j, k));
    return v;
  }
  std::vector<double> all_unknowns() {
    std::vector<double> v;
    for (int e = 0; e < c.dim(); ++e) {
      const auto one = unknowns(e);
      v.insert(v.end(), one.begin(), one.end());
    }
    return v;
  }
  double divergence() { return max_divergence(step.flow(), step.metrics()); }
  double energy() { return kinetic_energy(step.flow(), step.metrics(), c.grid); }

  Table config;
  IncompressibleCase c;
  FractionalStep<Space> step;
  Timings timings;
};

inline double max_difference_of(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double m = 0;
  for (std::size_t i = 0; i < a.size(); ++i) m = test::larger(m, std::abs(a[i] - b[i]));
  return m;
}

inline double l2_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) s += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(s / static_cast<double>(a.size()));
}

}  // namespace incompressible_flow
}  // namespace weir::test
