// Sides divided into patches.
#include "base/error.hpp"
#include "miniapps/structured/boundary.hpp"
#include "miniapps/structured/sides/read_sides.hpp"
#include "miniapps/structured/sides/side_surface.hpp"
#include "tests/miniapps/incompressible/flow_case.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::patch_test {
namespace {

const std::string walls = "y_min = { type = \"wall\" }\ny_max = { type = \"wall\" }\nx_max = { type = \"outlet\" }\n";

// A step below an inlet with a parabola.
std::string step_side(const std::string& more = "") {
  return walls +
         "x_min = [{ type = \"wall\", range = [[0.0, 0.5]] },\n"
         "{ type = \"inlet\", range = [[0.5, 1.0]], velocity = [1.5, 0.0], profile = \"parabolic\"" +
         more + " }]";
}

const std::string step_grid = "cells = [12, 8]\nlength = [3.0, 1.0]\nstretching = [\"uniform\", \"tanh\"]";

template <class Space>
class Patches : public ::testing::Test {};
TYPED_TEST_SUITE(Patches, Spaces, SpaceName);

TYPED_TEST(Patches, OfOneConditionGiveTheFlowOfTheUndividedSide) {
  const std::string inlet =
      "type = \"inlet\", velocity = [1.0, 0.3], modulation = { amplitude = 0.2, angular_frequency = 3.0 }";
  TestFlow<TypeParam> whole(text_of(step_grid, "viscosity = 0.05", walls + "x_min = { " + inlet + " }", 0.02));
  TestFlow<TypeParam> parts(text_of(
      step_grid, "viscosity = 0.05",
      walls + "x_min = [{ range = [[0.4, 1.0]], " + inlet + " }, { range = [[0.0, 0.4]], " + inlet + " }]", 0.02));
  whole.advance(4);
  parts.advance(4);
  // Fluxes are summed patch by patch: the outlet's balance differs by round-off.
  EXPECT_LT(max_difference_of(whole.all_unknowns(), parts.all_unknowns()), 1e-13);
}

TYPED_TEST(Patches, AParabolaSpansItsPatchAndCarriesItsFluxExactly) {
  TestFlow<TypeParam> f(text_of(step_grid, "viscosity = 0.05", step_side(), 0.02));
  BoundaryValues<TypeParam> b(f.c, f.step.metrics(), f.step.layout());
  b.initialise(f.step.flow(), 0);
  ASSERT_EQ(b.flux.size(), 7u);
  EXPECT_EQ(b.flux[0], 0);
  EXPECT_NEAR(b.flux[1], 0.5, 1e-14);  // 2/3 of 1.5 over a height of 1/2
  EXPECT_NEAR(b.flux[2], -0.5, 1e-14);
  f.advance(20);
  EXPECT_LT(f.divergence(), 1e-9);
}

// Between slip sides in z a parabola is one of y alone.
TYPED_TEST(Patches, AParabolaIsUniformAlongZBetweenSlipSides) {
  const std::string sides =
      "x_min = { type = \"inlet\", velocity = [1.5, 0.0, 0.0], profile = \"parabolic\" }\nx_max = { type = \"outlet\" "
      "}\n"
      "y_min = { type = \"wall\" }\ny_max = { type = \"wall\" }\nz_min = { type = \"slip\" }\nz_max = { type = \"";
  const auto flux = [&](const std::string& last) {
    TestFlow<TypeParam> f(text_of("cells = [4, 6, 4]", "viscosity = 0.05", sides + last + "\" }\n", 0.02));
    BoundaryValues<TypeParam> b(f.c, f.step.metrics(), f.step.layout());
    b.initialise(f.step.flow(), 0);
    return b.flux[0];
  };
  EXPECT_NEAR(flux("slip"), 1, 1e-14);
  EXPECT_NEAR(flux("wall"), 2.0 / 3, 1e-14);
}

TYPED_TEST(Patches, AFaceBetweenAWallAndAnInletBelongsToTheWall) {
  const std::string side = walls +
                           "x_min = [{ type = \"inlet\", range = [[0.5, 1.0]], velocity = [1.0, 0.4] }, { type = "
                           "\"wall\", range = [[0.0, 0.5]] }]";
  TestFlow<TypeParam> f(text_of("cells = [6, 8]", "viscosity = 0.05", side, 0.02));
  BoundaryValues<TypeParam> b(f.c, f.step.metrics(), f.step.layout());
  b.initialise(f.step.flow(), 0);
  const Plane p = make_plane(f.step.layout(), 0);
  std::vector<double> all = b.values().to_vector();
  const BoundaryPlanes planes(f.step.layout());
  const auto v = [&](int face) { return all[static_cast<std::size_t>(planes.offset(0, 1) + p.index(face, 0))]; };
  EXPECT_EQ(v(3), 0);
  EXPECT_EQ(v(4), 0);
  EXPECT_EQ(v(5), 0.4);
  EXPECT_EQ(v(8), 0.4);
}

TYPED_TEST(Patches, AStepHasBackflowBehindItAndItsShearTurnsOnce) {
  TestFlow<TypeParam> f(text_of("cells = [24, 10]\nlength = [3.0, 1.0]", "viscosity = 0.02", step_side(), 0.04));
  f.advance(60);
  if constexpr (std::is_same_v<TypeParam, Host>) {
    const SideShear s = shear_along(f.c, f.step.flow(), 2);
    EXPECT_LT(s.shear[4], 0);
    const ShearTurns turns = turns_of(s);
    EXPECT_GT(turns.reattachment, 0.5);
    EXPECT_LT(turns.reattachment, 3.0);
  } else {
    EXPECT_LT(f.divergence(), 1e-9);
  }
}

TEST(Turns, AreInterpolatedBetweenPoints) {
  SideShear s;
  s.x = {0, 1, 2, 3, 4};
  s.shear = {1, -1, -3, 1, 2};
  const ShearTurns t = turns_of(s);
  EXPECT_DOUBLE_EQ(t.separation, 0.5);
  EXPECT_DOUBLE_EQ(t.reattachment, 2.75);
  s.shear = {0, 1, 1, 1, 0};  // corners of walls
  EXPECT_TRUE(std::isnan(turns_of(s).separation));
}

IncompressibleCase read(const std::string& boundary, const std::string& grid = "cells = [6, 8]") {
  return read_incompressible_case(read_case_text(text_of(grid, "viscosity = 0.1", boundary, 0.1), "case.toml"));
}

std::string refusal(const std::string& x_min) {
  try {
    read(walls + x_min);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::usage);
    return e.what();
  }
  return "accepted";
}

