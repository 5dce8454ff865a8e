#include "solvers/parallel/exact_sum.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace weir::exact_sum_test {
namespace {

constexpr double largest = std::numeric_limits<double>::max(), infinite = std::numeric_limits<double>::infinity();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

double sum_of(std::vector<double> terms) {
  return exact_sum(static_cast<std::int64_t>(terms.size()), [t = terms.data()](int i) { return t[i]; }).rounded();
}

// Of 53 bits each, within a range of 2^40: a sum of a thousand fits in the 113 bits of __float128.
std::vector<double> terms_of(unsigned seed, int count) {
  std::mt19937_64 random(seed);
  std::vector<double> v;
  for (int i = 0; i < count; ++i) {
    const auto bits = static_cast<std::int64_t>(random());
    v.push_back(std::ldexp(static_cast<double>(bits >> 10), static_cast<int>(random() % 41)));
  }
  return v;
}

TEST(ExactSum, IsTheSumInQuadruplePrecisionRoundedOnce) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<double> terms = terms_of(seed, 1 + static_cast<int>(seed * 5));
    __float128 sum = 0;
    for (const double t : terms) sum += t;
    EXPECT_EQ(sum_of(terms), static_cast<double>(sum)) << seed;
  }
}

TEST(ExactSum, OrderThreadsAndPartsDoNotMatter) {
  std::vector<double> terms = terms_of(1, 30000);
  for (std::size_t i = 0; i < terms.size(); i += 3) terms[i] *= 1e-200;  // other orders of additions give other bits
  const double expected = sum_of(terms);
  const int threads = omp_get_max_threads();
  for (const int t : {1, 2, 3}) {
    omp_set_num_threads(t);
    EXPECT_EQ(sum_of(terms), expected) << t << " threads";
  }
  omp_set_num_threads(threads);
  std::shuffle(terms.begin(), terms.end(), std::mt19937(5));
  EXPECT_EQ(sum_of(terms), expected);
  for (const std::size_t parts : {2, 3, 7}) {
    ExactSum all;
    for (std::size_t p = 0; p < parts; ++p) {
      const double* from = terms.data() + p * terms.size() / parts;
      const auto count = static_cast<std::int64_t>((p + 1) * terms.size() / parts - p * terms.size() / parts);
      all.add(exact_sum(count, [=](int i) { return from[i]; }));
    }
    EXPECT_EQ(all.rounded(), expected) << parts << " parts";
  }
}

TEST(ExactSum, WhatCancelsLeavesNothingBehind) {
  EXPECT_EQ(sum_of({largest, 1, -largest}), 1);
  EXPECT_EQ(sum_of({1e300, smallest, -1e300, 1e-300, -1e-300}), smallest);
  EXPECT_EQ(sum_of({1e16, 1, -1e16}), 1);
  EXPECT_EQ(sum_of({-1e300, -1e-300, 1e300}), -1e-300);
  std::vector<double> terms = terms_of(2, 5000);
  for (std::size_t i = 0; i < 5000; ++i) terms.push_back(-terms[i]);
  EXPECT_EQ(sum_of(terms), 0);
  terms.push_back(-1e-310);
  EXPECT_EQ(sum_of(terms), -1e-310);
}

TEST(ExactSum, RoundsToNearestAndTiesToEven) {
  const double half = 0x1p-53, ulp = 0x1p-52;
  EXPECT_EQ(sum_of({1, half}), 1);
  EXPECT_EQ(sum_of({1, half, smallest}), 1 + ulp);
  EXPECT_EQ(sum_of({1 + ulp, half}), 1 + 2 * ulp);
  EXPECT_EQ(sum_of({1 + ulp, half, -smallest}), 1 + ulp);
  EXPECT_EQ(sum_of({-1, -half, -smallest}), -1 - ulp);
  EXPECT_EQ(sum_of({1, -half / 2}), 1);  // below a power of two the spacing is half as large
  EXPECT_EQ(sum_of({1, -half}), 1 - half);
}

TEST(ExactSum, CoversTheRangeOfDouble) {
  EXPECT_EQ(sum_of({largest, largest, -largest}), largest);
  EXPECT_EQ(sum_of({largest, largest}), infinite);
  EXPECT_EQ(sum_of({-largest, -largest, largest / 2}), -infinite);
  EXPECT_EQ(sum_of({largest, std::ldexp(largest, -54)}), largest);
  EXPECT_EQ(sum_of({largest, 0x1p970}),
            infinite);  // half a unit in the last place: rounds as a sum of two doubles does
  EXPECT_EQ(sum_of(std::vector<double>(3000, smallest)), 3000 * smallest);
  EXPECT_EQ(sum_of({0x1p-1022, -smallest}), 0x1p-1022 - smallest);
  EXPECT_EQ(sum_of(std::vector<double>(2000, 0x1p-1000)), 2000 * 0x1p-1000);
  std::vector<double> many(100000, largest);
  many.resize(200000, -largest);
  many.push_back(3);
  EXPECT_EQ(sum_of(many), 3);
}

TEST(ExactSum, KeepsWhatIsNotFinite) {
  const double none = std::nan("");
  EXPECT_EQ(sum_of({1, infinite, -largest}), infinite);
  EXPECT_EQ(sum_of({1, -infinite}), -infinite);
  EXPECT_TRUE(std::isnan(sum_of({infinite, -infinite})));
  EXPECT_TRUE(std::isnan(sum_of({none})));
  EXPECT_TRUE(std::isnan(sum_of({1, none, infinite})));
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_FALSE(std::signbit(sum_of({-0.0, -0.0})));
}

}  // namespace
}  // namespace weir::exact_sum_test
