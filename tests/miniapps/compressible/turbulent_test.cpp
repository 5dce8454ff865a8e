// The discretisation of five equations: Jacobian, both spaces, the order of the residual, the tree of the distance.
#include <limits>

#include "physics/spalart_allmaras.hpp"
#include "tests/miniapps/compressible/turbulent_flows.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::turbulent_test {
namespace {

using test::CellKind;

template <class Space>
class TurbulentTest : public ::testing::Test {};
TYPED_TEST_SUITE(TurbulentTest, test::Spaces, test::SpaceName);

// The largest difference between columns of J and central differences of the residual, over the largest entry. Steps of
// 1e-5: truncation 1e-10 and rounding 1e-11 times derivatives that are at most 1e3 of the entries.
template <class Space>
double difference(const UnstructuredMesh& mesh, const GasModel& gas, const SpatialScheme& scheme, BoundaryType type) {
  Discretisation<Space> d(mesh, gas, scheme, test::all_round(mesh, type, gas), nullptr, test::turbulence(mesh));
  test::set_outside_everywhere(d, mesh, test::free_stream(gas));
  std::vector<double> U = test::turbulent_state(mesh, gas, 11);
  BlockCsr<Space> J(jacobian_pattern(mesh, -1, 5));
  d.jacobian(Array<double, Space>(U).view(), J);
  const double h = 1e-5;
  double most = 0, largest = 0;
  std::vector<double> e(U.size());
  for (std::size_t k = 0; k < U.size(); ++k) {
    e[k] = 1;
    Array<double, Space> x(e), y(static_cast<std::int64_t>(U.size()));
    J.apply(x, y);
    const std::vector<double> column = y.to_vector();
    const double middle = U[k];
    U[k] = middle + h;
    const auto high = test::residual(d, U);
    U[k] = middle - h;
    const auto low = test::residual(d, U);
    U[k] = middle;
    e[k] = 0;
    for (std::size_t i = 0; i < U.size(); ++i) {
      most = test::larger(most, std::abs(column[i] - (high[i] - low[i]) / (2 * h)));
      largest = std::max(largest, std::abs(column[i]));
    }
  }
  return most / largest;
}

TYPED_TEST(TurbulentTest, JacobianEqualsDifferencesOfTheResidualForEveryFlux) {
  const GasModel gas = test::viscous_gas();
  for (CellKind kind : {CellKind::quads, CellKind::mixed})
    for (FluxScheme flux : test::every_flux) {
      const auto mesh = test::box_mesh({.nx = 4, .ny = 3, .kind = kind});
      EXPECT_LT(difference<TypeParam>(mesh, gas, {.flux = flux, .order = 1}, BoundaryType::exact), 1e-8)
          << static_cast<int>(flux);
    }
}

TYPED_TEST(TurbulentTest, JacobianEqualsDifferencesOfTheResidualForEveryBoundaryAndGradient) {
  const auto mesh = test::box_mesh({.nx = 3, .ny = 3});
  for (const GasModel& gas : {test::viscous_gas(), GasModel{.mach = 2, .reynolds = 50}})
    for (GradientScheme gradient : {GradientScheme::least_squares, GradientScheme::green_gauss})
      for (BoundaryType type : {BoundaryType::slip_wall, BoundaryType::adiabatic_wall, BoundaryType::isothermal_wall,
                                BoundaryType::supersonic_inflow, BoundaryType::supersonic_outflow,
                                BoundaryType::farfield, BoundaryType::pressure_outlet})
        EXPECT_LT(difference<TypeParam>(mesh, gas, {.order = 1, .gradient = gradient}, type),
                  type == BoundaryType::farfield ? 1e-7 : 1e-8)  // its blend has a large third derivative
            << static_cast<int>(type);
}

TYPED_TEST(TurbulentTest, JacobianInFloatsIsTheSameRounded) {
  const auto mesh = test::box_mesh({.nx = 7, .ny = 5});
  const GasModel gas = test::viscous_gas();
  Discretisation<TypeParam> d(mesh, gas, {.order = 1}, test::all_round(mesh, BoundaryType::adiabatic_wall, gas),
                              nullptr, test::turbulence(mesh));
  const Array<double, TypeParam> U(test::turbulent_state(mesh, gas, 5));
  BlockCsr<TypeParam> J(jacobian_pattern(mesh, -1, 5));
  RoundedCsr<TypeParam> rounded(jacobian_pattern(mesh, -1, 5));
  d.jacobian(U.view(), J);
  d.jacobian(U.view(), rounded);
  const std::vector<double> a = J.to_values(), b = rounded.to_values();
  double largest = 0, most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i]));
    most = test::larger(most, std::abs(a[i] - b[i]));
  }
  EXPECT_LE(most, 10 * static_cast<double>(std::numeric_limits<float>::epsilon()) * largest);  // sums of five, rounded
  EXPECT_GT(most, 0);
}

