// Orders of accuracy in space and time, against exact solutions and by Richardson's differences.
#include <numbers>

#include "tests/miniapps/incompressible/order_of_accuracy.hpp"

namespace weir::test::order_test {
namespace {

// Between two refinements by 2, away from round-off: what issue and cases promise.
constexpr double order_interval = 0.1;

std::map<std::string, double> taylor_green_errors(const std::string& grid, const std::string& boundary, double nu,
                                                  double dt, int steps, const std::string& velocity) {
  TestFlow<Host> f(text_of(
      grid, "viscosity = " + std::to_string(nu) + "\ninitial = \"taylor_green_2d\"\ninitial_velocity = " + velocity,
      boundary, dt));
  f.advance(steps);
  return solution_errors(f.c, f.step.flow(), f.step.time, f.step.dt_before);
}

TEST(Order, TaylorGreenCarriedThroughAPeriodicBoxIsSecondOrderInSpaceAndTimeTogether) {
  std::vector<double> velocity, pressure;
  for (int level = 0; level < 3; ++level) {
    const int n = 16 << level;
    const auto e = taylor_green_errors(square(n, 2 * std::numbers::pi), periodic_2d, 0.05, 0.04 / (1 << level),
                                       10 << level, "[1.0, 0.5]");
    velocity.push_back(e.at("error_velocity_l2"));
    pressure.push_back(e.at("error_pressure_l2"));
  }
  EXPECT_NEAR(std::log2(velocity[1] / velocity[2]), 2, order_interval);
  EXPECT_NEAR(std::log2(pressure[1] / pressure[2]), 2, order_interval);
}

TEST(Order, TaylorGreenBetweenSlipWallsOnAStretchedGridIsSecondOrderInSpace) {
  std::vector<double> error;
  for (int level = 0; level < 3; ++level)  // a time step so small that its error does not show
    error.push_back(taylor_green_errors(square(16 << level, std::numbers::pi, two_sided_stretching), slip_2d, 0.05,
                                        0.002, 50, "[0.0, 0.0]")
                        .at("error_velocity_l2"));
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, order_interval);
  EXPECT_NEAR(std::log2(error[1] / error[2]), 2, order_interval);
}

double order_in_time(const std::string& grid, const std::string& flow, const std::string& boundary, double dt,
                     int steps) {
  return observed_order_in_time(dt, steps, [&](double small_dt, int more_steps) {
    TestFlow<Host> f(text_of(grid, flow, boundary, small_dt));
    f.advance(more_steps, small_dt);
    return f.all_unknowns();
  });
}

TEST(Order, TaylorGreenCarriedThroughAPeriodicBoxIsSecondOrderInTime) {
  EXPECT_NEAR(order_in_time(square(24, 2 * std::numbers::pi),
                            "viscosity = 0.05\ninitial = \"taylor_green_2d\"\ninitial_velocity = [1.0, 0.5]",
                            periodic_2d, 0.02, 20),
              2, order_interval);
}

TEST(Order, ACavityWhoseLidOscillatesFromRestIsSecondOrderInTime) {
  EXPECT_NEAR(order_in_time(square(16, 1), "viscosity = 0.05", oscillating_lid_2d, 0.01, 40), 2, order_interval);
}

}  // namespace
}  // namespace weir::test::order_test
