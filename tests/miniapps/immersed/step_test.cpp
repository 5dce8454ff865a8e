// A few steps of small flows around bodies.
#include <numbers>

#include "flow_case.hpp"
#include "miniapps/driver/force_statistics.hpp"
#include "miniapps/immersed/case.hpp"
#include "miniapps/structured/diagnostics.hpp"
#include "miniapps/structured/time/clock.hpp"
#include "solvers/device/ledger.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::step_test {
namespace {

template <class Space>
class ImmersedStep : public ::testing::Test {};
TYPED_TEST_SUITE(ImmersedStep, Spaces, SpaceName);

constexpr double solver_tolerance = 1e-11;

TYPED_TEST(ImmersedStep, KeepsMassInEveryCellBesideAFixedBody) {
  TestFlow<TypeParam> t(text_of(24, 0.02, 1, fixed_cylinder));
  t.advance(3);
  EXPECT_LT(t.flow.max_mass_error(), 100 * solver_tolerance);  // the sum's residual over a cell's volume, 1/36
}

// The volume that a body gains leaves through the outlet: what the sides let through is the body's flux, to the
// solver's tolerance, in every cell and in all.
TYPED_TEST(ImmersedStep, KeepsMassWhereABodyChangesItsVolume) {
  TestFlow<TypeParam> t(
      text_of(24, 0.02, 0,
              fixed_cylinder + "motion = { type = \"deformation\", amplitude = [0.1, 0.1, 0.0], frequency = 1.0 }\n"));
  for (int i = 0; i < 4; ++i) {
    t.advance(1);
    EXPECT_LT(t.flow.max_mass_error(), 100 * solver_tolerance);
    EXPECT_NEAR(t.flow.cut().total_body_flux, -t.flow.bodies()[0].volume_rate(), 1e-12);
    EXPECT_GT(std::abs(t.flow.cut().total_body_flux), 0.1);
  }
}

// A cavity whose wall moves, with an opening: what the cut cells' pieces of surface let in is what the wall gives way
// to, from rest on, and steps by the CFL number follow the wall.
TYPED_TEST(ImmersedStep, KeepsMassWhereAVentricleFillsAndTheStepFollowsItsWall) {
  TestFlow<TypeParam> t(filling_ventricle);
  StepSize clock(t.c.flow, body_rate(t.config, t.c));
  double before = 0;
  for (int i = 0; i < 5; ++i) {
    const double rate = courant_rate(t.flow.flow(), t.flow.metrics()), dt = clock.next(t.flow.time, rate);
    EXPECT_LT(dt, 0.1 * t.c.flow.time.end);
    ASSERT_EQ(t.flow.advance(dt, t.timings), nullptr);
    const double rate_of_volume = t.flow.bodies()[0].volume_rate();
    EXPECT_GT(rate_of_volume, before);
    before = rate_of_volume;
    EXPECT_EQ(t.flow.cut().total_body_flux, 0);
    EXPECT_LT(t.flow.max_mass_error(), 1e-6 * rate_of_volume / t.flow.bodies()[0].volume());
    EXPECT_LT(dt * courant_rate(t.flow.flow(), t.flow.metrics()),
              2);  // the fluid next to the opening is faster than its rim
  }
}

// Through the aortic opening velocity goes on unchanged in systole; at no other time and place: rows whose weights sum
// to zero.
TEST(ImmersedVentricle, OnlyWhereFluidLeavesTheOpeningImposesNoVelocity) {
  TestFlow<Host> t(filling_ventricle);
  Bodies body = read_case_bodies(t.config, t.c);
  CutGeometry cut(t.c.flow.grid, t.flow.layout());
  const auto open_rows = [&](double time) {
    body.move(time);
    cut.update(body);
    int found = 0;
    for (const InterpolationRows& r : cut.rows)
      for (const InterpolationRow& row : r.row) {
        double sum = row.self;
        for (int e = row.begin; e < row.end; ++e) sum += r.entry[e].weight;
        found += std::abs(sum) < 1e-12 && row.target == 0;
      }
    return found;
  };
  EXPECT_EQ(open_rows(0.1), 0);   // E wave
  EXPECT_EQ(open_rows(0.5), 0);   // A wave
  EXPECT_GT(open_rows(0.8), 10);  // systole
  EXPECT_EQ(open_rows(1.1), 0);
}

// The wall's condition holds for the projected velocity, not for u*.
TYPED_TEST(ImmersedStep, GhostsContinueTheProjectedVelocity) {
  TestFlow<TypeParam> t(
      text_of(24, 0.02, 1,
              fixed_cylinder + "motion = { type = \"oscillation\", amplitude = [0.2, 0.0, 0.0], frequency = 0.5 }\n"));
  t.advance(3);
  const CutGeometry& cut = t.flow.cut();
  int looked_at = 0;
  for (std::size_t c = 0; c < 2; ++c) {
    const std::vector<double> u = t.flow.flow().velocity[c].to_vector();
    const InterpolationRows& r = cut.rows[c];
    for (const InterpolationRow& row : r.row) {
      if (cut.kind[c][row.node] != ghost_node) continue;
      double sum = row.self * u[row.node];
      bool meets_ghosts = false;
      for (int e = row.begin; e < row.end; ++e) {
        meets_ghosts = meets_ghosts || cut.kind[c][r.entry[e].place] < fluid_node;
        sum += r.entry[e].weight * u[r.entry[e].place];
      }
      if (meets_ghosts) continue;
      EXPECT_NEAR(sum, row.target, 1e-12);
      ++looked_at;
    }
  }
  EXPECT_GT(looked_at, 4);
}

// A velocity without divergence, linear in space: what enters a cut cell through its open faces leaves through the
// surface in it, to round-off. With the nodes' velocities in place of those of the open parts a face would be off by up
// to u' h^2 / 8.
TYPED_TEST(ImmersedStep, CutCellsKeepALinearVelocitysMass) {
  TestFlow<TypeParam> t(text_of(24, 0.02, 1, fixed_cylinder));
  const Layout& l = t.flow.layout();
  const GridLine &x = t.c.flow.grid.line[0], &y = t.c.flow.grid.line[1];
  const auto u_at = [](double a, double b) { return 0.3 + 0.7 * a - 1.1 * b; };
  const auto v_at = [](double a, double b) { return -0.2 + 0.9 * a - 0.7 * b; };
  std::vector<double> u(static_cast<std::size_t>(l.padded_count())), v = u;
  for (int j = 0; j < l.n[1]; ++j)
    for (int i = 0; i < l.n[0]; ++i) {
      const auto q = static_cast<std::size_t>(l.origin() + i + j * l.stride(1)), a = static_cast<std::size_t>(i),
                 b = static_cast<std::size_t>(j);
      u[q] = u_at(x.faces[a], y.centre[b]);
      v[q] = v_at(x.centre[a], y.faces[b]);
    }
  Flow<TypeParam> flow(l);
  flow.velocity[0].upload(u);
  flow.velocity[1].upload(v);
  const CutGeometry& cut = t.flow.cut();
  CutArrays<TypeParam> arrays;
  arrays.upload(cut);
  OpenFaces<TypeParam> faces;
  faces.open(arrays, flow, flow);
  Array<double, TypeParam> balance(l.cells().count());
  minus_mass_balance(flow, t.flow.metrics(), arrays, balance.view());
  const std::vector<double> into = balance.to_vector();
  ASSERT_GT(cut.surface.size(), 20);
  for (const Piece& piece : cut.surface) {
    const Vec3 &p = piece.point, &area = piece.area;
    const double through = u_at(p[0], p[1]) * area[0] + v_at(p[0], p[1]) * area[1];
    EXPECT_NEAR(into[piece.cell], -through, 1e-14);
  }
  faces.close(arrays, flow);
  EXPECT_EQ(flow.velocity[0].to_vector(), u);
  EXPECT_EQ(flow.velocity[1].to_vector(), v);
}

TYPED_TEST(ImmersedStep, PressureAndFrictionOfTheSurfacesPiecesAddUpToTheForce) {
  TestFlow<TypeParam> t(text_of(24, 0.02, 1, fixed_cylinder));
  t.advance(3);
  const Force force = t.flow.surface_force();
  const std::vector<SurfaceLoad> loads = t.flow.surface_loads();
  const std::vector<Piece>& pieces = t.flow.cut().surface;
  ASSERT_EQ(loads.size(), pieces.size());
  double pressure[2] = {}, viscous[2] = {}, front = 0, back = 0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const Vec3& area = pieces[i].area;
    EXPECT_EQ(loads[i].point[0], pieces[i].point[0]);
    for (std::size_t d = 0; d < 2; ++d) {
      pressure[d] -= loads[i].pressure * area[d];
      viscous[d] += loads[i].friction[d] * std::hypot(area[0], area[1]);
    }
    (loads[i].normal[0] < 0 ? front : back) += loads[i].pressure * std::abs(area[0]);
  }
  for (int d = 0; d < 2; ++d) {
    EXPECT_NEAR(pressure[d], force.pressure[d], 1e-12);  // round-off of sums of some sixty pieces below 1
    EXPECT_NEAR(viscous[d], force.viscous[d], 1e-12);
  }
  EXPECT_GT(front, back);
}

