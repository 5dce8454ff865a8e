#include "solvers/parallel/rank_map.hpp"

namespace weir {

void RankMap::share_places() const {
  if (!counts_.empty()) return;
  std::vector<std::vector<int>> to(static_cast<std::size_t>(ranks_->size()));
  to.front() = std::exchange(place_, {});
  for (const auto& list : ranks_->exchange(to)) {
    counts_.push_back(static_cast<int>(list.size()));
    place_.insert(place_.end(), list.begin(), list.end());
  }
  packed_.resize(place_.size());
}

void RankMap::gather(std::span<const double> mine, std::span<double> whole) const {
  share_places();
  ranks_->gather(mine, counts_, packed_);
  for (std::size_t i = 0; i < place_.size(); ++i) whole[place_[i]] = packed_[i];
}

void RankMap::scatter(std::span<const double> whole, std::span<double> mine) const {
  share_places();
  for (std::size_t i = 0; i < place_.size(); ++i) packed_[i] = whole[place_[i]];
  ranks_->scatter(packed_, counts_, mine);
}

namespace {

constexpr Option keys[] = {{"halo", Option::text, "persistent",
                            "message pattern of the halo exchange; results are bitwise equal for all patterns",
                            "naive | pairs | persistent | neighbourhood"},
                           {"device_path", Option::text, "probe",
                            "path of messages from device memory; staged: through host memory; direct: from device "
                            "memory; probe: chosen by a test message",
                            "probe | staged | direct"},
                           {"reduction", Option::text, "allreduce",
                            "algorithm of sums over ranks; results are bitwise equal for all algorithms",
                            "gather | tree | allreduce | nonblocking"}};

}  // namespace

Options rank_options() { return keys; }

HaloOptions read_halo_options(const Table& options) {
  const Table t = options.described_by(keys);
  HaloOptions o;
  const auto halo = t.get<std::string>("halo");
  for (const HaloStrategy s : all_halo_strategies)
    if (halo == to_string(s)) o.strategy = s;
  const auto path = t.get<std::string>("device_path");
  o.path = path == "probe" ? DevicePath::probe : path == "staged" ? DevicePath::staged : DevicePath::direct;
  return o;
}

Reduction read_reduction(const Table& t) {
  const auto reduction = t.described_by(keys).get<std::string>("reduction");
  for (const Reduction r : all_reductions)
    if (reduction == to_string(r)) return r;
  return Reduction::allreduce;
}

}  // namespace weir
