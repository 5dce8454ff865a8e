// Several bodies, bodies that turn in place, and fluid inside of a body: exact flows, and what symmetry demands.
#include <algorithm>
#include <fstream>
#include <numbers>
#include <regex>
#include <sstream>

#include "flow_case.hpp"
#include "miniapps/immersed/output.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::bodies_test {
namespace {

const std::string walls =
    "[boundary]\nx_min = { type = \"wall\" }\nx_max = { type = \"wall\" }\ny_min = { type = \"wall\" }\n"
    "y_max = { type = \"wall\" }\n";

std::string in_list(std::string text) { return text.replace(text.find("[body]"), 6, "[[body]]"); }

std::string cylinder_at(const std::string& position, const std::string& more = "") {
  return "[[body]]\ntype = \"cylinder\"\ndiameter = 0.6\nposition = " + position + "\n" + more;
}

// In the box of text_of.
std::string two_cylinders(int cells, double dt, double speed, const std::string& lower, const std::string& upper) {
  std::string text = text_of(cells, dt, speed, "");
  return text.replace(text.find("[body]\n"), 7, lower + upper);
}

TEST(SeveralBodies, AListOfOneIsTheSameFlow) {
  const std::string body = fixed_cylinder + "motion = { type = \"translation\", velocity = [0.3, 0.1] }\n";
  TestFlow<Host> table(text_of(20, 0.05, 1, body)), list(in_list(text_of(20, 0.05, 1, body)));
  table.advance(3);
  list.advance(3);
  EXPECT_EQ(table.state(), list.state());
}

TEST(BodyFromAFile, APolygonIsTheSameFlowAsTheBoxOfItsShape) {
  const testing::ScratchFolder folder;
  const std::string path = folder / "square.txt";
  std::ofstream(path) << "-0.5 -0.5\n0.5 -0.5\n0.5 0.5\n-0.5 0.5\n";
  const std::string place = "position = [0.03, 0.01]\nangle = 20.0\n";
  TestFlow<Host> box(text_of(24, 0.05, 1, "type = \"box\"\nlengths = [1.0, 1.0]\n" + place)),
      polygon(text_of(24, 0.05, 1, "type = \"polygon\"\nfile = \"" + path + "\"\n" + place));
  box.advance(3);
  polygon.advance(3);
  EXPECT_LT(largest_difference(box.state(), polygon.state()), 1e-9);
}

// A box on grid lines off the middle: ghost nodes beneath its edges are equally near to two faces.
TEST(BodyOnGridLines, MirrorImagesOfABoxInThreeDimensionsHaveTheSameForce) {
  const auto force = [](const char* y) {
    TestFlow<Host> t(std::string("[grid]\ncells = [16, 12, 12]\nlength = [4.0, 3.0, 3.0]\n[flow]\nviscosity = 0.05\n") +
                     "initial = \"uniform\"\ninitial_velocity = [1.0, 0.0, 0.0]\n[boundary]\n"
                     "x_min = { type = \"inlet\", velocity = [1.0, 0.0, 0.0] }\nx_max = { type = \"outlet\" }\n"
                     "y_min = { type = \"slip\" }\ny_max = { type = \"slip\" }\nz_min = { type = \"slip\" }\n"
                     "z_max = { type = \"slip\" }\n[time]\nend = 1.0\ndt = 0.03\n[body]\ntype = \"box\"\n"
                     "lengths = [0.75, 0.75, 0.75]\nposition = [1.375, " +
                     y + ", 1.5]\n" + tight);
    t.advance(3);
    return t.flow.surface_force();
  };
  const Force lower = force("1.375"), upper = force("1.625"), moved = force("1.375000001");
  EXPECT_NEAR(upper.total(0), lower.total(0), 1e-9 * lower.total(0));
  EXPECT_NEAR(upper.total(1), -lower.total(1), 1e-9 * lower.total(0));
  EXPECT_NEAR(moved.total(0), lower.total(0), 1e-6 * lower.total(0));
}

// Pressure, friction, temperature and heat flux on each element.
TEST(SurfaceFile, HasTheLoadsOfEachElement) {
  TestFlow<Host> t("[temperature]\ndiffusivity = 0.1\n" +
                   std::regex_replace(text_of(24, 0.05, 1, fixed_cylinder + "temperature = 2.5\n"),
                                      std::regex("0\\] \\}\nx_max"), "0], temperature = 0.0 }\nx_max"));
  t.advance(2);
  const testing::ScratchFolder folder;
  const Surface& surface = t.flow.bodies()[0].surface();
  write_surface(folder / "body.vtp", surface, t.flow.surface_loads(), {"temperature", "heat_flux"});
  std::ifstream file(folder / "body.vtp");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const std::string name : {"pressure", "friction", "heat_flux"})
    EXPECT_NE(text.find("Name=\"" + name + "\""), text.npos) << name;
  const auto begin = text.find('\n', text.find("Name=\"temperature\"")) + 1;
  std::istringstream values(text.substr(begin, text.find('<', begin) - begin));
  int count = 0;
  for (double value = 0; values >> value; ++count) EXPECT_EQ(value, 2.5);
  EXPECT_EQ(count, surface.elements());
}

