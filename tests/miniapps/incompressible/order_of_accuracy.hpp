// Shared by the tests of the schemes' orders: grids, sides, and Richardson's differences in time.
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "tests/miniapps/incompressible/flow_case.hpp"

namespace weir::test {

inline std::string square(int n, double length, const std::string& stretching = "") {
  const std::string cells = std::to_string(n), side = std::to_string(length);
  return "cells = [" + cells + ", " + cells + "]\nlength = [" + side + ", " + side + "]\n" + stretching;
}

inline const std::string two_sided_stretching =
    "stretching = [{ type = \"tanh\", factor = 1.0 }, { type = \"tanh_low\", factor = 0.8 }]";

inline const std::string slip_2d = R"(
x_min = { type = "slip" }
x_max = { type = "slip" }
y_min = { type = "slip" }
y_max = { type = "slip" })";

inline const std::string oscillating_lid_2d = R"(
x_min = { type = "wall" }
x_max = { type = "wall" }
y_min = { type = "wall" }
y_max = { type = "wall", velocity = [1.0, 0.0], modulation = { mean = 0.5, amplitude = -0.5, angular_frequency = 6.0 } })";

// |u(dt) - u(dt/2)| / |u(dt/2) - u(dt/4)| -> 2^order on one grid. unknowns_after(dt, steps): of a run from the start.
template <class F>
double observed_order_in_time(double dt, int steps, const F& unknowns_after) {
  std::vector<std::vector<double>> u;
  for (int level = 0; level < 3; ++level) u.push_back(unknowns_after(dt / (1 << level), steps << level));
  return std::log2(l2_difference(u[0], u[1]) / l2_difference(u[1], u[2]));
}

}  // namespace weir::test
