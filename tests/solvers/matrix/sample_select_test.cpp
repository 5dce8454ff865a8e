// SampleSelect and prefix sums against the standard library, in both spaces.
#include "solvers/matrix/algorithms/sample_select.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "solvers/matrix/algorithms/prefix_sum.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::sample_select_test {
namespace {

using Values = std::vector<double>;

template <class Space>
class SampleSelectOf : public ::testing::Test {};
TYPED_TEST_SUITE(SampleSelectOf, Spaces, SpaceName);

Values data(const std::string& kind, int n, unsigned seed = 1) {
  Values x(static_cast<std::size_t>(n));
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < n; ++i) {
    const double u = uniform(generator);
    x[static_cast<std::size_t>(i)] = kind == "constant"      ? 0.25
                                     : kind == "heavy tails" ? std::tan(1.5707 * u) * std::exp(40 * u)
                                     : kind == "duplicates"  ? std::floor(5 * u)
                                     : kind == "one outlier" ? (i == n / 3 ? -1 : 1)
                                                             : u;
  }
  if (kind == "sorted" || kind == "reversed") std::sort(x.begin(), x.end());
  if (kind == "reversed") std::reverse(x.begin(), x.end());
  return x;
}
const char* const kinds[] = {"sorted", "reversed", "constant", "random", "heavy tails", "duplicates", "one outlier"};

double nth(Values x, std::int64_t rank) {
  std::nth_element(x.begin(), x.begin() + rank, x.end());
  return x[static_cast<std::size_t>(rank)];
}
std::int64_t below(const Values& x, double value) {
  return std::count_if(x.begin(), x.end(), [=](double v) { return v < value; });
}

template <class Space>
void expect_nth(SampleSelect<Space>& select, const Values& x, const std::string& what) {
  const auto n = static_cast<std::int64_t>(x.size());
  const Array<double, Space> X(x);
  for (const std::int64_t rank : {std::int64_t{0}, n / 7, n / 2, n - 1}) {
    const Selection s = select.exact(X, rank);
    EXPECT_EQ(s.value, nth(x, rank)) << what << ", rank " << rank << " of " << n;
    EXPECT_EQ(s.below, below(x, s.value)) << what << ", rank " << rank << " of " << n;
  }
}

TYPED_TEST(SampleSelectOf, EqualsNthElementForEveryKindOfValues) {
  SampleSelect<TypeParam> select;
  for (const char* kind : kinds)
    for (const int n : {1, 2, 31, 32, 33, 1000, 1024, 1025, 5003}) expect_nth(select, data(kind, n), kind);
}

TYPED_TEST(SampleSelectOf, OtherSeedsGiveTheSame) {
  for (const std::uint64_t seed : {2, 77}) {
    SampleSelect<TypeParam> select(seed);
    for (const char* kind : {"random", "duplicates"}) expect_nth(select, data(kind, 9001, 4), kind);
  }
}

TEST(SampleSelectOnHost, EqualsNthElementAmongAMillionOnThreeThreads) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(3);
  SampleSelect<Host> select;
  for (const char* kind : kinds) {
    const Values x = data(kind, 1000000, 3);
    const Selection s = select.exact(Array<double, Host>(x), 314159);
    EXPECT_EQ(s.value, nth(x, 314159)) << kind;
    EXPECT_EQ(s.below, below(x, s.value)) << kind;
    EXPECT_LE(s.levels, 3) << kind;
  }
  omp_set_num_threads(threads);
}

// Ranks between quantiles of 1024 samples: the nearest of 255 splitters is off by 1/512 of n, and a quantile's rank by
// a few times sqrt(1/4 / 1024) of n.
TYPED_TEST(SampleSelectOf, ApproximateThresholdsKnowTheirRankAndComeNear) {
  SampleSelect<TypeParam> select;
  for (const char* kind : {"sorted", "random", "heavy tails"})
    for (const int n : {100, 20000}) {
      const Values x = data(kind, n, 9);
      for (const double part : {0.1, 0.5, 0.93}) {
        const auto rank = static_cast<std::int64_t>(part * n);
        const Selection s = select.approximate(Array<double, TypeParam>(x), rank);
        EXPECT_EQ(s.below, below(x, s.value)) << kind;
        EXPECT_NEAR(static_cast<double>(s.below), static_cast<double>(rank), 0.01 * n) << kind;
      }
    }
  const Values x = data("constant", 3000);
  EXPECT_EQ(select.approximate(Array<double, TypeParam>(x), 1500).below, 0);
}

TYPED_TEST(SampleSelectOf, ARankThatDoesNotExistIsRefused) {
  SampleSelect<TypeParam> select;
  const Array<double, TypeParam> none(0), three(Values{1, 2, 3});
  EXPECT_THROW(select.exact(none, 0), Error);
  EXPECT_THROW(select.approximate(none, 0), Error);
  EXPECT_THROW(select.exact(three, 3), Error);
  EXPECT_THROW(select.exact(three, -1), Error);
}

TYPED_TEST(SampleSelectOf, PrefixSumsEqualTheStandardLibrarys) {
  PrefixSum<TypeParam> prefix_sum;
  for (const int n : {0, 1, 31, 255, 256, 257, 70000}) {
    std::vector<int> count(static_cast<std::size_t>(n));
    std::vector<std::int64_t> expected(static_cast<std::size_t>(n) + 1);
    for (int i = 0; i < n; ++i) count[static_cast<std::size_t>(i)] = (i * 7919) % 13;
    std::partial_sum(count.begin(), count.end(), expected.begin() + 1, std::plus<std::int64_t>{});
    const Array<int, TypeParam> counts(count);
    Array<std::int64_t, TypeParam> start(n + 1);
    EXPECT_EQ(prefix_sum(counts.data(), n, start.data()), expected.back());
    EXPECT_EQ(start.to_vector(), expected);
  }
}

}  // namespace
}  // namespace weir::test::sample_select_test
