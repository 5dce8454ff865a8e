// Multigrid of banded matrices with a body in them, in both spaces.
#include "solvers/preconditioner/multigrid/multigrid.hpp"

#include "base/error.hpp"
#include "solvers/device/ledger.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/body_poisson.hpp"

namespace weir::test::banded_multigrid_test {
namespace {

template <class Space>
class BandedMultigridOf : public ::testing::Test {};
TYPED_TEST_SUITE(BandedMultigridOf, Spaces, SpaceName);

constexpr double single_eps = 6e-8;  // the cycle works in single precision

BodyOptions box(Extents cells, Body body = Body::sphere, double stretching = 0, bool outlet = true) {
  BodyOptions o;
  o.cells = cells;
  o.body = body;
  o.stretching = stretching;
  o.outlet = outlet;
  return o;
}

template <class Space>
int iterations(const BodyOptions& o) {
  const Banded<Space> A = pressure_matrix<Space>(o);
  const Numbers b = right_hand_side(o);
  Numbers x(b.size());
  KrylovOptions k;
  k.tolerance = 1e-6;
  const SolveResult result = solve<Space>("cg", "multigrid", A, b, x, k);
  EXPECT_TRUE(result.converged()) << to_string(result.reason);
  return result.iterations;
}

const std::vector<BodyOptions> systems = {box({16, 16, 16}), box({12, 10, 9}, Body::cylinder, 2), box({24, 18, 1}),
                                          box({8, 20, 8}, Body::none, 0, false)};

TYPED_TEST(BandedMultigridOf, FewIterationsWhateverTheBodyAndTheStretching) {
  for (const BodyOptions& o : systems) EXPECT_LE(iterations<TypeParam>(o), 8) << o.cells.nx << " " << o.stretching;
}

TEST(BandedMultigridOnHost, IterationsDoNotGrowWithTheGrid) {
  for (const Body body : {Body::sphere, Body::cylinder}) {
    EXPECT_LE(iterations<Host>(box({32, 32, 32}, body)), 1.3 * iterations<Host>(box({16, 16, 16}, body)));
    EXPECT_LE(iterations<Host>(box({96, 96, 1}, body, 2)), 1.3 * iterations<Host>(box({24, 24, 1}, body, 2)));
    EXPECT_LE(iterations<Host>(box({16, 20, 16}, body, 0, false)), 7);  // singular, and a body that is not
  }
}

template <class Space>
Banded<Space> without_grid(const Banded<Space>& told) {
  Banded<Space> A(told.cells());
  Numbers values(static_cast<std::size_t>(told.entries()));
  told.download(values);
  A.upload(values);
  A.set_symmetric(true);
  return A;
}

TYPED_TEST(BandedMultigridOf, TheCouplingsTellHowTheGridIsStretched) {
  for (const BodyOptions& o :
       {box({12, 16, 9}, Body::cylinder, 2), box({24, 18, 1}, Body::sphere, 2), box({40, 1, 1}, Body::none, 2)}) {
    const Banded<TypeParam> told = pressure_matrix<TypeParam>(o);
    const Banded<TypeParam> A = without_grid(told);
    const Numbers b = right_hand_side(o);
    Numbers x(b.size());
    KrylovOptions k;
    k.tolerance = 1e-6;
    const SolveResult result = solve<TypeParam>("cg", "multigrid", A, b, x, k);
    EXPECT_TRUE(result.converged()) << to_string(result.reason);
    EXPECT_LE(result.iterations, iterations<TypeParam>(o) + 1);
  }
}

TYPED_TEST(BandedMultigridOf, TheCycleIsSymmetricAndPositive) {
  for (const BodyOptions& o : systems) {
    const Banded<TypeParam> A = pressure_matrix<TypeParam>(o);
    Multigrid<TypeParam> M{MultigridOptions{}};
    M.setup(A);
    const Numbers x = random_numbers(A.size(), 1), y = random_numbers(A.size(), 2);
    const Numbers Mx = applied(M, x), My = applied(M, y);
    EXPECT_NEAR(dot(x, My), dot(y, Mx), 1e3 * single_eps * norm(x) * norm(My));
    EXPECT_GT(dot(x, Mx), 0);
  }
}

// Rounding leaves a constant in the residual of a singular system; a cycle that blew it up would stop cg above
// round-off.
TYPED_TEST(BandedMultigridOf, TheConstantOfASingularSystemIsNotBlownUp) {
  for (const Body body : {Body::none, Body::sphere}) {
    const BodyOptions o = box({8, 20, 8}, body, 0, false);
    const Banded<TypeParam> A = pressure_matrix<TypeParam>(o);
    Multigrid<TypeParam> M{MultigridOptions{}};
    M.setup(A);
    const Numbers one(static_cast<std::size_t>(A.size()), 1.0);
    Numbers smooth = one;  // along y: the mode of which the inverse makes most
    for (int i = 0; i < A.size(); ++i) smooth[static_cast<std::size_t>(i)] = std::cos(M_PI * (i / 8 % 20 + 0.5) / 20);
    EXPECT_LT(norm(applied(M, one)) / norm(one), norm(applied(M, smooth)) / norm(smooth));
  }
}

TYPED_TEST(BandedMultigridOf, TheDotProductIsThatOfTheResult) {
  const Banded<TypeParam> A = pressure_matrix<TypeParam>(systems[1]);
  Multigrid<TypeParam> M{MultigridOptions{}};
  M.setup(A);
  const Array<double, TypeParam> r(random_numbers(A.size(), 1));
  Array<double, TypeParam> z(A.size());
  const double rz = M.apply_dot(r, z);
  EXPECT_NEAR(rz, dot(r.to_vector(), z.to_vector()), A.size() * eps * norm(r.to_vector()) * norm(z.to_vector()));
  EXPECT_EQ(z.to_vector(), applied(M, r.to_vector()));
}

TYPED_TEST(BandedMultigridOf, RowsThatStandAloneAreSolvedByTheirDiagonal) {
  const BodyOptions o = box({16, 16, 16});
  const Banded<TypeParam> A = pressure_matrix<TypeParam>(o);
  Multigrid<TypeParam> M{MultigridOptions{}};
  M.setup(A);
  const int inside = o.cells.index(8, 8, 8);
  Numbers r(static_cast<std::size_t>(A.size()));
  r[static_cast<std::size_t>(inside)] = 3;
  const Numbers z = applied(M, r);
  EXPECT_NEAR(z[static_cast<std::size_t>(inside)], 3, 3 * single_eps);
  EXPECT_NEAR(norm(z), 3, 3 * single_eps);  // and nothing else hears of it
}

TYPED_TEST(BandedMultigridOf, AnUpdateEqualsAFreshSetupAndAllocatesNothing) {
  const Extents cells{16, 12, 10};
  BodyOptions moved = box(cells);
  moved.radius = 0.33;
  const Banded<TypeParam> before = pressure_matrix<TypeParam>(box(cells)), after = pressure_matrix<TypeParam>(moved);
  Multigrid<TypeParam> M{MultigridOptions{}}, fresh{MultigridOptions{}};
  M.setup(before);
  const Ledger held = ledger();
  M.update(after);
  EXPECT_EQ(ledger().host_allocations, held.host_allocations);
  EXPECT_EQ(ledger().device_allocations, held.device_allocations);
  fresh.setup(after);
  const Numbers r = random_numbers(after.size(), 4);
  EXPECT_EQ(applied(M, r), applied(fresh, r));
}

// A restart meets the systems before its step no more.
TYPED_TEST(BandedMultigridOf, AGridThatIsNotToldIsJudgedByTheNewestValuesAlone) {
  const auto matrix = [](double stretching) {
    return without_grid(pressure_matrix<TypeParam>(box({24, 18, 1}, Body::sphere, stretching)));
  };
  const Banded<TypeParam> before = matrix(0), after = matrix(2);
  Multigrid<TypeParam> M{MultigridOptions{}}, fresh{MultigridOptions{}};
  M.setup(before);
  M.update(after);
  fresh.setup(after);
  const Numbers r = random_numbers(after.size(), 4);
  EXPECT_EQ(applied(M, r), applied(fresh, r));
}

TEST(BandedMultigridOnDevice, IsThatOfTheHostToSinglePrecision) {
  for (const BodyOptions& o : systems) {
    Multigrid<Host> on_host{MultigridOptions{}};
    Multigrid<Device> on_device{MultigridOptions{}};
    on_host.setup(pressure_matrix<Host>(o));
    on_device.setup(pressure_matrix<Device>(o));
    const Numbers r = right_hand_side(o);
    Numbers a = applied(on_host, r), b = applied(on_device, r);
    if (!o.outlet) {  // the constant of a singular system is rounding over the regularisation
      a = minus(a, Numbers(a.size(), mean(a)));
      b = minus(b, Numbers(b.size(), mean(b)));
    }
    EXPECT_LE(norm(minus(a, b)), 100 * single_eps * norm(a));  // a few hundred operations per cell and cycle
  }
}

// The finest level's, whose vectors come and go, and one for all coarser levels.
TEST(BandedMultigridOnDevice, TheCoarserLevelsAreOneLaunch) {
  for (const int n : {12, 33}) {
    const Banded<Device> A = pressure_matrix<Device>(box({n, n, n}));
    MultigridOptions o;
    Multigrid<Device> M(o);
    M.setup(A);
    const Array<double, Device> r(random_numbers(A.size(), 7));
    Array<double, Device> z(A.size());
    const int steps = o.pre + 1;
    for (int k = 0; k < 2; ++k) {
      const Ledger before = ledger();
      M.apply(r, z);
      // Residual, restriction, the coarser levels, prolongation, z.
      EXPECT_EQ(ledger().launches - before.launches, 2 * steps + 5) << n;
    }
  }
}

// A Poisson matrix whose directions are periodic as asked for, and Dirichlet at the other ends.
template <class Space>
Banded<Space> periodic_matrix(Extents cells, Periodic periodic) {
  Banded<Space> A(cells, periodic);
  Numbers values(static_cast<std::size_t>(A.entries()));
  const BlockStencilView v = A.stencil().on(values.data());
  for (int c = 0; c < cells.count(); ++c)
    for (int s = v.first; s < v.first + v.slots; ++s)
      v.block(c, s)[0] = s == slot::delta ? 6 : v.neighbour(c, s) < 0 ? 0 : -1;
  A.upload(values);
  A.set_symmetric(true);
  return A;
}

TYPED_TEST(BandedMultigridOf, PeriodicDirectionsAreSolvedToo) {
  for (const Periodic p : {Periodic{true, false, false}, Periodic{false, true, false}, Periodic{true, true, false}})
    for (const Extents cells : {Extents{16, 16, 16}, Extents{14, 9, 11}}) {
      const Banded<TypeParam> A = periodic_matrix<TypeParam>(cells, p);
      const Numbers b = random_numbers(A.size(), 3);
      Numbers x(b.size());
      KrylovOptions k;
      k.tolerance = 1e-6;
      const SolveResult result = solve<TypeParam>("cg", "multigrid", A, b, x, k);
      EXPECT_TRUE(result.converged());
      EXPECT_LE(result.iterations, 9);
    }
}

TYPED_TEST(BandedMultigridOf, AFewUnknownsAreSolvedAtOnce) {
  const BodyOptions o = box({4, 4, 3}, Body::none);
  const Banded<TypeParam> A = pressure_matrix<TypeParam>(o);
  const Numbers b = right_hand_side(o);
  Numbers x(b.size());
  EXPECT_LE(solve<TypeParam>("correction", "multigrid", A, b, x, {}).iterations, 2);  // 1e-8 from single precision
}

TYPED_TEST(BandedMultigridOf, WhatItCannotDoIsRefused) {
  const Banded<TypeParam> A = advection_diffusion_matrix<TypeParam>(box({6, 6, 6}), 1, 0.01, false);
  Multigrid<TypeParam> M{MultigridOptions{}};
  EXPECT_THROW(M.setup(A), Error);
  Banded<TypeParam> empty(Extents{4, 4, 4});
  empty.set_symmetric(true);
  EXPECT_THROW(M.setup(empty), Error);
}

TYPED_TEST(BandedMultigridOf, GhostRowsOfAdvectionAndDiffusionAreSolvedImplicitly) {
  const BodyOptions o = box({16, 16, 16});
  const Banded<TypeParam> A = advection_diffusion_matrix<TypeParam>(o, 1, 0.01, true);
  EXPECT_GT(A.remainder().rows, 0);
  const Numbers b = random_numbers(A.size(), 3);
  Numbers x(b.size());
  KrylovOptions k;
  k.tolerance = 1e-12;
  const SolveResult result = solve<TypeParam>("bicgstab", "jacobi", A, b, x, k);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.iterations, 40);
}

}  // namespace
}  // namespace weir::test::banded_multigrid_test
