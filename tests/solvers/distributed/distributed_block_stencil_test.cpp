// Block stencils over boxes of cells, against the same matrix on one rank.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "inputs/case.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/solvers/distributed/both_block_stencils.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::distributed_block_stencil_test {
namespace {

template <class Space>
class DistributedBlocks : public ::testing::Test {};
TYPED_TEST_SUITE(DistributedBlocks, Spaces, SpaceName);

using Values = std::vector<double>;

double worst(const Values& a, const Values& b) {
  double most = a.size() == b.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = test::larger(most, std::abs(a[i] - b[i]));
  return world().max(most);
}

TYPED_TEST(DistributedBlocks, ProductsAndResidualsAreThoseOfOneRank) {
  struct Shape {
    Extents cells;
    int n;
    Periodic periodic;
    Cutting cutting;
  };
  for (const Shape& shape : {Shape{{5, 17, 1}, 3, {true, false, false}, Cutting::slabs},
                             {{9, 8, 1}, 5, {false, true, false}, Cutting::blocks},
                             {{4, 3, 16}, 4, {false, true, true}, Cutting::slabs},
                             {{5, 6, 7}, 6, {true, true, false}, Cutting::blocks}}) {
    const BothBlockStencils<TypeParam> s(shape.cells, shape.n, shape.periodic, shape.cutting);
    const Values x = random_vector(at(s.alone.size()), 11), b = random_vector(at(s.alone.size()), 12);
    const Array<double, TypeParam> X(x), B(b), px(s.part(x)), pb(s.part(b));
    Array<double, TypeParam> Y(X.size()), R(X.size()), py(px.size()), pr(px.size());
    s.alone.apply(X, Y);
    s.spread.apply(px, py);
    EXPECT_LE(worst(py.to_vector(), s.part(Y.to_vector())), 1e-12);  // rows sum to below 100
    s.alone.residual(B, X, R);
    s.spread.residual(pb, px, pr);
    EXPECT_LE(worst(pr.to_vector(), s.part(R.to_vector())), 1e-12);
    EXPECT_EQ(s.spread.unknowns(), s.alone.size());
  }
}

TYPED_TEST(DistributedBlocks, BlockJacobiTakesTheIterationsOfOneRankAndFactorsOfEachRankTakeOtherOnes) {
  for (const char* type : {"block_jacobi", "block_ilu0"}) {
    BothBlockStencils<TypeParam> s({4, 4, 16}, 4, {false, false, true}, Cutting::slabs);
    const Table options = read_case_text(
        "method = 'gmres'\ntolerance = 1e-9\npreconditioner = { type = '" + std::string(type) + "' }", "test");
    LinearSolver<TypeParam> alone(options), spread(options);
    spread.precondition_each_rank();
    alone.setup(s.alone);
    spread.setup(s.spread);
    const Values b = random_vector(at(s.alone.size()), 5), part = s.part(b);
    const Array<double, TypeParam> B(b), pb(part);
    Array<double, TypeParam> X(Values(b.size())), px(Values(part.size()));
    const SolveResult one = alone.solve(s.alone, B, X), all = spread.solve(s.spread, pb, px);
    EXPECT_TRUE(one.converged() && all.converged()) << type;
    if (type == std::string("block_jacobi")) {
      EXPECT_EQ(one.iterations, all.iterations);
    } else {
      EXPECT_LE(all.iterations, 2 * one.iterations) << "what couples to other ranks is left out of the factors alone";
    }
    EXPECT_LE(worst(px.to_vector(), s.part(X.to_vector())), 1e-7);  // the tolerance
  }
}

}  // namespace
}  // namespace weir::test::distributed_block_stencil_test
