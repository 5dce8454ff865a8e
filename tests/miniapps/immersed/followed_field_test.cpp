// A field that follows the host's, against the host's.
#include "miniapps/immersed/geometry/followed_field.hpp"

#include <gtest/gtest.h>

#include <random>

#include "solvers/device/ledger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::followed_field_test {
namespace {

template <class Space>
class FollowedFieldTest : public ::testing::Test {};
TYPED_TEST_SUITE(FollowedFieldTest, Spaces, SpaceName);

template <class Space>
void expect_equal(const double* followed, const std::vector<double>& values) {
  std::vector<double> seen(values.size());
  if constexpr (std::is_same_v<Space, Device>)
    backend::copy_to_host(seen.data(), followed, static_cast<std::int64_t>(values.size() * sizeof(double)));
  else
    seen.assign(followed, followed + values.size());
  EXPECT_EQ(seen, values);
}

// Intervals of 0 and 1 whose ends wander and hold other values, as apertures do; at times the whole field changes.
TYPED_TEST(FollowedFieldTest, HoldsTheValuesOfTheHostAfterAnyChange) {
  std::mt19937 random(7);
  for (const std::size_t n : {1U, 31U, 32U, 33U, 1000U, 4099U}) {
    std::vector<double> values(n, 1);
    FollowedField<double, TypeParam> field;
    expect_equal<TypeParam>(field.follow(values), values);
    for (int step = 0; step < 40; ++step) {
      if (step % 13 == 12) values.assign(n, step % 2);
      const std::size_t begin = random() % n, end = std::min<std::size_t>(n, begin + random() % 100);
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end),
                random() % 2);
      values[begin] = 0.25;
      if (step % 3 == 0) values[random() % n] = 0.5;
      expect_equal<TypeParam>(field.follow(values), values);
    }
  }
}

TYPED_TEST(FollowedFieldTest, SendsNothingOfAFieldThatStaysAndAFewBlocksOfOneThatMoves) {
  std::vector<double> values(32000, 1);
  FollowedField<double, TypeParam> field;
  field.follow(values);
  const Ledger before = ledger();
  field.follow(values);
  EXPECT_EQ(ledger().copies_to_device, before.copies_to_device);
  values[100] = 0.5;
  field.follow(values);
  constexpr std::int64_t block = 32 * sizeof(double) + sizeof(int);
  EXPECT_EQ(ledger().bytes_to_device - before.bytes_to_device, (std::is_same_v<TypeParam, Device> ? block : 0));
}

}  // namespace
}  // namespace weir::test::followed_field_test
