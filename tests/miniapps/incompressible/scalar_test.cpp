// Scalars of [scalar.NAME]: several at once, their order, what they conserve, and that the temperature is one of them.
#include <cmath>

#include "base/error.hpp"
#include "miniapps/incompressible/scalar_quantities.hpp"
#include "tests/miniapps/incompressible/order_of_accuracy.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::scalar_test {
namespace {

std::string solved_tightly(const std::string& name) {
  return "[linear." + name + "]\nmethod = \"cg\"\ntolerance = 1e-12\n";
}

// Taylor and Green's flow between slip walls, and two scalars made up for it, with values on some sides and fluxes on
// the others. E: exp(-2 nu t), nu = 0.1.
//   a = cos(t) sin(x + 0.3) cos(2y + 0.2),  kappa = 0.02,  lap a = -5 a
//   b = (2 + sin t) cos(x + y),             kappa = 0.7,   lap b = -2 b
const char* const manufactured = R"toml([scalar.a]
diffusivity = 0.02
initial = "sin(x + 0.3)*cos(2*y + 0.2)"
exact = "cos(t)*sin(x + 0.3)*cos(2*y + 0.2)"
source = "(0.1*cos(t) - sin(t))*sin(x + 0.3)*cos(2*y + 0.2) + exp(-0.2*t)*cos(t)*(sin(x)*cos(y)*cos(x + 0.3)*cos(2*y + 0.2) + 2*cos(x)*sin(y)*sin(x + 0.3)*sin(2*y + 0.2))"
[scalar.b]
diffusivity = 0.7
initial = "2*cos(x + y)"
exact = "(2 + sin(t))*cos(x + y)"
source = "(cos(t) + 1.4*(2 + sin(t)))*cos(x + y) - exp(-0.2*t)*(2 + sin(t))*sin(x + y)*(sin(x)*cos(y) - cos(x)*sin(y))"
)toml";
const char* const manufactured_sides = R"toml(
x_min = { type = "slip", scalar = { a = "cos(t)*sin(0.3)*cos(2*y + 0.2)" }, scalar_flux = { b = "0.7*(2 + sin(t))*sin(x + y)" } }
x_max = { type = "slip", scalar = { a = "cos(t)*sin(x + 0.3)*cos(2*y + 0.2)", b = "(2 + sin(t))*cos(x + y)" } }
y_min = { type = "slip", scalar.b = "(2 + sin(t))*cos(x + y)", scalar_flux.a = "0.04*cos(t)*sin(x + 0.3)*sin(2*y + 0.2)" }
y_max = { type = "slip", scalar_flux = { a = "-0.04*cos(t)*sin(x + 0.3)*sin(2*y + 0.2)", b = "-0.7*(2 + sin(t))*sin(x + y)" } })toml";

template <class Space>
std::map<std::string, double> manufactured_errors(int n) {
  const std::string cells = std::to_string(n);
  TestFlow<Space> f(text_of("cells = [" + cells + ", " + cells +
                                "]\nlength = [3.141592653589793, 3.141592653589793]\n" + two_sided_stretching,
                            std::string("viscosity = 0.1\ninitial = \"taylor_green_2d\"\n") + manufactured,
                            manufactured_sides, 1.0 / n, tight_solvers + solved_tightly("a") + solved_tightly("b")));
  f.advance(n / 2);
  if constexpr (std::is_same_v<Space, Host>) return scalar_quantities(f.c, f.step.flow(), f.step.time);
  return {};
}

TEST(Scalars, OfTwoDiffusivitiesWithSourcesValuesAndFluxesAreOfSecondOrder) {
  const auto coarse = manufactured_errors<Host>(16), fine = manufactured_errors<Host>(32);
  for (const char* name : {"error_a_l2", "error_b_l2"})
    EXPECT_NEAR(std::log2(coarse.at(name) / fine.at(name)), 2, 0.25) << name << " " << fine.at(name);
}

