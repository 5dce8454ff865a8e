// Boundary data, exact flows and forces by formulas: orders of accuracy, derivatives, refusals.
#include "base/error.hpp"
#include "tests/miniapps/compressible/flow_case.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::boundary_data_test {
namespace {

using test::TestFlow;

std::string box(int n, const std::string& more) {
  return "[mesh]\ngenerator = { type = \"box\", cells = [" + std::to_string(n) + ", " + std::to_string(n) + "], " +
         more + " }\n[pseudo_time]\njacobian = \"matrix_free\"\n";
}

// A free vortex: inputs/compressible/free_vortex.toml.
std::string vortex(int n) {
  return box(n, "origin = [0.8, 0.5]") + R"toml([flow]
mach = 0.5
angle_of_attack = 135.0
[flow.exact]
density = "(1.05 - 0.05/(x^2 + y^2))^2.5"
velocity = ["-y/(x^2 + y^2)", "x/(x^2 + y^2)"]
pressure = "(1.05 - 0.05/(x^2 + y^2))^3.5/0.35"
[boundary]
x_max = { type = "total_pressure_inlet", total_pressure = 3.389178965841138, total_temperature = 1.05, direction = ["-y", "x"] }
y_min = { type = "total_pressure_inlet", total_pressure = 3.389178965841138, total_temperature = 1.05, direction = ["-y", "x"] }
x_min = { type = "pressure_outlet", pressure = "(1.05 - 0.05/(x^2 + y^2))^3.5/0.35" }
y_max = { type = "mass_flow_outlet", mass_flux = "(1.05 - 0.05/(x^2 + y^2))^2.5*x/(x^2 + y^2)" }
)toml";
}

// Couette flow: inputs/compressible/couette_heat.toml.
std::string couette(int n) {
  return box(n, "origin = [0.0, 0.0]") + R"toml([flow]
mach = 1.0
reynolds = 100.0
sutherland = "constant_viscosity"
[flow.exact]
density = "1/(1.2016 - 0.144*y^2 - 0.0576*y)"
velocity = ["y", "0"]
pressure = 0.7142857142857143
[boundary]
x_min = { type = "exact" }
x_max = { type = "exact" }
y_min = { type = "heat_flux_wall", heat_flux = 0.002 }
y_max = { type = "isothermal_wall", temperature = 1.0, velocity = [1.0, 0.0] }
)toml";
}

// The quantities of the steady flow.
template <class Space>
std::map<std::string, double> steady(const std::string& text) {
  TestFlow<Space> flow(text);
  flow.pseudo().start_phase(2);
  for (int i = 0; i < 60 && flow.pseudo().drop() > 1e-9; ++i) flow.attempt();
  EXPECT_LE(flow.pseudo().drop(), 1e-9);
  return flow.quantities();
}

double order(const std::map<std::string, double>& coarse, const std::map<std::string, double>& fine, const char* name) {
  return std::log2(coarse.at(name) / fine.at(name));
}

TEST(BoundaryData, ErrorsOfAFreeVortexFallWithTheMesh) {
  const auto coarse = steady<Host>(vortex(8)), fine = steady<Host>(vortex(16));
  EXPECT_GT(order(coarse, fine, "error_density_l2"), 1.25);
  EXPECT_GT(order(coarse, fine, "error_velocity_l2"), 1.4);
  EXPECT_LT(fine.at("error_velocity_l2"), 2e-3);
}

// Double Mach reflection (inputs/compressible/double_mach_reflection.toml) with the wall's mirror image instead of the
// wall: two shocks that meet at y = 0. The flow stays its own mirror image, to what the steps' tolerance leaves.
TEST(BoundaryData, TwoMirroredMachTenShocksStayMirrorImages) {
  TestFlow<Host> flow(R"toml([mesh]
generator = { type = "box", cells = [24, 20], length = [1.2, 1.0], origin = [0.0, -0.5] }
[flow]
mach = 0.8451542547285166
[flow.initial]
type = "formula"
density = "x < 1/6 + (abs(y) + 20*t)/sqrt(3) ? 8 : 1.4"
velocity = ["x < 1/6 + (abs(y) + 20*t)/sqrt(3) ? 7.14470958 : 0",
  "x < 1/6 + (abs(y) + 20*t)/sqrt(3) ? (y > 0 ? -4.125 : 4.125) : 0"]
pressure = "x < 1/6 + (abs(y) + 20*t)/sqrt(3) ? 116.5 : 1"
[numerics]
limiter = "venkatakrishnan"
flux = "hllc"
[boundary]
x_min = { type = "exact" }
x_max = { type = "supersonic_outflow" }
y_min = { type = "exact" }
y_max = { type = "exact" }
[time]
end = 0.02
dt = 0.001
[pseudo_time]
jacobian = "matrix_free"
products = "dual_numbers"
cfl_start = 1e4
cfl_max = 1e4
first_order_tolerance = 0.0
tolerance = 1e-9
[linear.flow]
tolerance = 1e-4
)toml");
  flow.march();
  const UnstructuredMesh& mesh = flow.mesh();
  const std::vector<double> U = flow.state();
  double worst = 0, highest = 0;
  for (int i = 0; i < mesh.cells(); ++i) {
    const auto c = mesh.centre[i];
    if (c[1] < 0) continue;
    int other = 0;
    while (std::hypot(mesh.centre[other][0] - c[0], mesh.centre[other][1] + c[1]) > 1e-9) ++other;
    for (int k = 0; k < 4; ++k)
      worst = test::larger(worst, std::abs(U[4 * i + k] - (k == 2 ? -1 : 1) * U[4 * other + k]));
    highest = std::max(highest, U[4 * i + 3]);
  }
  EXPECT_GT(highest, 600);  // 498 in the stream: the shocks have met
  EXPECT_LT(worst, 1e-5 * highest);
}

