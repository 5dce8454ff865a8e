// The block rows of a system, on one rank or distributed. Over ranks all call and get the same numbers; gathered arrays
// are on rank 0.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "solvers/parallel/rank_map.hpp"

namespace weir {

class RowsOfRanks {
 public:
  // number[i]: global number of this rank's row i; empty on one rank. `ranks` must outlive this.
  RowsOfRanks(const Communicator& ranks, std::vector<int> number) : ranks_(ranks), number_(std::move(number)) {
    if (alone()) return;
    map_ = RankMap(ranks, number_);
    rows_ = static_cast<int>(ranks.sum(static_cast<double>(number_.size())));
  }

  const Communicator& ranks() const { return ranks_; }
  bool alone() const { return ranks_.size() == 1; }
  int number(int row) const { return alone() ? row : number_[row]; }
  const std::vector<int>& numbers() const { return number_; }

  // Over all ranks; -1: unknown on all of them.
  double largest(double mine) const { return ranks_.max(mine); }
  double sum(const std::vector<double>& mine) const {
    double sum = 0;
    for (const double value : mine) sum += value;
    return ranks_.any(!mine.empty()) ? ranks_.sum(sum) : -1;
  }
  double median(const std::vector<double>& mine) const {
    std::vector<double> all = whole(mine);
    double median = -1;
    if (!all.empty()) {
      const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
      std::nth_element(all.begin(), middle, all.end());
      median = *middle;
    }
    ranks_.broadcast(&median, sizeof median, 0);
    return median;
  }
  // Gathered in global order on rank 0; empty if no rank has values.
  std::vector<double> whole(const std::vector<double>& mine) const {
    if (alone()) return mine;
    if (!ranks_.any(!mine.empty())) return {};
    std::vector<double> all(static_cast<std::size_t>(ranks_.is_root() ? rows_ : 0));
    map_.gather(mine, all);
    return all;
  }

 private:
  const Communicator& ranks_;
  std::vector<int> number_;
  RankMap map_;
  int rows_ = 0;  // over all ranks
};

}  // namespace weir
