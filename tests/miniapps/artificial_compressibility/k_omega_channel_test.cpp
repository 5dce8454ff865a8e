// The k-omega model in the coupled scheme: its part of the Jacobian, and steady channels against the textbook solution.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "miniapps/artificial_compressibility/scheme.hpp"
#include "physics/k_omega.hpp"
#include "tests/support/k_omega_channel.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::k_omega_channel_test {
namespace {

constexpr double Re_tau = 180;

std::string channel_text(const std::string& cells, bool is_3d, const std::string& flow = "") {
  std::string text = "[grid]\ncells = " + cells + "\nlength = [1.0, 2.0, 1.0]\n" +
                     "stretching = [\"uniform\", { type = \"tanh\", factor = 2.2 }, \"uniform\"]\n" +
                     "[flow]\nscheme = \"artificial_compressibility\"\nturbulence = \"k_omega\"\nviscosity = " +
                     std::to_string(1 / Re_tau) + "\nbody_force = [1.0, 0.0, 0.0]\ninitial = \"turbulent_channel\"\n" +
                     flow + "[boundary]\nx_min = { type = \"periodic\" }\nx_max = { type = \"periodic\" }\n" +
                     "y_min = { type = \"wall\" }\ny_max = { type = \"wall\" }\n";
  if (is_3d) text += "z_min = { type = \"periodic\" }\nz_max = { type = \"periodic\" }\n";
  return text + "[time]\nsteady = true\n[pseudo_time]\nspeed = 15.0\n";
}
std::string plane(int ny) { return channel_text("[4, " + std::to_string(ny) + ", 1]", false); }

template <class Space>
struct Channel {
  explicit Channel(const std::string& text)
      : config(read_case_text(text, "test.toml")),
        c(read_incompressible_case(config)),
        scheme(c, config.table("linear")) {
    scheme.initialise();
  }
  void steps(int most) {
    StepEnd end = StepEnd::advanced;
    for (int s = 0; s < most && end == StepEnd::advanced; ++s) end = scheme.advance(0, timings, [] {});
    ASSERT_TRUE(end == StepEnd::advanced || end == StepEnd::converged) << to_string(scheme.result.reason);
    is_steady = end == StepEnd::converged;
  }
  // Unknown u of the cells of a line along y.
  std::vector<double> profile(int u) {
    const CoupledCells& cells = scheme.cells();
    const auto x = scheme.field().values().to_vector();
    std::vector<double> line;
    for (int j = 0; j < cells.n[1]; ++j)
      line.push_back(x[static_cast<std::size_t>((cells.origin() + cells.at(1, j, 0)) * cells.unknowns + u)]);
    return line;
  }

  Table config;
  IncompressibleCase c;
  ArtificialCompressibility<Space> scheme;
  Timings timings;
  bool is_steady = false;
};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = test::larger(largest, std::abs(a[i] - b[i]));
  return largest;
}

// How far u may be off where the iteration stops. Its residual's root mean square is below 1e-8 U^2 / L, U = 15 and L =
// 1; that much may be missing from the force, 1, so that the stress 1 - y = (nu + nu_t) du/dy is off by as much, and u
// by that times the integral of dy / (nu + nu_t) = du / (1 - y). The eddy viscosity follows: twice that.
double answer_to_what_is_left(Channel<Host>& channel) {
  const std::vector<double> u = channel.profile(1), &y = channel.c.grid.line[1].centre;
  double integral = 0;
  for (std::size_t j = 0; j + 1 < u.size() / 2; ++j) integral += (u[j + 1] - u[j]) / (1 - 0.5 * (y[j] + y[j + 1]));
  return 2 * (1e-8 * 15 * 15) * integral;
}

