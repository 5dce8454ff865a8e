// Storage format of numbers; products use double. half: IEEE binary16; bfloat16: the upper half of a float.
#pragma once
#include <cstdint>

namespace weir {

enum class StoredAs : std::uint8_t { half, bfloat16, float32, float64 };
inline constexpr int storage_kinds = 4;

constexpr int bits_of(StoredAs as) { return as == StoredAs::float64 ? 64 : as == StoredAs::float32 ? 32 : 16; }
constexpr const char* to_string(StoredAs as) {
  constexpr const char* names[storage_kinds] = {"half", "bfloat16", "float", "double"};
  return names[static_cast<int>(as)];
}

template <class T>
constexpr StoredAs stored_as = sizeof(T) == 8   ? StoredAs::float64
                               : sizeof(T) == 4 ? StoredAs::float32
                                                : StoredAs::bfloat16;

}  // namespace weir