// "temperature = V", or "scalar = { salt = V, sugar = V }"; with a flux those of fluxes.
std::string given(const std::vector<std::string>& names, bool is_flux, const std::string& value) {
  if (names.front() == "temperature") return (is_flux ? "heat_flux = " : "temperature = ") + value;
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name + " = " + value;
  return (is_flux ? "scalar_flux = { " : "scalar = { ") + all + " }";
}

// A cavity whose left wall's value swings, with scalars of the same settings.
std::string swinging(const std::vector<std::string>& names, const std::string& settings) {
  const std::string boundary = "x_min = { type = \"wall\", " + given(names, false, "\"1 + 0.5*y*sin(5*t)\"") + " }\n" +
                               "x_max = { type = \"wall\", " + given(names, false, "0.0") + " }\n" +
                               "y_min = { type = \"wall\", " + given(names, true, "\"0.3*cos(4*t)\"") + " }\n" +
                               "y_max = { type = \"wall\", velocity = [1.0, 0.0] }\n";
  std::string tables, linear = tight_solvers;
  for (const std::string& name : names) {
    tables += (name == "temperature" ? "[" : "[scalar.") + name + "]\n" + settings;
    linear += solved_tightly(name);
  }
  return text_of("cells = [8, 7]\nstretching = [\"tanh\", \"uniform\"]", "viscosity = 0.05\n" + tables, boundary, 0.03,
                 linear);
}
const std::string keys = "diffusivity = 0.07\ninitial = \"1 - x\"\nreference = 0.5\nsource = \"0.2*x*t\"\n",
                  buoyant = keys + "expansion = 1.0\ngravity = [0.2, -3.0]\n";

template <class Space>
std::vector<std::vector<double>> after_steps(const std::string& text) {
  TestFlow<Space> f(text);
  f.advance(5);
  std::vector<std::vector<double>> all{f.all_unknowns()};
  for (const auto& scalar : f.step.flow().scalars) all.push_back(scalar.to_vector());
  return all;
}

template <class Space>
class ScalarOf : public ::testing::Test {};
TYPED_TEST_SUITE(ScalarOf, Spaces, SpaceName);

TYPED_TEST(ScalarOf, TheTemperaturesSettingsIsTheTemperatureBitForBit) {
  EXPECT_EQ(after_steps<TypeParam>(swinging({"temperature"}, buoyant)),
            after_steps<TypeParam>(swinging({"salt"}, buoyant)));
}

// The flow feels both: half the buoyancy twice is all of it.
TYPED_TEST(ScalarOf, HalfTheBuoyancyTwiceDrivesTheFlowAsOne) {
  const auto one = after_steps<TypeParam>(swinging({"salt"}, buoyant)),
             both =
                 after_steps<TypeParam>(swinging({"salt", "sugar"}, keys + "expansion = 0.5\ngravity = [0.2, -3.0]\n"));
  ASSERT_EQ(both.size(), 3U);
  EXPECT_EQ(both[1], both[2]);
  EXPECT_LT(max_difference_of(one[0], both[0]), 1e-11);  // sums in another order, and the solvers' tolerance
  EXPECT_LT(max_difference_of(one[1], both[1]), 1e-11);
}

TEST(Scalars, AreTheSameInBothSpaces) {
  const std::string text = text_of("cells = [10, 9]\nlength = [3.141592653589793, 3.141592653589793]",
                                   std::string("viscosity = 0.1\ninitial = \"taylor_green_2d\"\n") + manufactured,
                                   manufactured_sides, 0.05, tight_solvers + solved_tightly("a") + solved_tightly("b"));
  const auto host = after_steps<Host>(text), device = after_steps<Device>(text);
  ASSERT_EQ(host.size(), 3U);
  for (std::size_t i = 0; i < host.size(); ++i) EXPECT_LT(max_difference_of(host[i], device[i]), 1e-12);
}