// A parabola on a stretched grid: a cut face lets through its mean over the open part, less what the value in the
// middle of a whole face leaves out of the mean, u'' h^2 / 24.
TYPED_TEST(ImmersedStep, CutFacesLetThroughTheMeanOfAParabola) {
  std::string text = text_of(24, 0.02, 1, fixed_cylinder);
  text.replace(text.find("[flow]"), 0, "stretching = [\"uniform\", { type = \"tanh\", factor = 1.0 }]\n");
  TestFlow<TypeParam> t(text);
  const Layout& l = t.flow.layout();
  const GridLine& y = t.c.flow.grid.line[1];
  const auto integral = [](double a) { return 0.3 * a - 0.8 * a * a / 2 + 1.7 * a * a * a / 3; };
  const auto mean = [&](double a, double b) { return (integral(b) - integral(a)) / (b - a); };
  std::vector<double> u(static_cast<std::size_t>(l.padded_count()));
  for (int j = 0; j < l.n[1]; ++j)
    for (int i = 0; i <= l.n[0]; ++i) {
      const double at = y.centre[static_cast<std::size_t>(j)];
      u[static_cast<std::size_t>(l.origin() + i + j * l.stride(1))] = 0.3 - 0.8 * at + 1.7 * at * at;
    }
  Flow<TypeParam> flow(l);
  flow.velocity[0].upload(u);
  flow.velocity[1].upload(std::vector<double>(u.size()));
  const CutGeometry& cut = t.flow.cut();
  CutArrays<TypeParam> arrays;
  arrays.upload(cut);
  OpenFaces<TypeParam> faces;
  faces.open(arrays, flow, flow);
  const std::vector<double> open = flow.velocity[0].to_vector();
  ASSERT_GT(cut.cut_faces[0].size(), 8U);
  for (const CutFace& face : cut.cut_faces[0]) {
    const auto j = static_cast<std::size_t>((face.place - l.origin()) / l.stride(1));
    const double part = cut.alpha[0][static_cast<std::size_t>(face.place)] * y.width[j];
    const double expected =
        face.step[0] > 0 ? mean(y.faces[j + 1] - part, y.faces[j + 1]) : mean(y.faces[j], y.faces[j] + part);
    EXPECT_NEAR(open[static_cast<std::size_t>(face.place)], expected - 1.7 * y.width[j] * y.width[j] / 12, 1e-14);
  }
}

