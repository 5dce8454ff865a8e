// A view's values in host memory.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "backend/runtime.hpp"
#include "solvers/device/space.hpp"

namespace weir {

template <class Space>
std::vector<double> on_host(View<const double> from) {
  std::vector<double> v(static_cast<std::size_t>(from.size()));
  if constexpr (std::is_same_v<Space, Host>)
    std::copy(from.data(), from.data() + from.size(), v.begin());
  else
    backend::copy_to_host(v.data(), from.data(), static_cast<std::int64_t>(v.size() * sizeof(double)));
  return v;
}

}  // namespace weir