// Of a steady plane channel of ny cells from the textbook's velocity.
double error_of_channel(int ny, const KOmegaChannel& textbook) {
  Channel<Host> channel(plane(ny));
  channel.steps(300);
  EXPECT_TRUE(channel.is_steady);
  const std::vector<double> u = channel.profile(1), &y = channel.c.grid.line[1].centre;
  double error = 0;
  for (std::size_t j = 0; j < u.size() / 2; ++j) {
    error = test::larger(error, std::abs(u[j] - textbook.velocity_at(y[j])));
    EXPECT_NEAR(u[j], u[u.size() - 1 - j], 1e-6) << "the channel is symmetric";
  }
  return error;
}

TEST(KOmegaInTheCoupledScheme, ChannelConvergesToTheTextbookSolutionInSecondOrder) {
  const KOmegaChannel textbook = solve_k_omega_channel(Re_tau, 200);
  const double coarse = error_of_channel(48, textbook), fine = error_of_channel(96, textbook);
  EXPECT_LT(fine, 0.01 * textbook.u.back());
  EXPECT_GT(coarse / fine, 3);  // 4, but for where the sublayer's last cell happens to lie
}

// On its axis the strain is zero: that is no wall.
TEST(KOmegaInTheCoupledScheme, ChannelWithACellOnItsAxisIsTheSameChannel) {
  const KOmegaChannel textbook = solve_k_omega_channel(Re_tau, 200);
  EXPECT_LT(error_of_channel(81, textbook), 0.01 * textbook.u.back());
}

TEST(KOmegaInTheCoupledScheme, ChannelOfSixUnknownsIsThatOfFive) {
  Channel<Host> plane_channel(plane(32)), box(channel_text("[4, 32, 4]", true));
  plane_channel.steps(300);
  box.steps(300);
  EXPECT_EQ(box.scheme.cells().unknowns, 6);
  EXPECT_LT(largest_difference(plane_channel.profile(1), box.profile(1)), 2 * answer_to_what_is_left(plane_channel));
}

TEST(KOmegaInTheCoupledScheme, DeviceTakesTheSameSteps) {
  Channel<Host> host(plane(12));
  Channel<Device> device(plane(12));
  host.steps(3);
  device.steps(3);
  for (int u = 0; u < 5; ++u) {
    double scale = 1;
    for (const double v : host.profile(u)) scale = std::max(scale, std::abs(v));
    EXPECT_LT(largest_difference(host.profile(u), device.profile(u)), 1e-9 * scale)
        << "unknown " << u;  // GMRES amplifies eps
  }
}

template <class Space>
class KOmegaSources : public ::testing::Test {};
TYPED_TEST_SUITE(KOmegaSources, Spaces, SpaceName);

// b of the sources alone, with h added to unknown u of a cell.
template <class Space>
std::vector<double> sources_of(Channel<Space>& channel, const SideWalls& walls, int cell, int u, double h) {
  const CoupledCells& cells = channel.scheme.cells();
  const auto before = channel.scheme.field().values().to_vector();
  auto values = before;
  const int i = cell % cells.n[0], j = cell / cells.n[0] % cells.n[1], k = cell / (cells.n[0] * cells.n[1]);
  values[static_cast<std::size_t>((cells.origin() + cells.at(i, j, k)) * cells.unknowns + u)] += h;
  channel.scheme.field().values().upload(values);
  Array<double, Space> b(std::vector<double>(static_cast<std::size_t>(cells.extents().count() * cells.unknowns), 0.0));
  k_omega::add_sources<Space>(channel.scheme.view(), walls, b);
  channel.scheme.field().values().upload(before);
  return b.to_vector();
}

