// Values of a space in host memory.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "backend/runtime.hpp"
#include "solvers/device/space.hpp"

namespace weir {

template <class Space, class T>
std::vector<T> on_host(const T* from, std::int64_t count) {
  std::vector<T> v(static_cast<std::size_t>(count));
  if constexpr (std::is_same_v<Space, Host>)
    std::copy(from, from + count, v.begin());
  else
    backend::copy_to_host(v.data(), from, count * static_cast<std::int64_t>(sizeof(T)));
  return v;
}

template <class Space>
std::vector<double> on_host(View<const double> from) {
  return on_host<Space>(from.data(), from.size());
}

}  // namespace weir
