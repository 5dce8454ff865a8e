// The coupled scheme over ranks: every rank steps its own box next to the whole flow, with a preconditioner that does
// not know the ranks.
#include <gtest/gtest.h>

#include "inputs/case.hpp"
#include "miniapps/artificial_compressibility/diagnostics.hpp"
#include "miniapps/artificial_compressibility/scheme.hpp"
#include "solvers/device/ledger.hpp"
#include "tests/solvers/distributed/world.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::distributed_coupled_test {
namespace {

template <class Space>
class DistributedCoupled : public ::testing::Test {};
TYPED_TEST_SUITE(DistributedCoupled, Spaces, SpaceName);

const std::string in_time = R"(
[time]
end = 1000.0
dt = 0.02
[pseudo_time]
tolerance = 0.0
max_steps = 2
)";
const std::string solver = R"(
[linear.flow]
tolerance = 0.01
preconditioner = { type = "block_jacobi" }
)";

// A pulsating inlet with a profile, an outlet, a moving wall; stretched cells.
const std::string channel = R"([grid]
cells = [8, 17]
stretching = ["uniform", { type = "tanh", factor = 1.2 }]
[flow]
scheme = "artificial_compressibility"
viscosity = 0.05
[boundary]
x_min = { type = "inlet", velocity = [1.0, 0.0], profile = "parabolic", modulation = { mean = 1.0, amplitude = 0.3, angular_frequency = 4.0 } }
x_max = { type = "outlet" }
y_min = { type = "wall" }
y_max = { type = "wall", velocity = [0.5, 0.0] }
)" + in_time + solver;

const std::string cavity = R"([grid]
cells = [4, 5, 16]
stretching = ["uniform", "uniform", { type = "tanh_low", factor = 1.2 }]
[flow]
scheme = "artificial_compressibility"
viscosity = 0.02
[boundary]
x_min = { type = "wall" }
x_max = { type = "wall" }
y_min = { type = "wall" }
y_max = { type = "wall", velocity = [1.0, 0.0, 0.3] }
z_min = { type = "slip" }
z_max = { type = "wall" }
)" + in_time + solver;

// Periods across ranks and within one.
const std::string vortices = R"([grid]
cells = [9, 10]
length = [6.283185307179586, 6.283185307179586]
[flow]
scheme = "artificial_compressibility"
viscosity = 0.02
initial = "taylor_green_2d"
initial_velocity = [1.0, 0.5]
[boundary]
x_min = { type = "periodic" }
x_max = { type = "periodic" }
y_min = { type = "periodic" }
y_max = { type = "periodic" }
)" + in_time + solver;

// Steady, with the distance to walls that lie on other ranks. (Waves, so that nothing is uniform along them: rounding
// would excite what gmres otherwise never sees.)
const std::string turbulence = R"([grid]
cells = [4, 18]
length = [1.0, 2.0]
stretching = [{ type = "tanh", factor = 0.5 }, { type = "tanh", factor = 2.2 }]
[flow]
scheme = "artificial_compressibility"
turbulence = "k_omega"
viscosity = 0.01
body_force = [1.0, 0.0]
initial = "turbulent_channel"
initial_perturbation = 1.0
[boundary]
x_min = { type = "periodic" }
x_max = { type = "periodic" }
y_min = { type = "wall" }
y_max = { type = "wall" }
[time]
steady = true
[pseudo_time]
speed = 15.0
cfl_start = 5.0
cfl_max = 5.0
)" + solver;

