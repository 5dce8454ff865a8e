// Steady flows that begin on coarser meshes, in both spaces.
#include "miniapps/compressible/convergence/coarse_start.hpp"

#include "base/error.hpp"
#include "tests/miniapps/compressible/flow_case.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::coarse_start_test {
namespace {

template <class Space>
class CoarseStart : public ::testing::Test {};
TYPED_TEST_SUITE(CoarseStart, Spaces, SpaceName);

// 810 cells, 463 of half the refinement.
const std::string generator =
    "type = \"naca0012\", layers = 0, far_field = 5.0, wall_faces = 40, leading_spacing = 0.03, "
    "trailing_spacing = 0.03, near_growth = 0.3, far_growth = 0.4";

std::string aerofoil(const std::string& mesh, const std::string& pseudo_time) {
  return "[mesh]\ngenerator = { " + mesh + " }\n[flow]\nmach = 0.5\nangle_of_attack = 1.25\n" +
         "[boundary]\nwall = { type = \"slip_wall\" }\nfarfield = { type = \"farfield\" }\n" +
         "[pseudo_time]\njacobian = \"matrix_free\"\n" + pseudo_time;
}

const CoarseStop never{[] { return false; }, [] { return false; }};

double length(const std::array<double, 5>& v) { return std::hypot(std::hypot(v[0], v[1]), v[2], v[3]); }

TYPED_TEST(CoarseStart, TheFineMeshBeginsNearItsSolution) {
  const std::string text =
      aerofoil(generator, "coarse_meshes = 1\ncoarse_tolerance = 0.1\nfirst_order_tolerance = 0.3\n");
  TestFlow<TypeParam> from_coarse(text), from_stream(text);
  const std::vector<CoarseMesh> meshes =
      start_on_coarser_meshes(from_coarse.config(), Communicator(), never, *from_coarse);
  ASSERT_EQ(meshes.size(), 1U);
  EXPECT_LT(meshes[0].cells, from_coarse->cells);
  EXPECT_LE(meshes[0].drop, 0.1);
  EXPECT_GT(meshes[0].iterations, 0);
  EXPECT_FALSE(meshes[0].failed);
  EXPECT_GT(from_coarse.pseudo().control.cfl, from_coarse.flow_case().pseudo_time.cfl_start);
  from_coarse.pseudo().start_phase(2);
  from_stream.pseudo().start_phase(2);
  // The interpolated state's residual is of short waves, which one step takes away.
  ASSERT_TRUE(from_coarse.attempt().accepted && from_stream.attempt().accepted);
  EXPECT_LT(length(from_coarse.pseudo().control.norm), 0.3 * length(from_stream.pseudo().control.norm));
}

TYPED_TEST(CoarseStart, ARunThatIsToStopTakesNoStep) {
  TestFlow<TypeParam> f(aerofoil(generator, "coarse_meshes = 1\n"));
  const CoarseStop now{[] { return true; }, [] { return true; }};
  const std::vector<CoarseMesh> meshes = start_on_coarser_meshes(f.config(), Communicator(), now, *f);
  ASSERT_EQ(meshes.size(), 1U);
  EXPECT_EQ(meshes[0].steps, 0);
  const std::vector<double> U = f.state();
  for (std::size_t i = 0; i < U.size(); i += 4) ASSERT_NEAR(U[i], 1, 1e-12);  // the free stream
}

// The generators take refinements of 0.2 and more; 1500 cells need no less.
TEST(CoarserCases, FamiliesEndWhereTheGeneratorDoes) {
  const auto count = [](const std::string& mesh) {
    return coarser_cases(read_case_text(aerofoil(mesh, "coarse_meshes = 6\n"), "case.toml"), 6).size();
  };
  EXPECT_EQ(count(generator + ", refinement = 0.3"), 0U);
  EXPECT_EQ(count(generator + ", refinement = 0.8"), 2U);
  EXPECT_EQ(count(generator), 2U);
  EXPECT_EQ(count(generator + ", cells = 9000"), 1U);
}

TEST(CoarserCases, WhatHasNoCoarserMeshIsRefusedWithItsLine) {
  const auto refusal = [](const std::string& text) {
    try {
      read_compressible_case(read_case_text(text, "case.toml"));
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::usage);
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const std::string with = "coarse_meshes = 1\n";
  const std::string box = refusal(circle + "[pseudo_time]\n" + with);
  EXPECT_EQ(box.find("case.toml:9: "), 0U) << box;
  EXPECT_NE(box.find("naca0012, naca or c_grid"), std::string::npos) << box;
  const std::string unsteady = refusal(aerofoil(generator, with + "[time]\nend = 1.0\ndt = 0.1\n"));
  EXPECT_EQ(unsteady.find("case.toml:11: "), 0U) << unsteady;
  EXPECT_NE(unsteady.find("steady flows"), std::string::npos) << unsteady;
  EXPECT_EQ(refusal(aerofoil(generator, with)), "accepted");
}

}  // namespace
}  // namespace weir::test::coarse_start_test
