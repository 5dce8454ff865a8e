// The discretisation of six equations: Jacobian, products, both spaces, the order of the residual, a layer on a plate.
#include <algorithm>
#include <limits>

#include "inputs/case.hpp"
#include "miniapps/compressible/flow_equations.hpp"
#include "physics/sst.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/miniapps/compressible/flow_case.hpp"
#include "tests/miniapps/compressible/turbulent_flows.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::sst_flow_test {
namespace {

using test::CellKind;

template <class Space>
class SstFlow : public ::testing::Test {};
TYPED_TEST_SUITE(SstFlow, test::Spaces, test::SpaceName);

constexpr BoundaryType boundaries[] = {BoundaryType::slip_wall, BoundaryType::adiabatic_wall,
                                       BoundaryType::isothermal_wall, BoundaryType::farfield,
                                       BoundaryType::pressure_outlet};

std::vector<double> direction(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(1.0 + 7.0 * static_cast<double>(i));
  return x;
}

// (R(U + h x) - R(U - h x)) / 2 h
template <class Space>
std::vector<double> difference(Discretisation<Space>& d, const std::vector<double>& U, const std::vector<double>& x) {
  constexpr double h = 1e-6;
  const auto moved = [&](double by) {
    std::vector<double> V = U;
    for (std::size_t i = 0; i < V.size(); ++i) V[i] += by * x[i];
    return test::residual(d, V);
  };
  std::vector<double> high = moved(h);
  const std::vector<double> low = moved(-h);
  for (std::size_t i = 0; i < high.size(); ++i) high[i] = (high[i] - low[i]) / (2 * h);
  return high;
}

double largest(const std::vector<double>& a) {
  double most = 0;
  for (const double x : a) most = test::larger(most, std::abs(x));
  return most;
}
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = test::larger(most, std::abs(a[i] - b[i]));
  return most;
}

template <class Space>
std::vector<double> times(const BlockCsr<Space>& J, const std::vector<double>& x) {
  const Array<double, Space> v(x);
  Array<double, Space> y(v.size());
  J.apply(v, y);
  return y.to_vector();
}

// The blend of the diffusivities is constant in J; constants that do not depend on it make J exact. In this state the
// bound of the eddy viscosity does not act, and F_1 is 1 in every cell.
TYPED_TEST(SstFlow, JacobianEqualsDifferencesOfTheResidualWhereBlendAndBoundAreConstant) {
  const GasModel gas = test::viscous_gas();
  for (const BoundaryType type : boundaries)
    for (const GradientScheme gradient : {GradientScheme::least_squares, GradientScheme::green_gauss})
      for (const CellKind kind : {CellKind::quads, CellKind::mixed}) {
        const auto mesh = test::box_mesh({.nx = 4, .ny = 3, .kind = kind});
        TurbulenceModel model = test::sst_model(mesh);
        for (double& d : model.distance) d *= 1e-3;
        Discretisation<TypeParam> d(mesh, gas, {.order = 1, .gradient = gradient}, test::all_round(mesh, type, gas),
                                    nullptr, model);
        const std::vector<double> U = test::sst_state(mesh, gas, false, 11), x = direction(U.size());
        BlockCsr<TypeParam> J(jacobian_pattern(mesh, -1, 6));
        d.jacobian(Array<double, TypeParam>(U).view(), J);
        const std::vector<double> exact = times(J, x);
        // truncation 1e-12 and rounding 1e-10 of the largest number; the far field's blend has a large third derivative
        EXPECT_LT(difference(exact, difference(d, U, x)), 1e-7 * largest(exact)) << static_cast<int>(type);
      }
}

