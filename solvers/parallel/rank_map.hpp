// Positions of a rank's values in the array of the whole job: gathers them on rank 0 and scatters them. Simple and
// not scalable: for output, checkpoints and solvers that run on one rank.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "base/table.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/parallel/halo.hpp"

namespace weir {

class RankMap {
 public:
  RankMap() = default;
  // place[i]: global position of local value i. If several ranks have it, the highest rank's value is used. The
  // places of the other ranks reach rank 0 with the first gather or scatter: an unused map costs nothing.
  RankMap(const Communicator& ranks, std::vector<int> place) : ranks_(&ranks), place_(std::move(place)) {}
  // whole: on rank 0; empty on other ranks.
  void gather(std::span<const double> mine, std::span<double> whole) const;
  void scatter(std::span<const double> whole, std::span<double> mine) const;

 private:
  void share_places() const;

  const Communicator* ranks_ = nullptr;
  mutable std::vector<int> counts_, place_;  // place_: of this rank; after share_places on rank 0 of all ranks in order
  mutable std::vector<double> packed_;
};

Options rank_options();
HaloOptions read_halo_options(const Table& ranks);
Reduction read_reduction(const Table& ranks);

}  // namespace weir
