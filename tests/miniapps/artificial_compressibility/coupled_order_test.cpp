// Orders of accuracy of the coupled scheme in space and time.
#include <numbers>

#include "tests/miniapps/artificial_compressibility/coupled_case.hpp"
#include "tests/miniapps/incompressible/order_of_accuracy.hpp"

namespace weir::test::coupled_order_test {
namespace {

constexpr double order_interval = 0.15;

// Far below the differences looked at: errors in space are above 1e-4, those between time steps above 1e-6.
const std::string fine_sub_iterations = "[pseudo_time]\ntolerance = 1e-9\nmax_steps = 60\n";
const std::string coarse_sub_iterations = "[pseudo_time]\ntolerance = 1e-7\nmax_steps = 60\n";

std::map<std::string, double> taylor_green_errors(const std::string& grid, const std::string& boundary, double dt,
                                                  int steps, const std::string& velocity) {
  TestCoupled<Host> f(coupled_text(grid,
                                   "viscosity = 0.05\ninitial = \"taylor_green_2d\"\ninitial_velocity = " + velocity,
                                   boundary, dt, coarse_sub_iterations));
  f.advance(steps);
  return f.errors();
}

TEST(CoupledOrder, TaylorGreenCarriedThroughAPeriodicBoxIsSecondOrderInSpaceAndTimeTogether) {
  std::vector<double> velocity, pressure;
  for (int level = 0; level < 3; ++level) {
    const auto e = taylor_green_errors(square(12 << level, 2 * std::numbers::pi), periodic_2d, 0.06 / (1 << level),
                                       6 << level, "[1.0, 0.5]");
    velocity.push_back(e.at("error_velocity_l2"));
    pressure.push_back(e.at("error_pressure_l2"));
  }
  RecordProperty("velocity", std::to_string(std::log2(velocity[1] / velocity[2])));
  EXPECT_NEAR(std::log2(velocity[1] / velocity[2]), 2, order_interval);
  EXPECT_NEAR(std::log2(pressure[1] / pressure[2]), 2, order_interval);
}

TEST(CoupledOrder, TaylorGreenBetweenSlipWallsOnAStretchedGridIsSecondOrderInSpace) {
  std::vector<double> error;
  for (int level = 0; level < 3; ++level)  // time steps so small that their error does not show
    error.push_back(taylor_green_errors(square(12 << level, std::numbers::pi, two_sided_stretching), slip_2d, 0.01, 10,
                                        "[0.0, 0.0]")
                        .at("error_velocity_l2"));
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, order_interval);
  EXPECT_NEAR(std::log2(error[1] / error[2]), 2, order_interval);
}

double order_in_time(const std::string& grid, const std::string& flow, const std::string& boundary, double dt,
                     int steps) {
  return observed_order_in_time(dt, steps, [&](double small_dt, int more_steps) {
    TestCoupled<Host> f(coupled_text(grid, flow, boundary, small_dt, fine_sub_iterations));
    f.advance(more_steps, small_dt);
    return f.velocities();
  });
}

TEST(CoupledOrder, TaylorGreenCarriedThroughAPeriodicBoxIsSecondOrderInTime) {
  EXPECT_NEAR(order_in_time(square(16, 2 * std::numbers::pi),
                            "viscosity = 0.05\ninitial = \"taylor_green_2d\"\ninitial_velocity = [1.0, 0.5]",
                            periodic_2d, 0.02, 20),
              2, order_interval);
}

TEST(CoupledOrder, ACavityWhoseLidOscillatesFromRestIsSecondOrderInTime) {
  EXPECT_NEAR(order_in_time(square(10, 1), "viscosity = 0.05", oscillating_lid_2d, 0.005, 60), 2, order_interval);
}

}  // namespace
}  // namespace weir::test::coupled_order_test
