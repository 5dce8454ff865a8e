// Block CSR matrices distributed by an arbitrary partition, against the same matrix on one rank.
#include "solvers/distributed/distributed_csr.hpp"

#include <gtest/gtest.h>

#include "inputs/case.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/solvers/distributed/world.hpp"
#include "tests/support/systems/block_matrices.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test {
namespace {

template <class Space>
class DistributedCsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(DistributedCsrTest, Spaces, SpaceName);

constexpr int rows = 90, B = 4;

std::vector<int> scattered_parts() {
  std::vector<int> part;
  for (int i = 0; i < rows; ++i) part.push_back((i / 4 * 5 + i / 30) % world().size());
  return part;
}

Numbers rows_of(const Numbers& whole, const CsrPart& p) {
  Numbers v;
  for (const int row : p.rows)
    v.insert(v.end(), whole.begin() + std::ptrdiff_t{row} * B, whole.begin() + std::ptrdiff_t{row + 1} * B);
  return v;
}

double worst(const Numbers& a, const Numbers& b) {
  double most = a.size() == b.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return world().max(most);
}

TYPED_TEST(DistributedCsrTest, ProductsAreThoseOfOneRankToRoundOff) {
  const BlockCsrData whole = random_blocks(rows, B, 5);
  const CsrPart part = part_of_csr(world(), whole, scattered_parts());
  const BlockCsr<TypeParam> alone(whole);
  const DistributedCsr<TypeParam> spread(world(), part);
  const Numbers x = random_numbers(rows * B, 3);
  const Array<double, TypeParam> X(x), PX(rows_of(x, part));
  Array<double, TypeParam> Y(rows * B), PY(spread.size());
  const double dot = alone.apply_dot(X, Y), shared = world().sum(spread.apply_dot(PX, PY));
  EXPECT_LE(worst(PY.to_vector(), rows_of(Y.to_vector(), part)), 1e-13 * 20);  // rows of magnitude 20
  EXPECT_NEAR(dot, shared, 1e-12 * std::abs(dot));
}

TYPED_TEST(DistributedCsrTest, BlockJacobiTakesTheSameIterationsAndSchwarzWithIluConverges) {
  const BlockCsrData whole = random_blocks(rows, B, 5);
  const CsrPart part = part_of_csr(world(), whole, scattered_parts());
  const BlockCsr<TypeParam> alone(whole);
  const DistributedCsr<TypeParam> spread(world(), part);
  const Numbers b = random_numbers(rows * B, 9);
  for (const char* inner : {"type = 'block_jacobi'", "type = 'additive_schwarz', inner = { type = 'block_ilu0' }"}) {
    const Table options =
        read_case_text(std::string("method = 'gmres'\ntolerance = 1e-9\npreconditioner = { ") + inner + " }", "test");
    LinearSolver<TypeParam> one(options), all(options);
    all.spread_over_ranks();
    one.setup(alone);
    all.setup(spread);
    const Array<double, TypeParam> whole_b(b), part_b(rows_of(b, part));
    Array<double, TypeParam> x(Numbers(b.size())), px(Numbers(static_cast<std::size_t>(spread.size())));
    const SolveResult r = one.solve(alone, whole_b, x), s = all.solve(spread, part_b, px);
    EXPECT_TRUE(r.converged() && s.converged()) << inner;
    EXPECT_LE(worst(px.to_vector(), rows_of(x.to_vector(), part)), 1e-8)
        << inner;  // the tolerance, rows dominated by 1
    if (std::string(inner).find("schwarz") == std::string::npos) {
      EXPECT_EQ(s.iterations, r.iterations);
    }
  }
}

}  // namespace
}  // namespace weir::test
