// Velocities and forces by formulas: equal to what numbers say, and Kovasznay's flow in second order.
#include <array>
#include <cmath>
#include <map>

#include "tests/miniapps/incompressible/order_of_accuracy.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::formula_flow_test {
namespace {

template <class Space>
class Formulas : public ::testing::Test {};
TYPED_TEST_SUITE(Formulas, Spaces, SpaceName);

const std::string rest = "x_max = { type = \"outlet\" }\ny_min = { type = \"wall\" }\ny_max = { type = \"wall\" }\n";

TYPED_TEST(Formulas, OfAnOscillatingParabolaGiveTheFlowOfTheKeys) {
  const std::string grid = "cells = [8, 7]\nlength = [2.0, 1.0]\nstretching = [\"uniform\", \"tanh\"]";
  TestFlow<TypeParam> keys(text_of(grid, "viscosity = 0.05",
                                   rest + "x_min = { type = \"inlet\", velocity = [1.5, 0.0], profile = \"parabolic\", "
                                          "modulation = { amplitude = 0.3, angular_frequency = 4.0 } }",
                                   0.02));
  TestFlow<TypeParam> formulas(
      text_of(grid, "viscosity = 0.05",
              rest + "x_min = { type = \"inlet\", velocity = \"6*y*(1 - y)*(1 + 0.3*cos(4*t))\" }", 0.02));
  keys.advance(10);
  formulas.advance(10);
  EXPECT_LT(max_difference_of(keys.all_unknowns(), formulas.all_unknowns()), 1e-13);  // round-off: Gauss is exact here
}

TYPED_TEST(Formulas, OfAForceGiveTheFlowOfTheKeys) {
  const std::string grid = "cells = [6, 8]",
                    table = "{ direction = [1.0, -0.5], mean = 0.2, amplitude = 0.5, angular_frequency = 3.0 }",
                    array = "[\"0.2 + 0.5*cos(3*t)\", \"-0.5*(0.2 + 0.5*cos(3*t))\"]";
  std::array<std::vector<double>, 2> u;
  for (int q = 0; q < 2; ++q) {
    TestFlow<TypeParam> f(text_of(grid, "viscosity = 0.05\nbody_force = " + (q ? array : table), cavity_2d, 0.02));
    f.advance(6);
    u[q] = f.all_unknowns();
  }
  EXPECT_LT(max_difference_of(u[0], u[1]), 1e-14);
}

TYPED_TEST(Formulas, StartTheFlow) {
  TestFlow<TypeParam> words(
      text_of(square(8, 6.283185307179586), "viscosity = 0.05\ninitial = \"taylor_green_2d\"", periodic_2d, 0.02));
  TestFlow<TypeParam> formulas(
      text_of(square(8, 6.283185307179586),
              "viscosity = 0.05\ninitial = \"formula\"\ninitial_velocity = [\"sin(x)*cos(y)\", "
              "\"-cos(x)*sin(y)\"]",
              periodic_2d, 0.02));
  EXPECT_LT(max_difference_of(words.all_unknowns(), formulas.all_unknowns()), 1e-15);
}

// Kovasznay, Proc. Camb. Phil. Soc. 44 (1948) 58, Re 40: the steady flow from the exact one on, u given all round.
std::map<std::string, double> kovasznay_errors(int n) {
  const std::string l = "-0.963740544195769",
                    velocity =
                        "[\"1 - exp(" + l + "*x)*cos(2*pi*y)\", \"" + l + "/(2*pi)*exp(" + l + "*x)*sin(2*pi*y)\"]",
                    given = " = { type = \"inlet\", velocity = " + velocity + " }\n";
  TestFlow<Host> f(text_of(
      "cells = [" + std::to_string(n) + ", " + std::to_string(n) + "]\norigin = [-0.5, -0.5]\nlength = [1.0, 1.0]",
      "viscosity = 0.025\ninitial = \"formula\"\nexact = \"formula\"\nexact_velocity = " + velocity +
          "\nexact_pressure = \"-0.5*exp(2*" + l + "*x)\"",
      "x_min" + given + "x_max" + given + "y_min" + given + "y_max" + given, 0.2 / n));
  f.advance(15 * n);
  EXPECT_LT(f.divergence(), 1e-9);
  return solution_errors(f.c, f.step.flow(), f.step.time, f.c.time.dt);
}

TEST(Kovasznay, VelocityAndPressureAreOfSecondOrder) {
  const auto coarse = kovasznay_errors(12), fine = kovasznay_errors(24);
  for (const char* error : {"error_velocity_l2", "error_pressure_l2"})
    EXPECT_NEAR(std::log2(coarse.at(error) / fine.at(error)), 2, 0.35)
        << error << " " << coarse.at(error) << " " << fine.at(error);
}

}  // namespace
}  // namespace weir::test::formula_flow_test
