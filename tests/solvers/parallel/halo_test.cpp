#include "solvers/parallel/halo.hpp"

#include <gtest/gtest.h>

#include "tests/solvers/distributed/world.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/dense.hpp"

namespace weir::test::halo_test {
namespace {

template <class Space>
class HaloTest : public ::testing::Test {};
TYPED_TEST_SUITE(HaloTest, Spaces, SpaceName);

constexpr int points = 40;

double value_of(int rank, int point, int field) { return 1000 * rank + point + 0.125 * field; }

// Every rank requests points of every other one, itself left out, for some points: more than slabs ever do.
std::vector<GhostRequest> requests(const Communicator& ranks) {
  std::vector<GhostRequest> all;
  int place = points;
  for (int owner = 0; owner < ranks.size(); ++owner)
    for (int k = 0; owner != ranks.rank() && k < (ranks.rank() + owner) % 4; ++k)
      all.push_back({place++, owner, (7 * k + owner) % points});
  return all;
}

TYPED_TEST(HaloTest, EveryStrategyAndPathBringsTheOwnersValues) {
  const Communicator& ranks = world();
  const std::vector<GhostRequest> wanted = requests(ranks);
  const HaloPattern pattern = make_halo_pattern(ranks, wanted);
  for (const int width : {1, 3})
    for (const HaloStrategy strategy : all_halo_strategies)
      for (const DevicePath path : {DevicePath::probe, DevicePath::staged}) {
        Halo<TypeParam> halo(ranks, pattern, width, {strategy, path});
        const std::size_t size = points + wanted.size();
        std::vector<Numbers> fields;
        std::vector<Array<double, TypeParam>> arrays;
        HaloFields separate;
        for (int f = 0; f < width; ++f) {
          fields.emplace_back(size, -1.0);
          for (int i = 0; i < points; ++i) fields.back()[static_cast<std::size_t>(i)] = value_of(ranks.rank(), i, f);
          arrays.emplace_back(fields.back());
          separate.add(arrays.back().data());
        }
        for (int repeat = 0; repeat < 3; ++repeat) halo.exchange(separate);
        for (const GhostRequest& g : wanted)
          for (int f = 0; f < width; ++f)
            EXPECT_EQ(arrays[static_cast<std::size_t>(f)].to_vector()[static_cast<std::size_t>(g.place)],
                      value_of(g.owner, g.index, f))
                << to_string(strategy) << ", " << halo.path();
      }
}

TYPED_TEST(HaloTest, BlocksTravelTogether) {
  const Communicator& ranks = world();
  const std::vector<GhostRequest> wanted = requests(ranks);
  const HaloPattern pattern = make_halo_pattern(ranks, wanted);
  constexpr int B = 4;
  Numbers x;
  for (int i = 0; i < points * B; ++i) x.push_back(value_of(ranks.rank(), i / B, i % B));
  Numbers expected = x;
  for (const GhostRequest& g : wanted)
    for (int e = 0; e < B; ++e) expected.push_back(value_of(g.owner, g.index, e));
  x.resize(expected.size());
  const Array<double, TypeParam> X(x);
  Halo<TypeParam> halo(ranks, pattern, B);
  halo.exchange(HaloFields::blocks(X.data(), B));
  EXPECT_EQ(X.to_vector(), expected);
}

TYPED_TEST(HaloTest, ThePathOfDeviceMemoryIsFoundByTryingAndSaysWhy) {
  const Communicator& ranks = world();
  if (ranks.size() == 1) return;
  const Halo<TypeParam> halo(ranks, make_halo_pattern(ranks, requests(ranks)), 1);
  EXPECT_FALSE(halo.path().empty());
  if (ranks.is_root()) this->RecordProperty("path", halo.path());
  const std::string device = choose_device(ranks);
  EXPECT_NE(device.find("rank " + std::to_string(ranks.rank()) + ": device"), std::string::npos) << device;
}

}  // namespace
}  // namespace weir::test::halo_test
