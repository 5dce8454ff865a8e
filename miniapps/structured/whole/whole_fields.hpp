// The arrays of all ranks as the root rank writes them: in the layout of one rank. Called by all ranks.
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "miniapps/structured/ranks.hpp"
#include "miniapps/structured/whole/whole_flow.hpp"
#include "postproc/run/run.hpp"

namespace weir {

template <class Space>
using NamedArrays = std::vector<std::pair<std::string, Array<double, Space>*>>;

template <class Space>
class WholeArrays {
 public:
  template <class Ranks>
  explicit WholeArrays(const Ranks& ranks) : ranks_(&ranks.communicator()), gather_(ranks) {}

  // The arrays that a single rank would have, on rank 0.
  std::vector<std::pair<std::string, std::vector<double>>> arrays(const NamedArrays<Space>& of) const {
    std::vector<std::pair<std::string, std::vector<double>>> whole;
    for (const auto& [name, array] : of) whole.emplace_back(name, gather_.gathered(name, array->to_vector()));
    return whole;
  }
  // In host memory the spans refer to the arrays themselves.
  void save(CheckpointState& state, const NamedArrays<Space>& of) const {
    for (const auto& [name, array] : of)
      if constexpr (std::is_same_v<Space, Host>)
        state.add(name, std::span<const double>(array->data(), static_cast<std::size_t>(array->size())),
                  gather_.spread(name));
      else
        state.keep(name, array->to_vector(), gather_.spread(name));
  }
  void load(const Checkpoint& from, const NamedArrays<Space>& arrays) const {
    for (const auto& [name, array] : arrays)
      array->upload(from.part(name, gather_.spread(name), static_cast<std::size_t>(array->size())));
  }

 protected:
  // f(WholeFlow) on rank 0. flow: of this rank; more: padded fields of this rank.
  template <class F>
  void read(const Layout& whole, const Flow<Host>& flow, const std::vector<std::span<const double>>& more,
            const F& f) const {
    if (!gather_.spread("field")) return f(WholeFlow(flow, more));
    RootReads reads(*ranks_);
    WholeFlow all(whole);
    all.count(flow);
    WholeFlow::for_arrays(flow, more, [&](std::span<const double> values) {
      const Spread& of = *gather_.spread(values.data() == flow.divergence ? "divergence" : "field");
      all.arrays.emplace_back(reads, reads.add(of, values), of.whole_size());
    });
    reads.while_root([&] { f(all); });
  }

  const Communicator* ranks_;
  Gather gather_;
};

// Arrays of a staggered flow, and its fields.
template <class Space>
class WholeFields : public WholeArrays<Space> {
 public:
  explicit WholeFields(const FlowRanks& ranks) : WholeArrays<Space>(ranks), whole_(ranks.whole()) {}

  // f(WholeFlow) on rank 0.
  template <class F>
  void with(const Flow<Space>& flow, const std::vector<std::span<const double>>& more, const F& f) {
    if constexpr (std::is_same_v<Space, Host>) {
      this->read(whole_, flow, more, f);
    } else {
      if (!copy_) copy_ = std::make_unique<Flow<Host>>(flow.layout);
      for (int c = 0; c < flow.layout.dim; ++c) fetch(flow.velocity[c], copy_->velocity[c]);
      fetch(flow.p, copy_->p);
      for (std::size_t s = 0; s < flow.scalars.size(); ++s) {
        if (copy_->scalars.size() == s) copy_->scalars.emplace_back(flow.layout.padded_count());
        fetch(flow.scalars[s], copy_->scalars[s]);
      }
      this->read(whole_, *copy_, more, f);
    }
  }

 private:
  static void fetch(const Array<double, Space>& from, Array<double, Host>& to) {
    const std::vector<double> values = from.to_vector();
    std::copy(values.begin(), values.end(), to.data());
  }

  Layout whole_;
  std::unique_ptr<Flow<Host>> copy_;  // of a flow in device memory
};

}  // namespace weir
