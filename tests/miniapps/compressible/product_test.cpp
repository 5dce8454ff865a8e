// Products with dR/dU by dual numbers, in both spaces.
#include <limits>

#include "tests/miniapps/compressible/flow_case.hpp"
#include "tests/miniapps/compressible/turbulent_flows.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::product_test {
namespace {

using test::CellKind;

template <class Space>
class ProductTest : public ::testing::Test {};
TYPED_TEST_SUITE(ProductTest, test::Spaces, test::SpaceName);

std::vector<double> direction(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(1.0 + 7.0 * static_cast<double>(i));
  return x;
}

template <class Space>
std::vector<double> product(Discretisation<Space>& d, const std::vector<double>& U, const std::vector<double>& x) {
  const Array<double, Space> u(U), v(x);
  Array<double, Space> y(u.size());
  d.linearise(u);
  d.derivative(v, y);
  return y.to_vector();
}

// The largest difference to a central one, whose step of 1e-6 leaves truncation of 1e-12 and rounding of 1e-10 times
// what limiters make of it: slopes of 1e2 and curvatures of 1e4.
template <class Space>
double difference(Discretisation<Space>& d, const std::vector<double>& U) {
  const std::vector<double> x = direction(U.size());
  const auto moved = [&](double h) {
    std::vector<double> V = U;
    for (std::size_t i = 0; i < V.size(); ++i) V[i] += h * x[i];
    return test::residual(d, V);
  };
  constexpr double h = 1e-6;
  const auto high = moved(h), low = moved(-h), y = product(d, U, x);
  double most = 0;
  for (std::size_t i = 0; i < y.size(); ++i) most = test::larger(most, std::abs(y[i] - (high[i] - low[i]) / (2 * h)));
  return most;
}

constexpr double tolerance = 1e-7;

TYPED_TEST(ProductTest, EqualDifferencesForEveryFluxAndLimiter) {
  for (const GasModel& gas : {test::euler_gas(), test::viscous_gas()})
    for (FluxScheme flux : test::every_flux)
      for (Limiter limiter : {Limiter::none, Limiter::venkatakrishnan, Limiter::barth_jespersen, Limiter::michalak}) {
        const auto mesh = test::box_mesh({.nx = 6, .ny = 5, .kind = CellKind::mixed});
        Discretisation<TypeParam> d(mesh, gas,
                                    {.flux = flux, .limiter = limiter, .michalak = 0.3, .has_products = true},
                                    test::all_round(mesh, BoundaryType::exact, gas));
        test::set_outside_everywhere(d, mesh, test::free_stream(gas));
        EXPECT_LT(difference(d, test::random_state(mesh, gas, 11)), tolerance)
            << static_cast<int>(flux) << static_cast<int>(limiter);
      }
}

TYPED_TEST(ProductTest, EqualDifferencesForEveryBoundaryAndGradient) {
  for (const GasModel& gas : {test::viscous_gas(), GasModel{.mach = 2}})
    for (GradientScheme gradient : {GradientScheme::least_squares, GradientScheme::green_gauss})
      for (BoundaryType type : {BoundaryType::slip_wall, BoundaryType::adiabatic_wall, BoundaryType::isothermal_wall,
                                BoundaryType::supersonic_inflow, BoundaryType::supersonic_outflow, BoundaryType::exact,
                                BoundaryType::farfield, BoundaryType::pressure_outlet, BoundaryType::heat_flux_wall,
                                BoundaryType::total_pressure_inlet, BoundaryType::mass_flow_outlet}) {
        if (gas.reynolds == 0 && (type == BoundaryType::adiabatic_wall || type == BoundaryType::isothermal_wall ||
                                  type == BoundaryType::heat_flux_wall))
          continue;
        const auto mesh = test::box_mesh({.nx = 4, .ny = 4});
        Discretisation<TypeParam> d(mesh, gas, {.gradient = gradient, .has_products = true},
                                    test::all_round(mesh, type, gas));
        EXPECT_LT(difference(d, test::random_state(mesh, gas, 11)), tolerance) << static_cast<int>(type);
      }
}

// At first order the assembled Jacobian is the derivative: rounding of sums of 10 numbers of size 10.
TYPED_TEST(ProductTest, OfFirstOrderAreThoseWithTheAssembledJacobian) {
  const GasModel gas = test::viscous_gas();
  const auto mesh = test::box_mesh({.nx = 7, .ny = 5, .periodic_y = true});
  Discretisation<TypeParam> d(mesh, gas, {.order = 1, .has_products = true},
                              test::all_round(mesh, BoundaryType::farfield, gas));
  const std::vector<double> U = test::random_state(mesh, gas, 5), x = direction(U.size());
  BlockCsr<TypeParam> J(jacobian_pattern(mesh));
  d.jacobian(Array<double, TypeParam>(U).view(), J);
  const Array<double, TypeParam> v(x);
  Array<double, TypeParam> y(v.size());
  J.apply(v, y);
  const std::vector<double> assembled = y.to_vector(), direct = product(d, U, x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(direct[i], assembled[i], 1e-11);
}

// Of 5 equations: relative to the largest number, as sources grow without bound towards walls.
TYPED_TEST(ProductTest, OfTurbulentFlowEqualDifferencesForEveryBoundaryGradientAndOrder) {
  const GasModel gas = test::viscous_gas();
  const auto mesh = test::box_mesh({.nx = 5, .ny = 4, .kind = CellKind::mixed});
  const std::vector<double> U = test::turbulent_state(mesh, gas, 11);
  for (GradientScheme gradient : {GradientScheme::least_squares, GradientScheme::green_gauss})
    for (BoundaryType type :
         {BoundaryType::slip_wall, BoundaryType::adiabatic_wall, BoundaryType::farfield, BoundaryType::pressure_outlet})
      for (int order : {1, 2}) {
        const SpatialScheme scheme{.order = order, .gradient = gradient, .has_products = true};
        Discretisation<TypeParam> d(mesh, gas, scheme, test::all_round(mesh, type, gas), nullptr,
                                    test::turbulence(mesh, order));
        double largest = 0;
        for (const double y : product(d, U, direction(U.size()))) largest = std::max(largest, std::abs(y));
        EXPECT_LT(difference(d, U), tolerance * largest) << static_cast<int>(type) << order;
      }
}

TEST(ProductTest, DeviceEqualsHostInTurbulentFlow) {
  const auto mesh = test::box_mesh({.nx = 9, .ny = 7});
  const GasModel gas = test::viscous_gas();
  const auto walls = test::all_round(mesh, BoundaryType::adiabatic_wall, gas);
  const SpatialScheme scheme{.limiter = Limiter::michalak, .michalak = 0.3, .has_products = true};
  Discretisation<Host> host(mesh, gas, scheme, walls, nullptr, test::turbulence(mesh, 2));
  Discretisation<Device> device(mesh, gas, scheme, walls, nullptr, test::turbulence(mesh, 2));
  const auto U = test::turbulent_state(mesh, gas), x = direction(U.size());
  const auto a = product(host, U, x), b = product(device, U, x);
  double largest = 0;
  for (const double y : a) largest = std::max(largest, std::abs(y));
  // Each is a sum of some 100 products.
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], 1000 * std::numeric_limits<double>::epsilon() * largest);
}

TEST(ProductTest, DeviceEqualsHost) {
  const auto mesh = test::box_mesh({.nx = 9, .ny = 7});
  const GasModel gas = test::viscous_gas();
  const auto far = test::all_round(mesh, BoundaryType::farfield, gas);
  const SpatialScheme scheme{.limiter = Limiter::michalak, .michalak = 0.3, .has_products = true};
  Discretisation<Host> host(mesh, gas, scheme, far);
  Discretisation<Device> device(mesh, gas, scheme, far);
  const auto U = test::random_state(mesh, gas), x = direction(U.size());
  const auto a = product(host, U, x), b = product(device, U, x);
  // Derivatives are up to 1e2, and each is a sum of some 100 products.
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e4 * std::numeric_limits<double>::epsilon());
}

}  // namespace
}  // namespace weir::product_test