// Blend and bound vary here.
TYPED_TEST(SstFlow, ProductsEqualDifferencesForEveryBoundaryGradientAndOrder) {
  const GasModel gas = test::viscous_gas();
  const auto mesh = test::box_mesh({.nx = 5, .ny = 4, .kind = CellKind::mixed});
  const std::vector<double> U = test::sst_state(mesh, gas, true, 11), x = direction(U.size());
  for (const GradientScheme gradient : {GradientScheme::least_squares, GradientScheme::green_gauss})
    for (const BoundaryType type : boundaries)
      for (const int order : {1, 2}) {
        const SpatialScheme scheme{.order = order, .gradient = gradient, .has_products = true};
        Discretisation<TypeParam> d(mesh, gas, scheme, test::all_round(mesh, type, gas), nullptr,
                                    test::sst_model(mesh, order));
        const Array<double, TypeParam> u(U), v(x);
        Array<double, TypeParam> y(u.size());
        d.linearise(u);
        d.derivative(v, y);
        const std::vector<double> exact = y.to_vector();
        EXPECT_LT(difference(exact, difference(d, U, x)), 1e-6 * largest(exact)) << static_cast<int>(type) << order;
      }
}

TEST(SstFlow, DeviceEqualsHost) {
  const auto mesh = test::box_mesh({.nx = 9, .ny = 7});
  const GasModel gas = test::viscous_gas();
  const auto walls = test::all_round(mesh, BoundaryType::adiabatic_wall, gas);
  const SpatialScheme scheme{.limiter = Limiter::venkatakrishnan, .has_products = true};
  Discretisation<Host> host(mesh, gas, scheme, walls, nullptr, test::sst_model(mesh, 2));
  Discretisation<Device> device(mesh, gas, scheme, walls, nullptr, test::sst_model(mesh, 2));
  const auto U = test::sst_state(mesh, gas), x = direction(U.size());
  // other orders of a few hundred operations
  const auto near = [&](const std::vector<double>& a, const std::vector<double>& b) {
    EXPECT_LE(difference(a, b), 1000 * std::numeric_limits<double>::epsilon() * largest(a));
  };
  near(test::residual(host, U), test::residual(device, U));
  BlockCsr<Host> A(jacobian_pattern(mesh, -1, 6));
  BlockCsr<Device> B(jacobian_pattern(mesh, -1, 6));
  host.jacobian(Array<double, Host>(U).view(), A);
  device.jacobian(Array<double, Device>(U).view(), B);
  near(A.to_values(), B.to_values());
  const auto product = [&]<class Space>(Discretisation<Space>& d) {
    const Array<double, Space> u(U), v(x);
    Array<double, Space> y(u.size());
    d.linearise(u);
    d.derivative(v, y);
    return y.to_vector();
  };
  near(product(host), product(device));
}

// A smooth periodic field: rho, u, v, p, k, omega. The bound acts nowhere (omega > S / a_1), F_1 is blended.
constexpr double two_pi = 6.283185307179586, unit_of_omega = 50;
std::array<double, 6> field(double x, double y) {
  const double s = std::sin(two_pi * x), c = std::cos(two_pi * y), d = std::cos(two_pi * (x + y));
  return {1 + 0.1 * s * c,         0.6 + 0.2 * c,      0.3 + 0.1 * d,
          2.8 + 0.2 * s + 0.1 * d, 0.2 + 0.05 * s * c, (1 + 0.2 * d - 0.1 * s) * unit_of_omega};
}
double distance(double x, double y) { return 0.1 + 0.02 * std::sin(two_pi * x) * std::sin(two_pi * y); }

// Differences of fourth order, steps of 2e-3: errors of 1e-9.
double slope(const auto& f, double a, double b, int axis) {
  constexpr double h = 2e-3;
  const auto at = [&](double k) { return axis == 0 ? f(a + k * h, b) : f(a, b + k * h); };
  return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
}
auto number(std::size_t k) {
  return [k](double a, double b) { return field(a, b)[k]; };
}

sst::Point<double> point(const GasModel& m, double x, double y) {
  Gas gas;
  gas.viscosity = 1 / m.reynolds;
  gas.sutherland = m.sutherland;
  const auto q = field(x, y);
  const double mu = viscosity(gas, m.gamma * m.mach * m.mach * q[3] / q[0]);
  const double ux = slope(number(1), x, y, 0), vy = slope(number(2), x, y, 1),
               shear = slope(number(1), x, y, 1) + slope(number(2), x, y, 0);
  double cross = 0;
  for (int axis : {0, 1}) cross += slope(number(4), x, y, axis) * slope(number(5), x, y, axis);
  return {q[0], mu, q[4], q[5], 2 * (ux * ux + vy * vy) + shear * shear, cross};
}

