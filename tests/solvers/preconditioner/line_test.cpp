// line: block tridiagonal solves along contiguous rows.

#include <omp.h>

#include "base/error.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/textbook_ilu0.hpp"

namespace weir::test::line_test {
namespace {

template <class Space>
class LineOf : public ::testing::Test {};
TYPED_TEST_SUITE(LineOf, Spaces, SpaceName);

template <class Space>
Numbers applied(const BlockCsrData& data, const std::vector<RowRange>& lines, const Numbers& r) {
  BlockCsr<Space> A(data);
  A.set_lines(lines);
  auto M = make_preconditioner<Space>("line", Table());
  M->setup(A);
  M->update(A);
  const Array<double, Space> R(r);
  Array<double, Space> Z(R.size());
  M->apply(R, Z);
  return Z.to_vector();
}

// Everything but the diagonal and the couplings along the lines taken away.
Numbers textbook(const BlockCsrData& data, const std::vector<RowRange>& lines, const Numbers& r) {
  Dense a = dense(data);
  std::vector<int> line_of(static_cast<std::size_t>(data.rows()), -1);
  for (std::size_t l = 0; l < lines.size(); ++l)
    std::fill_n(line_of.begin() + lines[l].first, lines[l].count, static_cast<int>(l));
  const int B = data.block;
  for (int i = 0; i < a.n; ++i)
    for (int j = 0; j < a.n; ++j) {
      const int p = i / B, q = j / B, l = line_of[static_cast<std::size_t>(p)];
      const bool along = std::abs(p - q) == 1 && l >= 0 && l == line_of[static_cast<std::size_t>(q)];
      if (p != q && !along) a(i, j) = 0;
    }
  return dense_solve(a, r);
}

TYPED_TEST(LineOf, SolvesEachLineExactlyAndOtherRowsByTheirBlock) {
  for (const int B : {1, 4, 5, 9}) {
    const BlockCsrData data = mesh_like(8, 5, B, 3, natural_order(40));
    const std::vector<RowRange> lines{{0, 8}, {8, 5}, {13, 2}, {20, 1}, {33, 7}};
    const Numbers r = random_numbers(40 * B, 3), z = textbook(data, lines, r);
    EXPECT_LE(max_difference(applied<TypeParam>(data, lines, r), z), 1e-12 * max_norm(z)) << "n = " << B;
    const Numbers jacobi = textbook(data, {}, r);
    EXPECT_LE(max_difference(applied<TypeParam>(data, {}, r), jacobi), 1e-12 * max_norm(jacobi));
  }
}

TEST(LineOnHost, ThreadsDoNotChangeTheBits) {
  const int threads = omp_get_max_threads();
  const BlockCsrData data = mesh_like(50, 40, 4, 3, natural_order(2000));
  std::vector<RowRange> lines;
  for (int j = 0; j < 40; j += 2) lines.push_back({50 * j, 50});
  const Numbers r = random_numbers(8000, 3);
  omp_set_num_threads(1);
  const Numbers one = applied<Host>(data, lines, r);
  omp_set_num_threads(2);
  EXPECT_EQ(applied<Host>(data, lines, r), one);
  omp_set_num_threads(threads);
}

TEST(LineRanges, FaultsAreRefusedByTheirRow) {
  BlockCsr<Host> A(mesh_like(4, 3, 2, 3, natural_order(12)));
  for (const std::vector<RowRange>& bad :
       {std::vector<RowRange>{{0, 4}, {3, 2}}, {{10, 3}}, {{2, 0}}, {{-1, 2}}, {{4, 2}, {0, 2}}}) {
    EXPECT_THROW(A.set_lines(bad), Error);
  }
}

}  // namespace
}  // namespace weir::test::line_test
