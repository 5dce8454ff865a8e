// An index of ours, signed, as the standard containers take it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace weir {

constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace weir
