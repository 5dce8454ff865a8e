// The discrete operators on fields whose derivatives are known, on stretched grids, in both spaces.
#include <numbers>
#include <random>

#include "miniapps/incompressible/momentum.hpp"
#include "miniapps/incompressible/projection.hpp"
#include "miniapps/structured/boundary.hpp"
#include "miniapps/structured/sides/read_sides.hpp"
#include "tests/miniapps/incompressible/flow_case.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::operator_test {
namespace {

std::string periodic_or_not(int dim, bool periodic) {
  std::string text;
  for (int s = 0; s < 2 * dim; ++s)
    text += std::string(side_names[static_cast<std::size_t>(s)]) + " = { type = \"" + (periodic ? "periodic" : "slip") +
            "\" }\n";
  return text;
}

template <class Space>
class Operators : public ::testing::Test {};
TYPED_TEST_SUITE(Operators, Spaces, SpaceName);

// Fills random values, makes them free of divergence, and sums u . C(u).
template <class Space>
double energy_made_by_advection(const std::string& grid, int dim, bool periodic, double& scale) {
  TestFlow<Space> f(text_of(grid, "viscosity = 0.0", periodic_or_not(dim, periodic), 0.01));
  const Layout& l = f.step.layout();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int e = 0; e < dim; ++e) {
    std::vector<double> values(static_cast<std::size_t>(l.padded_count()));
    for (double& v : values) v = uniform(random);
    f.step.flow().velocity[e].upload(values);
  }
  BoundaryValues<Space> b(f.c, f.step.metrics(), l);
  b.initialise(f.step.flow(), 0);
  b.set_ghosts(f.step.flow());
  Array<double, Space> rhs(l.cells().count()), psi(l.cells().count());
  psi.upload(std::vector<double>(static_cast<std::size_t>(psi.size()), 0.0));
  minus_divergence(f.step.flow(), f.step.metrics(), rhs);
  EXPECT_TRUE(f.step.pressure().solver.solve(f.step.pressure().A, rhs, psi).converged());
  correct_velocity(f.step.metrics(), psi, f.step.flow());
  b.set_ghosts(f.step.flow());
  double made = 0;
  scale = 0;
  for (int e = 0; e < dim; ++e) {
    Array<double, Space> advection(l.unknowns(e).count()), unused(l.unknowns(e).count());
    advection.upload(std::vector<double>(static_cast<std::size_t>(advection.size()), 0.0));
    momentum_rhs(f.step.flow(), f.step.metrics(), e, MomentumTerms{1, 0, 1, 0, 0}, advection, unused);
    const auto c = advection.to_vector(), u = f.unknowns(e);
    for (std::size_t i = 0; i < c.size(); ++i) {
      made += c[i] * u[i];
      scale += std::abs(c[i] * u[i]);
    }
  }
  return made;
}

TYPED_TEST(Operators, AdvectionMakesAndDestroysNoKineticEnergy) {
  const std::string stretched = "stretching = [\"tanh\", \"tanh_low\", \"tanh_high\"]";
  for (bool periodic : {false, true}) {
    double scale = 0;
    // exact but for the divergence left by the solver (1e-11) and round-off
    double made = energy_made_by_advection<TypeParam>("cells = [9, 8]\n" + stretched, 2, periodic, scale);
    EXPECT_LT(std::abs(made), 1e-10 * scale);
    made = energy_made_by_advection<TypeParam>("cells = [6, 5, 7]\n" + stretched, 3, periodic, scale);
    EXPECT_LT(std::abs(made), 1e-10 * scale);
  }
}

