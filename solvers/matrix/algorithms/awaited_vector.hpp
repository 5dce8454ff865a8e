// Work vectors of launches whose threads wait for each other's values (awaited_value.hpp).
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "solvers/device/array.hpp"

namespace weir {

namespace awaited {

// Bits of a value that is not yet computed; no result has them.
inline constexpr std::int64_t nothing = -1;

struct Turn {
  unsigned *drawn, first;      // the counter, and its value before the launch
  std::int64_t *there, *next;  // results of this launch, initially `nothing`; results of the next launch, to be cleared
};

}  // namespace awaited

class AwaitedVector {
 public:
  AwaitedVector() = default;
  explicit AwaitedVector(std::int64_t size)
      : size_(size),
        both_(std::vector<std::int64_t>(static_cast<std::size_t>(2 * size), awaited::nothing)),
        drawn_(std::vector<unsigned>(1, 0)) {}

  awaited::Turn next(unsigned tickets, unsigned warps) {
    is_odd_ = !is_odd_;
    std::int64_t *even = both_.data(), *odd = even + size_;
    return {drawn_.data(), std::exchange(tickets_, tickets_ + tickets + warps), is_odd_ ? odd : even,
            is_odd_ ? even : odd};
  }
  std::int64_t bytes() const { return 8 * both_.size(); }

 private:
  std::int64_t size_ = 0;
  Array<std::int64_t, Device> both_;
  Array<unsigned, Device> drawn_;
  unsigned tickets_ = 0;
  bool is_odd_ = false;
};

}  // namespace weir