TEST(BoundaryData, WallsOfACouetteFlowAreOfSecondOrder) {
  const auto coarse = steady<Host>(couette(8)), fine = steady<Host>(couette(16));
  EXPECT_GT(order(coarse, fine, "error_density_l2"), 1.7);
  EXPECT_GT(order(coarse, fine, "error_velocity_l2"), 1.7);
  EXPECT_NEAR(fine.at("drag_y_min"), 0.02, 2e-4);
  EXPECT_NEAR(fine.at("drag_y_max"), -0.02, 2e-4);
  EXPECT_NEAR(fine.at("heat_y_min"), -0.004, 1e-9);
  EXPECT_NEAR(fine.at("heat_y_max"), 0.024, 2.4e-4);
}

TEST(BoundaryData, TheDeviceGivesTheSameFlow) {
  if (WEIR_HOST_ALONE) GTEST_SKIP() << "this build has no device";
  for (const std::string& text : {vortex(6), couette(4)}) {
    const auto host = steady<Host>(text), device = steady<Device>(text);
    for (const char* name : {"error_density_l2", "error_velocity_l2", "mach_max"})
      EXPECT_NEAR(host.at(name), device.at(name), 1e-9) << name;
  }
}

// Names of markers come from meshes of others: they become parts of columns, which CSV and other quantities leave free.
TEST(BoundaryData, WallsHaveColumnsOfTheirOwn) {
  std::vector<FlowBoundary> walls(6);
  const char* names[] = {"a,b", "a b", "pressure", "mean", "wing", "inlet"};
  const char* expected[] = {"a_b", "a_b_wall", "pressure_wall", "mean_wall", "wing", ""};
  for (int k = 0; k < 6; ++k) walls[k].name = names[k], walls[k].is_wall = k < 5;
  name_walls(walls);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(walls[k].result_name, expected[k]);
}

template <class Space>
class ForceTest : public ::testing::Test {};
TYPED_TEST_SUITE(ForceTest, test::Spaces, test::SpaceName);

// Of the first-order residual with a force, against central differences.
TYPED_TEST(ForceTest, DerivativesOfTheForceAreExact) {
  TestFlow<TypeParam> flow(box(4, "periodic = [\"x\"]") + R"(products = "dual_numbers"
[flow]
mach = 0.5
angle_of_attack = 20.0
body_force = ["0.3 + 0.1*x", "-0.2*y"]
gravity = [0.4, -0.7]
[numerics]
order = 1
[boundary]
y_min = { type = "slip_wall" }
y_max = { type = "slip_wall" }
)");
  auto& equations = flow->equations;
  std::vector<double> U = flow.state(), x(U.size());
  for (std::size_t i = 0; i < U.size(); ++i)
    U[i] *= 1 + 0.1 * std::sin(3.0 * static_cast<double>(i)), x[i] = std::cos(i + 0.5);
  const auto residual = [&](double h) {
    std::vector<double> moved = U;
    for (std::size_t i = 0; i < U.size(); ++i) moved[i] += h * x[i];
    Array<double, TypeParam> u(moved), r(u.size());
    equations.residual(u, r);
    return r.to_vector();
  };
  const auto high = residual(1e-5), low = residual(-1e-5);
  const Array<double, TypeParam> u(U), v(x);
  Array<double, TypeParam> y(u.size()), z(u.size()), scale(u.size() / 4);
  equations.linearise(u);
  equations.derivative(v, y);
  BlockCsr<TypeParam> J(jacobian_pattern(flow.mesh()));
  scale.upload(std::vector<double>(static_cast<std::size_t>(scale.size()), 0.0));
  equations.matrix(u, scale, 1, 0, J);
  J.apply(v, z);
  const auto by_products = y.to_vector(), by_matrix = z.to_vector();
  for (std::size_t i = 0; i < U.size(); ++i) {
    EXPECT_NEAR(by_products[i], (high[i] - low[i]) / 2e-5, 1e-6);
    EXPECT_NEAR(by_matrix[i], (high[i] - low[i]) / 2e-5, 1e-6);
  }
}

TEST(BoundaryData, ImpossibleDataAreRefused) {
  const auto message = [](const std::string& entry) {
    try {
      TestFlow<Host> flow(box(4, "periodic = [\"y\"]") +
                          "[flow]\nmach = 0.5\nreynolds = 10.0\n[boundary]\nx_max = { type = "
                          "\"farfield\" }\nx_min = " +
                          entry + "\n");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::pair<const char*, const char*> wrong[] = {
      {"{ type = \"total_pressure_inlet\", total_pressure = 3.0 }", "requires 'total_temperature'"},
      {"{ type = \"total_pressure_inlet\", total_pressure = 3.0, total_temperature = 1.0, direction = [-1, 0] }",
       "'direction'"},
      {"{ type = \"mass_flow_outlet\", mass_flux = \"y - 0.5\" }", "'mass_flux' must be positive"},
      {"{ type = \"isothermal_wall\", temperature = \"-x - y\" }", "'temperature' must be positive"},
      {"{ type = \"farfield\", pressure = -1.0 }", "'pressure' must be positive"},
      {"{ type = \"heat_flux_wall\", heat_flux = 0.1, velocity = [1, 0, 0] }", "velocity must have 2"}};
  for (const auto& [entry, expected] : wrong)
    EXPECT_NE(message(entry).find(expected), std::string::npos) << entry << ": " << message(entry);
}

}  // namespace
}  // namespace weir::boundary_data_test
