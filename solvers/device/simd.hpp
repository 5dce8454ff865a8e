// How many doubles one vector register of the target holds. Loops that block by hand (small matrix products, lines
// solved side by side) take their widths from here; everything else is left to the compiler.
#pragma once

namespace weir {

#if defined(__AVX512F__)
inline constexpr int simd_doubles = 8;
#elif defined(__AVX__)
inline constexpr int simd_doubles = 4;
#else
inline constexpr int simd_doubles = 2;
#endif
inline constexpr int simd_registers = simd_doubles == 8 ? 32 : 16;

}  // namespace weir
