// Arrays distributed over the ranks. Rank 0 reads them a piece at a time and writes files in the layout of one rank, so
// that no rank holds more than its part:
//
//   RootReads reads(ranks);
//   const auto u = reads.add(spread, mine);                          // all ranks, in the same order
//   reads.while_root([&] { ... reads.read(u, first, values) ... });  // the others answer meanwhile
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "solvers/parallel/communicator.hpp"

namespace weir {

// Where the values of this rank lie in the array of the whole job.
class Spread {
 public:
  // `count` values, value `here` of this rank is value `whole` of the job.
  struct Stretch {
    std::int64_t whole = 0, here = 0, count = 0;
  };
  Spread() = default;
  // whole[i]: position of the value here[i] (empty: i) of this rank. Collective.
  Spread(const Communicator& ranks, std::size_t whole_size, const std::vector<int>& whole,
         const std::vector<int>& here = {});
  // All values of this rank, in order, from position `first` on. Collective.
  Spread(const Communicator& ranks, std::size_t whole_size, std::size_t first, std::size_t count);

  std::size_t whole_size() const { return whole_size_; }
  // Calls f(Stretch) for what this rank has of the positions [first, first + count), by position.
  template <class F>
  void within(std::int64_t first, std::int64_t count, const F& f) const {
    for (auto s = from(first); s != stretches_.end() && s->whole < first + count; ++s) {
      const std::int64_t skipped = std::max<std::int64_t>(first - s->whole, 0);
      const std::int64_t end = std::min(s->whole + s->count, first + count);
      f(Stretch{s->whole + skipped, s->here + skipped, end - s->whole - skipped});
    }
  }
  // The first position from `position` on of which this rank has the value; -1: there is none.
  std::int64_t next(std::int64_t position) const {
    const auto s = from(position);
    return s == stretches_.end() ? -1 : std::max(s->whole, position);
  }
  // Ranks with values in [first, first + count), ascending; on rank 0.
  std::vector<int> owners(std::int64_t first, std::int64_t count) const;

 private:
  std::vector<Stretch>::const_iterator from(std::int64_t position) const {
    const auto ends_before = [](const Stretch& s, std::int64_t at) { return s.whole + s.count <= at; };
    return std::lower_bound(stretches_.begin(), stretches_.end(), position, ends_before);
  }
  void find_ends(const Communicator& ranks);

  std::size_t whole_size_ = 0;
  std::vector<Stretch> stretches_;                           // by position, without overlap
  std::vector<std::pair<std::int64_t, std::int64_t>> ends_;  // of each rank's positions; on rank 0
};

class RootReads {
 public:
  explicit RootReads(const Communicator& ranks) : ranks_(&ranks) {}
  // The spread and the values must outlive the reads.
  std::size_t add(const Spread& spread, std::span<const double> mine);
  // f() on rank 0. Its exception passes on, on rank 0 alone.
  void while_root(const std::function<void()>& f) const;
  // Within f. Where several ranks have a value the highest rank's is read; 0 where no rank has it.
  void read(std::size_t array, std::size_t first, std::span<double> values) const;

 private:
  void answer() const;
  std::vector<double> part_of(std::size_t array, std::int64_t first, std::int64_t count) const;
  static void put(std::span<const double> part, std::span<double> values);

  const Communicator* ranks_;
  std::vector<std::pair<const Spread*, std::span<const double>>> arrays_;
};

}  // namespace weir
