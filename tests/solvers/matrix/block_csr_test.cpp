// Block CSR against its dense twin for every block size, and what it refuses.
#include "solvers/matrix/block/block_csr.hpp"

#include <omp.h>

#include <span>

#include "base/error.hpp"
#include "solvers/matrix/io/augment.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"
#include "tests/support/systems/products.hpp"

namespace weir::test::block_csr_test {
namespace {

template <class Space>
class BlockCsrMatrix : public ::testing::Test {};
TYPED_TEST_SUITE(BlockCsrMatrix, Spaces, SpaceName);

TYPED_TEST(BlockCsrMatrix, EqualsItsDenseTwinForEveryBlockSize) {
  for (const int B : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 32, 64}) {
    const BlockCsrData data = random_blocks(B > 16 ? 3 : 11, B, static_cast<unsigned>(B));
    expect_equal_products<TypeParam>(BlockCsr<TypeParam>(data), dense(data), "B = " + std::to_string(B), 8 * B);
  }
}

TYPED_TEST(BlockCsrMatrix, NewValuesInPlaceEqualANewMatrix) {
  BlockCsrData data = random_blocks(9, 4, 1);
  BlockCsr<TypeParam> A(data);
  data.value = random_numbers(static_cast<int>(data.value.size()), 99);
  A.update(data.value);
  expect_equal_products<TypeParam>(A, dense(data), "updated", 32);
}

// Rounded to floats beforehand: what is rounded loses nothing more.
TYPED_TEST(BlockCsrMatrix, RoundedToFloatsEqualsTheDenseTwinOfItsValues) {
  for (const int B : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
    BlockCsrData data = random_blocks(11, B, static_cast<unsigned>(B)), first = data;
    for (double& v : data.value) v = static_cast<double>(static_cast<float>(v));
    for (double& v : first.value) v = 0;
    BlockCsr<TypeParam> A(first);
    RoundedCsr<TypeParam> rounded(A);
    A.update(data.value);
    rounded.round(A.values());
    expect_equal_products<TypeParam>(rounded, dense(data), "B = " + std::to_string(B), 8 * B);
  }
}

TYPED_TEST(BlockCsrMatrix, FloatsOfTheirOwnGoOutAsTheyCameIn) {
  for (const int B : {1, 3, 4}) {
    BlockCsrData data = random_blocks(11, B, 2);
    for (double& v : data.value) v = static_cast<double>(static_cast<float>(v));
    RoundedCsr<TypeParam> rounded(data);
    EXPECT_EQ(rounded.to_values(), data.value);
    const BlockCsr<TypeParam> wide(rounded);
    EXPECT_EQ(wide.to_values(), data.value);
    EXPECT_TRUE(wide.pattern() == rounded.pattern());
    Array<double, TypeParam> of_rounded(11 * std::int64_t{B} * B), of_wide(of_rounded.size());
    rounded.block_diagonal(0, of_rounded);
    wide.block_diagonal(0, of_wide);
    EXPECT_EQ(of_rounded.to_vector(), of_wide.to_vector());
    data.value.clear();
    EXPECT_EQ(max_norm(RoundedCsr<TypeParam>(data).to_values()), 0);
    EXPECT_EQ(max_norm(BlockCsr<TypeParam>(data).to_values()), 0);
  }
}

// Code paths of large matrices, here on small ones: every product and its sums, both kinds of values.
TEST(BlockCsrByWarps, EqualsItsDenseTwinForEveryBlockSize) {
  const auto expect_products = [](const auto& A, const Dense& D, int B) {
    const Numbers x = random_numbers(D.n, 7), b = random_numbers(D.n, 8), Ax = D * x, r = minus(b, Ax);
    const double bound = 32 * B * eps * (D.max_norm() + 1);
    for (const Product p :
         {Product::apply, Product::apply_dot, Product::apply_dots, Product::residual, Product::residual_dot}) {
      const Array<double, Device> X(x);
      Array<double, Device> Y(b);  // a residual may overwrite b
      const Array<double, Device> W(b);
      const Pair sums =
          csr_products::product_by_warps(A.view(), p, is_residual(p) ? Y.data() : W.data(), X.data(), Y.data());
      const Numbers& want = is_residual(p) ? r : Ax;
      EXPECT_LE(max_difference(Y.to_vector(), want), bound) << "B = " << B << ", product " << static_cast<int>(p);
      const Numbers& other = p == Product::apply_dot ? x : p == Product::apply_dots ? b : want;
      const double near = 4 * D.n * bound * (1 + max_norm(want));
      EXPECT_NEAR(sums.a, has_sums(p) ? dot(want, other) : 0, near) << B;
      EXPECT_NEAR(sums.b, p == Product::apply_dots ? dot(want, want) : 0, near) << B;
    }
  };
  for (const int B : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 17, 33, 64}) {
    BlockCsrData data = random_blocks(B > 8 ? 4 : 37, B, static_cast<unsigned>(B));
    for (double& v : data.value) v = static_cast<double>(static_cast<float>(v));
    const BlockCsr<Device> A(data);
    expect_products(A, dense(data), B);
    expect_products(RoundedCsr<Device>(A), dense(data), B);
  }
}

