// The temperature: conduction, advection, buoyancy.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>

#include "base/error.hpp"
#include "miniapps/structured/sides/side_surface.hpp"
#include "tests/miniapps/incompressible/order_of_accuracy.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::temperature_test {
namespace {

const std::string tight = tight_solvers + "[linear.temperature]\nmethod = \"cg\"\ntolerance = 1e-12\n";

std::string case_of(const std::string& grid, const std::string& flow, const std::string& temperature,
                    const std::string& boundary, double dt) {
  return text_of(grid, flow + "\n[temperature]\n" + temperature, boundary, dt, tight);
}

// Of the cells, x fastest.
template <class Space>
std::vector<double> temperatures(TestFlow<Space>& f) {
  const Layout& l = f.step.layout();
  const std::vector<double> padded = f.step.flow().scalars.front().to_vector();
  std::vector<double> v;
  l.for_cells([&](int i, int j, int k) { v.push_back(padded[static_cast<std::size_t>(l.padded_index(i, j, k))]); });
  return v;
}

template <class Space>
class Temperatures : public ::testing::Test {};
TYPED_TEST_SUITE(Temperatures, Spaces, SpaceName);

TYPED_TEST(Temperatures, BetweenAGivenOneAndAGivenFluxIsAStraightLine) {
  const std::string boundary =
      "x_min = { type = \"wall\", temperature = 2.0 }\nx_max = { type = \"wall\", heat_flux = 0.6 }\n"
      "y_min = { type = \"wall\" }\ny_max = { type = \"slip\" }\n";
  TestFlow<TypeParam> f(case_of("cells = [6, 3]\nstretching = [\"tanh\", \"uniform\"]", "viscosity = 0.1",
                                "diffusivity = 0.2\ninitial = \"2 + 0.1*y\"", boundary, 0.1));
  f.advance(300);  // the slowest mode dies as exp(-kappa (pi/2)^2 t): 4e-7 of it is left
  const auto T = temperatures(f);
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(T[static_cast<std::size_t>(i)], 2 + 3 * f.c.grid.line[0].centre[static_cast<std::size_t>(i)], 1e-5);
  if constexpr (std::is_same_v<TypeParam, Host>) {
    EXPECT_NEAR(shear_along(f.c, f.step.flow(), 0).scalars[0].mean, -0.6, 1e-5);
    EXPECT_NEAR(shear_along(f.c, f.step.flow(), 1).scalars[0].mean, 0.6, 1e-5);
  }
}

// Between walls of one temperature with a source inside, half of the heat leaves through each: the fluxes are the
// scheme's own, so that the balance holds on any grid.
TEST(Heat, OfASourceLeavesThroughTheWalls) {
  const std::string boundary =
      "x_min = { type = \"periodic\" }\nx_max = { type = \"periodic\" }\n"
      "y_min = { type = \"wall\", temperature = 0.0 }\ny_max = { type = \"wall\", temperature = 0.0 }\n";
  TestFlow<Host> f(case_of("cells = [3, 7]\nstretching = [\"uniform\", \"tanh\"]", "viscosity = 0.1",
                           "diffusivity = 0.1\nsource = 1.0", boundary, 0.5));
  f.advance(200);
  EXPECT_NEAR(shear_along(f.c, f.step.flow(), 2).scalars[0].mean, -0.5, 1e-5);
  EXPECT_NEAR(shear_along(f.c, f.step.flow(), 3).scalars[0].mean, -0.5, 1e-5);
}

// Numbers of a side with reference values, and the mean over what flows through one.
TEST(Heat, OfASideGivesItsNusseltNumberAndItsBulkTemperature) {
  const std::string boundary =
      "x_min = { type = \"inlet\", velocity = [1.0, 0.0], temperature = 2.0 }\nx_max = { type = \"outlet\" }\n"
      "y_min = { type = \"wall\", velocity = [1.0, 0.0], temperature = 2.0 }\n"
      "y_max = { type = \"wall\", velocity = [1.0, 0.0], heat_flux = 0.3 }\n";
  TestFlow<Host> f(case_of("cells = [6, 8]", "viscosity = 0.1\ninitial = \"uniform\"\ninitial_velocity = [1.0, 0.0]",
                           "diffusivity = 0.1\ninitial = 2.0", boundary, 0.05));
  const testing::ScratchFolder folder;
  const std::vector<SideSurface> sides = {{"in", 0}, {"out", 1}, {"hot", 3, 2.0, 0.5, 4.0}};
  f.advance(20);
  const auto q = write_side_surfaces(folder.path(), sides, f.c, f.step.flow());
  EXPECT_NEAR(q.at("in_bulk_temperature"), 2, 1e-12);
  EXPECT_GT(q.at("out_bulk_temperature"), 2.05);
  EXPECT_NEAR(q.at("hot_nusselt"), 0.3 * 0.5 / (0.1 * 4), 1e-9);
  EXPECT_NEAR(mean_fluxes(sides, f.c, f.step.flow()).at("hot_heat_flux"), 0.3, 1e-9);
  for (const auto& [file, head] :
       {std::pair{"hot.csv", "x,shear,p,cf"}, {"hot_heat.csv", "x,heat_flux,nusselt"}, {"in.csv", "y,shear,p"}}) {
    std::ifstream text(folder / file);
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(line, head);
  }
  for (const auto& [name, value] : q) {
    const auto known = quantities_of(sides, f.c);
    EXPECT_NE(std::ranges::find(known, name), known.end()) << name;
  }
}

TEST(Heat, IsSteadyWhereTheTemperatureIs) {
  const std::string boundary =
      "x_min = { type = \"periodic\" }\nx_max = { type = \"periodic\" }\n"
      "y_min = { type = \"wall\", temperature = 1.0 }\ny_max = { type = \"wall\", temperature = 0.0 }\n";
  TestFlow<Host> f(case_of("cells = [3, 8]", "viscosity = 0.1", "diffusivity = 0.1\ninitial = 0.0", boundary, 0.1));
  f.advance(5);
  EXPECT_GT(f.step.rate(), 1e-3);  // a fluid at rest that still warms up
  f.advance(400);
  EXPECT_LT(f.step.rate(), 1e-8);
}

// In other units of length and time the relative rate of velocity, pressure and temperature is the same.
TEST(Heat, ARelativeSteadyRateIsThatOfAllVariablesInAnyUnits) {
  const auto rate_in = [](double length, double time, const std::string& key) {
    const auto text = [](double v) { return std::to_string(v); };
    const double u = length / time, nu = 0.1 * length * u;
    const std::string wall = "{ type = \"wall\" }\n",
                      boundary = "x_min = { type = \"wall\", temperature = 1.0 }\n" +
                                 ("x_max = { type = \"wall\", temperature = 0.0 }\ny_min = " + wall) +
                                 "y_max = " + wall;
    std::string text_of_case =
        case_of("cells = [8, 8]\nlength = [" + text(length) + ", " + text(length) + "]", "viscosity = " + text(nu),
                "diffusivity = " + text(nu) + "\nexpansion = 1.0\ngravity = [0.0, " + text(-u / time) + "]", boundary,
                0.125 * time);
    const auto at = text_of_case.find("[time]\n") + 7;
    TestFlow<Host> f(text_of_case.insert(at, key));
    f.advance(6);
    return f.step.rate() * time;
  };
  const double plain = rate_in(1, 1, ""), relative = rate_in(1, 1, "steady_relative = true\n");
  EXPECT_GT(relative, 1.5 * plain);  // the speed is far below 1
  EXPECT_NEAR(rate_in(4, 0.5, "steady_relative = true\n"), relative, 1e-9 * relative);
  EXPECT_GT(std::abs(rate_in(4, 0.5, "") - plain), 0.1 * plain);
}

// exp(-kappa t) sin(x - t): carried and diffused, exact.
template <class Space>
double wave_error(int n) {
  TestFlow<Space> f(case_of("cells = [" + std::to_string(n) + ", 3]\nlength = [6.283185307179586, 1.0]",
                            "viscosity = 0.1\ninitial = \"uniform\"\ninitial_velocity = [1.0, 0.0]",
                            "diffusivity = 0.3\ninitial = \"sin(x)\"", periodic_2d, 2.0 / n));
  f.advance(n / 2);
  const auto T = temperatures(f);
  double error = 0;
  for (int i = 0; i < n; ++i)
    error =
        larger(error, std::abs(T[static_cast<std::size_t>(i)] -
                               std::exp(-0.3) * std::sin(f.c.grid.line[0].centre[static_cast<std::size_t>(i)] - 1)));
  return error;
}

TYPED_TEST(Temperatures, CarriedAndDiffusedAreOfSecondOrderInSpaceAndTime) {
  EXPECT_NEAR(std::log2(wave_error<TypeParam>(24) / wave_error<TypeParam>(48)), 2, 0.2);
}

// A cavity with a wall whose temperature swings: all of the coupling.
template <class Space>
TestFlow<Space> swinging_cavity(double dt) {
  const std::string boundary =
      "x_min = { type = \"wall\", temperature = \"1 + 0.5*y*sin(5*t)\" }\nx_max = { type = \"wall\", temperature = 0.0 "
      "}\n"
      "y_min = { type = \"wall\", heat_flux = \"0.3*cos(4*t)\" }\ny_max = { type = \"wall\" }\n";
  return TestFlow<Space>(case_of("cells = [8, 7]\nstretching = [\"tanh\", \"uniform\"]", "viscosity = 0.05",
                                 "diffusivity = 0.07\ninitial = \"1 - x\"\nexpansion = 1.0\ngravity = [0.2, -3.0]\n"
                                 "reference = 0.5",
                                 boundary, dt));
}

TEST(Buoyancy, IsOfSecondOrderInTimeWithTemperaturesAndFluxesThatChange) {
  const auto after = [](double dt, int steps) {
    auto f = swinging_cavity<Host>(dt);
    f.advance(steps, dt);
    std::vector<double> all = f.all_unknowns(), T = temperatures(f);
    all.insert(all.end(), T.begin(), T.end());
    return all;
  };
  EXPECT_NEAR(observed_order_in_time(0.04, 10, after), 2, 0.3);
}

TEST(Buoyancy, IsTheSameInBothSpaces) {
  auto host = swinging_cavity<Host>(0.03);
  auto device = swinging_cavity<Device>(0.03);
  host.advance(5);
  device.advance(5);
  EXPECT_LT(max_difference_of(host.all_unknowns(), device.all_unknowns()), 1e-12);
  EXPECT_LT(max_difference_of(temperatures(host), temperatures(device)), 1e-12);
}

// de Vahl Davis 1983, Ra 1000: 1.118; 12 cells a side give it to 2 %.
TEST(Buoyancy, DrivesTheHeatedCavityOfDeVahlDavis) {
  const std::string boundary =
      "x_min = { type = \"wall\", temperature = 1.0 }\nx_max = { type = \"wall\", temperature = 0.0 }\n"
      "y_min = { type = \"wall\" }\ny_max = { type = \"wall\" }\n";
  TestFlow<Host> f(case_of("cells = [12, 12]", "viscosity = 0.71",
                           "diffusivity = 1.0\ninitial = \"1 - x\"\nexpansion = 1.0\ngravity = [0.0, -710.0]\n"
                           "reference = 0.5",
                           boundary, 0.01));
  f.advance(60);
  const double hot = shear_along(f.c, f.step.flow(), 0).scalars[0].mean,
               cold = shear_along(f.c, f.step.flow(), 1).scalars[0].mean;
  EXPECT_NEAR(hot, 1.118, 0.02);
  EXPECT_NEAR(hot, -cold, 1e-3);  // steady
}

TEST(Buoyancy, SidesThatMixTemperaturesAndFluxesOrHaveNoTableAreRefused) {
  const auto refusal = [](const std::string& temperature, const std::string& x_min) {
    try {
      read_incompressible_case(read_case_text(
          text_of("cells = [4, 4]", "viscosity = 0.1\n" + temperature,
                  "x_max = { type = \"outlet\" }\ny_min = { type = \"wall\" }\ny_max = { type = \"wall\" }\nx_min = " +
                      x_min,
                  0.1),
          "case.toml"));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const std::string table = "[temperature]\ndiffusivity = 0.1\n";
  EXPECT_NE(refusal("", "{ type = \"wall\", temperature = 1.0 }").find("needs a table [temperature]"),
            std::string::npos);
  EXPECT_NE(refusal(table, "{ type = \"inlet\", velocity = 1.0 }").find("temperature of the inflow"),
            std::string::npos);
  EXPECT_NE(
      refusal(
          table,
          "[{ type = \"wall\", temperature = 1.0, range = [[0.0, 0.5]] }, { type = \"wall\", range = [[0.5, 1.0]] }]")
          .find("mix prescribed temperature and prescribed flux"),
      std::string::npos);
  EXPECT_EQ(refusal(table, "{ type = \"inlet\", velocity = 1.0, temperature = \"y\" }"), "accepted");
}

}  // namespace
}  // namespace weir::test::temperature_test
