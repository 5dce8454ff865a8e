// Signed indices for the standard containers.
#pragma once
#include <cstddef>
#include <cstdint>

namespace weir {

constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace weir