template <class Space>
class SeveralBodiesIn : public ::testing::Test {};
TYPED_TEST_SUITE(SeveralBodiesIn, Spaces, SpaceName);

// Mirror images: with the same drag and opposite lifts and torques.
TYPED_TEST(SeveralBodiesIn, CylindersAboutThePlaneOfSymmetryHaveEqualDragAndOppositeLift) {
  TestFlow<TypeParam> t(two_cylinders(20, 0.05, 1, cylinder_at("[-0.5, -0.8]", "angular_velocity = 0.4\n"),
                                      cylinder_at("[-0.5, 0.8]", "angular_velocity = -0.4\n")));
  t.advance(4);
  const Force lower = t.flow.surface_force(0), upper = t.flow.surface_force(1);
  EXPECT_GT(lower.total(0), 0.1);
  EXPECT_GT(std::abs(lower.torque[2]), 0.01);
  EXPECT_NEAR(lower.total(0), upper.total(0), 1e-8 * lower.total(0));
  EXPECT_NEAR(lower.total(1), -upper.total(1), 1e-7);
  EXPECT_NEAR(lower.torque[2], -upper.torque[2], 1e-8);
}

// The momentum balance knows where the solids are and how each moves: to the agreement of one moving cylinder, with as
// many cells across.
TYPED_TEST(SeveralBodiesIn, TheMomentumBalanceOfTwoThatMoveApartIsTheSumOfTheirForces) {
  const auto moving = [](double v) {
    return "motion = { type = \"translation\", velocity = [" + std::to_string(v) + ", 0.1] }\n";
  };
  TestFlow<TypeParam> t(
      two_cylinders(32, 0.02, 1, cylinder_at("[-0.9, 0.0]", moving(-0.3)), cylinder_at("[0.3, 0.2]", moving(0.4))));
  t.advance(12);
  const double sum = t.flow.surface_force(0).total(0) + t.flow.surface_force(1).total(0);
  EXPECT_NEAR(t.flow.control_volume_force()[0], sum, 0.1 * std::abs(sum));
  EXPECT_LT(t.flow.max_mass_error(), 1e-7);
}

// Circular Couette flow between cylinders of radius 0.5 and 1: u = A r + B / r along the circles, from rest, in a box
// of which nothing else is fluid.
struct Couette {
  double error = 0, torque = 0;  // of the speed in l2, and of the torque on the inner cylinder, relative
};
Couette couette_errors(int cells) {
  constexpr double inner = 1.0, outer = -0.3, r0 = 0.5, r1 = 1, nu = 0.1;
  constexpr double B = (inner - outer) * r0 * r0 * r1 * r1 / (r1 * r1 - r0 * r0), A = inner - B / (r0 * r0);
  const std::string n = std::to_string(cells);
  TestFlow<Host> t("[grid]\ncells = [" + n + ", " + n +
                   "]\nlength = [2.4, 2.4]\norigin = [-1.21, -1.18]\n[flow]\nviscosity = 0.1\n" + walls +
                   "[time]\nend = 1000.0\ndt = " + std::to_string(1.0 / cells) +
                   "\n[[body]]\nname = \"inner\"\ndiameter = 1.0\nposition = [0.0, 0.0]\nangular_velocity = 1.0\n"
                   "[[body]]\nname = \"outer\"\ndiameter = 2.0\nposition = [0.0, 0.0]\nangular_velocity = -0.3\n"
                   "fluid = \"inside\"\n" +
                   tight);
  t.advance(6 * cells);  // time 6: the slowest part decays like exp(-4 t) or so
  const auto& line = t.c.flow.grid.line;
  const Layout& l = t.flow.layout();
  const std::vector<double> u = t.flow.flow().velocity[0].to_vector();
  double sum = 0, size = 0;
  for (int j = 0; j < l.n[1]; ++j)
    for (int i = 1; i < l.n[0]; ++i) {
      const double x = line[0].faces[i], y = line[1].centre[j], r = std::hypot(x, y);
      if (r < r0 || r > r1) continue;
      const double exact = -y * (A + B / (r * r));
      sum += std::pow(u[l.padded_index(i, j, 0)] - exact, 2);
      size += exact * exact;
    }
  const double exact_torque = -4 * std::numbers::pi * nu * B, depth = line[2].length();
  return {std::sqrt(sum / size), std::abs(t.flow.surface_force(0).torque[2] / depth / exact_torque - 1)};
}

TEST(FluidInside, CouetteFlowBetweenTurningCylindersIsExactToSecondOrder) {
  const Couette coarse = couette_errors(24), fine = couette_errors(48);
  EXPECT_GT(std::log2(coarse.error / fine.error), 1.8) << coarse.error << ", " << fine.error;
  EXPECT_LT(fine.torque, 0.01) << coarse.torque << ", " << fine.torque;
}

