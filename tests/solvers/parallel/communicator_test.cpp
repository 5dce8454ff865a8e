#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "solvers/parallel/agree.hpp"
#include "solvers/parallel/block_partition.hpp"
#include "tests/solvers/distributed/world.hpp"
#include "tests/support/systems/dense.hpp"

namespace weir::test::communicator_test {
namespace {

// Of widely different size, so that another order of additions gives other bits.
Numbers share_of(int rank, int count) {
  Numbers v = random_numbers(count, 17 + static_cast<unsigned>(rank));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] *= std::pow(10, (rank * 7 + static_cast<int>(i) * 3) % 11 - 5);
  return v;
}

Numbers expected_sum(int ranks, int count) {
  Numbers slots;
  for (int r = 0; r < ranks; ++r) {
    const Numbers v = share_of(r, count);
    slots.insert(slots.end(), v.begin(), v.end());
  }
  detail::add_slots(slots, ranks);
  slots.resize(static_cast<std::size_t>(count));
  return slots;
}

TEST(Communicator, EveryReductionGivesTheSameBitsOnEveryRank) {
  Communicator& ranks = world();
  for (const int count : {1, 2, 37})
    for (const Reduction reduction : all_reductions) {
      ranks.use(reduction);
      Numbers v = share_of(ranks.rank(), count);
      ranks.sum(v);
      EXPECT_EQ(v, expected_sum(ranks.size(), count)) << to_string(reduction);
    }
  ranks.use(Reduction::allreduce);
}

// The lowest rank's words are those of all ranks, whatever the others met.
TEST(Communicator, AnErrorOfOneRankIsThatOfAll) {
  Communicator& ranks = world();
  const int last = ranks.size() - 1;
  int done = 0;
  all_or_none(ranks, [&] { ++done; });
  EXPECT_EQ(done, 1);
  if (last == 0) {
    EXPECT_THROW(all_or_none(ranks, [] { throw std::bad_alloc(); }), std::bad_alloc) << "one rank throws what it met";
    return;
  }
  const auto met = [&](const auto& f) {
    try {
      all_or_none(ranks, f);
    } catch (const AgreedError& error) {
      return std::to_string(static_cast<int>(error.code())) + " " + error.what();
    }
    return std::string("nothing");
  };
  const auto name = " (rank " + std::to_string(last) + ")";
  EXPECT_EQ(met([&] {
              if (ranks.rank() == last) throw Error(Exit::solver_failed, "a zero pivot");
            }),
            "3 a zero pivot" + name);
  EXPECT_EQ(met([&] {
              if (ranks.rank() == last) throw std::bad_alloc();
            }),
            "7 out of memory; `weir info` estimates what a case needs" + name);
  EXPECT_EQ(met([&] { throw Error(Exit::not_finite, "met by " + std::to_string(ranks.rank())); }),
            "4 met by 0 (rank 0)");
}

TEST(Communicator, APendingSumIsTheSumOfWhatWasGivenAtItsStart) {
  Communicator& ranks = world();
  Numbers v = share_of(ranks.rank(), 5), sums(5);
  ranks.start_sum(v);
  for (double& x : v) x = std::nan("");  // the values are taken at the start
  ranks.finish_sum(sums);
  EXPECT_EQ(sums, expected_sum(ranks.size(), 5));
}

// Every rank adds its part of the same numbers.
TEST(Communicator, AnExactSumHasTheBitsOfOneRank) {
  Communicator& ranks = world();
  const Numbers all = share_of(0, 5000);
  const auto part = [&](int rank, int size) {
    const int first = 5000 * rank / size;
    return exact_sum(5000 * (rank + 1) / size - first,
                     [&, first](int i) { return all[static_cast<std::size_t>(first + i)]; });
  };
  std::array<ExactSum, 2> sums = {part(ranks.rank(), ranks.size()), {}};
  if (ranks.rank() + 1 == ranks.size()) sums[1] = part(0, 1);
  ranks.sum(std::span<ExactSum>(sums));
  EXPECT_EQ(sums[0].rounded(), part(0, 1).rounded());
  EXPECT_EQ(sums[1].rounded(), part(0, 1).rounded());
  EXPECT_EQ(ranks.sum(part(ranks.rank(), ranks.size())), part(0, 1).rounded());
}

TEST(Communicator, TheMaximumKeepsANumberThatIsNone) {
  Communicator& ranks = world();
  EXPECT_EQ(ranks.max(ranks.rank() - 3.0), ranks.size() - 4.0);
  EXPECT_TRUE(std::isnan(ranks.max(ranks.rank() == 0 ? std::nan("") : 1.0)));
  EXPECT_TRUE(ranks.any(ranks.rank() + 1 == ranks.size()));
  EXPECT_FALSE(ranks.any(false));
}

TEST(Communicator, GatherAndScatterAreEachOthersInverse) {
  Communicator& ranks = world();
  std::vector<int> counts;
  for (int r = 0; r < ranks.size(); ++r) counts.push_back(3 * r % 5);
  const int total = std::accumulate(counts.begin(), counts.end(), 0);
  const Numbers mine = random_numbers(counts[static_cast<std::size_t>(ranks.rank())], 5);
  Numbers all(static_cast<std::size_t>(ranks.is_root() ? total : 0)), back(mine.size());
  ranks.gather(mine, counts, all);
  ranks.scatter(all, counts, back);
  EXPECT_EQ(back, mine);
}

TEST(Communicator, ListsReachTheirRanks) {
  Communicator& ranks = world();
  std::vector<std::vector<int>> to(static_cast<std::size_t>(ranks.size()));
  for (int r = 0; r < ranks.size(); ++r)
    to[static_cast<std::size_t>(r)].assign(static_cast<std::size_t>(r % 3), 100 * ranks.rank() + r);
  const auto from = ranks.exchange(to);
  for (int r = 0; r < ranks.size(); ++r)
    EXPECT_EQ(from[static_cast<std::size_t>(r)],
              std::vector<int>(static_cast<std::size_t>(ranks.rank() % 3), 100 * r + ranks.rank()));
}

TEST(BlockPartition, EveryCellHasOneOwnerAndPartsDifferByOneLayer) {
  for (const Cutting cutting : {Cutting::slabs, Cutting::blocks})
    for (const int ranks : {1, 2, 3, 4, 6, 8}) {
      const BlockPartition p({11, 9, 17}, ranks, cutting);
      ASSERT_EQ(p.ranks(), ranks);
      std::vector<int> found(static_cast<std::size_t>(ranks));
      for (int k = 0; k < 17; ++k)
        for (int j = 0; j < 9; ++j)
          for (int i = 0; i < 11; ++i) {
            const int owner = p.owner(i, j, k), cell[3] = {i, j, k};
            ++found[static_cast<std::size_t>(owner)];
            for (int d = 0; d < 3; ++d) {
              EXPECT_GE(cell[d], p.box(owner).low[static_cast<std::size_t>(d)]);
              EXPECT_LT(cell[d], p.box(owner).high[static_cast<std::size_t>(d)]);
            }
          }
      for (int r = 0; r < ranks; ++r)
        EXPECT_EQ(found[static_cast<std::size_t>(r)], p.box(r).size(0) * p.box(r).size(1) * p.box(r).size(2));
    }
  EXPECT_EQ(BlockPartition({64, 64, 64}, 8, Cutting::blocks).parts(), (std::array<int, 3>{2, 2, 2}));
  EXPECT_EQ(BlockPartition({64, 64, 1}, 4, Cutting::slabs).parts(), (std::array<int, 3>{1, 4, 1}));
  EXPECT_THROW(BlockPartition({64, 64, 5}, 4, Cutting::slabs), Error);
}

}  // namespace
}  // namespace weir::test::communicator_test