// The matrix holds minus the derivative of the sources, without the production's: S^2 / omega by k, -k S^2 / omega^2 by
// omega, which would make the diagonal smaller or are small next to it.
TYPED_TEST(KOmegaSources, JacobianEqualsDifferencesOfTheDestructionAndOfTheWallRows) {
  for (const bool is_3d : {false, true}) {
    Channel<TypeParam> channel(is_3d ? channel_text("[4, 10, 4]", true, "initial_perturbation = 0.5\n") : plane(10));
    const CoupledCells& cells = channel.scheme.cells();
    const int n = cells.unknowns, K = n - 2, W = n - 1, count = cells.extents().count();
    SideWalls walls;
    walls.wall[2] = walls.wall[3] = true;
    BlockStencil<TypeParam> A(cells.extents(), n, cells.wraps_here());
    k_omega::add_source_jacobian<TypeParam>(channel.scheme.view(), walls, A.stencil());
    std::vector<double> values(static_cast<std::size_t>(A.values().size()));
    A.download(values);
    BlockStencilView host = A.stencil();
    host.values = values.data();
    const auto x = channel.scheme.field().values().to_vector();
    const std::vector<double> b = sources_of(channel, walls, 0, 0, 0);
    int wall_rows = 0;
    for (int cell = 0; cell < count; ++cell) {
      const int i = cell % cells.n[0], j = cell / cells.n[0] % cells.n[1], k = cell / (cells.n[0] * cells.n[1]);
      const auto at = static_cast<std::size_t>((cells.origin() + cells.at(i, j, k)) * n);
      const double tke = x[at + static_cast<std::size_t>(K)], omega = x[at + static_cast<std::size_t>(W)];
      double volume = 1;
      volume *= channel.c.grid.line[0].width[static_cast<std::size_t>(i)];
      volume *= channel.c.grid.line[1].width[static_cast<std::size_t>(j)];
      volume *= channel.c.grid.line[2].width[static_cast<std::size_t>(k)];
      const auto row = static_cast<std::size_t>(cell * n);
      const double S2 = (b[row + static_cast<std::size_t>(K)] / (volume * tke) + k_omega::beta_star * omega) * omega;
      const auto slope = [&](int u, int by, double h) {
        const auto up = sources_of(channel, walls, cell, by, h), down = sources_of(channel, walls, cell, by, -h);
        return -(up[row + static_cast<std::size_t>(u)] - down[row + static_cast<std::size_t>(u)]) / (2 * h);
      };
      const double kk = host.entry(cell, slot::delta, K, K), kw = host.entry(cell, slot::delta, K, W),
                   ww = host.entry(cell, slot::delta, W, W);
      constexpr double step = 1e-5, tolerance = 1e-6;  // round-off eps / step, truncation step^2
      EXPECT_NEAR(slope(K, K, step * tke), kk - volume * S2 / omega, tolerance * (kk + volume * S2 / omega));
      const double by_omega = volume * tke * S2 / (omega * omega);
      EXPECT_NEAR(slope(K, W, step * omega), kw + by_omega, tolerance * (kw + by_omega));
      EXPECT_NEAR(slope(W, W, step * omega), ww, tolerance * ww);
      EXPECT_GT(kk, 0);
      EXPECT_GT(ww, 0);
      wall_rows += j == 0 || j == cells.n[1] - 1;
    }
    EXPECT_EQ(wall_rows, 2 * cells.n[0] * cells.n[2]);
  }
}

void expect_refused(std::string text, const std::string& what, const std::string& by, const std::string& mentions) {
  const auto at = text.find(what);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, what.size(), by);
  try {
    read_incompressible_case(read_case_text(text, "test.toml"));
    ADD_FAILURE() << "accepted: " << by;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::usage);
    EXPECT_NE(std::string(e.what()).find(mentions), std::string::npos) << e.what();
  }
}

TEST(KOmegaInTheCoupledScheme, RefusesWhatItIsNotMadeFor) {
  const std::string text = plane(12);
  expect_refused(text, "initial = \"turbulent_channel\"", "initial = \"rest\"", "turbulent_channel");
  expect_refused(text, "body_force = [1.0, 0.0, 0.0]", "body_force = [0.0, 0.0, 0.0]", "body force along x");
  expect_refused(text, "y_min = { type = \"wall\" }", "y_min = { type = \"outlet\" }", "y_min");
  const auto with_time = [](std::string t) { return t.replace(t.find("steady = true"), 13, "end = 1.0\ndt = 0.1"); };
  expect_refused(with_time(text), "scheme = \"artificial_compressibility\"", "scheme = \"fractional_step\"",
                 "artificial_compressibility");
}

}  // namespace
}  // namespace weir::test::k_omega_channel_test
