#include "solvers/device/mapped_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/device/ledger.hpp"

namespace weir {
namespace {

using detail::MappedBlocks;
constexpr std::size_t granule = MappedBlocks::granule;

TEST(MappedBlocks, AFreshBlockIsZeroAndLiesOnAHugePage) {
  MappedBlocks blocks(0);
  const auto b = blocks.take(granule + 5);
  ASSERT_TRUE(b.data && b.is_fresh);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data) % granule, 0u);
  EXPECT_TRUE(std::all_of(b.data, b.data + granule + 5, [](char c) { return c == 0; }));
  blocks.put_back(b.data, granule + 5);
  EXPECT_EQ(blocks.kept(), 0u);
}

TEST(MappedBlocks, AreHandedOutAgain) {
  MappedBlocks blocks(16 * granule);
  const auto first = blocks.take(2 * granule - 7);
  std::memset(first.data, 1, 2 * granule - 7);
  blocks.put_back(first.data, 2 * granule - 7);
  EXPECT_EQ(blocks.kept(), 2 * granule);
  const auto again = blocks.take(2 * granule);
  EXPECT_EQ(again.data, first.data);
  EXPECT_FALSE(again.is_fresh);
  EXPECT_EQ(blocks.kept(), 0u);
  blocks.put_back(again.data, 2 * granule);
  blocks.trim();
  EXPECT_EQ(blocks.kept(), 0u);
  const auto after = blocks.take(2 * granule);
  EXPECT_TRUE(after.is_fresh);
  blocks.put_back(after.data, 2 * granule);
}

TEST(MappedBlocks, AreCutAndMerged) {
  MappedBlocks blocks(16 * granule);
  const auto large = blocks.take(5 * granule), small = blocks.take(3 * granule);
  blocks.put_back(large.data, 5 * granule);
  blocks.put_back(small.data, 3 * granule);
  const bool are_one = small.data + 3 * granule == large.data || large.data + 5 * granule == small.data;
  const auto two = blocks.take(2 * granule);  // of the smallest that is large enough
  EXPECT_EQ(two.data, are_one ? std::min(small.data, large.data) : small.data);
  const auto one = blocks.take(granule);
  EXPECT_EQ(one.data, two.data + 2 * granule);
  EXPECT_EQ(blocks.kept(), 5 * granule);
  blocks.put_back(one.data, granule);
  blocks.put_back(two.data, 2 * granule);
  const auto whole = blocks.take(5 * granule), rest = blocks.take(3 * granule);
  EXPECT_FALSE(whole.is_fresh || rest.is_fresh);
  blocks.put_back(whole.data, 5 * granule);
  blocks.put_back(rest.data, 3 * granule);
}

TEST(MappedBlocks, AboveTheLimitGoToTheSystem) {
  MappedBlocks blocks(4 * granule);
  const auto a = blocks.take(3 * granule), b = blocks.take(2 * granule), c = blocks.take(5 * granule);
  blocks.put_back(a.data, 3 * granule);
  EXPECT_EQ(blocks.kept(), 3 * granule);
  blocks.put_back(b.data, 2 * granule);  // the older one makes room
  EXPECT_EQ(blocks.kept(), 2 * granule);
  blocks.put_back(c.data, 5 * granule);
  EXPECT_EQ(blocks.kept(), 0u);
}

TEST(MappedBlocks, ServeManyThreads) {
  MappedBlocks blocks(8 * granule);
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&blocks, &wrong, t] {
      for (int round = 0; round < 100; ++round) {
        const std::size_t bytes = static_cast<std::size_t>(1 + (round + t) % 3) * granule;
        const auto b = blocks.take(bytes);
        const char mine = static_cast<char>(t + 1);
        b.data[0] = b.data[bytes - 1] = mine;
        std::this_thread::yield();
        wrong[static_cast<std::size_t>(t)] += b.data[0] != mine || b.data[bytes - 1] != mine;
        blocks.put_back(b.data, bytes);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
  EXPECT_LE(blocks.kept(), 8 * granule);
}

TEST(HostArray, IsZeroWhateverItsMemoryHeldBeforeAndIsCounted) {
  constexpr std::int64_t n = 600000;  // above two huge pages, and not a whole number of them
  const Ledger before = ledger();
  for (int round = 0; round < 3; ++round) {
    const Array<double, Host> a(n - round);
    EXPECT_TRUE(std::all_of(a.data(), a.data() + a.size(), [](double v) { return v == 0; })) << round;
    std::fill(a.data(), a.data() + a.size(), 3.0);
    EXPECT_EQ(ledger().host_bytes - before.host_bytes, 8 * a.size());
  }
  EXPECT_EQ(ledger().host_allocations - before.host_allocations, 3);
  EXPECT_EQ(ledger().host_bytes, before.host_bytes);
}

}  // namespace
}  // namespace weir
