// Steps in pseudo-time, in both spaces: what (1) to (4) promise, and what happens where a step cannot be taken.
#include "solvers/device/ledger.hpp"
#include "tests/miniapps/compressible/flow_case.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::pseudo_time_test {
namespace {

template <class Space>
class PseudoTimeStep : public ::testing::Test {};
TYPED_TEST_SUITE(PseudoTimeStep, Spaces, SpaceName);

double length(const std::array<double, 5>& v) { return std::hypot(std::hypot(v[0], v[1]), v[2], v[3]); }

const std::string viscous_box = R"([mesh]
generator = { type = "box", cells = [6, 6], shape = "triangles", jitter = 0.2 }
[flow]
mach = 0.5
angle_of_attack = 3.0
reynolds = 100.0
[boundary]
x_min = { type = "farfield" }
x_max = { type = "farfield" }
y_min = { type = "farfield" }
y_max = { type = "farfield" }
)";

TYPED_TEST(PseudoTimeStep, AFreeStreamStaysAsItIs) {
  TestFlow<TypeParam> f(viscous_box);
  f.pseudo().start_phase(2);
  // Fluxes are of the size of the pressure, 2.9, times areas of 1/6; a cell adds at most four of them.
  for (const double norm : f.pseudo().control.norm) EXPECT_LT(norm, 100 * 2.9 * 1e-16);
  const std::vector<double> before = f.state();
  f.attempt();
  const std::vector<double> after = f.state();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-11);
}

// The same flow on a mesh in another unit: Reynolds number, distance to the wall and limiters go by reference_length.
TYPED_TEST(PseudoTimeStep, AFlowIsTheSameInAnyUnitOfLength) {
  const auto flow = [](double unit) {
    const auto length = [&](double x) { return std::to_string(x * unit); };
    TestFlow<TypeParam> f(
        "[mesh.generator]\ntype = \"box\"\nx = { points = [0.0, " + length(2) +
        "], cells = [6] }\ny = { points = [0.0, " + length(1) + "], cells = [8], spacing = [" + length(1e-2) + ", " +
        length(0.3) + "] }\n[flow]\nmach = 0.5\nreynolds = 2e4\nreference_length = " + length(2) +
        "\nturbulence = \"spalart_allmaras\"\n[numerics]\nlimiter = \"venkatakrishnan\"\n[boundary]\nx_min = { type = "
        "\"farfield\" }\nx_max = { type = \"pressure_outlet\" }\ny_max = { type = \"farfield\" }\ny_min = { type = "
        "\"adiabatic_wall\" }\n");
    f.pseudo().start_phase(2);
    for (int step = 0; step < 4; ++step) EXPECT_TRUE(f.attempt().accepted);
    return f.quantities();
  };
  const auto metres = flow(1), thousand = flow(1000);
  for (const char* name : {"drag", "drag_viscous", "lift", "y_plus_max"})
    EXPECT_NEAR(metres.at(name), thousand.at(name), 1e-6 * std::abs(metres.at(name))) << name;
  EXPECT_GT(metres.at("drag_viscous"), 1e-3);
}

TYPED_TEST(PseudoTimeStep, TheCflNumberFollowsTheRatioOfResiduals) {
  TestFlow<TypeParam> f(circle + "[pseudo_time]\ncfl_start = 5.0\nexponent_down = 0.25\nexponent_up = 0.3\n");
  f.pseudo().start_phase(1);
  for (int step = 0; step < 4; ++step) {
    const double before = length(f.pseudo().control.norm), cfl = f.pseudo().control.cfl;
    ASSERT_TRUE(f.attempt().accepted);
    const double ratio = before / length(f.pseudo().control.norm);
    EXPECT_DOUBLE_EQ(f.pseudo().control.cfl, std::max(5.0, cfl * std::pow(ratio, ratio > 1 ? 0.25 : 0.3)));
  }
}

TYPED_TEST(PseudoTimeStep, ARejectedStepLeavesTheStateAndCutsTheCflNumber) {
  TestFlow<TypeParam> f(circle + "[pseudo_time]\nlargest_growth = 1e-6\nrejected_cut = 0.25\n");
  f.pseudo().start_phase(2);
  const std::vector<double> before = f.state();
  const double cfl = f.pseudo().control.cfl;
  const Attempt a = f.attempt();
  EXPECT_FALSE(a.accepted);
  EXPECT_NE(a.why.find("grows"), a.why.npos);
  EXPECT_EQ(f.state(), before);
  EXPECT_EQ(f.pseudo().control.cfl, 0.25 * cfl);
}

TYPED_TEST(PseudoTimeStep, RelaxationBoundsTheChangeOfDensity) {
  TestFlow<TypeParam> f(circle + "[pseudo_time]\nrelaxation = 0.01\nleast_relaxation = 1e-6\n");
  f.pseudo().start_phase(1);
  const std::vector<double> before = f.state();
  const Attempt a = f.attempt();
  ASSERT_TRUE(a.accepted);
  EXPECT_LT(a.omega, 1);
  const std::vector<double> after = f.state();
  for (std::size_t i = 0; i < before.size(); i += 4) EXPECT_LE(std::abs(after[i] / before[i] - 1), 0.01 * (1 + 1e-12));
}

TYPED_TEST(PseudoTimeStep, NewtonsMethodConvergesInAFewSteps) {
  TestFlow<TypeParam> f(circle + R"([pseudo_time]
cfl_start = 20.0
cfl_max = 1e8
exponent_down = 1.5
jacobian = "matrix_free"
[linear.flow]
tolerance = 1e-3
)");
  f.pseudo().start_phase(2);
  int steps = 0;
  for (; steps < 25 && f.pseudo().drop() > 1e-8; ++steps) ASSERT_TRUE(f.attempt().accepted);
  EXPECT_LT(steps, 20);
}

