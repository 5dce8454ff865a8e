#include "mesh/generate/generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "mesh/generate/airfoil.hpp"
#include "mesh/generate/spacing.hpp"
#include "mesh/unstructured/build_mesh.hpp"
#include "mesh/unstructured/quality.hpp"
#include "tests/mesh/check_mesh.hpp"

namespace weir::generators_test {
namespace {

using std::numbers::pi;

constexpr double round_off = 1e-12;  // sums of up to 1e4 terms below the domain's size, eps 2e-16 each

// Every mesh: closed cells of positive volume, nothing turned, nothing folded.
UnstructuredMesh checked(const MeshDescription& description) {
  MeshRepairs repairs;
  const UnstructuredMesh mesh = build_mesh(description, &repairs);
  EXPECT_EQ(repairs.turned, 0);
  EXPECT_EQ(repairs.not_convex, 0);
  EXPECT_EQ(repairs.unused_nodes, 0);
  EXPECT_GT(*std::min_element(mesh.volume.begin(), mesh.volume.end()), 0);
  const MeshCheck check = check_mesh(mesh);
  EXPECT_LT(check.closure, round_off);
  EXPECT_LT(check.volume_error, round_off);
  return mesh;
}

// By what a case says of it.
UnstructuredMesh generated(const std::string& generator) {
  return checked(read_generator(read_case_text("g = { " + generator + " }", "case").table("g")));
}

std::map<std::string, int> patch_sizes(const UnstructuredMesh& mesh) {
  std::map<std::string, int> sizes;
  for (const Patch& p : mesh.patches) sizes[p.name] = p.count;
  return sizes;
}

using Sizes = std::map<std::string, int>;

double length_of(const UnstructuredMesh& mesh, const std::string& name) {
  const Patch* patch = mesh.patch(name);
  double sum = 0;
  for (int f = patch->first; f < patch->first + patch->count; ++f) sum += mesh.area[f];
  return sum;
}

// The least angle of all triangles, in degrees.
double least_angle(const UnstructuredMesh& mesh) {
  double least = 180;
  for (int c = 0; c < mesh.cells(); ++c)
    for (int k = 0; k < 3 && mesh.corners(c) == 3; ++k) {
      const auto at = [&](int i) { return mesh.node[mesh.cell_node[mesh.cell_start[c] + i % 3]]; };
      const auto a = at(k), b = at(k + 1), d = at(k + 2);
      const double ux = b[0] - a[0], uy = b[1] - a[1], vx = d[0] - a[0], vy = d[1] - a[1];
      least = std::min(least, std::atan2(ux * vy - uy * vx, ux * vx + uy * vy) * 180 / pi);
    }
  return least;
}

// Of 2 x 1, with more keys.
std::string box(int nx, int ny, const std::string& more = "") {
  return "type = \"box\", length = [2, 1], cells = [" + std::to_string(nx) + ", " + std::to_string(ny) + "]" + more;
}

TEST(Box, HasItsCellsItsSidesAndItsArea) {
  for (const auto& [shape, factor] : {std::pair{"quads", 1}, {"triangles", 2}, {"triangles_aligned", 2}}) {
    const UnstructuredMesh mesh = generated(box(6, 5, ", shape = \"" + std::string(shape) + "\""));
    EXPECT_EQ(mesh.cells(), 30 * factor);
    EXPECT_EQ(patch_sizes(mesh), (Sizes{{"x_min", 5}, {"x_max", 5}, {"y_min", 6}, {"y_max", 6}}));
    EXPECT_NEAR(check_mesh(mesh).volume, 2, round_off);
    EXPECT_NEAR(length_of(mesh, "y_min"), 2, round_off);
  }
}

TEST(Box, OfOneCellIsAMesh) { EXPECT_EQ(generated(box(1, 1)).cells(), 1); }

TEST(Box, StaysValidAndKeepsItsAreaUnderBothPerturbations) {
  for (const std::string shape : {"quads", "triangles"}) {
    const std::string bent = box(16, 12, ", shape = \"" + shape + "\", perturbation = 0.45, jitter = 0.15");
    EXPECT_NEAR(check_mesh(generated(bent)).volume, 2, round_off);
    EXPECT_EQ(generated(bent).node, generated(bent).node);
    EXPECT_NE(generated(bent).node, generated(bent + ", seed = 2").node);
  }
}

TEST(Box, SplitsASideAtANodeAsAFlatPlateNeeds) {
  const UnstructuredMesh mesh = generated(box(8, 3, R"(, split = [{ side = "y_min", at = 0.5 },
    { side = "x_max", at = 0.3333333333, names = ["low", "high"] }])"));
  EXPECT_EQ(patch_sizes(mesh),
            (Sizes{{"x_min", 3}, {"low", 1}, {"high", 2}, {"symmetry", 2}, {"wall", 6}, {"y_max", 8}}));
  EXPECT_NEAR(length_of(mesh, "wall"), 1.5, round_off);
  EXPECT_THROW(generated(box(8, 3, ", split = [{ at = 0.51 }]")), Error);
}

TEST(Box, IsPeriodicWhereAskedTo) {
  const std::string bent = box(8, 4, ", shape = \"triangles\", perturbation = 0.2, ");
  const UnstructuredMesh both = generated(bent + "periodic = [\"x\", \"y\"]");
  EXPECT_TRUE(both.patches.empty());
  EXPECT_EQ(both.periodic_faces, 12);
  EXPECT_EQ(patch_sizes(generated(bent + "periodic = [\"x\"]")), (Sizes{{"y_min", 8}, {"y_max", 8}}));
}

TEST(Cylinder, ApproachesTheExactAreaWithSecondOrder) {
  const auto error = [](int n) {
    const UnstructuredMesh mesh = generated("type = \"cylinder\", far_field = 4, around = " + std::to_string(n) +
                                            ", outward = " + std::to_string(n / 2));
    EXPECT_EQ(mesh.cells(), n * n / 2);
    EXPECT_EQ(patch_sizes(mesh), (Sizes{{"wall", n}, {"farfield", n}}));
    EXPECT_NEAR(length_of(mesh, "wall"), n * std::sin(pi / n), round_off);
    return pi * (16 - 0.25) - check_mesh(mesh).volume;
  };
  EXPECT_NEAR(std::log2(error(32) / error(64)), 2, 0.02);  // sin(x) = x - x^3 / 6 + ...: the next term is 1e-3 of this
}

TEST(Cylinder, TakesTheFirstHeightAndStillEndsAtTheFarField) {
  const UnstructuredMesh mesh = generated("type = \"cylinder\", around = 24, outward = 40, first_height = 1e-3");
  double nearest = 1, farthest = 0;
  for (const auto& x : mesh.node) {
    const double r = std::hypot(x[0], x[1]);
    if (r > 0.5 + 1e-9) nearest = std::min(nearest, r);
    farthest = std::max(farthest, r);
  }
  EXPECT_NEAR(nearest, 0.501, round_off);
  EXPECT_NEAR(farthest, 20, round_off);
}

TEST(Wedge, HasANodeOnItsCornerAndExactSides) {
  const UnstructuredMesh mesh = generated("type = \"wedge\", cells = [30, 8], angle = 15");
  EXPECT_EQ(patch_sizes(mesh), (Sizes{{"x_min", 8}, {"x_max", 8}, {"symmetry", 10}, {"wall", 20}, {"y_max", 30}}));
  EXPECT_NEAR(length_of(mesh, "wall"), 1 / std::cos(15 * pi / 180), round_off);
  EXPECT_NEAR(length_of(mesh, "symmetry"), 0.5, round_off);
  EXPECT_NEAR(check_mesh(mesh).volume, 1.5 - 0.5 * std::tan(15 * pi / 180), round_off);
}

// Small enough for a test: about 3,000 cells.
std::string small_naca(const std::string& more = "") { return "type = \"naca0012\", refinement = 0.5" + more; }

TEST(Naca, IsAHybridOfLayersAndGoodTriangles) {
  const UnstructuredMesh mesh = generated(small_naca());
  const auto sizes = patch_sizes(mesh);
  EXPECT_EQ(sizes.at("wall"), 100);
  EXPECT_GT(sizes.at("farfield"), 15);
  int quads = 0;
  for (int c = 0; c < mesh.cells(); ++c) quads += mesh.corners(c) == 4;
  EXPECT_GE(quads, 100 * 10);  // 10 layers at this refinement, and the fan behind the trailing edge
  EXPECT_GT(least_angle(mesh), 19);
}

TEST(Naca, LeavesTheCircleLessTheAirfoilWithSecondOrder) {
  const auto error = [](double refinement) {
    const UnstructuredMesh mesh =
        generated("type = \"naca0012\", far_field = 3, refinement = " + std::to_string(refinement));
    const int n = mesh.patch("farfield")->count;
    const double polygon = 0.5 * n * 9 * std::sin(2 * pi / n);
    // 2 y dx = 4 s y ds is a polynomial of degree 10 in s: Simpson on 2000 is exact to round-off.
    const Airfoil airfoil(0.12, 0, 0.4, TrailingEdge::closed);
    double area = 0;
    for (int i = 0; i <= 2000; ++i) {
      const double s = i / 2000.0, weight = i == 0 || i == 2000 ? 1 : i % 2 ? 4 : 2;
      area += weight * 4 * s * airfoil.at(s, 1)[1] / 6000;
    }
    return std::abs(polygon - area - check_mesh(mesh).volume);
  };
  EXPECT_NEAR(std::log2(error(0.25) / error(0.5)), 2, 0.2);  // 50 and 100 wall faces: the curved nose is not yet smooth
}

TEST(Naca, KeepsTheTotalHeightOfItsLayersUnderRefinement) {
  double outermost[2];
  for (const int i : {0, 1}) {
    const UnstructuredMesh mesh = generated("type = \"naca0012\", refinement = " + std::string(i ? "0.5" : "0.25"));
    double least = 0;  // x of the front's nose: quadrilaterals upstream of the airfoil on the axis
    for (int c = 0; c < mesh.cells(); ++c)
      for (int k = mesh.cell_start[c]; mesh.corners(c) == 4 && k < mesh.cell_start[c + 1]; ++k)
        least = std::min(least, mesh.node[mesh.cell_node[k]][0]);
    outermost[i] = least;
  }
  const double total = geometric_spacing(20, 5e-5, 1.26).back();
  EXPECT_NEAR(outermost[0], -total, 0.02 * total);  // the nose column may lean a little
  EXPECT_NEAR(outermost[1], -total, 0.02 * total);
}

TEST(Naca, HasAboutAsManyCellsAsAskedFor) {
  for (const int wanted : {2000, 6000})
    EXPECT_NEAR(generated("type = \"naca0012\", cells = " + std::to_string(wanted)).cells(), wanted, 0.1 * wanted);
}

TEST(Naca, OfTrianglesAloneIsOneToo) {
  for (const bool bare : {false, true}) {
    const UnstructuredMesh mesh = generated(small_naca(bare ? ", layers = 0" : ", shape = \"triangles\""));
    EXPECT_EQ(static_cast<int>(mesh.cell_node.size()), 3 * mesh.cells());
    EXPECT_EQ(patch_sizes(mesh).at("wall"), 100);
    EXPECT_GT(least_angle(mesh), bare ? 15 : 0);
  }
}

TEST(Naca, MeshesCamberedAndBluntAirfoils) {
  const UnstructuredMesh blunt = generated(small_naca(", trailing_edge = \"open\""));
  EXPECT_GT(patch_sizes(blunt).at("wall"), 100);  // the base has a face of its own
  const std::string cambered = "type = \"naca\", profile = \"6409\", refinement = 0.5";
  const UnstructuredMesh mesh = generated(cambered);
  EXPECT_GT(least_angle(mesh), 15);
  EXPECT_GT(generated(cambered + ", wake_length = 1").cells(), mesh.cells());
}

TEST(Naca, KeepsItsShapeWhereLayersAreThinAndWhereTheyAreMissing) {
  // Thinner than the wall's faces are long.
  EXPECT_GT(least_angle(generated(small_naca(", layers = 4"))), 1);
  // Growing more steeply than triangles can follow.
  EXPECT_GT(
      least_angle(generated("type = \"naca0012\", refinement = 0.25, layers = 0, near_growth = 0.5, far_growth = 0.5")),
      10);
}

// Of the cells at the wall: the least and the largest area over length.
std::pair<double, double> first_heights(const UnstructuredMesh& mesh) {
  const Patch* wall = mesh.patch("wall");
  double lowest = 1, highest = 0;
  for (int f = wall->first; f < wall->first + wall->count; ++f) {
    const double height = mesh.volume[mesh.owner[f]] / mesh.area[f];
    lowest = std::min(lowest, height);
    highest = std::max(highest, height);
  }
  return {lowest, highest};
}

TEST(CGrid, HasItsCellsAroundTheAirfoilAndItsWakeJoined) {
  const auto mesh =
      generated(R"(type = "c_grid", wall_cells = 40, wake_cells = 12, outward = 24, first_height = 1e-4)");
  EXPECT_EQ(mesh.cells(), (40 + 2 * 12) * 24);
  EXPECT_EQ(patch_sizes(mesh), (Sizes{{"wall", 40}, {"farfield", 40 + 2 * 12 + 2 * 24}}));
  EXPECT_NEAR(length_of(mesh, "wall"), 2.04, 0.01);  // a chord and 2 % a side
  // first_height is that of the parabolic coordinates' lines, which lie closer at the nose.
  const auto [lowest, highest] = first_heights(mesh);
  EXPECT_NEAR(highest, 1e-4, 0.1e-4);
  EXPECT_GT(lowest, 0.05e-4);
  EXPECT_LT(lowest, 0.3e-4);
}

TEST(CGrid, OfTwiceTheRefinementHasFourTimesTheCellsHalfAsHigh) {
  const std::string coarse = R"(type = "c_grid", wall_cells = 40, wake_cells = 12, outward = 24, first_height = 1e-4)";
  const auto mesh = generated(coarse), fine = generated(coarse + ", refinement = 2");
  EXPECT_EQ(fine.cells(), 4 * mesh.cells());
  EXPECT_NEAR(first_heights(fine).second / first_heights(mesh).second, 0.5, 0.05);
  EXPECT_GT(generated(coarse + R"(, profile = "2415", trailing_edge = "closed", far_field = 20)").cells(), 0);
}

TEST(Quality, IsOneForSquaresAndEquilateralTriangles) {
  MeshDescription d;
  const double h = std::sqrt(0.75);
  d.node = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {1 + h, 0.5}, {0, 3}, {1, 3}};
  d.add_cell(0, 1, 2, 3);
  d.add_cell(1, 4, 2);
  d.add_cell(3, 2, 6, 5);
  const int wall = d.add_marker("wall");
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 4}, {4, 2}, {2, 6}, {6, 5}, {5, 3}, {3, 0}}) d.add_edge(a, b, wall);
  const UnstructuredMesh mesh = build_mesh(d);
  const auto aspect = aspect_ratios(mesh), angle = least_angles(mesh);
  for (int c = 0; c < 3; ++c) {
    const bool is_long = mesh.volume[c] > 1.5, is_triangle = mesh.corners(c) == 3;
    EXPECT_NEAR(aspect[c], is_long ? 2 : 1, round_off);
    EXPECT_NEAR(angle[c], is_triangle ? 60 : 90, round_off * 180);
  }
}