// u = sin x cos y cos z e_x - cos x sin y cos z e_y between slip walls: the momentum terms are known in closed form.
template <class Space>
double momentum_error(int n, int component) {
  const std::string cells = std::to_string(n), pi = "3.141592653589793";
  TestFlow<Space> f(text_of(
      "cells = [" + cells + ", " + cells + ", " + cells + "]\nlength = [" + pi + ", " + pi + ", " + pi +
          "]\nstretching = [{ type = \"tanh\", factor = 0.8 }, { type = \"tanh_low\", factor = 0.8 }, \"uniform\"]",
      "viscosity = 0.3\ninitial = \"taylor_green_3d\"", periodic_or_not(3, false), 0.01));
  const Layout& l = f.step.layout();
  set_initial_velocity(f.c, f.step.flow());
  BoundaryValues<Space> b(f.c, f.step.metrics(), l);
  b.initialise(f.step.flow(), 0);
  b.set_ghosts(f.step.flow());
  const Extents box = l.unknowns(component);
  Array<double, Space> advection(box.count()), rhs(box.count());
  advection.upload(std::vector<double>(static_cast<std::size_t>(box.count()), 0.0));
  momentum_rhs(f.step.flow(), f.step.metrics(), component, MomentumTerms{1, 0.3, 1, 0, 0}, advection, rhs);
  const auto r = rhs.to_vector();
  double square = 0, volume = 0;
  std::size_t q = 0;
  for (int k = 0; k < box.nz; ++k)
    for (int j = 0; j < box.ny; ++j)
      for (int i = 0; i < box.nx; ++i) {
        const int at[3] = {i + (component == 0), j + (component == 1), k + (component == 2)};
        double x[3], v = 1;
        for (int d = 0; d < 3; ++d) {
          const GridLine& line = f.c.grid.line[static_cast<std::size_t>(d)];
          const auto s = static_cast<std::size_t>(at[d]);
          x[d] = d == component ? line.faces[s] : line.centre[s];
          v *= d == component ? 0.5 * (line.width[s - 1] + line.width[s]) : line.width[s];
        }
        const double cz2 = std::cos(x[2]) * std::cos(x[2]);
        double exact = 0;  // -C(u) + nu lap u
        if (component == 0)
          exact = -0.5 * std::sin(2 * x[0]) * cz2 - 0.9 * std::sin(x[0]) * std::cos(x[1]) * std::cos(x[2]);
        if (component == 1)
          exact = -0.5 * std::sin(2 * x[1]) * cz2 + 0.9 * std::cos(x[0]) * std::sin(x[1]) * std::cos(x[2]);
        const double e = r[q++] / v - exact;
        square += v * e * e;
        volume += v;
      }
  return std::sqrt(square / volume);
}

TYPED_TEST(Operators, MomentumTermsOfAKnownFlowConvergeAtSecondOrder) {
  // On stretched grids the truncation error of the symmetric form is of first order at single points (Manteuffel &
  // White 1986); smooth maps make it second order in the mean norm, less a little at coarse grids.
  for (int component : {0, 1, 2}) {
    const double coarse = momentum_error<TypeParam>(12, component), fine = momentum_error<TypeParam>(24, component);
    if (component == 2)
      EXPECT_LT(fine, 1e-12);  // no force along z but the pressure's
    else
      EXPECT_GT(std::log2(coarse / fine), 1.7);
  }
}

TYPED_TEST(Operators, DeltaFormsMatrixIsTheExplicitOperatorsOwn) {
  // V u + dt nu/2 K u from the matrix, against the rhs: rhs(u) = -dt nu K u where the flow is at rest elsewhere.
  TestFlow<TypeParam> f(text_of("cells = [6, 5, 4]\nstretching = [\"tanh\", \"uniform\", \"tanh_low\"]",
                                "viscosity = 0.7", cavity_3d, 0.02));
  f.c.patches[3].velocity[0] = f.c.patches[3].velocity[2] = 0;  // no lid: homogeneous conditions
  const Layout& l = f.step.layout();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int e = 0; e < 3; ++e) {
    // amplitudes so small that advection, quadratic in them, vanishes compared with diffusion
    for (int o = 0; o < 3; ++o) {
      std::vector<double> values(static_cast<std::size_t>(l.padded_count()), 0.0);
      if (o == e)
        for (double& v : values) v = 1e-18 * uniform(random);
      f.step.flow().velocity[o].upload(values);
    }
    BoundaryValues<TypeParam> b(f.c, f.step.metrics(), l);
    b.initialise(f.step.flow(), 0);
    b.set_ghosts(f.step.flow());
    const int n = l.unknowns(e).count();
    Array<double, TypeParam> advection(n), rhs(n), x(f.unknowns(e)), ax(n);
    advection.upload(std::vector<double>(static_cast<std::size_t>(n), 0.0));
    momentum_rhs(f.step.flow(), f.step.metrics(), e, MomentumTerms{0.02, 0.7, 1, 0, 0}, advection, rhs);
    SeparableOperator op = momentum_operator(f.c, e, 0.02);
    op.shift = 0;
    SeparableStencil<TypeParam> K(op);  // dt nu/2 K
    K.apply(x, ax);
    const auto a = ax.to_vector(), r = rhs.to_vector();
    double scale = 0;
    for (double v : a) scale = std::max(scale, std::abs(v));
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(r[i], -2 * a[i], 1e-13 * scale);
  }
}

}  // namespace
}  // namespace weir::test::operator_test
