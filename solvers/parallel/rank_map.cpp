#include "solvers/parallel/rank_map.hpp"

namespace weir {

RankMap::RankMap(const Communicator& ranks, const std::vector<int>& place) : ranks_(&ranks) {
  std::vector<std::vector<int>> to(static_cast<std::size_t>(ranks.size()));
  to.front() = place;
  for (const auto& list : ranks.exchange(to)) {
    counts_.push_back(static_cast<int>(list.size()));
    place_.insert(place_.end(), list.begin(), list.end());
  }
  packed_.resize(place_.size());
}

void RankMap::gather(std::span<const double> mine, std::span<double> whole) const {
  ranks_->gather(mine, counts_, packed_);
  for (std::size_t i = 0; i < place_.size(); ++i) whole[static_cast<std::size_t>(place_[i])] = packed_[i];
}

void RankMap::scatter(std::span<const double> whole, std::span<double> mine) const {
  for (std::size_t i = 0; i < place_.size(); ++i) packed_[i] = whole[static_cast<std::size_t>(place_[i])];
  ranks_->scatter(packed_, counts_, mine);
}

HaloOptions read_halo_options(const Table& t) {
  HaloOptions o;
  const std::string halo = t.choice("halo", {"naive", "pairs", "persistent", "neighbourhood"}, "persistent");
  for (const HaloStrategy s : all_halo_strategies)
    if (halo == to_string(s)) o.strategy = s;
  const std::string path = t.choice("device_path", {"probe", "staged", "direct"}, "probe");
  o.path = path == "probe" ? DevicePath::probe : path == "staged" ? DevicePath::staged : DevicePath::direct;
  return o;
}

Reduction read_reduction(const Table& t) {
  const std::string reduction = t.choice("reduction", {"gather", "tree", "allreduce", "nonblocking"}, "allreduce");
  for (const Reduction r : all_reductions)
    if (reduction == to_string(r)) return r;
  return Reduction::allreduce;
}

}  // namespace weir