TEST(Airfoil, TrailingEdgesAreThoseOfTheirCoefficients) {
  const Airfoil closed(0.12, 0, 0.4, TrailingEdge::closed), open(0.12, 0, 0.4, TrailingEdge::open),
      extended(0.12, 0, 0.4, TrailingEdge::extended);
  EXPECT_EQ(closed.at(1, 1)[1], 0);
  EXPECT_EQ(extended.at(1, 1)[1], 0);
  EXPECT_NEAR(open.at(1, 1)[1], 0.6 * (0.2969 - 0.1260 - 0.3516 + 0.2843 - 0.1015), 1e-16);
  // Vassberg & Jameson (2010), eq. 1: the same airfoil, its coefficients printed to 9 digits.
  for (const double s : {0.1, 0.5, 0.7, 0.95}) {
    const double x = s * s;
    const double y = 0.594689181 * (0.298222773 * std::sqrt(x) - 0.127125232 * x - 0.357907906 * x * x +
                                    0.291984971 * x * x * x - 0.105174606 * x * x * x * x);
    EXPECT_NEAR(extended.at(s, 1)[1], y, 2e-9);
    EXPECT_NEAR(extended.at(s, -1)[1], -y, 2e-9);
  }
}

}  // namespace
}  // namespace weir::generators_test
