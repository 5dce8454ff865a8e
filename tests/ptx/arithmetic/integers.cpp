// add, sub, mul, mad, div, rem, min, max, abs, neg, and, or, xor, not, shl, shr, sad, with their wide and high halves.
#include <type_traits>

#include "tests/ptx/arithmetic/lane_ops.hpp"

namespace weir::ptx {
namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;

template <class T>
T high_half(T a, T b) {
  return static_cast<T>((static_cast<Wide<T>>(a) * b) >> (8 * sizeof(T)));
}
// Division by zero and INT_MIN / -1 stop the host's processor. A GPU gives all bits and the wrapped result.
template <class T>
T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
  return static_cast<T>(a / b);
}
template <class T>
T remainder_of(T a, T b) {
  if (b == 0) return a;
  return std::is_signed_v<T> && b == static_cast<T>(-1) ? T{0} : static_cast<T>(a % b);
}

template <class T>
Execute high(const std::string& name) {
  using U = Unsigned<T>;
  if (name == "mul") return &binary<T, T, T, [](T a, T b) { return high_half(a, b); }>;
  if (name == "mad")
    return &ternary<T, T, T, T, [](T a, T b, T c) {
      return static_cast<T>(static_cast<U>(static_cast<U>(high_half(a, b)) + static_cast<U>(c)));
    }>;
  return nullptr;
}

template <class T, class W>
Execute wide(const std::string& name) {
  using U = Unsigned<W>;
  if (name == "mul")
    return &binary<W, T, T, [](T a, T b) { return static_cast<W>(static_cast<W>(a) * static_cast<W>(b)); }>;
  if (name == "mad")
    return &ternary<W, T, T, W, [](T a, T b, W c) {
      return static_cast<W>(static_cast<U>(static_cast<W>(a) * static_cast<W>(b)) + static_cast<U>(c));
    }>;
  return nullptr;
}

// Sums and products wrap, so they are unsigned's.
template <class T>
Execute low(const std::string& name) {
  using U = Unsigned<T>;
  constexpr u32 bits = 8 * sizeof(T);
  if (name == "add") return &binary<U, U, U, [](U a, U b) { return static_cast<U>(a + b); }>;
  if (name == "sub") return &binary<U, U, U, [](U a, U b) { return static_cast<U>(a - b); }>;
  if (name == "mul") return &binary<U, U, U, [](U a, U b) { return static_cast<U>(a * b); }>;
  if (name == "mad") return &ternary<U, U, U, U, [](U a, U b, U c) { return static_cast<U>(a * b + c); }>;
  if (name == "div") return &binary<T, T, T, [](T a, T b) { return quotient(a, b); }>;
  if (name == "rem") return &binary<T, T, T, [](T a, T b) { return remainder_of(a, b); }>;
  if (name == "min") return &binary<T, T, T, [](T a, T b) { return a < b ? a : b; }>;
  if (name == "max") return &binary<T, T, T, [](T a, T b) { return b < a ? a : b; }>;
  if (name == "abs")
    return &unary<U, T, [](T a) { return static_cast<U>(a < 0 ? U{0} - static_cast<U>(a) : static_cast<U>(a)); }>;
  if (name == "neg") return &unary<U, U, [](U a) { return static_cast<U>(U{0} - a); }>;
  if (name == "and") return &binary<U, U, U, [](U a, U b) { return static_cast<U>(a & b); }>;
  if (name == "or") return &binary<U, U, U, [](U a, U b) { return static_cast<U>(a | b); }>;
  if (name == "xor") return &binary<U, U, U, [](U a, U b) { return static_cast<U>(a ^ b); }>;
  if (name == "not") return &unary<U, U, [](U a) { return static_cast<U>(~a); }>;
  if (name == "cnot") return &unary<U, U, [](U a) { return static_cast<U>(a == 0); }>;
  if (name == "shl") return &binary<U, U, u32, [](U a, u32 b) { return b >= bits ? U{0} : static_cast<U>(a << b); }>;
  if (name == "shr")
    return &binary<T, T, u32, [](T a, u32 b) { return static_cast<T>(b >= bits ? (a < 0 ? -1 : 0) : a >> b); }>;
  if (name == "mov") return &unary<U, U, [](U a) { return a; }>;
  return nullptr;
}

template <class T>
Execute of_type(const Opcode& opcode) {
  return opcode.has("hi") ? high<T>(opcode.name()) : low<T>(opcode.name());
}

Execute wide_of_type(Type type, const std::string& name) {
  switch (type) {
    case U16:
      return wide<u16, u32>(name);
    case S16:
      return wide<s16, s32>(name);
    case U32:
      return wide<u32, u64>(name);
    case S32:
      return wide<s32, s64>(name);
    default:
      return nullptr;
  }
}

}  // namespace

Execute integer_operation(const Instruction& i, const Opcode& opcode) {
  if (opcode.has("wide")) return wide_of_type(i.type, opcode.name());
  if (opcode.has("sat")) return nullptr;
  if (opcode.name() == "sad") {
    if (i.type == S32)
      return &ternary<u32, s32, s32, u32, [](s32 a, s32 b, u32 c) {
        return c + (a > b ? static_cast<u32>(a) - static_cast<u32>(b) : static_cast<u32>(b) - static_cast<u32>(a));
      }>;
    return i.type == U32 ? &ternary<u32, u32, u32, u32, [](u32 a, u32 b, u32 c) { return c + (a > b ? a - b : b - a); }>
                         : nullptr;
  }
  switch (i.type) {
    case U16:
    case B16:
      return of_type<u16>(opcode);
    case S16:
      return of_type<s16>(opcode);
    case U32:
    case B32:
      return of_type<u32>(opcode);
    case S32:
      return of_type<s32>(opcode);
    case U64:
    case B64:
      return of_type<u64>(opcode);
    case S64:
      return of_type<s64>(opcode);
    default:
      return nullptr;
  }
}

}  // namespace weir::ptx
