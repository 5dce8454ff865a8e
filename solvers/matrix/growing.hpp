// An array for what differs in size from one use to the next: it grows by a quarter more than was asked for, and never
// shrinks, so that repeated use soon allocates nothing. What it held is lost when it grows.
#pragma once
#include "solvers/device/array.hpp"

namespace weir {

template <class T, class Space>
class Growing {
 public:
  T* reserve(std::int64_t count) {
    if (count > array_.size()) array_ = Array<T, Space>();  // the old one goes before the new one comes
    if (count > array_.size()) array_ = Array<T, Space>(count + count / 4);
    return array_.data();
  }
  void take(Array<T, Space> values) { array_ = std::move(values); }
  T* data() const { return array_.data(); }
  std::int64_t bytes() const { return array_.size() * static_cast<std::int64_t>(sizeof(T)); }

  // The first values, on the host.
  std::vector<T> to_vector(std::int64_t count) const {
    std::vector<T> v(static_cast<std::size_t>(count));
    if (count) array_.download(v);
    return v;
  }

 private:
  Array<T, Space> array_;
};

}  // namespace weir
