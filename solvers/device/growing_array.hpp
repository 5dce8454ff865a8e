// An Array whose contents change in length. It keeps its memory: more is taken only where they become longer than ever
// before, and then a quarter more than they need.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/device/array.hpp"

namespace weir {

template <class T, class Space>
class GrowingArray {
 public:
  GrowingArray() = default;
  explicit GrowingArray(const std::vector<T>& host) { assign(host); }

  void assign(std::span<const T> host) {
    resize(static_cast<std::int64_t>(host.size()));
    if (size_ > 0) memory_.upload(host);
  }
  void upload(std::span<const T> host) { memory_.upload(host); }  // the first of them
  void take(Array<T, Space> values) {
    size_ = values.size();
    memory_ = std::move(values);
  }
  void resize(std::int64_t n) {  // what it held is lost
    if (n > memory_.size()) {
      const std::int64_t wanted = memory_.size() == 0 ? n : n + n / 4;
      memory_ = Array<T, Space>();  // the old one goes before the new one comes
      memory_ = Array<T, Space>(wanted);
    }
    size_ = n;
  }
  T* reserve(std::int64_t n) {
    resize(n);
    return data();
  }

  std::int64_t size() const { return size_; }
  T* data() const { return memory_.data(); }
  std::int64_t bytes() const { return memory_.size() * static_cast<std::int64_t>(sizeof(T)); }
  View<T> view() { return View<T>(memory_.data(), size_); }
  View<const T> view() const { return View<const T>(memory_.data(), size_); }
  operator View<T>() { return view(); }
  operator View<const T>() const { return view(); }
  std::vector<T> to_vector() const { return to_vector(size_); }
  std::vector<T> to_vector(std::int64_t count) const {  // the first of them
    std::vector<T> v(static_cast<std::size_t>(count));
    if (count > 0) memory_.download(v);
    return v;
  }

 private:
  Array<T, Space> memory_;
  std::int64_t size_ = 0;
};

}  // namespace weir
