#include <omp.h>

#include <limits>

#include "base/error.hpp"
#include "solvers/device/ledger.hpp"
#include "tests/miniapps/compressible/flows.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::residual_test {
namespace {

using test::CellKind;
constexpr double eps = std::numeric_limits<double>::epsilon();

template <class Space>
class ResidualTest : public ::testing::Test {
 protected:
  using D = Discretisation<Space>;
};
TYPED_TEST_SUITE(ResidualTest, test::Spaces, test::SpaceName);

double largest(const std::vector<double>& r) {
  double m = 0;
  for (double x : r) m = test::larger(m, std::abs(x));
  return m;
}
std::array<double, 4> total(const std::vector<double>& r) {
  std::array<double, 4> s{};
  for (std::size_t i = 0; i < r.size(); ++i) s[i % 4] += r[i];
  return s;
}

// Fluxes are about 10 (rho u H) times a face of about 0.2.
TYPED_TEST(ResidualTest, FreeStreamIsPreservedOnEveryMeshAndByEveryScheme) {
  for (const GasModel& gas : {test::euler_gas(), test::viscous_gas()})
    for (CellKind kind : test::every_kind)
      for (bool periodic : {false, true})
        for (FluxScheme flux : test::every_flux)
          for (GradientScheme gradient : {GradientScheme::least_squares, GradientScheme::green_gauss})
            for (int order : {1, 2})
              for (BoundaryType type : {BoundaryType::farfield, BoundaryType::pressure_outlet, BoundaryType::exact}) {
                const auto mesh = test::box_mesh({.kind = kind, .periodic_x = periodic});
                Discretisation<TypeParam> d(mesh, gas, {.flux = flux, .order = order, .gradient = gradient},
                                            test::all_round(mesh, type, gas));
                if (type == BoundaryType::exact) test::set_outside_everywhere(d, mesh, test::free_stream(gas));
                const auto U = test::sample(mesh, gas, [&](double, double) { return test::free_stream(gas); });
                EXPECT_LT(largest(test::residual(d, U)), 200 * eps);
              }
}

TYPED_TEST(ResidualTest, SupersonicStreamsPassInAndOutUnchanged) {
  const GasModel gas{.mach = 2, .reynolds = 50};
  const auto mesh = test::box_mesh({});
  auto conditions = test::all_round(mesh, BoundaryType::supersonic_inflow, gas);
  conditions[1].type = conditions[3].type = BoundaryType::supersonic_outflow;
  Discretisation<TypeParam> d(mesh, gas, {}, conditions);
  const auto U = test::sample(mesh, gas, [&](double, double) { return test::free_stream(gas); });
  EXPECT_LT(largest(test::residual(d, U)), 200 * eps);
}

TYPED_TEST(ResidualTest, WhatLeavesACellArrivesBesideIt) {
  for (CellKind kind : test::every_kind)
    for (FluxScheme flux : test::every_flux)
      for (int order : {1, 2})
        for (Limiter limiter : {Limiter::none, Limiter::venkatakrishnan, Limiter::barth_jespersen}) {
          const auto mesh = test::box_mesh({.kind = kind, .periodic_x = true, .periodic_y = true});
          const GasModel gas = test::viscous_gas();
          Discretisation<TypeParam> d(mesh, gas, {.flux = flux, .order = order, .limiter = limiter}, {});
          const auto r = test::residual(d, test::random_state(mesh, gas));
          EXPECT_GT(largest(r), 0.01);
          for (double s : total(r)) EXPECT_NEAR(s, 0, 10 * eps * static_cast<double>(r.size()));
        }
}

TYPED_TEST(ResidualTest, NothingPassesWalls) {
  for (BoundaryType type : {BoundaryType::slip_wall, BoundaryType::adiabatic_wall, BoundaryType::isothermal_wall}) {
    const auto mesh = test::box_mesh({});
    const GasModel gas = test::viscous_gas();
    Discretisation<TypeParam> d(mesh, gas, {}, test::all_round(mesh, type, gas));
    const auto s = total(test::residual(d, test::random_state(mesh, gas)));
    EXPECT_NEAR(s[0], 0, 1000 * eps);
    if (type != BoundaryType::isothermal_wall) {
      EXPECT_NEAR(s[3], 0, 1000 * eps);
    }
  }
}

// u = y between a wall at rest and given states: shear mu everywhere, no residual at either order.
TYPED_TEST(ResidualTest, CouetteFlowIsSteadyAndItsWallStressIsTheViscosity) {
  GasModel gas = test::viscous_gas();
  gas.sutherland = -1;
  gas.mach = 0.01;  // viscous heating 1 / (Re) is in the energy equation alone
  const auto mesh = test::box_mesh({.kind = CellKind::quads, .shake = 0, .periodic_x = true});
  auto conditions = test::all_round(mesh, BoundaryType::isothermal_wall, gas);
  conditions[0].temperature = 1;
  conditions[0].velocity = {};
  conditions[1].type = BoundaryType::exact;
  const double p = 1 / (gas.gamma * gas.mach * gas.mach);
  for (int order : {1, 2}) {
    Discretisation<TypeParam> d(mesh, gas, {.order = order}, conditions);
    std::vector<double> above;
    for (int f = 0; f < 6; ++f) above.insert(above.end(), {1, 1, 0, p});
    d.set_outside(1, Array<double, TypeParam>(above).view());
    const auto U = test::sample(mesh, gas, [&](double, double y) { return std::array<double, 4>{1, y, 0, p}; });
    if (order == 2) {
      const auto r = test::residual(d, U);
      for (std::size_t i = 0; i < r.size(); i += 4) EXPECT_NEAR(r[i + 1], 0, 1e-10);  // p is 7143: 1e4 roundings
    }
    Array<double, TypeParam> u(U), pressure(6), shear(6), heat(6);
    d.wall_stress(u, 0, {pressure, shear, heat});
    for (double t : shear.to_vector()) EXPECT_NEAR(t, 1.0 / 50, 1e-12);
    for (double q : pressure.to_vector()) EXPECT_NEAR(q, p, 1e-9 * p);
  }
}

TYPED_TEST(ResidualTest, OrderTwoLessItsGradientsIsOrderOne) {
  const auto mesh = test::box_mesh({});
  const GasModel gas = test::euler_gas();
  const auto far = test::all_round(mesh, BoundaryType::farfield, gas);
  const auto U = test::random_state(mesh, gas);
  Discretisation<TypeParam> one(mesh, gas, {.order = 1}, far), two(mesh, gas, {.order = 2}, far);
  const auto second = test::residual(two, U);
  two.set_order(1);
  EXPECT_EQ(test::residual(two, U), test::residual(one, U));
  two.set_order(2);
  EXPECT_EQ(test::residual(two, U), second);
  EXPECT_THROW(one.set_order(2), Error);
}

TYPED_TEST(ResidualTest, TimeStepScaleIsThatOfTheWavesThroughASquare) {
  const GasModel gas = test::viscous_gas();
  const auto mesh =
      test::box_mesh({.nx = 4, .ny = 4, .kind = CellKind::quads, .shake = 0, .periodic_x = true, .periodic_y = true});
  Discretisation<TypeParam> d(mesh, gas, {}, {});
  Array<double, TypeParam> u(test::sample(mesh, gas, [&](double, double) { return test::free_stream(gas); })), s(16);
  d.time_step_scale(u, s);
  const double h = 0.25, a = 1 / gas.mach, nu = gas.gamma / gas.prandtl / gas.reynolds;
  const double expected = 2 * h * (std::cos(0.3) + std::sin(0.3) + 2 * (a + 2 * nu / h));
  for (double x : s.to_vector()) EXPECT_NEAR(x, expected, 20 * eps * expected);
}

TYPED_TEST(ResidualTest, AllocatesNothing) {
  const auto mesh = test::box_mesh({});
  const GasModel gas = test::viscous_gas();
  Discretisation<TypeParam> d(mesh, gas, {.limiter = Limiter::venkatakrishnan},
                              test::all_round(mesh, BoundaryType::farfield, gas));
  Array<double, TypeParam> u(test::random_state(mesh, gas)), r(u.size()), scale(mesh.cells());
  BlockCsr<TypeParam> J(jacobian_pattern(mesh));
  const Ledger before = ledger();
  d.residual(u, r);
  d.time_step_scale(u, scale);
  d.jacobian(u, J);
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
  EXPECT_EQ(ledger().copies_to_host, before.copies_to_host);
}

// Enough faces for several threads; periodic ones belong to no cell alone.
TEST(ResidualTest, DoesNotDependOnTheNumberOfThreads) {
  const auto mesh = test::box_mesh({.nx = 60, .ny = 81, .kind = CellKind::mixed, .periodic_y = true});
  const GasModel gas = test::viscous_gas();
  Discretisation<Host> d(mesh, gas, {}, test::all_round(mesh, BoundaryType::farfield, gas));
  const std::vector<double> U = test::random_state(mesh, gas);
  BlockCsr<Host> J(jacobian_pattern(mesh));
  const auto results = [&](int threads) {
    omp_set_num_threads(threads);
    std::vector<double> r = test::residual(d, U);
    d.jacobian(Array<double, Host>(U).view(), J);
    for (std::int64_t i = 0; i < J.values().size(); ++i) r.push_back(J.values()[i]);
    return r;
  };
  const int threads = omp_get_max_threads();
  const auto one = results(1);
  for (int t : {2, 3, 7}) EXPECT_EQ(results(t), one);
  omp_set_num_threads(threads);
}

TEST(ResidualTest, DeviceEqualsHost) {
  for (FluxScheme flux : test::every_flux) {
    const auto mesh = test::box_mesh({.nx = 9, .ny = 7});
    const GasModel gas = test::viscous_gas();
    const SpatialScheme scheme{.flux = flux, .limiter = Limiter::venkatakrishnan};
    const auto far = test::all_round(mesh, BoundaryType::farfield, gas);
    Discretisation<Host> host(mesh, gas, scheme, far);
    Discretisation<Device> device(mesh, gas, scheme, far);
    const auto U = test::random_state(mesh, gas);
    const auto a = test::residual(host, U), b = test::residual(device, U);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 200 * eps);
  }
}

}  // namespace
}  // namespace weir::residual_test
