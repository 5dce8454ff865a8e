// The arrays of all ranks on the root rank, because files have the layout of one rank. Called by all ranks.
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "miniapps/structured/ranks.hpp"
#include "postproc/run/run.hpp"

namespace weir {

template <class Space>
using NamedArrays = std::vector<std::pair<std::string, Array<double, Space>*>>;

template <class Space>
class WholeArrays {
 public:
  template <class Ranks>
  explicit WholeArrays(const Ranks& ranks)
      : alone_(ranks.alone()), is_root_(ranks.communicator().is_root()), gather_(ranks) {}

  // The arrays that a single rank would have, on rank 0.
  std::vector<std::pair<std::string, std::vector<double>>> arrays(const NamedArrays<Space>& of) const {
    std::vector<std::pair<std::string, std::vector<double>>> whole;
    for (const auto& [name, array] : of) whole.emplace_back(name, gather_.gathered(name, array->to_vector()));
    return whole;
  }
  // If nothing has to be gathered, the spans refer to the arrays themselves.
  void save(CheckpointState& state, const NamedArrays<Space>& of) const {
    if (alone_ && std::is_same_v<Space, Host>) {
      for (const auto& [name, array] : of)
        state.add(name, std::span<const double>(array->data(), static_cast<std::size_t>(array->size())));
      return;
    }
    for (auto& [name, values] : arrays(of)) state.keep(name, std::move(values));
  }
  void load(const Checkpoint& from, const NamedArrays<Space>& arrays) const {
    for (const auto& [name, array] : arrays) {
      const auto size = static_cast<std::size_t>(array->size());
      const auto whole = static_cast<std::int64_t>(gather_.whole_size(name, size));
      array->upload(gather_.scattered(name, from.doubles(name, whole), size));
    }
  }

 protected:
  bool alone_, is_root_;
  Gather gather_;
};

// Arrays of a staggered flow, and its fields.
template <class Space>
class WholeFields : public WholeArrays<Space> {
 public:
  explicit WholeFields(const FlowRanks& ranks)
      : WholeArrays<Space>(ranks), layout_(this->is_root_ ? ranks.whole() : ranks.local()) {}

  // The fields of the whole box in host memory, on rank 0: the fields themselves, or a copy in copy_.
  const Flow<Host>& of(const Flow<Space>& flow) {
    if constexpr (std::is_same_v<Space, Host>)
      if (this->alone_) return flow;
    if (!copy_) copy_ = std::make_unique<Flow<Host>>(layout_);
    for (int c = 0; c < flow.layout.dim; ++c) fetch(flow.velocity[c], copy_->velocity[c]);
    fetch(flow.p, copy_->p);
    for (std::size_t s = 0; s < flow.scalars.size(); ++s) {
      if (copy_->scalars.size() == s) copy_->scalars.emplace_back(layout_.padded_count());
      fetch(flow.scalars[s], copy_->scalars[s]);
    }
    return *copy_;
  }
  // Gathers a padded field in host memory: the whole field on rank 0, empty on the other ranks.
  std::vector<double> of(const std::vector<double>& mine) const { return this->gather_.gathered("field", mine); }

 private:
  void fetch(const Array<double, Space>& from, Array<double, Host>& to) {
    const std::vector<double> whole = of(from.to_vector());
    std::copy(whole.begin(), whole.end(), to.data());
  }

  Layout layout_;
  std::unique_ptr<Flow<Host>> copy_;
};

}  // namespace weir
