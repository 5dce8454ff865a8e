#include <limits>

#include "base/error.hpp"
#include "tests/miniapps/compressible/flows.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::jacobian_test {
namespace {

using test::CellKind;

template <class Space>
class JacobianTest : public ::testing::Test {};
TYPED_TEST_SUITE(JacobianTest, test::Spaces, test::SpaceName);

// Dense J by central differences with steps of 1e-5: truncation 1e-10 and rounding 1e-11 times the derivatives of the
// flux, which are about 10.
template <class Space>
std::vector<double> by_differences(Discretisation<Space>& d, std::vector<double> U) {
  const std::size_t n = U.size();
  const double h = 1e-5;
  std::vector<double> J(n * n);
  for (std::size_t k = 0; k < n; ++k) {
    const double middle = U[k];
    U[k] = middle + h;
    const auto high = test::residual(d, U);
    U[k] = middle - h;
    const auto low = test::residual(d, U);
    U[k] = middle;
    for (std::size_t i = 0; i < n; ++i) J[i * n + k] = (high[i] - low[i]) / (2 * h);
  }
  return J;
}

template <class Space>
std::vector<double> dense(const BlockCsr<Space>& J) {
  // By columns: J times the unit vectors.
  const std::size_t n = static_cast<std::size_t>(4 * J.rows());
  std::vector<double> all(n * n), e(n);
  for (std::size_t k = 0; k < n; ++k) {
    e[k] = 1;
    Array<double, Space> x(e), y(static_cast<std::int64_t>(n));
    J.apply(x, y);
    const auto column = y.to_vector();
    for (std::size_t i = 0; i < n; ++i) all[i * n + k] = column[i];
    e[k] = 0;
  }
  return all;
}

template <class Space>
double difference(const UnstructuredMesh& mesh, const GasModel& gas, FluxScheme flux,
                  const std::vector<BoundaryCondition>& conditions) {
  Discretisation<Space> d(mesh, gas, {.flux = flux, .order = 1}, conditions);
  test::set_outside_everywhere(d, mesh, test::free_stream(gas));
  const auto U = test::random_state(mesh, gas, 11);
  BlockCsr<Space> J(jacobian_pattern(mesh));
  d.jacobian(Array<double, Space>(U).view(), J);
  const auto a = dense(J), b = by_differences(d, U);
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = test::larger(most, std::abs(a[i] - b[i]));
  return most;
}

TYPED_TEST(JacobianTest, EqualsDifferencesOfTheResidualForEveryFlux) {
  for (const GasModel& gas : {test::euler_gas(), test::viscous_gas()})
    for (CellKind kind : test::every_kind)
      for (FluxScheme flux : test::every_flux) {
        const auto mesh = test::box_mesh({.nx = 4, .ny = 3, .kind = kind, .periodic_y = kind != CellKind::mixed});
        EXPECT_LT(difference<TypeParam>(mesh, gas, flux, test::all_round(mesh, BoundaryType::exact, gas)), 1e-8)
            << static_cast<int>(flux);
      }
}

TYPED_TEST(JacobianTest, EqualsDifferencesOfTheResidualForEveryBoundary) {
  for (const GasModel& gas : {test::euler_gas(), test::viscous_gas(), GasModel{.mach = 2, .reynolds = 50}})
    for (BoundaryType type : {BoundaryType::slip_wall, BoundaryType::adiabatic_wall, BoundaryType::isothermal_wall,
                              BoundaryType::supersonic_inflow, BoundaryType::supersonic_outflow, BoundaryType::exact,
                              BoundaryType::farfield, BoundaryType::pressure_outlet, BoundaryType::heat_flux_wall,
                              BoundaryType::total_pressure_inlet, BoundaryType::mass_flow_outlet}) {
      const auto mesh = test::box_mesh({.nx = 3, .ny = 3});
      Discretisation<TypeParam> d(mesh, gas, {.order = 1}, test::all_round(mesh, type, gas));
      const auto U = test::random_state(mesh, gas, 11);
      BlockCsr<TypeParam> J(jacobian_pattern(mesh));
      d.jacobian(Array<double, TypeParam>(U).view(), J);
      const auto a = dense(J), b = by_differences(d, U);
      double most = 0;
      for (std::size_t i = 0; i < a.size(); ++i) most = test::larger(most, std::abs(a[i] - b[i]));
      // The far field's blend is narrow: differences of its third derivative are off.
      EXPECT_LT(most, type == BoundaryType::farfield ? 1e-6 : 3e-8) << static_cast<int>(type);
    }
}

// Blocks off the diagonal are rounded once; the diagonal ones are sums of four of them and of the boundary's, each sum
// rounded.
TYPED_TEST(JacobianTest, InFloatsIsTheSameRounded) {
  for (const GasModel& gas : {test::euler_gas(), test::viscous_gas()})
    for (CellKind kind : test::every_kind) {
      const auto mesh = test::box_mesh({.nx = 7, .ny = 5, .kind = kind});
      Discretisation<TypeParam> d(mesh, gas, {.order = 1}, test::all_round(mesh, BoundaryType::adiabatic_wall, gas));
      const Array<double, TypeParam> U(test::random_state(mesh, gas, 5));
      BlockCsr<TypeParam> J(jacobian_pattern(mesh));
      RoundedCsr<TypeParam> rounded(jacobian_pattern(mesh));
      d.jacobian(U.view(), J);
      d.jacobian(U.view(), rounded);
      const std::vector<double> a = J.to_values(), b = rounded.to_values();
      double largest = 0, most = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i]));
        most = test::larger(most, std::abs(a[i] - b[i]));
      }
      EXPECT_LE(most, 10 * static_cast<double>(std::numeric_limits<float>::epsilon()) * largest);
      EXPECT_GT(most, 0);
    }
}

TEST(JacobianTest, DeviceEqualsHost) {
  const auto mesh = test::box_mesh({.nx = 9, .ny = 7});
  const GasModel gas = test::viscous_gas();
  const auto far = test::all_round(mesh, BoundaryType::farfield, gas);
  for (FluxScheme flux : test::every_flux) {
    Discretisation<Host> host(mesh, gas, {.flux = flux}, far);
    Discretisation<Device> device(mesh, gas, {.flux = flux}, far);
    const auto U = test::random_state(mesh, gas);
    BlockCsr<Host> A(jacobian_pattern(mesh));
    BlockCsr<Device> B(jacobian_pattern(mesh));
    host.jacobian(Array<double, Host>(U).view(), A);
    device.jacobian(Array<double, Device>(U).view(), B);
    // By way of the product with a vector of different numbers.
    std::vector<double> x;
    for (int i = 0; i < 4 * A.rows(); ++i) x.push_back(std::sin(i + 1.0));
    Array<double, Host> xa(x), ya(4 * std::int64_t{A.rows()});
    Array<double, Device> xb(x), yb(4 * std::int64_t{A.rows()});
    A.apply(xa, ya);
    B.apply(xb, yb);
    const auto p = ya.to_vector(), q = yb.to_vector();
    for (std::size_t i = 0; i < p.size(); ++i)
      EXPECT_NEAR(p[i], q[i], 1000 * std::numeric_limits<double>::epsilon() * 10);
  }
}

TEST(JacobianTest, RefusesTwoCellsThatShareTwoFaces) {
  const auto mesh = test::box_mesh({.nx = 2, .ny = 4, .kind = CellKind::quads, .periodic_x = true});
  EXPECT_THROW(jacobian_pattern(mesh), Error);
}

}  // namespace
}  // namespace weir::jacobian_test
