// The two spaces and the view that kernels get. `Device` always exists: CMake puts either backend (cuda/ or simt/) on
// the include path under the name backend/.
#pragma once
#include <cstdint>
#include <type_traits>

#include "backend/host_device.hpp"

namespace weir {

// Tags: where memory lies and loops run.
struct Host {
  static constexpr const char* name = "host";
};
struct Device {
  static constexpr const char* name = "device";
};

// A pointer and a length, nothing owned. Which space it points into is the caller's business: a kernel of the other
// space that dereferences it is found by the emulator.
template <class T>
class View {
 public:
  View() = default;
  WEIR_HD View(T* data, std::int64_t size) : data_(data), size_(size) {}
  template <class U>
  requires std::is_same_v<const U, T> WEIR_HD View(const View<U>& other) : data_(other.data()), size_(other.size()) {}

  WEIR_HD T& operator[](std::int64_t i) const { return data_[i]; }
  WEIR_HD T* data() const { return data_; }
  WEIR_HD std::int64_t size() const { return size_; }
  WEIR_HD View part(std::int64_t from, std::int64_t count) const { return View(data_ + from, count); }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

// Cells (or unknowns) of a structured box; i runs fastest: index = (k ny + j) nx + i.
struct Extents {
  int nx = 1, ny = 1, nz = 1;
  WEIR_HD int count() const { return nx * ny * nz; }
  WEIR_HD int index(int i, int j, int k) const { return (k * ny + j) * nx + i; }
  bool operator==(const Extents&) const = default;
};

}  // namespace weir