// The same in 3D, where the open part is a polygon: weights on a parabola about the face's middle, against a sum over
// points of the face.
TEST(ImmersedFaces, LetThroughTheMeanOfAParabolaIn3D) {
  std::string sides;
  for (const char* side : {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"})
    sides += std::string(side) + " = { type = \"wall\" }\n";
  TestFlow<Host> t(
      "[grid]\ncells = [16, 16, 16]\nlength = [16.0, 16.0, 16.0]\n[flow]\nviscosity = 0.1\n[boundary]\n" + sides +
      "[time]\nend = 1.0\ndt = 0.01\n[body]\ntype = \"sphere\"\ndiameter = 9.2\nposition = [8.3, 8.1, 8.2]\n" + tight);
  constexpr double bend_1 = 1, bend_2 = -0.6, twist = 0.8;
  const Layout& l = t.flow.layout();
  const CutGeometry& cut = t.flow.cut();
  const Vec3 middle = {8.3, 8.1, 8.2};
  double worst = 0;
  int corners = 0;
  for (std::size_t d = 0; d < 3; ++d)
    for (const CutFace& face : cut.cut_faces[d]) {
      if (cut.alpha[d][static_cast<std::size_t>(face.place)] < 0.1) continue;  // too few points
      const int at = face.place - l.origin(), sy = l.stride(1), sz = l.stride(2);
      const int node[3] = {at % sy, at / sy % (sz / sy), at / sz};
      const std::size_t e = d == 0 ? 1 : 0, f = d == 2 ? 1 : 2;
      Vec3 x{};
      x[d] = node[d];
      constexpr int points = 40;
      double sum = 0;
      int inside = 0;
      for (int q = 0; q < points * points; ++q) {
        const double a = (q % points + 0.5) / points, b = (q / points + 0.5) / points;
        x[e] = node[e] + a;
        x[f] = node[f] + b;
        if (length(x - middle) < 4.6) continue;
        sum += bend_1 * (a - 0.5) * (a - 0.5) + bend_2 * (b - 0.5) * (b - 0.5) + twist * (a - 0.5) * (b - 0.5);
        ++inside;
      }
      const double open = bend_1 * (face.near[0] + 4 * face.far[0]) + bend_2 * (face.near[1] + 4 * face.far[1]) +
                          twist * face.corner * (face.step[0] * face.step[1] < 0 ? -1 : 1);
      worst = test::larger(worst, std::abs(open - (sum / inside - (bend_1 + bend_2) / 12)));
      corners += face.corner != 0;
    }
  ASSERT_GT(corners, 200);
  // The sphere's curvature, left out by polygons, moves the middle of the open part by up to 1 / 8 R = 0.027; |grad u|
  // <= 1.6.
  EXPECT_LT(worst, 0.027 * 1.6);
}

// A body whose faces lie on grid lines has the force of one a hair next to them; across the stream nearly none, as it
// is symmetric but for points on the diagonals, which are as near to one face as to the other.
TYPED_TEST(ImmersedStep, FacesOnGridLinesHaveTheForceOfFacesBesideThem) {
  const auto forces = [](const char* shift) {
    TestFlow<TypeParam> t(
        text_of(24, 0.02, 1, "type = \"box\"\nlengths = [1.0, 1.0]\nposition = [" + std::string(shift) + ", 0.0]\n"));
    t.advance(6);
    const Force f = t.flow.surface_force();
    return std::array<double, 2>{f.total(0), f.total(1)};
  };
  const auto on = forces("0.0"), before = forces("-1e-9"), behind = forces("1e-9");
  EXPECT_NEAR(before[0], on[0], 1e-6 * on[0]);
  EXPECT_NEAR(behind[0], on[0], 1e-6 * on[0]);
  for (const double lift : {on[1], before[1], behind[1]}) EXPECT_NEAR(lift, 0, 1e-7 * on[0]);
}

// Fluid at rest under a force: by surface and by control volume the body is buoyant by the fluid that it takes the
// place of.
TYPED_TEST(ImmersedStep, TheControlVolumeKnowsTheBodyForce) {
  std::string text = text_of(24, 0.02, 0, fixed_cylinder);
  text.replace(text.find("viscosity"), 0, "body_force = [0.0, -1.0]\n");
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"x_min = { type = \"inlet\", velocity = [0.000000, 0.0] }",
                                            "x_min = { type = \"wall\" }"},
        {"x_max = { type = \"outlet\" }", "x_max = { type = \"wall\" }"}})
    text.replace(text.find(from), from.size(), to);
  TestFlow<TypeParam> t(text);
  t.advance(10);
  const double buoyancy = 0.25 * std::numbers::pi;
  EXPECT_NEAR(t.flow.control_volume_force()[1], buoyancy, 0.02 * buoyancy);
  EXPECT_NEAR(t.flow.surface_force().total(1), buoyancy, 0.03 * buoyancy);
}

