// Small flows around bodies for tests: a case from a text, stepped, its state as plain vectors.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "inputs/case.hpp"
#include "miniapps/immersed/case.hpp"
#include "miniapps/immersed/immersed_flow.hpp"
#include "tests/support/case_text.hpp"
#include "tests/support/larger.hpp"

namespace weir::test {
inline namespace immersed_flow {  // one program may hold the tests of all flow codes

inline const std::string tight = R"(
[linear.advection_diffusion]
tolerance = 1e-12
[linear.pressure]
tolerance = 1e-11
)";

// A box of 4 x 4 with free stream U along x on all sides but the outlet.
inline std::string text_of(int cells, double dt, double speed, const std::string& body, double viscosity = 0.05) {
  const std::string n = std::to_string(cells), u = "[" + std::to_string(speed) + ", 0.0]";
  return "[grid]\ncells = [" + n + ", " + n +
         "]\nlength = [4.0, 4.0]\norigin = [-2.0, -2.0]\n[flow]\nviscosity = " + std::to_string(viscosity) +
         "\ninitial = \"uniform\"\ninitial_velocity = " + u +
         "\n[boundary]\nx_min = { type = \"inlet\", velocity = " + u +
         " }\nx_max = { type = \"outlet\" }\ny_min = { type = \"slip\" }\ny_max = { type = \"slip\" }\n[time]\nend = "
         "1000.0\ndt = " +
         std::to_string(dt) + "\n[body]\n" + body + "\n" + tight;
}

inline const std::string fixed_cylinder = "type = \"cylinder\"\ndiameter = 1.0\nposition = [0.03, 0.01]\n";

// The ventricle of left_ventricle.toml on a coarse grid, at the begin of the E wave.
inline const std::string filling_ventricle = R"([grid]
cells = [16, 16, 24]
length = [6.0, 6.0, 9.0]
origin = [-3.0, -3.0, -8.42]
[flow]
viscosity = 0.1
)" + testing::closed_box + R"([time]
end = 0.33
cfl = 0.7
)" + testing::ventricle_body + R"(surface_spacing = 0.4
)" + tight;

template <class Space>
struct TestFlow {
  explicit TestFlow(const std::string& text)
      : config(read_case_text(text, "test.toml")),
        c(read_immersed_case(config)),
        flow(c, read_case_bodies(config, c), config.table("linear")) {
    EXPECT_TRUE(flow.initialise(timings));
  }
  void advance(int steps) {
    for (int i = 0; i < steps; ++i) {
      const auto* failed = flow.advance(c.flow.time.dt, timings);
      ASSERT_EQ(failed, nullptr) << failed->name << ": " << to_string(failed->result.reason);
    }
  }
  std::vector<double> state() {
    std::vector<double> all;
    for (auto& [name, array] : flow.state()) {
      const std::vector<double> one = array->to_vector();
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  double drag() { return flow.surface_force().total(0); }

  Table config;
  ImmersedCase c;
  ImmersedFlow<Space> flow;
  Timings timings;
};

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double m = 0;
  for (std::size_t i = 0; i < a.size(); ++i) m = test::larger(m, std::abs(a[i] - b[i]));
  return m;
}

}  // namespace immersed_flow
}  // namespace weir::test
