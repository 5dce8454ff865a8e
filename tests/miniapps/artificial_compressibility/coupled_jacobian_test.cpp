// The Jacobian of the coupled scheme against differences of its residual, for every number of unknowns and side.
#include <algorithm>

#include "tests/miniapps/artificial_compressibility/coupled_case.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::coupled_jacobian_test {
namespace {

const std::string stretched_2d = "cells = [4, 5]\nstretching = [\"tanh\", { type = \"tanh_low\", factor = 1.5 }]";
const std::string stretched_3d = "cells = [3, 4, 3]\nstretching = [\"tanh\", \"uniform\", \"tanh_high\"]";
const std::string channel_2d = R"(
x_min = { type = "inlet", velocity = [1.0, 0.2], profile = "parabolic" }
x_max = { type = "outlet" }
y_min = { type = "slip" }
y_max = { type = "wall", velocity = [0.5, 0.0] })";
const std::string channel_3d = R"(
x_min = { type = "periodic" }
x_max = { type = "periodic" }
y_min = { type = "wall" }
y_max = { type = "wall", velocity = [0.5, 0.0, 0.1] }
z_min = { type = "periodic" }
z_max = { type = "periodic" })";

struct Setting {
  std::string grid, boundary;
  int unknowns;
};
const std::vector<Setting> settings = {
    {stretched_2d, channel_2d, 3},      {stretched_2d, channel_2d, 5},     {stretched_2d, periodic_2d, 3},
    {stretched_3d, cavity_3d, 4},       {stretched_3d, channel_3d, 6},     {"cells = [2, 2]", cavity_2d, 3},
    {"cells = [2, 3]", periodic_2d, 3}, {"cells = [2, 2]", channel_2d, 5},
};

template <class Space>
class CoupledJacobian : public ::testing::Test {};
TYPED_TEST_SUITE(CoupledJacobian, Spaces, SpaceName);

// The compact residual is a polynomial of second degree, so that central differences are exact to round-off; h is small
// against the fluxes that an upwind direction depends on.
TYPED_TEST(CoupledJacobian, EqualsCentralDifferencesOfTheCompactResidual) {
  constexpr double h = 1e-4;
  for (const Setting& s : settings) {
    TestEquations<TypeParam> e(coupled_text(s.grid, "viscosity = 0.1", s.boundary, 0.1), s.unknowns);
    e.assemble(0);
    for (int q = 0; q < e.A.size(); ++q) {
      const auto up = e.minus_residual(q / s.unknowns, q % s.unknowns, h);
      const auto down = e.minus_residual(q / s.unknowns, q % s.unknowns, -h);
      const auto column = e.column(q);
      for (std::size_t r = 0; r < column.size(); ++r)  // |R| is a few units: their round-off over h
        ASSERT_NEAR(column[r], (down[r] - up[r]) / (2 * h), 1e-15 * 100 / h)
            << s.grid << s.boundary << ": row " << r << ", column " << q;
    }
  }
}

TYPED_TEST(CoupledJacobian, ThePseudoTimeTermStandsOnTheDiagonalAlone) {
  TestEquations<TypeParam> e(coupled_text(stretched_2d, "viscosity = 0.1", channel_2d, 0.1), 3);
  e.assemble(0);
  std::vector<double> a(static_cast<std::size_t>(e.A.values().size())), b(a.size());
  e.A.download(a);
  e.assemble(0.5);
  e.A.download(b);
  const BlockStencilView view = e.A.stencil();
  const std::size_t block = 9, delta = static_cast<std::size_t>(slot::delta - view.first) * 20 * block;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool on_diagonal = i >= delta && i < delta + 20 * block && (i - delta) % block % 4 == 0;
    if (on_diagonal)
      EXPECT_GT(b[i], a[i]);
    else
      EXPECT_EQ(b[i], a[i]);
  }
}

// Without the blocks of neighbours that lie outside of the grid, which have been folded into the cell's own: where
// nothing flows through a side, rounding decides from which of its two cells a flux of 0 or 1e-18 comes.
std::vector<double> blocks_inside(const BlockStencilView& A, std::vector<double> values) {
  const BlockStencilView blocks = A.on(values.data());
  for (int t = A.first; t < A.first + A.slots; ++t)
    for (int cell = 0; cell < A.cells.count(); ++cell)
      if (A.neighbour(cell, t) < 0) std::fill_n(blocks.block(cell, t), A.block_entries(), 0.0);
  return values;
}

TEST(CoupledJacobianInBothSpaces, EveryEntryAgreesToRoundOff) {
  for (const Setting& s : settings) {
    const std::string text = coupled_text(s.grid, "viscosity = 0.1", s.boundary, 0.1);
    TestEquations<Host> host(text, s.unknowns);
    TestEquations<Device> device(text, s.unknowns);
    host.assemble(0.1);
    device.assemble(0.1);
    std::vector<double> a(static_cast<std::size_t>(host.A.values().size())), b(a.size());
    host.A.download(a);
    device.A.download(b);
    const std::vector<double> here = blocks_inside(host.A.stencil(), a), there = blocks_inside(device.A.stencil(), b);
    EXPECT_LT(max_difference_of(here, there), 1e-15 * 1000) << s.grid;  // entries up to a hundred
    EXPECT_LT(max_difference_of(host.minus_residual(0, 0, 0), device.minus_residual(0, 0, 0)), 1e-15 * 1000);
  }
}

}  // namespace
}  // namespace weir::test::coupled_jacobian_test
