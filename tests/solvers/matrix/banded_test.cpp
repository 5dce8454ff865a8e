// Banded: bands and remainder against dense twins, in both spaces.
#include "solvers/matrix/stencil/banded.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "solvers/device/ledger.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/products.hpp"

namespace weir::test::banded_test {
namespace {

template <class Space>
class BandedOf : public ::testing::Test {};
TYPED_TEST_SUITE(BandedOf, Spaces, SpaceName);

struct System {
  Extents cells;
  Periodic periodic;
  Numbers values;  // in the storage order
  RemainderData remainder;
};

BlockStencilView view_of(const System& s, double* values) {
  BlockStencilView v;
  v.values = values;
  v.cells = s.cells;
  v.periodic = s.periodic;
  v.slots = s.cells.nz == 1 ? 5 : 7;
  v.first = v.slots == 5 ? 1 : 0;
  return v;
}

System random_bands(Extents cells, Periodic periodic, bool symmetric, unsigned seed) {
  System s{cells, periodic, {}, {}};
  const int n = cells.count();
  s.values = random_numbers(n * (cells.nz == 1 ? 5 : 7), seed);
  BlockStencilView v = view_of(s, s.values.data());
  for (int c = 0; c < n; ++c) {
    v.block(c, slot::delta)[0] += 8;  // dominated rows
    for (int t = slot::delta + 1; symmetric && t < v.first + v.slots; ++t)
      if (v.neighbour(c, t) >= 0) v.block(v.neighbour(c, t), 6 - t)[0] = v.block(c, t)[0];
  }
  return s;
}

// A few rows that couple to cells near and far.
void add_remainder(System& s) {
  const int n = s.cells.count();
  s.remainder.start = {0};
  for (int c = n / 5; c < n; c += 1 + c % 3 * (n / 7)) {
    s.remainder.row.push_back(c);
    for (int e = 0; e < 1 + c % 4; ++e) {
      const int column = (c * (e + 3) + e) % n;
      s.remainder.column.push_back(column == c ? (c + 1) % n : column);  // the diagonal is a band
      s.remainder.value.push_back(0.1 * (e + 1));
    }
    s.remainder.start.push_back(static_cast<int>(s.remainder.column.size()));
  }
}

Dense dense(const System& s) {
  Dense a(s.cells.count());
  System copy = s;
  const BlockStencilView v = view_of(s, copy.values.data());
  for (int c = 0; c < a.n; ++c)
    for (int t = v.first; t < v.first + v.slots; ++t)
      if (v.neighbour(c, t) >= 0) a(c, v.neighbour(c, t)) += v.block(c, t)[0];
  for (std::size_t q = 0; q < s.remainder.row.size(); ++q)
    for (int e = s.remainder.start[q]; e < s.remainder.start[q + 1]; ++e)
      a(s.remainder.row[q], s.remainder.column[static_cast<std::size_t>(e)]) +=
          s.remainder.value[static_cast<std::size_t>(e)];
  return a;
}

template <class Space>
Banded<Space> matrix(const System& s, bool symmetric = false) {
  Banded<Space> A(s.cells, s.periodic);
  A.upload(s.values);
  A.set_symmetric(symmetric);
  if (!s.remainder.row.empty()) A.set_remainder(s.remainder);
  return A;
}

std::string name(Extents e) { return std::to_string(e.nx) + "x" + std::to_string(e.ny) + "x" + std::to_string(e.nz); }

const std::vector<Extents> shapes = {{1, 1, 1}, {7, 1, 1}, {1, 6, 1}, {1, 1, 5},
                                     {9, 5, 1}, {2, 2, 2}, {8, 4, 3}, {4, 1, 5}};

TYPED_TEST(BandedOf, ProductsAreThoseOfTheDenseMatrixForEveryShape) {
  for (const Extents cells : shapes) {
    const System s = random_bands(cells, {}, false, 5);
    expect_equal_products(matrix<TypeParam>(s), dense(s), name(cells));
  }
}

// 2^17 cells: the bands of a matrix would lie at a multiple of a page from each other, and are set apart.
TYPED_TEST(BandedOf, ALargeMatrixGivesBackWhatWasUploadedAndMultipliesAsItSays) {
  for (const Extents cells : {Extents{64, 64, 32}, Extents{512, 256, 1}}) {
    System s = random_bands(cells, {}, false, 11);
    const Banded<TypeParam> A = matrix<TypeParam>(s);
    EXPECT_GT(A.stencil().padding, 0);
    ASSERT_EQ(A.entries(), static_cast<std::int64_t>(s.values.size()));
    Numbers back(s.values.size());
    A.download(back);
    EXPECT_EQ(back, s.values);
    const Array<double, TypeParam> x(random_numbers(cells.count(), 12));
    Array<double, TypeParam> y(cells.count());
    A.apply(x, y);
    const Numbers numbers = x.to_vector(), product = y.to_vector();
    const BlockStencilView v = view_of(s, s.values.data());
    double worst = 0;
    for (int c = 0; c < cells.count(); ++c) {
      double sum = 0;
      for (int t = v.first; t < v.first + v.slots; ++t)
        if (const int to = v.neighbour(c, t); to >= 0) sum += v.block(c, t)[0] * numbers[static_cast<std::size_t>(to)];
      worst = test::larger(worst, std::abs(sum - product[static_cast<std::size_t>(c)]));
    }
    EXPECT_LT(worst, 16 * 2.3e-16 * 15);  // seven products of numbers up to 9 and 1
  }
  EXPECT_EQ(Banded<TypeParam>(Extents{64, 63, 33}).stencil().padding, 0);
}

TYPED_TEST(BandedOf, PeriodicDirectionsCoupleToTheFarEnd) {
  for (const Periodic p : {Periodic{true, false, false}, Periodic{false, true, true}, Periodic{true, true, true}})
    for (const Extents cells : {Extents{5, 4, 3}, Extents{2, 2, 2}, Extents{1, 4, 1}}) {
      const System s = random_bands(cells, p, false, 6);
      expect_equal_products(matrix<TypeParam>(s), dense(s), name(cells));
    }
}

TYPED_TEST(BandedOf, ASymmetricMatrixIsReadFromItsUpperBandsAlone) {
  for (const Periodic p : {Periodic{}, Periodic{true, false, false}, Periodic{true, true, true}})
    for (const Extents cells : {Extents{8, 5, 4}, Extents{9, 5, 1}, Extents{1, 1, 5}}) {
      const System s = random_bands(cells, p, true, 7);
      const Banded<TypeParam> A = matrix<TypeParam>(s, true);
      expect_equal_products(A, dense(s), name(cells));
      EXPECT_LT(A.apply_work().bytes, matrix<TypeParam>(s).apply_work().bytes);
    }
}

TYPED_TEST(BandedOf, RowsOfTheRemainderAddToTheBands) {
  for (const Extents cells : {Extents{7, 5, 3}, Extents{6, 9, 1}, Extents{13, 1, 1}}) {
    System s = random_bands(cells, {}, false, 8);
    add_remainder(s);
    expect_equal_products(matrix<TypeParam>(s), dense(s), name(cells));
  }
}

TYPED_TEST(BandedOf, ANewRemainderReplacesTheOldOneAndAllocatesOnlyToGrow) {
  System s = random_bands({6, 5, 4}, {}, false, 9);
  add_remainder(s);
  Banded<TypeParam> A = matrix<TypeParam>(s);
  s.remainder = {{3, 90}, {0, 1, 3}, {100, 2, 50}, {0.5, 0.25, 2}};
  const auto before = ledger().device_allocations;
  A.set_remainder(s.remainder);
  EXPECT_EQ(ledger().device_allocations, before);
  expect_equal_products(A, dense(s), "fewer rows");
  A.resize_remainder(0, 0);
  s.remainder = {};
  expect_equal_products(A, dense(s), "none");
}

// A size at which a thread takes two cells in z, and no side is a multiple of that.
TEST(BandedOnDevice, ColumnsOfCellsGiveWhatTheHostGives) {
  const Extents cells{67, 65, 61};
  struct Kind {
    Periodic periodic;
    bool symmetric, with_remainder;
  };
  for (const Kind& kind : {Kind{{}, false, true}, Kind{{true, true, true}, false, false}, Kind{{}, true, false},
                           Kind{{true, true, true}, true, false}}) {
    System s = random_bands(cells, kind.periodic, kind.symmetric, 21);
    if (kind.with_remainder) add_remainder(s);
    const Banded<Host> A = matrix<Host>(s, kind.symmetric);
    const Banded<Device> B = matrix<Device>(s, kind.symmetric);
    const Numbers numbers = random_numbers(cells.count(), 22), right = random_numbers(cells.count(), 23);
    const Array<double, Host> x(numbers), b(right);
    const Array<double, Device> X(numbers), R(right);
    for (const Product p :
         {Product::apply, Product::apply_dot, Product::apply_dots, Product::residual, Product::residual_dot}) {
      Array<double, Host> y(cells.count());
      Array<double, Device> Y(cells.count());
      const Pair here = A.product(p, b.data(), x.data(), y.data()), there = B.product(p, R.data(), X.data(), Y.data());
      const int number = static_cast<int>(p);
      EXPECT_NEAR(there.a, here.a, 1e-12 * (std::abs(here.a) + cells.count())) << number;
      EXPECT_NEAR(there.b, here.b, 1e-12 * std::abs(here.b)) << number;
      EXPECT_LE(max_difference(y.to_vector(), Y.to_vector()), 1e-14 * 16) << number;  // seven products of up to 9 and 1
    }
  }
}

TYPED_TEST(BandedOf, ARemainderIsNotSymmetric) {
  System s = random_bands({4, 3, 2}, {}, true, 3);
  Banded<TypeParam> A = matrix<TypeParam>(s, true);
  EXPECT_TRUE(A.is_symmetric());
  A.set_remainder({{3}, {0, 1}, {9}, {0.5}});
  EXPECT_FALSE(A.is_symmetric());
}

TYPED_TEST(BandedOf, ImpossibleRemaindersAreRefused) {
  Banded<TypeParam> A(Extents{4, 3, 2});
  EXPECT_THROW(A.set_remainder({{5, 3}, {0, 1, 2}, {0, 1}, {1, 1}}), Error);
  EXPECT_THROW(A.set_remainder({{24}, {0, 1}, {0}, {1}}), Error);
  EXPECT_THROW(A.set_remainder({{3}, {0, 1}, {24}, {1}}), Error);
  EXPECT_THROW(A.set_remainder({{3}, {0, 2}, {1}, {1}}), Error);
  EXPECT_THROW(Banded<TypeParam>(Extents{0, 3, 2}), Error);
}

TYPED_TEST(BandedOf, TheMethodsSolveItWithTheirPreconditioners) {
  System s = random_bands({6, 5, 4}, {}, false, 4);
  add_remainder(s);
  const Banded<TypeParam> A = matrix<TypeParam>(s);
  const Numbers b = random_numbers(A.size(), 1);
  for (const char* method : {"bicgstab", "gmres"})
    for (const char* M : {"none", "jacobi", "block_jacobi", "block_ilu0"}) {
      Numbers x(b.size());
      KrylovOptions o;
      o.tolerance = 1e-10;
      const SolveResult result = solve<TypeParam>(method, M, A, b, x, o);
      EXPECT_TRUE(result.converged()) << method << " + " << M;
      EXPECT_LE(norm(minus(b, dense(s) * x)), 1.02e-10 * norm(b)) << method << " + " << M;
      EXPECT_LE(result.iterations, 20) << method << " + " << M;
    }
}

TEST(BandedOnHost, ResultsDoNotDependOnTheNumberOfThreads) {
  System s = random_bands({40, 30, 20}, {}, false, 2);
  add_remainder(s);
  const Banded<Host> A = matrix<Host>(s);
  const Array<double, Host> X(random_numbers(A.size(), 1)), W(random_numbers(A.size(), 2));
  Array<double, Host> Y(A.size());
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Pair one = A.apply_dots(X, W, Y);
  const Numbers y = Y.to_vector();
  omp_set_num_threads(3);
  const Pair three = A.apply_dots(X, W, Y);
  omp_set_num_threads(threads);
  EXPECT_EQ(y, Y.to_vector());
  EXPECT_EQ(one.a, three.a);
  EXPECT_EQ(one.b, three.b);
}

}  // namespace
}  // namespace weir::test::banded_test