TYPED_TEST(BlockCsrMatrix, HoldsEmptyRowsAndMissingDiagonals) {
  BlockCsrData data;
  data.block = 2;
  data.row_start = {0, 1, 1, 2};
  data.column = {2, 0};
  data.value = {1, 2, 3, 4, 5, 6, 7, 8};
  expect_equal_products<TypeParam>(BlockCsr<TypeParam>(data), dense(data), "holes");
}

TEST(BlockCsrPattern, FaultsAreRefusedByName) {
  const BlockCsrData good = random_blocks(5, 2, 3);
  const auto refused = [](BlockCsrData data, const std::string& part) {
    try {
      const BlockCsr<Host> A(data);
      ADD_FAILURE() << "accepted: " << part;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      EXPECT_EQ(e.code(), Exit::usage);
    }
  };
  BlockCsrData d = good;
  d.column[0] = 17;
  refused(d, "out of range in block row 0");
  d = good;
  std::swap(d.column[0], d.column[1]);
  refused(d, "columns must ascend; they do not in block row 0");
  d = good;
  d.value.pop_back();
  refused(d, "values per block");
  d = good;
  d.block = 65;
  refused(d, "sizes are 1 to 64");
  d = good;
  d.row_start.back() += 1;
  refused(d, "last row start");
  d = good;
  d.row_start[1] = d.row_start[2] + 1;
  refused(d, "row starts must not decrease");
}

// Every even number of unknowns out of 4 and 6: each part of the whole's product is the part's own.
TEST(Augmentation, PutsPartsSideBySideOnTheDiagonal) {
  const BlockCsrData four = random_blocks(30, 4, 5), six = random_blocks(30, 6, 6);  // other patterns
  for (const int n : {4, 6, 14, 22, 64}) {
    const BlockCsrData whole = augmented_to(n, four, six);
    const Augmentation counts = augmentation(n, 4, 6);
    ASSERT_EQ(whole.block, n);
    const Numbers x4 = random_numbers(30 * 4, 1), x6 = random_numbers(30 * 6, 2);
    const Numbers y4 = dense(four) * x4, y6 = dense(six) * x6;
    Numbers x, expected;
    const auto row_of = [](const Numbers& v, int i, int m) {
      return std::span(v).subspan(static_cast<std::size_t>(i * m), static_cast<std::size_t>(m));
    };
    for (int i = 0; i < 30; ++i)
      for (int part = 0; part < counts.of_second + counts.of_first; ++part) {
        const bool is_six = part < counts.of_second;
        for (const double v : is_six ? row_of(x6, i, 6) : row_of(x4, i, 4)) x.push_back(v);
        for (const double v : is_six ? row_of(y6, i, 6) : row_of(y4, i, 4)) expected.push_back(v);
      }
    const BlockCsr<Host> A(whole);
    Array<double, Host> y(A.size());
    A.apply(Array<double, Host>(x), y);
    EXPECT_LE(max_difference(y.to_vector(), expected), 64 * eps * max_norm(expected)) << n;
  }
  EXPECT_THROW(augmented_to(66, four, six), Error);
  EXPECT_THROW(augmented_to(5, four, six), Error);
  EXPECT_THROW(augmented_to(10, four, random_blocks(29, 6, 6)), Error);
}

TEST(BlockCsrThreads, ProductsDoNotDependOnTheNumberOfThreads) {
  const BlockCsr<Host> A(random_blocks(400, 4, 5));
  const Array<double, Host> x(random_numbers(A.size(), 3)), b(random_numbers(A.size(), 4));
  Array<double, Host> y(A.size());
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const double one = A.apply_dot(x, y), one_r = A.residual_dot(b, x, y);
  for (const int t : {2, 3, 7}) {
    omp_set_num_threads(t);
    EXPECT_EQ(A.apply_dot(x, y), one);
    EXPECT_EQ(A.residual_dot(b, x, y), one_r);
  }
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace weir::test::block_csr_test
