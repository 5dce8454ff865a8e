// The upper half of a float: its exponent and seven bits of its fraction. For storage only; products widen it to double.
#pragma once
#include <cstdint>

#include "backend/host_device.hpp"

namespace weir {

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
  WEIR_HD static std::uint16_t rounded(float f) {  // to nearest, ties to even; what is not a number stays so
    std::uint32_t wide;
    __builtin_memcpy(&wide, &f, sizeof f);
    if (f != f) return static_cast<std::uint16_t>((wide >> 16) | 0x40u);
    return static_cast<std::uint16_t>((wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16);
  }
};

}  // namespace weir
