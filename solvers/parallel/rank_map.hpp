// Positions of a rank's values in the array of the whole job: gathers them on rank 0 and scatters them. Simple and
// not scalable: for output, checkpoints and solvers that run on one rank.
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
  // place[i]: global position of local value i. If several ranks have it, the highest rank's value is used.
  RankMap(const Communicator& ranks, const std::vector<int>& place);
  // whole: on rank 0; empty on other ranks.
  void gather(std::span<const double> mine, std::span<double> whole) const;
  void scatter(std::span<const double> whole, std::span<double> mine) const;

 private:
  const Communicator* ranks_ = nullptr;
  std::vector<int> counts_, place_;  // rank 0: of all ranks in order
  mutable std::vector<double> packed_;
};

Options rank_options();
HaloOptions read_halo_options(const Table& ranks);
Reduction read_reduction(const Table& ranks);

}  // namespace weir