TEST(TurbulentTest, DeviceEqualsHost) {
  const auto mesh = test::box_mesh({.nx = 9, .ny = 7});
  const GasModel gas = test::viscous_gas();
  const auto walls = test::all_round(mesh, BoundaryType::adiabatic_wall, gas);
  const SpatialScheme scheme{.limiter = Limiter::venkatakrishnan};
  Discretisation<Host> host(mesh, gas, scheme, walls, nullptr, test::turbulence(mesh, 2));
  Discretisation<Device> device(mesh, gas, scheme, walls, nullptr, test::turbulence(mesh, 2));
  const auto U = test::turbulent_state(mesh, gas);
  const double eps = std::numeric_limits<double>::epsilon();
  const auto near = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0, most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::abs(a[i]));
      most = test::larger(most, std::abs(a[i] - b[i]));
    }
    EXPECT_LE(most, 1000 * eps * largest);  // as flux_test and jacobian_test: other orders of a few hundred operations
  };
  near(test::residual(host, U), test::residual(device, U));
  BlockCsr<Host> A(jacobian_pattern(mesh, -1, 5));
  BlockCsr<Device> B(jacobian_pattern(mesh, -1, 5));
  host.jacobian(Array<double, Host>(U).view(), A);
  device.jacobian(Array<double, Device>(U).view(), B);
  near(A.to_values(), B.to_values());
}

// A smooth periodic field with a distance that varies too: rho, u, v, p, nu~.
constexpr double two_pi = 6.283185307179586;
std::array<double, 5> field(double x, double y) {
  const double s = std::sin(two_pi * x), c = std::cos(two_pi * y), d = std::cos(two_pi * (x + y));
  return {1 + 0.1 * s * c, 0.6 + 0.2 * c, 0.3 + 0.1 * d, 2.8 + 0.2 * s + 0.1 * d, 4 + 2 * s * c - d};
}
double distance(double x, double y) { return 0.5 + 0.1 * std::sin(two_pi * x) * std::sin(two_pi * y); }