// Noise that changes from step to step is no shedding, and neither is a steady lift.
TEST(ImmersedStatistics, AForceThatIsSteadyHasNoStrouhalNumber) {
  ForceStatistics noise, shedding;
  for (int i = 0; i < 200; ++i) {
    const double t = 0.05 * i;
    noise.add(t, 0.05, 1.0, (i % 2 ? 1e-3 : -1e-3), 1.0);
    shedding.add(t, 0.05, 1.0, 0.3 * std::sin(2 * std::numbers::pi * 0.5 * t), 1.0);
  }
  EXPECT_EQ(noise.quantities(1, 1, 0).at("strouhal"), 0);
  EXPECT_NEAR(shedding.quantities(1, 1, 0).at("strouhal"), 0.5, 0.01);
}

// Copies to the device in a step.
TYPED_TEST(ImmersedStep, CountsWhatTheGeometrySendsToTheDeviceNothingForAFixedBody) {
  constexpr bool is_device = std::is_same_v<TypeParam, Device>;
  TestFlow<TypeParam> fixed(text_of(20, 0.02, 1, fixed_cylinder));
  fixed.advance(2);
  EXPECT_EQ(fixed.flow.uploads().bytes, 0);
  const Ledger before = ledger();
  fixed.advance(1);
  EXPECT_EQ(ledger().bytes_to_device, before.bytes_to_device);
  TestFlow<TypeParam> moving(
      text_of(20, 0.02, 1, fixed_cylinder + "motion = { type = \"translation\", velocity = [1.0, 0.0, 0.0] }\n") +
      "preconditioner = { type = \"jacobi\" }\n");  // multigrid sends the inverse of its coarsest grid
  moving.advance(2);
  const Ledger start = ledger();
  moving.advance(1);
  EXPECT_EQ(moving.flow.uploads().bytes, ledger().bytes_to_device - start.bytes_to_device);
  EXPECT_EQ(moving.flow.uploads().bytes > 0, is_device);
}