// A turbulent layer over a plate, whose residual rises while the layer grows: what is bounded is that with the
// pseudo-time derivative.
TYPED_TEST(PseudoTimeStep, ALineSearchTakesATurbulentLayerToItsSteadyState) {
  TestFlow<TypeParam> f(R"([mesh.generator]
type = "box"
cells = [5, 8]
length = [2.0, 1.0]
y = { points = [0.0, 1.0], cells = [8], spacing = [1e-3, 0.0] }
[flow]
mach = 0.2
reynolds = 1e5
turbulence = "spalart_allmaras"
[boundary]
x_min = { type = "farfield" }
x_max = { type = "pressure_outlet" }
y_max = { type = "farfield" }
y_min = { type = "adiabatic_wall" }
[pseudo_time]
jacobian = "matrix_free"
products = "dual_numbers"
line_search = true
cfl_start = 10
cfl_max = 1e6
growth = 1.5
exponent_up = 0
exponent_down = 0
rejected_cut = 0.2
[linear.flow]
tolerance = 0.1
)");
  f.pseudo().start_phase(1);
  Array<double, TypeParam> scale(f.mesh().cells());
  int steps = 0;
  for (; steps < 60 && f.pseudo().drop() > 1e-6; ++steps) {
    const std::vector<double> before = f.state();
    const double size = std::hypot(length(f.pseudo().control.norm), f.pseudo().control.norm[4]);
    f->space.time_step_scale(f.pseudo().state(), scale);
    const std::vector<double> s = scale.to_vector();
    const Attempt a = f.attempt();
    if (!a.accepted) continue;
    const std::vector<double> after = f.state();
    Array<double, TypeParam> R(f.pseudo().state().size());
    f->space.residual(f.pseudo().state(), R);
    double sum = 0;
    const std::vector<double> r = R.to_vector();
    for (std::size_t i = 0; i < r.size(); ++i) {
      const double with_time = r[i] + s[i / 5] / a.cfl * (after[i] - before[i]);
      sum += with_time * with_time;
    }
    EXPECT_LE(std::sqrt(sum), 1.011 * size);
  }
  EXPECT_LT(steps, 50);
}

TYPED_TEST(PseudoTimeStep, AStepAllocatesNothing) {
  TestFlow<TypeParam> f(circle);
  f.pseudo().start_phase(1);
  f.attempt();
  f.attempt();
  const Ledger before = ledger();
  f.attempt();
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
}

TEST(PseudoTimeStep, DeviceEqualsHost) {
  TestFlow<Host> host(circle);
  TestFlow<Device> device(circle);
  host.pseudo().start_phase(1);
  device.pseudo().start_phase(1);
  for (int step = 0; step < 3; ++step) {
    ASSERT_TRUE(host.attempt().accepted);
    ASSERT_TRUE(device.attempt().accepted);
  }
  const std::vector<double> a = host.state(), b = device.state();
  // Reductions differ in their last digits; a linear solve to 0.1 carries that on, and no more.
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9);
}

// Arrays of a flow on the host against what was said before anything was allocated.
TEST(Memory, TheEstimateIsWhatIsAllocated) {
  const std::string viscous = R"([mesh]
generator = { type = "cylinder", around = 64, outward = 40, far_field = 10.0 }
[flow]
mach = 0.38
reynolds = 100.0
[boundary]
wall = { type = "adiabatic_wall" }
farfield = { type = "farfield" }
[linear.flow]
)";
  for (const char* linear :
       {"", "method = \"bicgstab\"\npreconditioner = { type = \"block_ilu0\", factors = \"float\" }",
        "method = \"fgmres\"\nrestart = 10\nbasis = \"float\"\nmatrix = \"float\"\ntolerance = 0.05\n"
        "preconditioner = { type = \"aggregation\", coarse_matrices = \"float\", smoother = { type = \"block_ilu0\", "
        "factors = \"float\" } }"}) {
    const std::int64_t before = ledger().host_bytes;
    TestFlow<Host> f(viscous + linear);
    f.pseudo().start_phase(1);
    ASSERT_TRUE(f.attempt().accepted);
    const auto used = static_cast<double>(ledger().host_bytes - before);
    const CompressibleMemory m = compressible_memory(f.mesh(), f.flow_case(), f.config());
    EXPECT_NEAR(static_cast<double>(m.flow + m.matrix + m.solver), used, 0.05 * used) << linear;
  }
}

TEST(Newton, TheMatrixFreeProductOfTheFirstOrderSchemeIsTheMatrix) {
  TestFlow<Host> f(circle);
  f.pseudo().start_phase(1);
  f.attempt();  // assembles
  const auto n = static_cast<std::int64_t>(f.state().size());
  Array<double, Host> scale(n / 4), x(n), y(n), z(n), moved(n), moved_R(n);
  f->space.time_step_scale(f.pseudo().state(), scale);
  f->equations.matrix(f.pseudo().state(), scale, 10, 0, f.pseudo().jacobian());
  for (std::int64_t i = 0; i < n; ++i) x.data()[i] = std::sin(0.37 * static_cast<double>(i));
  MatrixFreeJacobian<Host> newton(f->equations);
  newton.share_work(moved, moved_R);
  newton.linearise(f.pseudo().state(), f.pseudo().minus_residual(), scale, 10);
  newton.apply(x, y);
  f.pseudo().jacobian().apply(x, z);
  double error = 0, size = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    error = test::larger(error, std::abs(y.data()[i] - z.data()[i]));
    size = std::max(size, std::abs(z.data()[i]));
  }
  EXPECT_LT(error, 1e-6 * size);  // half of the digits, as one-sided differences give
}

}  // namespace
}  // namespace weir::test::pseudo_time_test