template <class Space>
struct Beside {
  Beside(const std::string& text, Cutting cutting)
      : config(read_case_text(text, "test.toml")),
        c(read_incompressible_case(config)),
        ranks(world(), c, RankOptions{.cutting = cutting, .halo = {}}),
        alone(c, config.table("linear")),
        part(c, config.table("linear"), ranks) {
    alone.initialise();
    part.initialise();
  }
  void advance(int steps) {
    Timings timings;
    for (int s = 0; s < steps; ++s) {
      EXPECT_EQ(alone.advance(c.time.steady ? 0 : c.time.dt, timings, [&] { solves.push_back(alone.result); }),
                StepEnd::advanced);
      std::size_t next = solves.size() - static_cast<std::size_t>(alone.sub_iterations);
      EXPECT_EQ(part.advance(c.time.steady ? 0 : c.time.dt, timings,
                             [&] { EXPECT_EQ(part.result.iterations, solves[next++].iterations); }),
                StepEnd::advanced);
      EXPECT_EQ(next, solves.size());
    }
  }
  // Cells, and ghosts beyond the sides of the whole grid.
  void expect_same(double tolerance) {
    const std::vector<double> mine = part.field().values().to_vector(), all = alone.field().values().to_vector();
    const Places places = ranks.field_places();
    double most = 0, largest = 0;
    for (std::size_t i = 0; i < places.here.size(); ++i) {
      const double here = mine[static_cast<std::size_t>(places.here[i])],
                   there = all[static_cast<std::size_t>(places.whole[i])];
      most = test::larger(most, std::abs(here - there));
      largest = std::max(largest, std::abs(there));
    }
    EXPECT_GT(world().max(largest), 0.1);
    EXPECT_LE(world().max(most), tolerance * world().max(largest));
    for (int u = 0; u < part.cells().unknowns; ++u)
      EXPECT_NEAR(part.norms[u], alone.norms[u], tolerance * (alone.norms[u] + alone.largest_residual)) << u;
    const CoupledView a = alone.view(), p = part.view();
    const double energy = mean_kinetic_energy<Space>(a, c.grid), rate = courant_rate<Space>(a),
                 dissipation = mean_dissipation<Space>(a, c.grid);
    EXPECT_NEAR(world().sum(mean_kinetic_energy<Space>(p, c.grid)), energy, tolerance * energy);
    EXPECT_NEAR(world().sum(mean_dissipation<Space>(p, c.grid)), dissipation, tolerance * dissipation);
    EXPECT_NEAR(world().max(courant_rate<Space>(p)), rate, tolerance * rate);
    EXPECT_NEAR(part.rate(), alone.rate(), tolerance * (alone.rate() + rate));
  }

  Table config;
  IncompressibleCase c;
  CoupledRanks ranks;
  ArtificialCompressibility<Space> alone, part;
  std::vector<SolveResult> solves;
};

TYPED_TEST(DistributedCoupled, StepsAreThoseOfOneRank) {
  for (const auto& [text, cutting] :
       {std::pair(channel, Cutting::slabs), {cavity, Cutting::slabs}, {vortices, Cutting::blocks}}) {
    Beside<TypeParam> flow(text, cutting);
    flow.advance(2);
    flow.expect_same(1e-9);  // sums over ranks differ by round-off, which some ten products magnify
  }
}

TYPED_TEST(DistributedCoupled, KOmegaKnowsWallsThatLieOnOtherRanks) {
  Beside<TypeParam> flow(turbulence, Cutting::slabs);
  flow.advance(3);
  for (auto* scheme : {&flow.alone, &flow.part}) scheme->evaluate_steady();  // the ghosts of the last update
  flow.expect_same(1e-9);
}

TYPED_TEST(DistributedCoupled, AStepAllocatesNothingAndCopiesNothingButScalarsAndMessages) {
  Beside<TypeParam> flow(channel, Cutting::slabs);
  flow.advance(2);
  const Ledger before = ledger();
  Timings timings;
  int solves = 0;
  flow.part.advance(flow.c.time.dt, timings, [&] { ++solves; });
  EXPECT_EQ(solves, 2);
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
}

TYPED_TEST(DistributedCoupled, GatheredArraysHaveEachValueAtItsPlaceInTheWhole) {
  Beside<TypeParam> flow(channel, Cutting::blocks);
  flow.advance(1);
  const Gather gather(flow.ranks);
  const std::vector<double> mine = flow.part.field().values().to_vector(), whole = gather.gathered("x", mine);
  std::vector<double> all = whole;
  all.resize(flow.ranks.field_places().whole_size);
  world().broadcast(all.data(), static_cast<std::int64_t>(all.size() * sizeof(double)), 0);
  const Places places = flow.ranks.field_places();
  for (std::size_t i = 0; i < places.here.size(); ++i)
    EXPECT_EQ(all[static_cast<std::size_t>(places.whole[i])], mine[static_cast<std::size_t>(places.here[i])]);
  const std::vector<double> b = gather.gathered("b", flow.part.minus_residual_on_host());
  const bool is_root = world().is_root();
  EXPECT_EQ(b.size(), is_root ? flow.alone.minus_residual_on_host().size() : 0);
  EXPECT_EQ(whole.size(), is_root ? flow.alone.field().values().to_vector().size() : 0);
}

}  // namespace
}  // namespace weir::test::distributed_coupled_test
