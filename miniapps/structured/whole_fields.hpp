// The flow of all ranks in one place: files know one layout, that of one rank. All ranks call.
#pragma once
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "miniapps/structured/loop.hpp"
#include "miniapps/structured/ranks.hpp"

namespace weir {

template <class Space>
class WholeFields {
 public:
  explicit WholeFields(const FlowRanks& ranks) : ranks_(ranks) {
    if (!ranks.alone()) gather_ = std::make_unique<FlowGather>(ranks);
  }

  // The fields of the whole box in host memory: themselves, or a copy kept for the purpose, on rank 0.
  const Flow<Host>& of(const Flow<Space>& flow) {
    if (ranks_.alone() && std::is_same_v<Space, Host>) return itself(flow);
    if (!copy_) copy_ = std::make_unique<Flow<Host>>(ranks_.communicator().is_root() ? ranks_.whole() : flow.layout);
    for (int c = 0; c < flow.layout.dim; ++c) fetch(flow.velocity[c], copy_->velocity[c]);
    fetch(flow.p, copy_->p);
    return *copy_;
  }
  // The same of a padded field in host memory; empty on the other ranks.
  std::vector<double> of(const std::vector<double>& mine) const {
    if (!gather_) return mine;
    std::vector<double> all(ranks_.communicator().is_root() ? gather_->whole_size("field") : 0);
    gather_->map("field").gather(mine, all);
    return all;
  }

  // The arrays that one rank would have, on rank 0.
  std::vector<std::pair<std::string, std::vector<double>>> arrays(const NamedArrays<Space>& arrays) const {
    std::vector<std::pair<std::string, std::vector<double>>> whole;
    for (const auto& [name, array] : arrays) {
      const std::vector<double> mine = array->to_vector();
      if (!gather_) {
        whole.emplace_back(name, mine);
        continue;
      }
      whole.emplace_back(name, std::vector<double>(ranks_.communicator().is_root() ? gather_->whole_size(name) : 0));
      gather_->map(name).gather(mine, whole.back().second);
    }
    return whole;
  }
  void save(Run& run, CheckpointState state, const NamedArrays<Space>& of) const {
    if (!gather_) return save_checkpoint<Space>(run, std::move(state), of);
    const auto whole = arrays(of);
    for (const auto& [name, values] : whole) state.add(name, std::span<const double>(values));
    run.checkpoint(std::move(state));
  }
  void load(const Checkpoint& from, const NamedArrays<Space>& arrays) const {
    if (!gather_) return load_arrays<Space>(from, arrays);
    for (const auto& [name, array] : arrays) {
      std::vector<double> mine(static_cast<std::size_t>(array->size()));
      gather_->map(name).scatter(from.doubles(name, static_cast<std::int64_t>(gather_->whole_size(name))), mine);
      array->upload(mine);
    }
  }

 private:
  static const Flow<Host>& itself(const Flow<Host>& flow) { return flow; }
  static const Flow<Host>& itself(const Flow<Device>&) { throw std::logic_error("not in host memory"); }
  void fetch(const Array<double, Space>& from, Array<double, Host>& to) {
    if (!gather_) {
      from.download(std::span<double>(to.data(), static_cast<std::size_t>(to.size())));
      return;
    }
    mine_.resize(static_cast<std::size_t>(from.size()));
    from.download(mine_);
    gather_->map("field").gather(mine_, {to.data(), static_cast<std::size_t>(to.size())});
  }

  const FlowRanks& ranks_;
  std::unique_ptr<FlowGather> gather_;
  std::unique_ptr<Flow<Host>> copy_;
  std::vector<double> mine_;
};

}  // namespace weir