// Mass, momentum and energy through a line across the axis, from the field alone: with mu + mu_t, and heat by both.
std::array<double, 4> flow_flux(const GasModel& m, double x, double y, std::size_t axis) {
  const auto q = field(x, y);
  const sst::Point<double> p = point(m, x, y);
  const double eddy = sst::eddy_viscosity(p.rho, p.k, p.omega, sst::bound(p, distance(x, y))), mu = p.mu + eddy;
  const auto temperature = [&](double a, double b) {
    const auto at = field(a, b);
    return m.gamma * m.mach * m.mach * at[3] / at[0];
  };
  const int along = static_cast<int>(axis), across = 1 - along;
  const double normal = slope(number(1 + axis), x, y, along), other = slope(number(2 - axis), x, y, across);
  const double tension = mu * (2 * normal - 2.0 / 3 * (normal + other)),
               shear = mu * (slope(number(1 + axis), x, y, across) + slope(number(2 - axis), x, y, along));
  const double heat = (p.mu / m.prandtl + eddy / TurbulenceModel{}.prandtl) / ((m.gamma - 1) * m.mach * m.mach) *
                      slope(temperature, x, y, along);
  const double speed = q[1 + axis], side = q[2 - axis];
  const double enthalpy = m.gamma / (m.gamma - 1) * q[3] + 0.5 * q[0] * (speed * speed + side * side);
  std::array<double, 4> F{q[0] * speed, 0, 0, speed * (enthalpy - tension) - side * shear - heat};
  F[1 + axis] = q[0] * speed * speed + q[3] - tension;
  F[2 - axis] = q[0] * speed * side - shear;
  return F;
}

// The divergence of the fluxes less the sources, from the field alone: div(rho u t - D grad t) - source for k and
// omega, as the last two.
std::array<double, 6> exact_residual(const GasModel& m, double x, double y) {
  std::array<double, 6> R{};
  for (std::size_t which : {0, 1}) {
    const auto diffusivity = [&](double a, double b) {
      const sst::Point<double> p = point(m, a, b);
      const double eddy = sst::eddy_viscosity(p.rho, p.k, p.omega, sst::bound(p, distance(a, b)));
      const double f1 = sst::blend(p, distance(a, b));
      return p.mu + eddy * (which == 0 ? f1 * 0.85 + (1 - f1) : f1 * 0.5 + (1 - f1) * 0.856);
    };
    const auto flux = [&](int axis) {
      return [&, axis](double a, double b) {
        const auto q = field(a, b);
        return q[0] * q[axis == 0 ? 1 : 2] * q[4 + which] - diffusivity(a, b) * slope(number(4 + which), a, b, axis);
      };
    };
    const sst::Sources<double> made = sst::sources(point(m, x, y), distance(x, y));
    R[4 + which] = slope(flux(0), x, y, 0) + slope(flux(1), x, y, 1) - (which == 0 ? made.k : made.omega);
  }
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t axis : {0, 1})
      R[k] += slope([&](double a, double b) { return flow_flux(m, a, b, axis)[k]; }, x, y, static_cast<int>(axis));
  return R;
}

// The field on n x n cells, periodic.
struct Manufactured {
  static constexpr GasModel gas{.mach = 0.5, .reynolds = 50};
  UnstructuredMesh mesh;
  TurbulenceModel model;
  std::vector<double> U, R;  // the field and its exact R / V at the centres

