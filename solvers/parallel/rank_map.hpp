// Where the values of a rank lie in the array of the whole job: gathers them on rank 0 and hands them out again. Simple
// and not scalable: for output, checkpoints and solvers that work on one rank.
#pragma once
#include <span>
#include <vector>

#include "base/table.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/parallel/halo.hpp"

namespace weir {

class RankMap {
 public:
  RankMap() = default;
  // place[i]: of local value i in the whole array. A place that several ranks hold takes the highest rank's value.
  RankMap(const Communicator& ranks, const std::vector<int>& place);
  // whole: on rank 0; empty on the others.
  void gather(std::span<const double> mine, std::span<double> whole) const;
  void scatter(std::span<const double> whole, std::span<double> mine) const;

 private:
  const Communicator* ranks_ = nullptr;
  std::vector<int> counts_, place_;  // rank 0: of all ranks, one after the other
  mutable std::vector<double> packed_;
};

// How ranks talk, from the table [ranks] of a case.
Options rank_options();
HaloOptions read_halo_options(const Table& ranks);
Reduction read_reduction(const Table& ranks);

}  // namespace weir
