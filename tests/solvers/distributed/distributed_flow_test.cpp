// The compressible discretisation over ranks, cells dealt out at random or in slabs: residual, time step and products
// with the Jacobian are those of one rank.
#include <gtest/gtest.h>

#include <algorithm>

#include "miniapps/compressible/discretisation/discretisation.hpp"
#include "miniapps/compressible/discretisation/mesh_ranks.hpp"
#include "tests/miniapps/compressible/turbulent_flows.hpp"
#include "tests/solvers/distributed/world.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::distributed_flow_test {
namespace {

template <class Space>
class DistributedFlowTest : public ::testing::Test {};
TYPED_TEST_SUITE(DistributedFlowTest, Spaces, SpaceName);

using Values = std::vector<double>;

std::vector<int> parts_of(const UnstructuredMesh& mesh, bool scattered) {
  const int ranks = world().size(), cells = mesh.cells();
  std::vector<int> part;
  for (int i = 0; i < cells; ++i) part.push_back((scattered ? i * 7 / 3 : i * ranks / cells) % ranks);
  return part;
}

double worst(const Values& a, const Values& b) {
  double most = a.size() == b.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = test::larger(most, std::abs(a[i] - b[i]));
  return world().max(most);
}
double largest(const Values& a) {
  double most = 0;
  for (const double x : a) most = std::max(most, std::abs(x));
  return most;
}

template <class Space>
void compare(const BoxMesh& box, const GasModel& gas, const SpatialScheme& scheme, BoundaryType type, bool scattered) {
  const UnstructuredMesh mesh = box_mesh(box);
  const auto conditions = all_round(mesh, type, gas);
  const Values U = random_state(mesh, gas);
  const MeshRanks ranks(world(), mesh, parts_of(mesh, scattered));
  Discretisation<Space> whole(mesh, gas, scheme, conditions), part(ranks.part.mesh, gas, scheme, conditions, &ranks);
  if (type == BoundaryType::exact) {
    set_outside_everywhere(whole, mesh, free_stream(gas));
    set_outside_everywhere(part, ranks.part.mesh, free_stream(gas));
  }
  const double eps = std::numeric_limits<double>::epsilon();

  const Values R = residual(whole, U);
  EXPECT_LE(worst(residual(part, ranks.own(U)), ranks.own(R)), 500 * eps * largest(R));

  const Array<double, Space> all(U), mine(ranks.own(U));
  BlockCsr<Space> J(jacobian_pattern(mesh)), local(jacobian_pattern(ranks.part.mesh, ranks.part.own));
  DistributedMatrix<Space> spread(world(), local, ranks.nearest, ranks.coupling(), false, false);
  whole.jacobian(all, J);
  part.jacobian(mine, local);
  part.couple(spread.coupling_values());
  const Values x = random_state(mesh, gas, 8);
  const Array<double, Space> X(x), own_x(ranks.own(x));
  Array<double, Space> Y(X.size()), own_y(own_x.size());
  J.apply(X, Y);
  spread.apply(own_x, own_y);
  const Values y = Y.to_vector();
  EXPECT_LE(worst(own_y.to_vector(), ranks.own(y)), 2000 * eps * largest(y));
}

// The others have no mesh at all.
TEST(MeshRanks, RankZeroAloneHasTheMeshAndEachRankGetsItsPartAndItsValues) {
  const UnstructuredMesh mesh = box_mesh({.nx = 9, .ny = 8}), nothing;
  const std::vector<int> part = parts_of(mesh, true);
  const bool is_root = world().is_root();
  const MeshRanks ranks(world(), is_root ? mesh : nothing, is_root ? part : std::vector<int>());
  const MeshPart expected = part_of_mesh(mesh, part, world().rank());
  EXPECT_EQ(ranks.whole_cells, mesh.cells());
  EXPECT_EQ(ranks.part.cell, expected.cell);
  EXPECT_EQ(ranks.part.own, expected.own);
  EXPECT_EQ(ranks.part.near, expected.near);
  EXPECT_EQ(ranks.part.place_in_patch, expected.place_in_patch);
  EXPECT_EQ(ranks.part.mesh.centre, expected.mesh.centre);
  EXPECT_EQ(ranks.part.mesh.volume, expected.mesh.volume);
  EXPECT_EQ(ranks.part.mesh.owner, expected.mesh.owner);
  EXPECT_EQ(ranks.part.mesh.neighbour, expected.mesh.neighbour);
  EXPECT_EQ(ranks.part.mesh.normal, expected.mesh.normal);
  EXPECT_EQ(ranks.part.mesh.area, expected.mesh.area);
  EXPECT_EQ(ranks.part.mesh.face_centre, expected.mesh.face_centre);
  EXPECT_EQ(ranks.part.mesh.shift, expected.mesh.shift);
  for (std::size_t p = 0; p < mesh.patches.size(); ++p)
    EXPECT_EQ(ranks.part.mesh.patches[p].name, mesh.patches[p].name);
  std::vector<double> all;
  for (int i = 0; is_root && i < 2 * mesh.cells(); ++i) all.push_back(i + 0.5);
  const std::vector<double> mine = ranks.from_root(all, 2, ranks.part.own);
  ASSERT_EQ(mine.size(), 2 * static_cast<std::size_t>(ranks.part.own));
  for (std::size_t i = 0; i < mine.size(); ++i)
    EXPECT_EQ(mine[i], 2 * expected.cell[i / 2] + static_cast<int>(i % 2) + 0.5);
}

// Spalart-Allmaras, or SST, whose bound and blend near ghosts need too.
template <class Space>
void compare_turbulent(bool is_sst) {
  const GasModel gas = viscous_gas();
  const SpatialScheme scheme{.limiter = Limiter::venkatakrishnan};
  const UnstructuredMesh mesh = box_mesh({.nx = 9, .ny = 8});
  const auto conditions = all_round(mesh, BoundaryType::adiabatic_wall, gas);
  const auto state = [&](unsigned seed) {
    return is_sst ? sst_state(mesh, gas, true, seed) : turbulent_state(mesh, gas, seed);
  };
  const Values U = state(3);
  const int n = is_sst ? 6 : 5;
  for (const bool scattered : {true, false}) {
    const MeshRanks ranks(world(), mesh, parts_of(mesh, scattered), {}, n);
    const TurbulenceModel model = is_sst ? sst_model(mesh, 2) : turbulence(mesh, 2);
    TurbulenceModel own = model;
    own.distance.clear();
    for (int i = 0; i < ranks.part.own + (is_sst ? ranks.part.near : 0); ++i)
      own.distance.push_back(model.distance[static_cast<std::size_t>(ranks.part.cell[static_cast<std::size_t>(i)])]);
    Discretisation<Space> whole(mesh, gas, scheme, conditions, nullptr, model),
        part(ranks.part.mesh, gas, scheme, conditions, &ranks, own);
    const double eps = std::numeric_limits<double>::epsilon();
    const Values R = residual(whole, U);
    EXPECT_LE(worst(residual(part, ranks.own(U)), ranks.own(R)), 500 * eps * largest(R));

    const Array<double, Space> all(U), mine(ranks.own(U));
    BlockCsr<Space> J(jacobian_pattern(mesh, -1, n)), local(jacobian_pattern(ranks.part.mesh, ranks.part.own, n));
    DistributedMatrix<Space> spread(world(), local, ranks.nearest, ranks.coupling(), false, false);
    whole.jacobian(all, J);
    part.jacobian(mine, local);
    part.couple(spread.coupling_values());
    const Array<double, Space> X(state(8)), own_x(ranks.own(X.to_vector()));
    Array<double, Space> Y(X.size()), own_y(own_x.size());
    J.apply(X, Y);
    spread.apply(own_x, own_y);
    const Values y = Y.to_vector();
    EXPECT_LE(worst(own_y.to_vector(), ranks.own(y)), 2000 * eps * largest(y));
  }
}

TYPED_TEST(DistributedFlowTest, SoAreThoseOfTurbulentFlow) {
  compare_turbulent<TypeParam>(false);
  compare_turbulent<TypeParam>(true);
}

TYPED_TEST(DistributedFlowTest, ResidualsAndJacobiansAreThoseOfOneRank) {
  for (const bool scattered : {true, false})
    for (const CellKind kind : {CellKind::quads, CellKind::mixed}) {
      BoxMesh box{.nx = 9, .ny = 8, .kind = kind};
      compare<TypeParam>(box, viscous_gas(), {.limiter = Limiter::venkatakrishnan}, BoundaryType::adiabatic_wall,
                         scattered);
      compare<TypeParam>(box, viscous_gas(), {.gradient = GradientScheme::green_gauss}, BoundaryType::farfield,
                         scattered);
      compare<TypeParam>(box, euler_gas(), {}, BoundaryType::exact, scattered);
      box.periodic_x = true;
      compare<TypeParam>(box, euler_gas(), {.limiter = Limiter::barth_jespersen}, BoundaryType::slip_wall, scattered);
      box.periodic_y = true;
      compare<TypeParam>(box, viscous_gas(), {}, BoundaryType::farfield, scattered);
    }
}

}  // namespace
}  // namespace weir::test::distributed_flow_test