// Of a fine grid only the band around the surface: the fields alone are 43 bytes per cell in two dimensions.
TYPED_TEST(ImmersedStep, SendsTheBandAroundABodyThatMovesToTheDevice) {
  constexpr int cells = 160;
  const Table config = read_case_text(
      text_of(cells, 0.01, 1, fixed_cylinder + "motion = { type = \"translation\", velocity = [1.0, 0.0, 0.0] }\n"),
      "test.toml");
  const ImmersedCase c = read_immersed_case(config);
  Bodies body = read_case_bodies(config, c);
  CutGeometry cut(c.flow.grid, FlowRanks(c.flow).local());
  CutArrays<TypeParam> arrays;
  body.move(0);
  cut.update(body);
  arrays.upload(cut);
  const Ledger before = ledger();
  body.move(0.01);
  cut.update(body);
  arrays.upload(cut);
  const std::int64_t bytes = ledger().bytes_to_device - before.bytes_to_device;
  EXPECT_LT(bytes, 43 * cells * cells / 3);
  EXPECT_EQ(bytes > 0, (std::is_same_v<TypeParam, Device>));
}

TYPED_TEST(ImmersedStep, ABodyThatMovesWithTheFlowLeavesItAlone) {
  TestFlow<TypeParam> t(
      text_of(24, 0.02, 1, fixed_cylinder + "motion = { type = \"translation\", velocity = [1.0, 0.0, 0.0] }\n"));
  t.advance(5);
  const auto u = t.flow.flow().velocity[0].to_vector();
  const Layout& l = t.flow.layout();
  const auto& kind = t.flow.cut().kind[0];
  double worst = 0;
  for (int j = 0; j < l.n[1]; ++j)
    for (int i = 0; i <= l.n[0]; ++i) {
      const auto q = static_cast<std::size_t>(l.origin() + i + j * l.stride(1));
      if (kind[q] >= fluid_node) worst = test::larger(worst, std::abs(u[q] - 1));
    }
  EXPECT_LT(worst, 1e3 * solver_tolerance);
  EXPECT_LT(std::abs(t.drag()), 1e4 * solver_tolerance);  // pressures are psi / dt
}

TYPED_TEST(ImmersedStep, GoesOnFromItsStateAsIfNothingHadHappened) {
  const std::string text =
      text_of(20, 0.02, 1,
              fixed_cylinder + "motion = { type = \"oscillation\", amplitude = [0.0, 0.2, 0.0], frequency = 1.0 }\n");
  TestFlow<TypeParam> whole(text), first(text), second(text);
  whole.advance(6);
  first.advance(3);
  auto from = first.flow.state();
  auto to = second.flow.state();
  for (std::size_t a = 0; a < from.size(); ++a) to[a].second->upload(from[a].second->to_vector());
  second.flow.time = first.flow.time;
  second.flow.step = first.flow.step;
  second.flow.dt_before = first.flow.dt_before;
  second.flow.after_loading();
  second.advance(3);
  EXPECT_EQ(largest_difference(whole.state(), second.state()), 0);
  EXPECT_EQ(whole.flow.control_volume_force()[0], second.flow.control_volume_force()[0]);
}

TEST(ImmersedSpaces, DeviceEqualsHost) {
  const std::string text =
      text_of(20, 0.02, 1,
              fixed_cylinder + "motion = { type = \"oscillation\", amplitude = [0.2, 0.0, 0.0], frequency = 1.0 }\n");
  TestFlow<Host> host(text);
  TestFlow<Device> device(text);
  host.advance(3);
  device.advance(3);
  // Reductions differ by round-off, which moves the solution within the solvers' tolerance.
  EXPECT_LT(largest_difference(host.state(), device.state()), 1e4 * solver_tolerance);
  EXPECT_NEAR(host.drag(), device.drag(), 1e4 * solver_tolerance);
}

}  // namespace
}  // namespace weir::test::step_test