// Flow through a tube of radius 1 along z, periodic, under a force 1: w = (1 - r^2) / (4 nu).
double tube_error(int cells) {
  const std::string n = std::to_string(cells);
  TestFlow<Host> t(
      "[grid]\ncells = [" + n + ", " + n +
      ", 4]\nlength = [2.4, 2.4, 1.0]\norigin = [-1.21, -1.18, 0.0]\n[flow]\nviscosity = 1.0\n"
      "body_force = [0.0, 0.0, 4.0]\n" +
      walls + "z_min = { type = \"periodic\" }\nz_max = { type = \"periodic\" }\n[time]\nend = 1000.0\ndt = " +
      std::to_string(1.0 / cells) + "\n[body]\ndiameter = 2.0\nposition = [0.0, 0.0]\nfluid = \"inside\"\n" + tight);
  t.advance(3 * cells);  // time 3: the slowest part decays like exp(-5.8 t)
  const auto& line = t.c.flow.grid.line;
  const Layout& l = t.flow.layout();
  const std::vector<double> w = t.flow.flow().velocity[2].to_vector();
  double sum = 0, size = 0;
  for (int j = 0; j < l.n[1]; ++j)
    for (int i = 0; i < l.n[0]; ++i) {
      const double r = std::hypot(line[0].centre[i], line[1].centre[j]);
      if (r > 1) continue;
      sum += std::pow(w[l.padded_index(i, j, 1)] - (1 - r * r), 2);
      size += std::pow(1 - r * r, 2);
    }
  return std::sqrt(sum / size);
}

TEST(FluidInside, FlowThroughATubeWithPeriodicEndsIsExactToSecondOrder) {
  const double coarse = tube_error(12), fine = tube_error(24);
  EXPECT_GT(std::log2(coarse / fine), 1.8) << coarse << ", " << fine;
  EXPECT_LT(fine, 0.01);
}

// F / (mu U) of slow flow through a square array of cylinders with the solid fraction 0.2, driven by a force 1.
double array_drag(int cells, const std::string& position) {
  const std::string n = std::to_string(cells);
  std::string sides;
  for (const char* side : {"x_min", "x_max", "y_min", "y_max"})
    sides += std::string(side) + " = { type = \"periodic\" }\n";
  TestFlow<Host> t("[grid]\ncells = [" + n + ", " + n + "]\nlength = [1.0, 1.0]\norigin = [-0.5, -0.5]\n[flow]\n" +
                   "viscosity = 10.0\nbody_force = [1.0, 0.0]\n[boundary]\n" + sides +
                   "[time]\nend = 1.0\ndt = 2e-4\n[body]\ndiameter = 0.504626504\nposition = " + position + "\n" +
                   tight);
  t.advance(150);  // time 0.03: a rate of 10 * 50
  const auto& parts = t.flow.own_cut().fraction;
  return 1 / (10 * mean_velocity(t.c, WholeFlow(t.flow.flow(), {parts[0], parts[1]})).at("mean_velocity_x"));
}

TEST(PeriodicArray, DragOfCylindersConvergesToSanganiAndAcrivosWithSecondOrder) {
  constexpr double published = 51.53;  // 51.527 by collocation of their series
  const double coarse = array_drag(16, "[0.0, 0.0]"), fine = array_drag(48, "[0.0, 0.0]");
  EXPECT_GT(std::log((coarse / published - 1) / (fine / published - 1)) / std::log(3.0), 1.9) << coarse << ", " << fine;
  EXPECT_NEAR(fine, published, 0.005 * published);
}

// Moved towards a periodic side, to a tenth of a cell from it: ghost nodes take values from beyond the side.
TEST(PeriodicArray, HasTheSameDragWhereverTheCylinderLiesInItsCell) {
  const double middle = array_drag(32, "[0.0, 0.0]");
  for (const char* position : {"[0.125, 0.0]", "[0.2446, 0.0]", "[0.0, -0.2446]"})
    EXPECT_NEAR(array_drag(32, position), middle, 0.002 * middle) << position;
}

// Conduction through an annulus: T = ln r / ln 2 between radius 1 (T = 0) and 2 (T = 1) around the centre.
TEST(FluidInside, HeatConductedThroughAnAnnulusIsTheExactFlux) {
  const auto flux = [](int cells) {
    const std::string n = std::to_string(cells);
    TestFlow<Host> t("[grid]\ncells = [" + n + ", " + n +
                     "]\nlength = [4.4, 4.4]\norigin = [-2.21, -2.18]\n[flow]\nviscosity = 1.0\n[temperature]\n"
                     "diffusivity = 1.0\n" +
                     walls +
                     "[time]\nend = 1000.0\ndt = 0.05\n[[body]]\ndiameter = 2.0\nposition = [0.0, 0.0]\n"
                     "temperature = 0.0\n[[body]]\ndiameter = 4.0\nposition = [0.0, 0.0]\nfluid = \"inside\"\n"
                     "temperature = 1.0\n" +
                     tight + "[linear.temperature]\ntolerance = 1e-12\n");
    t.advance(60);
    const SurfaceScalar outer = t.flow.surface_scalar(0, 1);
    return outer.flux / outer.area;
  };
  const double exact = 1 / (2 * std::log(2.0));
  EXPECT_NEAR(flux(44), exact, 0.01 * exact);
}

}  // namespace
}  // namespace weir::test::bodies_test