  explicit Manufactured(int n)
      : mesh(test::box_mesh(
            {.nx = n, .ny = n, .kind = CellKind::quads, .shake = 0, .periodic_x = true, .periodic_y = true})),
        model(test::sst_model(mesh, 2)) {
    model.unit = {1, unit_of_omega / gas.reynolds};  // of omega in units of the viscosity's inverse
    for (std::size_t i = 0; i < mesh.centre.size(); ++i) {
      const auto [x, y] = mesh.centre[i];
      const auto q = field(x, y);
      for (const double value : test::conserved(gas, {q[0], q[1], q[2], q[3]})) U.push_back(value);
      U.push_back(q[0] * q[4]), U.push_back(q[0] * q[5] / unit_of_omega);
      for (const double value : exact_residual(gas, x, y)) R.push_back(value);
      R.back() /= unit_of_omega;
      model.distance[i] = distance(x, y);
    }
  }
  // The root mean square of each number of a - b; b: per volume.
  std::array<double, 6> error(const std::vector<double>& a, const std::vector<double>& b, bool is_per_volume) const {
    std::array<double, 6> sum{};
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double V = mesh.volume[i / 6], e = a[i] / (is_per_volume ? V : 1) - b[i];
      sum[i % 6] += e * e * V;
    }
    for (double& s : sum) s = std::sqrt(s);
    return sum;
  }
};

TEST(SstFlow, TheResidualIsOfSecondOrder) {
  const auto truncation = [](int n) {
    const Manufactured m(n);
    Discretisation<Host> d(m.mesh, m.gas, {}, {}, nullptr, m.model);
    return m.error(test::residual(d, m.U), m.R, true);
  };
  const auto coarse = truncation(24), fine = truncation(48);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(std::log2(coarse[k] / fine[k]), 2, 0.15) << k;
}

// The error of the solution of R(U) + V (U - U^n) / dt = 0 with U^n = field + dt exact R / V, whose exact solution is
// the field: the manufactured solution of the coupled equations. dt is the time in which the flow crosses half the box.
std::array<double, 6> error_of_solution(int n) {
  const Manufactured m(n);
  Discretisation<Host> d(m.mesh, m.gas, {.has_products = true}, {}, nullptr, m.model);
  FlowEquations<Host> equations(d, m.mesh.cells());
  constexpr double dt = 1;
  std::vector<double> before = m.U;
  for (std::size_t i = 0; i < before.size(); ++i) before[i] += dt * m.R[i];
  const auto size = static_cast<std::int64_t>(before.size());
  Array<double, Host> U(m.U), older(size), R(size), dU(size);
  equations.start_time_step(dt, Array<double, Host>(before), older, true);
  const Array<double, Host> no_scale(std::vector<double>(m.mesh.centre.size(), 0.0));
  BlockCsr<Host> J(jacobian_pattern(m.mesh, -1, 6));
  MatrixFreeJacobian<Host> newton(equations, true);
  LinearSolver<Host> solver(read_case_text("restart = 60\nmax_iterations = 600", "options"), "gmres", "block_ilu0",
                            1e-4);
  const auto residual = [&] {  // its norm, and R = -R(U)
    equations.residual(U, R);
    double square = 0;
    for (std::int64_t i = 0; i < size; ++i) square += R.data()[i] * R.data()[i], R.data()[i] *= -1;
    return std::sqrt(square);
  };
  const double first = residual();
  for (double norm = first; norm > 1e-6 * first; norm = residual()) {
    equations.matrix(U, no_scale, 1, equations.time_factor(), J);
    solver.setup(J);
    newton.linearise(U, R, no_scale, 1);
    std::fill_n(dU.data(), size, 0.0);
    const SolveResult result = solver.solve(newton, R, dU);
    if (!result.converged() || !(norm <= first)) {
      ADD_FAILURE() << to_string(result.reason) << norm;
      break;
    }
    for (std::int64_t i = 0; i < size; ++i) U.data()[i] += dU.data()[i];
  }
  return m.error(U.to_vector(), m.U, false);
}

TEST(SstFlow, ManufacturedSolutionsOfTheSixEquationsAreOfSecondOrder) {
  const auto coarse = error_of_solution(24), fine = error_of_solution(48);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(std::log2(coarse[k] / fine[k]), 2, 0.2) << k;
}

}  // namespace
}  // namespace weir::sst_flow_test