// A closed box keeps its salt; a source of 0.5 and a flux of 0.2 through a side of length 1 add theirs.
TYPED_TEST(ScalarOf, AClosedBoxKeepsItsTotalAndSourcesAndFluxesAddTheirs) {
  const std::string boundary =
      "x_min = { type = \"wall\" }\nx_max = { type = \"wall\", scalar_flux.dye = 0.2 }\ny_min = { type = \"wall\" }\n"
      "y_max = { type = \"wall\", velocity = [1.0, 0.0] }\n";
  TestFlow<TypeParam> f(text_of("cells = [9, 8]\nstretching = [\"tanh\", \"uniform\"]",
                                "viscosity = 0.02\n[scalar.salt]\ndiffusivity = 0.003\ninitial = \"x*y\"\n"
                                "[scalar.dye]\ndiffusivity = 0.1\nsource = 0.5",
                                boundary, 0.02, tight_solvers + solved_tightly("salt") + solved_tightly("dye")));
  const auto total = [&](std::size_t s) { return scalar_total(f.step.flow(), f.step.metrics(), s); };
  const double before = total(0);
  EXPECT_GT(before, 0.2);  // 0.25 by the midpoint rule of a stretched grid
  f.advance(20);
  EXPECT_NEAR(total(0), before, 1e-12);
  EXPECT_NEAR(total(1), 0.4 * (0.5 + 0.2), 1e-12);
}

std::string refusal(const std::string& tables, const std::string& x_min = "{ type = \"wall\" }",
                    const std::string& flow = "") {
  try {
    read_incompressible_case(read_case_text(
        text_of(
            "cells = [4, 4]", "viscosity = 0.1\n" + flow + tables,
            "x_max = { type = \"outlet\" }\ny_min = { type = \"wall\" }\ny_max = { type = \"wall\" }\nx_min = " + x_min,
            0.1),
        "case.toml"));
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Scalars, ThatCannotBeAreRefusedWithLineAndWhatIsMissing) {
  const std::string salt = "[scalar.salt]\ndiffusivity = 0.1\n";
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(refusal("[scalar.p]\ndiffusivity = 0.1\n"), "case.toml:5: a scalar cannot be called 'p'");
  expect(refusal("[scalar.momentum]\ndiffusivity = 0.1\n"), "cannot be called 'momentum'");
  expect(refusal("[scalar.\"sea salt\"]\ndiffusivity = 0.1\n"), "letters, digits and '_'");
  expect(refusal("[scalar]\ndiffusivity = 0.1\n"),
         "[scalar] contains tables [scalar.NAME] only; 'diffusivity' is not a table");
  expect(refusal("[scalar.salt]\ninitial = 1.0\n"), "missing key 'diffusivity'");
  expect(refusal(salt, "{ type = \"inlet\", velocity = 1.0 }"), "an inlet needs the value `scalar.salt`");
  expect(refusal(salt, "{ type = \"wall\", scalar.slat = 1.0 }"), "scalar.slat needs a table [scalar.slat]");
  expect(refusal("", "{ type = \"wall\", scalar_flux.salt = 1.0 }"), "scalar_flux.salt needs a table [scalar.salt]");
  expect(refusal(salt, "{ type = \"wall\", scalar.temperature = 1.0 }"), "the temperature is set by the keys");
  expect(refusal(salt, "{ type = \"wall\", scalar.salt = 1.0, scalar_flux.salt = 0.0 }"),
         "'scalar_flux.salt' can be used on a wall or slip patch only, and not together with `scalar.salt`");
  expect(refusal(salt,
                 "[{ type = \"wall\", scalar.salt = 1.0, range = [[0.0, 0.5]] }, { type = \"wall\", range = [[0.5, "
                 "1.0]] }]"),
         "mix prescribed salt and prescribed flux");
  expect(refusal(salt, "{ type = \"wall\", scalar.salt = \"q\" }"), "formula \"q\"");
  expect(refusal(salt, "{ type = \"wall\" }", "scheme = \"artificial_compressibility\"\n"),
         "[scalar.salt] needs scheme = \"fractional_step\"");
  EXPECT_EQ(refusal(salt, "{ type = \"inlet\", velocity = 1.0, scalar.salt = \"y\" }"), "accepted");
}

}  // namespace
}  // namespace weir::test::scalar_test
