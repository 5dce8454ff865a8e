// IEEE binary16: eleven significant bits, numbers from 2^-14 (below it, multiples of 2^-24) to 65504. For storage
// only; products convert it to double. Larger values saturate (check with fits).
#pragma once
#include <bit>
#include <cstdint>

#include "backend/host_device.hpp"

namespace weir {

struct Half {
  static constexpr double largest = 65504, least_normal = 0x1p-14;
  std::uint16_t bits;

  Half() = default;
  WEIR_HD explicit Half(double value) : bits(rounded(value)) {}
  // Moving the bits to their position in a float scales the number by 2^-112, subnormal numbers too.
  WEIR_HD operator double() const {
    const std::uint32_t wide = (bits & 0x7fffu) << 13 | (bits & 0x8000u) << 16;
    float f;
    __builtin_memcpy(&f, &wide, sizeof f);
    return f * 0x1p112f;
  }

 private:
  WEIR_HD static std::uint16_t rounded(double value) {  // to nearest, ties to even
    const double size = value < 0 ? -value : value;
    const auto sign = static_cast<std::uint16_t>(value < 0 ? 0x8000u : 0u);
    if (!(size < largest)) return static_cast<std::uint16_t>(sign | 0x7bffu);
    if (size < least_normal) {  // in units of 2^-24: adding 2^52 rounds it to an integer
      const double units = size * 0x1p24 + 0x1p52;
      return static_cast<std::uint16_t>(sign | static_cast<unsigned>(units - 0x1p52));
    }
    std::uint64_t wide;  // 42 fraction bits are dropped
    __builtin_memcpy(&wide, &size, sizeof wide);
    wide += 0x1ffffffffffu + (wide >> 42 & 1u);
    return static_cast<std::uint16_t>(sign | ((wide >> 42) - (std::uint64_t{1023 - 15} << 10)));
  }
};

// The upper half of a float: its exponent and seven fraction bits. For storage only; products convert it to double.
struct Bfloat16 {
  std::uint16_t bits;

  Bfloat16() = default;
  WEIR_HD explicit Bfloat16(double value) : bits(rounded(static_cast<float>(value))) {}
  WEIR_HD operator double() const {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float f;
    __builtin_memcpy(&f, &wide, sizeof f);
    return f;
  }

 private:
  WEIR_HD static std::uint16_t rounded(float f) {  // to nearest, ties to even; NaN stays NaN
    std::uint32_t wide;
    __builtin_memcpy(&wide, &f, sizeof f);
    if (f != f) return static_cast<std::uint16_t>((wide >> 16) | 0x40u);
    return static_cast<std::uint16_t>((wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16);
  }
};

}  // namespace weir
