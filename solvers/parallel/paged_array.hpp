// A whole array as rank 0 reads it for output: values in its memory, or those of all ranks (spread.hpp), of which it
// holds a few pages at a time. Not for several threads at a time.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "base/at.hpp"
#include "base/hash.hpp"
#include "solvers/parallel/spread.hpp"

namespace weir {

class PagedArray {
 public:
  explicit PagedArray(std::span<const double> values) : values_(values.data()), size_(values.size()) {}
  PagedArray(const RootReads& reads, std::size_t array, std::size_t size)
      : reads_(&reads), array_(array), size_(size), page_((size + page_size - 1) / page_size, -1) {}
  std::size_t size() const { return size_; }
  void add_to(Hash64& hash) const {
    for (std::size_t i = 0; i < size_; ++i) {
      const double value = (*this)[i];
      hash.add(&value, sizeof value);
    }
  }
  double operator[](std::size_t i) const {
    if (values_) return values_[i];
    const int slot = page_[i / page_size];
    return (slot >= 0 ? slots_[at(slot)].values : fetched(i / page_size))[i % page_size];
  }

 private:
  static constexpr std::size_t page_size = 8192, most_slots = 16;
  struct Slot {
    std::size_t page = 0;
    std::vector<double> values;
  };
  const std::vector<double>& fetched(std::size_t page) const {
    if (slots_.size() < most_slots) {
      next_ = slots_.size();
      slots_.emplace_back();
    } else {
      page_[slots_[next_].page] = -1;
    }
    Slot& slot = slots_[next_];
    slot.page = page;
    slot.values.resize(std::min(page_size, size_ - page * page_size));
    reads_->read(array_, page * page_size, slot.values);
    page_[page] = static_cast<int>(next_);
    next_ = (next_ + 1) % most_slots;  // the oldest
    return slot.values;
  }

  const double* values_ = nullptr;  // in memory
  const RootReads* reads_ = nullptr;
  std::size_t array_ = 0, size_ = 0;
  mutable std::vector<int> page_;  // slot of each page; -1: none
  mutable std::vector<Slot> slots_;
  mutable std::size_t next_ = 0;
};

}  // namespace weir
