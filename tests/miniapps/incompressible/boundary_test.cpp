// Sides of the box: ghosts, fluxes, and every pair of conditions that can face each other.
#include "miniapps/structured/boundary.hpp"
#include "tests/miniapps/incompressible/flow_case.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::boundary_test {
namespace {

template <class Space>
class Boundary : public ::testing::Test {};
TYPED_TEST_SUITE(Boundary, Spaces, SpaceName);

TYPED_TEST(Boundary, EveryPairOfSidesGivesAFlowWithoutDivergenceAndWithoutNaN) {
  const std::vector<std::string> kinds = {"{ type = \"wall\" }", "{ type = \"slip\" }",
                                          "{ type = \"inlet\", velocity = [1.0, 0.2], profile = \"parabolic\" }",
                                          "{ type = \"outlet\" }"};
  for (const auto& low : kinds)
    for (auto high : kinds) {
      if (const auto at = high.find("[1.0"); at != high.npos) high.replace(at, 4, "[-1.0");  // inwards, there
      // walls in y move, so that something flows; the outlet in y lets out what comes in
      const std::string boundary =
          "x_min = " + low + "\nx_max = " + high +
          "\ny_min = { type = \"wall\", velocity = [0.5, 0.0] }\ny_max = { type = \"outlet\" }\n";
      TestFlow<TypeParam> f(
          text_of("cells = [8, 7]\nstretching = [\"tanh\", \"uniform\"]", "viscosity = 0.05", boundary, 0.01));
      f.advance(6);
      EXPECT_LT(f.divergence(), 1e-7) << boundary;
      for (double u : f.all_unknowns()) ASSERT_LT(std::abs(u), 5) << boundary;
    }
}

TYPED_TEST(Boundary, TheMeanOfGhostAndInnerValueIsTheWallsVelocity) {
  TestFlow<TypeParam> f(text_of("cells = [5, 6, 4]", "viscosity = 0.05", cavity_3d, 0.01));
  f.advance(3);
  const Layout& l = f.step.layout();
  const auto u = f.step.flow().velocity[0].to_vector(), w = f.step.flow().velocity[2].to_vector(),
             v = f.step.flow().velocity[1].to_vector();
  const auto at = [&](const std::vector<double>& a, int i, int j, int k) {
    return a[static_cast<std::size_t>(l.origin() + i + j * l.stride(1) + k * l.stride(2))];
  };
  EXPECT_NEAR(0.5 * (at(u, 2, 5, 1) + at(u, 2, 6, 1)), 1.0, 1e-15);
  EXPECT_NEAR(0.5 * (at(w, 2, 5, 1) + at(w, 2, 6, 1)), 0.5, 1e-15);
  EXPECT_NEAR(at(u, 2, -1, 1), -at(u, 2, 0, 1), 1e-15);
  EXPECT_EQ(at(v, 2, 0, 1), 0);
  EXPECT_EQ(at(v, 2, 6, 1), 0);
  EXPECT_EQ(at(u, 2, 3, 4), at(u, 2, 3, 3));  // slip at z_max
}

TYPED_TEST(Boundary, AParabolicInletCarriesTwoThirdsOfItsPeakWhateverTheGrid) {
  const std::string boundary = R"(
x_min = { type = "inlet", velocity = [1.5, 0.0], profile = "parabolic" }
x_max = { type = "outlet" }
y_min = { type = "wall" }
y_max = { type = "wall" })";
  TestFlow<TypeParam> f(text_of("cells = [6, 5]\nlength = [3.0, 2.0]\nstretching = [\"uniform\", \"tanh\"]",
                                "viscosity = 0.1", boundary, 0.01));
  BoundaryValues<TypeParam> b(f.c, f.step.metrics(), f.step.layout());
  b.initialise(f.step.flow(), 0);
  EXPECT_NEAR(b.flux[0], 2.0, 1e-14);
  EXPECT_NEAR(b.flux[1], -2.0, 1e-14);
}

}  // namespace
}  // namespace weir::test::boundary_test
