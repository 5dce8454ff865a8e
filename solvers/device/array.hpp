// Array<T, Space> owns or borrows memory in a space; only upload and download move data between spaces.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "backend/runtime.hpp"
#include "solvers/device/space.hpp"

namespace weir {

namespace detail {
void* host_allocate(std::int64_t bytes);  // 64-byte aligned, zeroed by the threads that will use it
void host_release(void* p, std::int64_t bytes);
}  // namespace detail

template <class T, class Space>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(std::int64_t n) : data_(allocate(n)), size_(n) {}  // Host: zeroed. Device: not initialised
  explicit Array(std::span<const T> host) : Array(static_cast<std::int64_t>(host.size())) { upload(host); }
  explicit Array(const std::vector<T>& host) : Array(std::span<const T>(host)) {}
  // Memory of another owner, which outlives this.
  static Array borrowed(T* data, std::int64_t n) {
    Array a;
    a.data_ = data;
    a.size_ = n;
    a.is_borrowed_ = true;
    return a;
  }
  Array(Array&& o) noexcept
      : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)), is_borrowed_(o.is_borrowed_) {}
  Array& operator=(Array&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    std::swap(is_borrowed_, o.is_borrowed_);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { release(); }

  std::int64_t size() const { return size_; }
  T* data() const { return data_; }
  View<T> view() { return View<T>(data_, size_); }
  View<const T> view() const { return View<const T>(data_, size_); }
  operator View<T>() { return view(); }
  operator View<const T>() const { return view(); }

  void upload(std::span<const T> host) {  // throws nothing; host.size() <= size()
    if constexpr (std::is_same_v<Space, Host>)
      std::copy(host.begin(), host.end(), data_);
    else
      backend::copy_to_device(data_, host.data(), static_cast<std::int64_t>(host.size_bytes()));
  }
  void download(std::span<T> host) const {
    if constexpr (std::is_same_v<Space, Host>)
      std::copy(data_, data_ + host.size(), host.begin());
    else
      backend::copy_to_host(host.data(), data_, static_cast<std::int64_t>(host.size_bytes()));
  }
  std::vector<T> to_vector() const {
    std::vector<T> v(static_cast<std::size_t>(size_));
    download(v);
    return v;
  }

 private:
  static T* allocate(std::int64_t n) {
    if (n == 0) return nullptr;
    const auto bytes = n * static_cast<std::int64_t>(sizeof(T));
    if constexpr (std::is_same_v<Space, Host>)
      return static_cast<T*>(detail::host_allocate(bytes));
    else
      return static_cast<T*>(backend::device_allocate(bytes));
  }
  void release() {
    if (!data_ || is_borrowed_) return;
    const auto bytes = size_ * static_cast<std::int64_t>(sizeof(T));
    if constexpr (std::is_same_v<Space, Host>)
      detail::host_release(data_, bytes);
    else
      backend::device_release(data_, bytes);
  }

  T* data_ = nullptr;
  std::int64_t size_ = 0;
  bool is_borrowed_ = false;
};

}  // namespace weir
