// CRC-32 as in zlib, gzip and PNG (reflected polynomial 0x04c11db7), which libraries provide.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace weir {

inline std::uint32_t crc32(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      t[i] = i;
      for (int k = 0; k < 8; ++k) t[i] = (t[i] >> 1) ^ ((t[i] & 1) ? 0xedb88320u : 0u);
    }
    return t;
  }();
  std::uint32_t value = 0xffffffffu;
  for (const char c : bytes) value = (value >> 8) ^ table[(value ^ static_cast<unsigned char>(c)) & 0xffu];
  return ~value;
}

}  // namespace weir
