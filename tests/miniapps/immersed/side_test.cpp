// Bodies that a side of the box cuts.
#include "flow_case.hpp"
#include "miniapps/structured/diagnostics.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::side_test {
namespace {

template <class Space>
class ImmersedSides : public ::testing::Test {};
TYPED_TEST_SUITE(ImmersedSides, Spaces, SpaceName);

std::string cylinder_in(const std::string& low, const std::string& length, int rows, const std::string& sides,
                        const std::string& more = "") {
  return "[grid]\ncells = [32, " + std::to_string(rows) + "]\nlength = [4.0, " + length + "]\norigin = [-1.5, " + low +
         "]\n[flow]\nviscosity = 0.05\ninitial = \"uniform\"\ninitial_velocity = [1.0, 0.0]\n[boundary]\nx_min = { "
         "type = "
         "\"inlet\", velocity = [1.0, 0.0] }\nx_max = { type = \"outlet\" }\n" +
         sides +
         "[time]\nend = 10.0\ndt = 0.03\n[body]\ntype = \"cylinder\"\ndiameter = 1.0\nposition = [0.03, 0.0]\n" +
         "control_volume = [-1.0, " + low + ", 1.5, 1.5]\n" + more + tight;
}

const std::string slip = "y_min = { type = \"slip\" }\ny_max = { type = \"slip\" }\n";

// Half a cylinder on a plane of symmetry is half of a whole one's flow, to the solvers' tolerance.
TYPED_TEST(ImmersedSides, HalfACylinderOnAPlaneOfSymmetryFeelsHalfOfItsDrag) {
  TestFlow<TypeParam> whole(cylinder_in("-2.0", "4.0", 32, slip)), half(cylinder_in("0.0", "2.0", 16, slip));
  whole.advance(8);
  half.advance(8);
  // Next to the side the surface's pressure comes from nodes on one side of it.
  EXPECT_NEAR(half.drag(), 0.5 * whole.drag(), 0.003 * half.drag());
  const std::vector<double> u = whole.flow.flow().velocity[0].to_vector(), v = half.flow.flow().velocity[0].to_vector();
  const Layout &lw = whole.flow.layout(), &lh = half.flow.layout();
  double most = 0;
  for (int j = 0; j < 16; ++j)
    for (int i = 0; i <= 32; ++i)
      if (half.flow.cut().kind[0][lh.padded_index(i, j, 0)] == fluid_node)
        most = larger(most, std::abs(u[lw.padded_index(i, j + 16, 0)] - v[lh.padded_index(i, j, 0)]));
  EXPECT_LT(most, 1e-8);
}

std::string box_on(const std::string& side, double beyond, const std::string& more = "") {
  return "[grid]\ncells = [36, 24]\nlength = [9.0, 6.0]\norigin = [-3.0, -3.0]\n[flow]\nviscosity = 0.1\ninitial = "
         "\"uniform\"\ninitial_velocity = [1.0, 0.0]\n[boundary]\nx_min = { type = \"inlet\", velocity = [1.0, 0.0] "
         "}\nx_max = { type = \"outlet\" }\ny_min = { type = \"" +
         side +
         "\" }\ny_max = { type = \"slip\" }\n[time]\nend = 10.0\ndt = 0.04\n[body]\ntype = \"box\"\nlengths = [1.03, " +
         std::to_string(1 + beyond) + "]\nposition = [0.02, " + std::to_string(-2.5 - 0.5 * beyond) + "]\n" + more +
         tight;
}

// How far a body reaches beyond the wall that it stands on changes nothing, and the flow about it is bounded.
TYPED_TEST(ImmersedSides, WhatLiesBeneathAWallIsNoSurface) {
  for (const char* side : {"wall", "slip"}) {
    std::vector<std::vector<double>> states;
    for (const double beyond : {0.0, 0.025, 0.2, 2.0}) {
      TestFlow<TypeParam> t(box_on(side, beyond));
      t.advance(10);
      const double energy = kinetic_energy(t.flow.flow(), t.flow.metrics(), t.c.flow.grid);
      EXPECT_GT(energy, 0.2) << side << beyond;
      EXPECT_LT(energy, 0.6) << side << beyond;
      states.push_back(t.flow.flow().velocity[0].to_vector());
      EXPECT_LT(largest_difference(states.front(), states.back()), 1e-6) << side << beyond;
    }
  }
}

TEST(ImmersedSides, OfWallsAndSlipAloneMayCutABodyThatStays) {
  const auto refusal = [](const std::string& sides, const std::string& more) {
    try {
      TestFlow<Host> t(cylinder_in("0.0", "2.0", 16, sides, more));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string outlet = "y_min = { type = \"outlet\" }\ny_max = { type = \"slip\" }\n";
  EXPECT_NE(refusal(outlet, "").find("sides of type wall or slip only"), std::string::npos);
  EXPECT_NE(refusal(slip, "motion = { type = \"translation\", velocity = [0.1, 0.0] }\n").find("must be fixed"),
            std::string::npos);
  EXPECT_EQ(refusal("y_min = { type = \"wall\" }\ny_max = { type = \"slip\" }\n", ""), "");
}

}  // namespace
}  // namespace weir::test::side_test
