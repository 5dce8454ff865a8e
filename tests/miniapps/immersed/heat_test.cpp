// Heat around bodies: conduction around a cylinder, exact, and the same flow in both spaces.
#include <map>

#include "flow_case.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::heat_test {
namespace {

// T = ln(2 r): 0 on a cylinder of radius 1/2 and given on the sides of a box of fluid at rest; the slope on the
// cylinder is 2.
std::string conduction(int cells, const std::string& body) {
  const std::string n = std::to_string(cells), t = "temperature = \"0.5*ln(4*(x^2 + y^2))\" }\n";
  std::string sides;
  for (const char* side : {"x_min", "x_max", "y_min", "y_max"})
    sides += std::string(side) + " = { type = \"wall\", " + t;
  return "[grid]\ncells = [" + n + ", " + n +
         "]\nlength = [3.0, 3.0]\norigin = [-1.53, -1.48]\n[flow]\nviscosity = 1.0\n"
         "[temperature]\ndiffusivity = 1.0\n[boundary]\n" +
         sides +
         "[time]\nend = 10.0\ndt = 0.05\n[body]\n"
         "type = \"cylinder\"\ndiameter = 1.0\nposition = [0.0, 0.0]\n" +
         body + tight + "[linear.temperature]\ntolerance = 1e-12\n";
}

struct Errors {
  double flux, temperature;
};
Errors conduction_errors(int cells, const std::string& body) {
  TestFlow<Host> t(conduction(cells, body));
  t.advance(40);
  const SurfaceScalar s = t.flow.surface_scalar(0);
  return {std::abs(s.flux / s.area + 2), std::abs(s.value / s.area)};
}

// Order 1.4 on 5 to 21 cells per diameter (docs/results/cases.md).
TEST(ImmersedHeat, OfConductionTendsToTheExactFluxWhereTheTemperatureIsGiven) {
  const Errors coarse = conduction_errors(14, "temperature = 0.0\n"),
               fine = conduction_errors(28, "temperature = 0.0\n");
  EXPECT_LT(fine.flux, 0.04);  // of 2; seen: 0.031
  EXPECT_LT(fine.flux, coarse.flux / 2);
}

TEST(ImmersedHeat, OfConductionTendsToTheExactTemperatureWhereTheFluxIsGiven) {
  const Errors coarse = conduction_errors(14, "heat_flux = -2.0\n"), fine = conduction_errors(28, "heat_flux = -2.0\n");
  EXPECT_LT(fine.temperature, 0.025);  // of a slope of 2; seen: 0.019
  EXPECT_LT(fine.temperature, coarse.temperature / 1.6);
}

std::string with_inlet_temperature(std::string text) {
  const std::string end = "0.0] }\nx_max", more = "0.0], temperature = 0.0, scalar.salt = 0.0 }\nx_max";
  const std::size_t at = text.find("000, " + end);
  return at == std::string::npos ? text : text.replace(at + 5, end.size(), more);
}

std::vector<double> after_steps_of_a_heated_flow(auto space) {
  TestFlow<decltype(space)> t(
      "[numerics]\norder = 4\n[temperature]\ndiffusivity = 0.07\nexpansion = 0.5\ngravity = [0.0, -1.0]\n"
      "[scalar.salt]\ndiffusivity = 0.03\nsource = \"0.1*x\"\n" +
      with_inlet_temperature(text_of(24, 0.02, 1, fixed_cylinder + "temperature = 1.0\nscalar_flux.salt = 0.4\n")));
  t.advance(4);
  std::vector<double> all = t.state();
  all.push_back(t.flow.surface_scalar(0).flux);
  all.push_back(t.flow.surface_scalar(1).value);
  return all;
}

// The same settings as a scalar, next to one whose flux is given; the temperature stands in front of them.
TEST(ImmersedHeat, OfAScalarWithTheTemperaturesSettingsIsTheTemperatureBitForBit) {
  std::string text = conduction(14, "temperature = 0.5\nscalar = { salt = 0.5 }\nscalar_flux = { dye = -2.0 }\n");
  for (const std::string side : {"x_min", "x_max", "y_min", "y_max"}) {
    const std::string begin = side + " = { type = \"wall\", ", value = "\"0.5*ln(4*(x^2 + y^2))\"";
    const std::size_t at = text.find(begin);
    ASSERT_NE(at, std::string::npos);
    text.insert(at + begin.size(), "scalar = { salt = " + value + ", dye = " + value + " }, ");
  }
  for (const std::string name : {"salt", "dye"})
    text = "[scalar." + name + "]\ndiffusivity = 1.0\n" + text + "[linear." + name + "]\ntolerance = 1e-12\n";
  TestFlow<Host> t(text);
  t.advance(40);
  std::vector<SurfaceScalar> s;
  for (std::size_t e = 0; e < 3; ++e) s.push_back(t.flow.surface_scalar(e));
  std::map<std::string, std::size_t> place;
  for (std::size_t e = 0; e < 3; ++e) place[t.c.flow.scalars[e].name] = e;
  EXPECT_EQ(place["temperature"], 0U);
  const auto& fields = t.flow.flow().scalars;
  EXPECT_EQ(fields[0].to_vector(), fields[place["salt"]].to_vector());
  EXPECT_EQ(s[0].flux, s[place["salt"]].flux);
  const Errors alone = conduction_errors(14, "heat_flux = -2.0\n");
  const SurfaceScalar& dye = s[place["dye"]];
  EXPECT_NEAR(std::abs(dye.value / dye.area), alone.temperature, 1e-12);
}

// With fourth order, buoyancy and a second scalar.
TEST(ImmersedHeat, IsTheSameInBothSpaces) {
  EXPECT_LT(largest_difference(after_steps_of_a_heated_flow(Host{}), after_steps_of_a_heated_flow(Device{})), 1e-10);
}

}  // namespace
}  // namespace weir::test::heat_test
