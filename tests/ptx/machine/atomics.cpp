// The effect of atomics on a word of memory.
#include "tests/ptx/machine/access.hpp"

namespace weir::ptx {
namespace {

template <class T>
T combined(Atomic op, T old, T a, T b) {
  using enum Atomic;
  switch (op) {
    case add:
      return static_cast<T>(old + a);
    case min:
      return a < old ? a : old;
    case max:
      return a > old ? a : old;
    case exchange:
      return a;
    case compare_exchange:
      return old == a ? b : old;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case bit_and:
        return static_cast<T>(old & a);
      case bit_or:
        return static_cast<T>(old | a);
      case bit_xor:
        return static_cast<T>(old ^ a);
      case increment:
        return old >= a ? T{0} : static_cast<T>(old + 1);
      case decrement:
        return old == 0 || old > a ? a : static_cast<T>(old - 1);
      default:
        break;
    }
  }
  unsupported("this atomic");
}
template <class T>
u64 apply(Atomic op, char* p, u64 a, u64 b) {
  T old;
  std::memcpy(&old, p, sizeof(T));
  const T now = combined<T>(op, old, bits_as<T>(a), bits_as<T>(b));
  std::memcpy(p, &now, sizeof(T));
  return bits_as<u64>(old);
}

}  // namespace

u64 apply_atomic(Type type, Atomic op, char* p, u64 a, u64 b) {
  switch (type) {
    case U16:
    case B16:
      return apply<u16>(op, p, a, b);
    case U32:
    case B32:
      return apply<u32>(op, p, a, b);
    case S32:
      return apply<s32>(op, p, a, b);
    case U64:
    case B64:
      return apply<u64>(op, p, a, b);
    case S64:
      return apply<s64>(op, p, a, b);
    case F32:
      return apply<float>(op, p, a, b);
    case F64:
      return apply<double>(op, p, a, b);
    default:
      unsupported("an atomic of this type");
  }
}

}  // namespace weir::ptx
