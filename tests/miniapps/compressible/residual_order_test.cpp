// R / V against the divergence of the exact fluxes of a smooth periodic field, summed over squares of 2 x 2 squares:
// what is left over inside of them cancels, so that triangles show their order too.
#include <limits>

#include "physics/gas.hpp"
#include "physics/viscous.hpp"
#include "tests/miniapps/compressible/flows.hpp"
#include "tests/support/spaces.hpp"

namespace weir::residual_order_test {
namespace {

using test::CellKind;
constexpr double two_pi = 6.283185307179586;

std::array<double, 4> field(double x, double y) {
  const double s = std::sin(two_pi * x), c = std::cos(two_pi * y), d = std::cos(two_pi * (x + y));
  return {1 + 0.1 * s * c, 0.6 + 0.2 * c, 0.3 + 0.1 * d, 2.8 + 0.2 * s + 0.1 * d};
}

// Total flux (inviscid less viscous) along the axis at a point; derivatives by differences of the field.
std::array<double, 4> exact_flux_at(const GasModel& m, double x, double y, int axis) {
  Gas gas;
  gas.gamma = m.gamma;
  gas.gamma_m2 = m.gamma * m.mach * m.mach;
  gas.viscosity = m.reynolds > 0 ? 1 / m.reynolds : 0;
  gas.sutherland = m.sutherland;
  gas.conduction = 1 / (m.prandtl * (m.gamma - 1) * m.mach * m.mach);
  const auto w = [&](double a, double b) {
    const auto q = field(a, b);
    return Primitive<double>{q[3], q[1], q[2], gas.gamma_m2 * q[3] / q[0]};
  };
  const double h = 1e-3, n[2] = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0};
  const auto slope = [&](double Primitive<double>::*q, double dx, double dy) {  // fourth order: 1e-11
    const auto at = [&](double k) { return w(x + k * dx, y + k * dy).*q; };
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
  };
  using P = Primitive<double>;
  const ViscousGradient<double> g{slope(&P::u, h, 0), slope(&P::u, 0, h), slope(&P::v, h, 0),
                                  slope(&P::v, 0, h), slope(&P::t, h, 0), slope(&P::t, 0, h)};
  const auto here = w(x, y);
  const auto F = exact_flux(make_side(gas, here, n[0], n[1]));
  const auto t = viscous_flux(gas, viscosity(gas, here.t), g, here.u, here.v, n);
  const double on = gas.viscosity > 0 ? 1 : 0;
  return {F.mass, F.normal * n[0] - F.tangent * n[1] - on * t.x, F.normal * n[1] + F.tangent * n[0] - on * t.y,
          F.energy - on * t.energy};
}

// The integral of the divergence over a square, as its four sides' fluxes by three-point Gauss quadrature.
std::array<double, 4> exact_integral(const GasModel& gas, double x, double y, double h) {
  const double point[3] = {0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)},
               weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  std::array<double, 4> sum{};
  for (int k = 0; k < 3; ++k) {
    const double s = point[k] * h;
    const auto east = exact_flux_at(gas, x + h, y + s, 0), west = exact_flux_at(gas, x, y + s, 0);
    const auto north = exact_flux_at(gas, x + s, y + h, 1), south = exact_flux_at(gas, x + s, y, 1);
    for (std::size_t c = 0; c < 4; ++c) sum[c] += weight[k] * h * (east[c] - west[c] + north[c] - south[c]);
  }
  return sum;
}

template <class Space>
double error(int n, CellKind kind, const GasModel& gas, const SpatialScheme& scheme) {
  const auto mesh =
      test::box_mesh({.nx = n, .ny = n, .kind = kind, .shake = 0, .periodic_x = true, .periodic_y = true});
  Discretisation<Space> d(mesh, gas, scheme, {});
  const auto r = test::residual(d, test::sample(mesh, gas, field));
  const int squares = n / 2;
  const double h = 1.0 / squares;
  std::vector<double> sum(static_cast<std::size_t>(4 * squares * squares));
  for (std::size_t i = 0; i < mesh.centre.size(); ++i) {
    const int column = static_cast<int>(mesh.centre[i][0] / h), row = static_cast<int>(mesh.centre[i][1] / h);
    for (std::size_t c = 0; c < 4; ++c) sum[static_cast<std::size_t>(4 * (row * squares + column)) + c] += r[4 * i + c];
  }
  double norm = 0;
  for (int k = 0; k < squares * squares; ++k) {
    const auto exact = exact_integral(gas, k % squares * h, k / squares * h, h);
    for (std::size_t c = 0; c < 4; ++c) {
      const double e = (sum[static_cast<std::size_t>(4 * k) + c] - exact[c]) / (h * h);
      norm += e * e * h * h;
    }
  }
  return std::sqrt(norm);
}

template <class Space>
class ResidualOrderTest : public ::testing::Test {};
TYPED_TEST_SUITE(ResidualOrderTest, test::Spaces, test::SpaceName);

TYPED_TEST(ResidualOrderTest, SecondOrderIsOfOrderTwoOnQuadsAndTriangles) {
  for (const GasModel& gas : {test::euler_gas(), test::viscous_gas()})
    for (CellKind kind : {CellKind::quads, CellKind::triangles})
      for (GradientScheme gradient : {GradientScheme::least_squares, GradientScheme::green_gauss}) {
        // Green-Gauss gradients are not exact for linear fields on triangles: first order.
        if (kind == CellKind::triangles && gradient == GradientScheme::green_gauss) continue;
        const SpatialScheme scheme{.gradient = gradient};
        const double coarse = error<TypeParam>(16, kind, gas, scheme), fine = error<TypeParam>(32, kind, gas, scheme);
        EXPECT_NEAR(std::log2(coarse / fine), 2, kind == CellKind::quads ? 0.15 : 0.2);
      }
}

}  // namespace
}  // namespace weir::residual_order_test
