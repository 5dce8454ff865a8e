#include "solvers/parallel/parts_on_all.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "solvers/device/launch.hpp"

namespace weir {

std::vector<int> lists_of_all(const Communicator& ranks, const std::vector<int>& mine) {
  std::vector<int> all;
  for (const auto& list : ranks.exchange(std::vector<std::vector<int>>(static_cast<std::size_t>(ranks.size()), mine)))
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

template <class Space>
PartsOnAll<Space>::PartsOnAll(const Communicator& ranks, const std::vector<int>& begin, int bytes) : ranks_(&ranks) {
  if (std::int64_t{begin.back()} * bytes > std::numeric_limits<int>::max())
    throw Error(Exit::usage, "a coarse level that all ranks hold has more than 2^31 - 1 bytes");
  for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
    begin_.push_back(begin[r] * bytes);
    counts_.push_back((begin[r + 1] - begin[r]) * bytes);
  }
  if constexpr (!std::is_same_v<Space, Host>)
    if (begin.back() > 0) pinned_ = static_cast<char*>(pinned_allocate(std::int64_t{begin.back()} * bytes));
}
template <class Space>
PartsOnAll<Space>::~PartsOnAll() {
  if (pinned_) pinned_release(pinned_);
}
template <class Space>
PartsOnAll<Space>::PartsOnAll(PartsOnAll&& o) noexcept
    : ranks_(o.ranks_),
      counts_(std::move(o.counts_)),
      begin_(std::move(o.begin_)),
      pinned_(std::exchange(o.pinned_, nullptr)) {}
template <class Space>
PartsOnAll<Space>& PartsOnAll<Space>::operator=(PartsOnAll&& o) noexcept {
  std::swap(ranks_, o.ranks_);
  counts_.swap(o.counts_);
  begin_.swap(o.begin_);
  std::swap(pinned_, o.pinned_);
  return *this;
}

template <class Space>
void PartsOnAll<Space>::complete(void* whole) const {
  if constexpr (std::is_same_v<Space, Host>) {
    ranks_->gather_on_all(whole, counts_, begin_);
  } else {
    const int own = ranks_->rank(), all = begin_.back() + counts_.back();
    const int at = begin_[static_cast<std::size_t>(own)], count = counts_[static_cast<std::size_t>(own)];
    if (count > 0) backend::copy_to_host(pinned_ + at, static_cast<char*>(whole) + at, count);
    ranks_->gather_on_all(pinned_, counts_, begin_);
    if (all > 0) backend::copy_to_device(whole, pinned_, all);
  }
}

template class PartsOnAll<Host>;
template class PartsOnAll<Device>;

}  // namespace weir