TEST(Ranges, SnapToTheNearestFaces) {
  const IncompressibleCase c = read(walls +
                                    "x_min = [{ type = \"wall\", range = [[0.0, 0.55]] }, { type = \"inlet\", range = "
                                    "[[0.51, 1.0]], velocity = 2.0 }]");
  EXPECT_EQ(c.patches[0].last[1], 4);
  EXPECT_EQ(c.patches[1].first[1], 4);
  EXPECT_EQ(c.patches[1].velocity[0], 2);  // one value: along the inward normal
  const auto text = describe_divided_sides(c);
  ASSERT_EQ(text.size(), 1u);
  EXPECT_EQ(text[0].second, "wall y 0 .. 0.5 (4 cells); inlet y 0.5 .. 1 (4 cells)");
}

TEST(Ranges, CoverASideOf3DWithRectangles) {
  const std::string rest =
      "x_min = { type = \"wall\" }\ny_min = { type = \"wall\" }\ny_max = { type = \"wall\" }\nz_min = { type = "
      "\"wall\" }\nz_max = { type = \"wall\" }\n";
  const std::string side =
      "x_max = [{ type = \"outlet\", range = [[0.0, 0.5], [0.0, 1.0]] }, { type = \"wall\", range = [[0.5, 1.0], "
      "[0.0, 0.25]] }, { type = \"inlet\", velocity = 1.0, range = [[0.5, 1.0], [0.25, 1.0]] }]";
  const IncompressibleCase c = read(rest + side, "cells = [4, 4, 4]");
  EXPECT_EQ(c.patches[3].velocity[0], -1);
  EXPECT_EQ(c.patches[3].first[2], 1);
}

TEST(Ranges, ThatDoNotCoverTheSideOnceAreRefused) {
  const auto expect = [](const std::string& side, const std::string& words) {
    const std::string message = refusal(side);
    EXPECT_EQ(message.find("case.toml:"), 0u) << message;
    EXPECT_NE(message.find(words), message.npos) << message;
  };
  const std::string low = "x_min = [{ type = \"wall\", range = [[0.0, 0.5]] }, ";
  expect(low + "{ type = \"wall\", range = [[0.75, 1.0]] }]",
         "leave a gap: no patch has the cell with y from 0.5 to 0.625");
  expect(low + "{ type = \"wall\", range = [[0.25, 1.0]] }]", "overlaps the one at case.toml:9");
  expect(low + "{ type = \"slip\", range = [[0.5, 1.0]] }]",
         "cannot have patches of type slip and patches with a velocity");
  expect(low + "{ type = \"periodic\", range = [[0.5, 1.0]] }]", "cannot be divided into patches");
  expect(low + "{ type = \"wall\", range = [[0.5, 1.5]] }]", "lie between 0 and 1");
  expect(low + "{ type = \"wall\", range = [[1.0, 0.5]] }]", "must ascend");
  expect(low + "{ type = \"wall\", range = [[0.5, 0.51]] }]", "contains no cell");
  expect(low + "{ type = \"wall\", range = [0.5, 1.0] }]", "'range' must have 1 intervals [low, high]: along y");
  expect(low + "{ type = \"wall\", range = [[0.5, \"a\"]] }]", "array of [low, high]");
  expect(low + "{ type = \"wall\", range = [[0.5, 1.0]], velocity = 1.0 }]", "must be an array");
}

}  // namespace
}  // namespace weir::test::patch_test
