// Arrays that are distributed over the ranks and read by rank 0.
#include "solvers/parallel/spread.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/at.hpp"
#include "solvers/parallel/paged_array.hpp"
#include "tests/solvers/distributed/world.hpp"

namespace weir::test::spread_test {
namespace {

// Value i belongs to rank i / 3 modulo the number of ranks, in stretches of three; the last ten values to no rank.
struct Cards {
  std::vector<int> whole, here;
  std::vector<double> mine;
  explicit Cards(int size) {
    for (int i = size - 11; i >= 0; --i) {  // in falling order
      if (i / 3 % world().size() != world().rank()) continue;
      whole.push_back(i);
      here.push_back(static_cast<int>(mine.size()) + 1);
      mine.push_back(i + 0.5);
    }
    mine.insert(mine.begin(), -1.0);  // a value of this rank alone
  }
};

double expected(int i, int size) { return i < size - 10 ? i + 0.5 : 0; }

TEST(Spread, RankZeroReadsAnyPieceAndZerosWhereNoRankHasAValue) {
  constexpr int size = 1000;
  const Cards cards(size);
  const Spread spread(world(), size, cards.whole, cards.here);
  RootReads reads(world());
  const std::size_t array = reads.add(spread, cards.mine);
  int pieces = 0;
  reads.while_root([&] {
    for (const auto& [first, count] : {std::pair(0, 1), {0, size}, {2, 5}, {499, 301}, {size - 12, 12}, {7, 0}}) {
      std::vector<double> values(at(count), -7.0);
      reads.read(array, at(first), values);
      for (int i = 0; i < count; ++i) EXPECT_EQ(values[at(i)], expected(first + i, size)) << first << " + " << i;
      ++pieces;
    }
  });
  EXPECT_EQ(pieces, world().is_root() ? 6 : 0);
}

TEST(Spread, WhereSeveralRanksHaveAValueTheHighestRanksIsRead) {
  const std::vector<double> mine(3, world().rank());
  const Spread spread(world(), at(world().size()) + 2, {world().rank(), world().rank() + 1, world().rank() + 2});
  RootReads reads(world());
  reads.add(spread, mine);
  reads.while_root([&] {
    std::vector<double> values(spread.whole_size());
    reads.read(0, 0, values);
    for (int i = 0; i < world().size() + 2; ++i) EXPECT_EQ(values[at(i)], std::min(i, world().size() - 1));
  });
}

TEST(Spread, AnErrorOfRankZeroReleasesTheOthers) {
  RootReads reads(world());
  bool is_met = false;
  try {
    reads.while_root([] { throw std::runtime_error("full"); });
  } catch (const std::runtime_error&) {
    is_met = true;
  }
  EXPECT_EQ(is_met, world().is_root());
  world().barrier();
}

// More pages than are held: each is fetched again where it is needed again.
TEST(Spread, APagedArrayHasEveryValueInAnyOrder) {
  constexpr int size = 300000;
  const Cards cards(size);
  const Spread spread(world(), size, cards.whole, cards.here);
  RootReads reads(world());
  const PagedArray all(reads, reads.add(spread, cards.mine), size);
  reads.while_root([&] {
    int wrong = 0;
    for (int stride : {1, 8191, 99991})
      for (std::int64_t i = 0, k = 0; i < size; i += stride == 1 ? 7 : 1999, ++k) {
        const int place = static_cast<int>(k * stride % size);
        wrong += all[at(place)] != expected(place, size);
      }
    EXPECT_EQ(wrong, 0);
  });
}

}  // namespace
}  // namespace weir::test::spread_test
