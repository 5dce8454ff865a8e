#include "miniapps/study/observe/rows_of_ranks.hpp"

#include <algorithm>
#include <utility>

namespace weir {

RowsOfRanks::RowsOfRanks(const Communicator& ranks, std::vector<int> number)
    : ranks_(ranks), number_(std::move(number)) {
  if (alone()) return;
  map_ = RankMap(ranks, number_);
  rows_ = static_cast<int>(ranks.sum(static_cast<double>(number_.size())));
}

double RowsOfRanks::sum(const std::vector<double>& mine) const {
  double sum = 0;
  for (const double value : mine) sum += value;
  return ranks_.any(!mine.empty()) ? ranks_.sum(sum) : -1;
}

double RowsOfRanks::median(const std::vector<double>& mine) const {
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

std::vector<double> RowsOfRanks::whole(const std::vector<double>& mine) const {
  if (alone()) return mine;
  if (!ranks_.any(!mine.empty())) return {};
  std::vector<double> all(static_cast<std::size_t>(ranks_.is_root() ? rows_ : 0));
  map_.gather(mine, all);
  return all;
}

}  // namespace weir
