// A body that swings across the borders of the ranks: once it has been everywhere, a step allocates nothing.
#include <gtest/gtest.h>

#include "miniapps/immersed/immersed.hpp"
#include "solvers/device/ledger.hpp"
#include "tests/miniapps/immersed/flow_case.hpp"
#include "tests/solvers/distributed/world.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::distributed_immersed_test {
namespace {

template <class Space>
class DistributedBody : public ::testing::Test {};
TYPED_TEST_SUITE(DistributedBody, Spaces, SpaceName);

TYPED_TEST(DistributedBody, AStepAllocatesNothingOnceTheBodyHasBeenEverywhere) {
  const int period = 8;  // steps
  const Table config = read_case_text(
      text_of(24, 0.125 / 8, 0,
              fixed_cylinder + "motion = { type = \"oscillation\", amplitude = [0.0, 0.15, 0.0], frequency = 8.0 }\n") +
          "preconditioner = { type = \"jacobi\" }\n",
      "test.toml");
  const ImmersedCase c = read_immersed_case(config);
  const FlowRanks ranks(world(), c.flow, read_immersed_rank_options(config));
  ImmersedFlow<TypeParam> flow(c, read_case_bodies(config, c), config.table("linear"), ranks, 0);
  Timings timings;
  ASSERT_TRUE(flow.initialise(timings));
  const auto swing = [&] {
    for (int i = 0; i < period; ++i) ASSERT_EQ(flow.advance(c.flow.time.dt, timings), nullptr);
  };
  swing();
  const Ledger before = ledger();
  swing();
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
}

}  // namespace
}  // namespace weir::test::distributed_immersed_test