// div(rho u n - diffusivity grad n) - sources at a point, from the field alone; differences of fourth order, steps of
// 2e-3: errors of 1e-9.
double exact_residual(const GasModel& m, double x, double y) {
  const double unit = 1 / m.reynolds, gamma_m2 = m.gamma * m.mach * m.mach, h = 2e-3;
  Gas gas;
  gas.viscosity = unit;
  gas.sutherland = m.sutherland;
  const auto slope = [&](const auto& f, double a, double b, int axis) {
    const auto at = [&](double k) { return axis == 0 ? f(a + k * h, b) : f(a, b + k * h); };
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
  };
  const auto number = [&](std::size_t k) { return [k](double a, double b) { return field(a, b)[k]; }; };
  const auto diffusivity = [&](double a, double b) {
    const auto q = field(a, b);
    return spalart_allmaras::diffusivity(viscosity(gas, gamma_m2 * q[3] / q[0]), unit * q[0] * q[4]);
  };
  const auto flux = [&](int axis) {
    return [&, axis](double a, double b) {
      const auto q = field(a, b);
      return q[0] * q[axis == 0 ? 1 : 2] * q[4] - diffusivity(a, b) * slope(number(4), a, b, axis);
    };
  };
  const auto q = field(x, y);
  const double rho = q[0], mu = viscosity(gas, gamma_m2 * q[3] / rho);
  const double vorticity = std::abs(slope(number(2), x, y, 0) - slope(number(1), x, y, 1));
  const double nx = slope(number(4), x, y, 0), ny = slope(number(4), x, y, 1);
  const double cross = (slope(number(0), x, y, 0) * nx + slope(number(0), x, y, 1) * ny) / rho;
  const double made =
      spalart_allmaras::production_less_destruction(mu / rho, unit * q[4], vorticity, distance(x, y)) / unit;
  const double sources = rho * made + 0.622 * 1.5 * unit * rho * (nx * nx + ny * ny) - diffusivity(x, y) * cross;
  return slope(flux(0), x, y, 0) + slope(flux(1), x, y, 1) - sources;
}

double truncation(int n) {
  const GasModel gas{.mach = 0.5, .reynolds = 50};
  const auto mesh =
      test::box_mesh({.nx = n, .ny = n, .kind = CellKind::quads, .shake = 0, .periodic_x = true, .periodic_y = true});
  TurbulenceModel model = test::turbulence(mesh, 2);
  std::vector<double> U;
  for (std::size_t i = 0; i < mesh.centre.size(); ++i) {
    const auto [x, y] = mesh.centre[i];
    const auto q = field(x, y);
    for (const double value : test::conserved(gas, {q[0], q[1], q[2], q[3]})) U.push_back(value);
    U.push_back(q[0] * q[4]);
    model.distance[i] = distance(x, y);
  }
  Discretisation<Host> d(mesh, gas, {}, {}, nullptr, model);
  const auto R = test::residual(d, U);
  double sum = 0;
  for (std::size_t i = 0; i < mesh.centre.size(); ++i) {
    const double e = R[5 * i + 4] / mesh.volume[i] - exact_residual(gas, mesh.centre[i][0], mesh.centre[i][1]);
    sum += e * e * mesh.volume[i];
  }
  return std::sqrt(sum);
}

TEST(TurbulentTest, TheResidualOfTheModelIsOfSecondOrder) {
  EXPECT_NEAR(std::log2(truncation(24) / truncation(48)), 2, 0.15);
}

TEST(TurbulentTest, TheDistanceIsThatToTheNearestOfAllWallFaces) {
  const auto mesh = test::box_mesh({.nx = 23, .ny = 17});
  const std::vector<bool> is_wall{true, false, true, false};
  const std::vector<double> found = wall_distance(mesh, is_wall);
  for (std::size_t i = 0; i < found.size(); ++i) {
    double nearest = 1e300;
    for (std::size_t p = 0; p < mesh.patches.size(); ++p)
      for (int f = mesh.patches[p].first; is_wall[p] && f < mesh.patches[p].first + mesh.patches[p].count; ++f) {
        const auto &a = mesh.node[static_cast<std::size_t>(mesh.face_node[static_cast<std::size_t>(f)][0])],
                   &b = mesh.node[static_cast<std::size_t>(mesh.face_node[static_cast<std::size_t>(f)][1])],
                   &x = mesh.centre[i];
        const double dx = b[0] - a[0], dy = b[1] - a[1];
        const double along = std::clamp(((x[0] - a[0]) * dx + (x[1] - a[1]) * dy) / (dx * dx + dy * dy), 0.0, 1.0);
        nearest = std::min(nearest, std::hypot(x[0] - a[0] - along * dx, x[1] - a[1] - along * dy));
      }
    EXPECT_NEAR(found[i], nearest, 1e-14);
  }
}

}  // namespace
}  // namespace weir::turbulent_test
