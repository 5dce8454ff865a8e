// The block rows of a system, for what is seen of each: on one rank, or over ranks, where all call and get the same number,
// and what is put together lies on rank 0.
#pragma once
#include <cstdint>
#include <vector>

#include "solvers/parallel/rank_map.hpp"

namespace weir {

class RowsOfRanks {
 public:
  // number[i]: of this rank's row i in the whole; empty on one rank. `ranks` must outlive this.
  RowsOfRanks(const Communicator& ranks, std::vector<int> number);

  const Communicator& ranks() const { return ranks_; }
  bool alone() const { return ranks_.size() == 1; }
  int number(int row) const { return alone() ? row : number_[row]; }
  const std::vector<int>& numbers() const { return number_; }

  // Of all ranks; -1 stands for what none of them knows.
  double largest(double mine) const { return ranks_.max(mine); }
  double sum(const std::vector<double>& mine) const;
  double median(const std::vector<double>& mine) const;
  // In the order of the whole; empty where no rank has values. Rank 0.
  std::vector<double> whole(const std::vector<double>& mine) const;

 private:
  const Communicator& ranks_;
  std::vector<int> number_;
  RankMap map_;
  int rows_ = 0;  // of all ranks
};

}  // namespace weir
