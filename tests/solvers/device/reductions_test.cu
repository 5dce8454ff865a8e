// Sums and maxima: right, repeatable, the same for every number of threads.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "solvers/device/array.hpp"
#include "solvers/device/reduce.hpp"

namespace weir {
namespace {

template <class Space>
class Reductions : public testing::Test {};
using Spaces = testing::Types<Host, Device>;
TYPED_TEST_SUITE(Reductions, Spaces);

constexpr int sizes[] = {0, 1, 31, 32, 33, 4095, 4097, 300007};
constexpr double epsilon = std::numeric_limits<double>::epsilon();

std::vector<double> random_numbers(int n, unsigned seed) {
  std::mt19937 g(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<double> v(static_cast<std::size_t>(n));
  for (double& x : v) x = u(g);
  return v;
}

struct Exact {
  double sum, magnitude, largest;
};
Exact exactly(const std::vector<double>& v) {
  long double s = 0, m = 0;
  double largest = 0;
  for (const double x : v) {
    s += x;
    m += std::abs(x);
    largest = std::max(largest, std::abs(x));
  }
  return {static_cast<double>(s), static_cast<double>(m), largest};
}

template <class Space>
double plain_sum(View<const double> x) {
  return sum<Space>(x.size(), [=] WEIR_HD(int i) { return x[i]; });
}
template <class Space>
Pair sum_and_squares(View<const double> x) {
  return sum2<Space>(x.size(), [=] WEIR_HD(int i) { return Pair{x[i], x[i] * x[i]}; });
}
template <class Space>
double largest_of(View<const double> x) {
  return max_abs<Space>(x.size(), [=] WEIR_HD(int i) { return x[i]; });
}
template <class Space>
double update_and_dot(double a, View<const double> x, View<double> y) {
  return sum<Space>(x.size(), [=] WEIR_HD(int i) {
    y[i] += a * x[i];
    return y[i] * y[i];
  });
}

}  // namespace

// Any order of summation errs by at most (depth of the tree) eps sum |x_i|; a chunk's partial sums are the deepest
// part.
TYPED_TEST(Reductions, AreSumsToRoundOff) {
  for (const int n : sizes) {
    const auto v = random_numbers(n, 7);
    const Array<double, TypeParam> x(v);
    const Exact e = exactly(v);
    const double bound = 600 * epsilon * e.magnitude;
    EXPECT_NEAR(plain_sum<TypeParam>(x), e.sum, bound) << n;
    const Pair p = sum_and_squares<TypeParam>(x);
    EXPECT_NEAR(p.a, e.sum, bound) << n;
    EXPECT_EQ(largest_of<TypeParam>(x), e.largest) << n;
  }
}

TYPED_TEST(Reductions, RepeatBitForBit) {
  const Array<double, TypeParam> x(random_numbers(300007, 3));
  const double first = plain_sum<TypeParam>(x);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(plain_sum<TypeParam>(x), first);
}

TYPED_TEST(Reductions, DoNotDependOnTheNumberOfThreads) {
  const int before = omp_get_max_threads();
  for (const int n : sizes) {
    const Array<double, TypeParam> x(random_numbers(n, 11));
    omp_set_num_threads(1);
    const double one = plain_sum<TypeParam>(x);
    const Pair pair = sum_and_squares<TypeParam>(x);
    for (const int threads : {2, 3}) {
      omp_set_num_threads(threads);
      EXPECT_EQ(plain_sum<TypeParam>(x), one) << n;
      EXPECT_EQ(sum_and_squares<TypeParam>(x).a, pair.a) << n;
      EXPECT_EQ(sum_and_squares<TypeParam>(x).b, pair.b) << n;
    }
  }
  omp_set_num_threads(before);
}

TYPED_TEST(Reductions, MayWriteOnTheWay) {
  constexpr int n = 5000;
  const auto vx = random_numbers(n, 1), vy = random_numbers(n, 2);
  const Array<double, TypeParam> x(vx);
  Array<double, TypeParam> y(vy);
  const double dot = update_and_dot<TypeParam>(0.5, x, y);
  double expected = 0;
  const auto got = y.to_vector();
  for (std::size_t i = 0; i < n; ++i) {
    const double z = vy[i] + 0.5 * vx[i];
    EXPECT_NEAR(got[i], z, epsilon);  // fused multiply-add or not
    expected += z * z;
  }
  EXPECT_NEAR(dot, expected, n * epsilon * expected);
}

TYPED_TEST(Reductions, TellOfNotANumber) {
  for (const int at : {0, 4999, 2500}) {
    auto v = random_numbers(5000, 1);
    v[static_cast<std::size_t>(at)] = std::nan("");
    const Array<double, TypeParam> x(v);
    EXPECT_TRUE(std::isnan(largest_of<TypeParam>(x)));
    EXPECT_TRUE(std::isnan(plain_sum<TypeParam>(x)));
  }
}

Extrema extrema_of(View<const double> x) {
  return device_extrema(x.size(), [=] WEIR_HD(int i) { return x[i]; });
}

TEST(ReductionsOnDevice, FindTheLeastAndTheLargestInOneLaunch) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto of = [&](const std::vector<double>& v) {
    const Array<double, Device> x(v);
    const Ledger before = ledger();
    const Extrema seen = extrema_of(x);
    EXPECT_LE(ledger().launches - before.launches, 1);
    return std::vector<double>{seen.least, seen.most};
  };
  for (const int n : sizes) {
    std::vector<double> v = random_numbers(n, 9);
    for (double& x : v) x -= 2;  // all below zero
    const auto ends = std::minmax_element(v.begin(), v.end());
    const double least = n > 0 ? *ends.first : infinity, most = n > 0 ? *ends.second : -infinity;
    EXPECT_EQ(of(v), (std::vector<double>{least, most})) << n;
  }
  for (const int at : {0, 4999, 2500}) {
    std::vector<double> v = random_numbers(5000, 1);
    v[static_cast<std::size_t>(at)] = std::nan("");
    const auto seen = of(v);
    EXPECT_TRUE(std::isnan(seen[0]) && std::isnan(seen[1])) << at;
  }
}

void leave_sums_of(View<const double> x, double* sum, Pair* sums) {
  leave_sum(
      x.size(), [=] WEIR_HD(int i) { return x[i]; }, sum);
  leave_sum(
      x.size(),
      [=] WEIR_HD(int i) {
        return Pair{x[i], x[i] * x[i]};
      },
      sums);
}

TEST(ReductionsOnDevice, LeaveSumsInDeviceMemoryWithoutAWait) {
  const Array<double, Device> x(random_numbers(300007, 3));
  Array<double, Device> sum(1);
  Array<Pair, Device> sums(1);
  const Ledger before = ledger();
  leave_sums_of(x, sum.data(), sums.data());
  EXPECT_EQ(ledger().synchronisations, before.synchronisations);
  const Pair both = sums.to_vector().front();
  EXPECT_EQ(sum.to_vector().front(), plain_sum<Device>(x));
  EXPECT_EQ(both.a, sum_and_squares<Device>(x).a);
  EXPECT_EQ(both.b, sum_and_squares<Device>(x).b);
}

TYPED_TEST(Reductions, CountTheirScalarsAndAllocateNothingAgain) {
  const Array<double, TypeParam> x(random_numbers(300007, 5));
  plain_sum<TypeParam>(x);
  sum_and_squares<TypeParam>(x);
  const Ledger before = ledger();
  plain_sum<TypeParam>(x);
  sum_and_squares<TypeParam>(x);
  largest_of<TypeParam>(x);
  EXPECT_EQ(ledger().scalars_to_host - before.scalars_to_host, (std::is_same_v<TypeParam, Device> ? 4 : 0));
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().copies_to_host, before.copies_to_host);
}

}  // namespace weir
