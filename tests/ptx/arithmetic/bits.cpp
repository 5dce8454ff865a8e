// Bit fields, permutations of bytes, carries, logic of three inputs, logic of predicates.
#include <algorithm>
#include <type_traits>

#include "tests/ptx/arithmetic/lane_ops.hpp"

namespace weir::ptx {
namespace {

template <class T>
void extract_field(Context& c, const Instruction& i, u32 mask) {
  using U = std::make_unsigned_t<T>;
  constexpr u32 width = 8 * sizeof(T);
  for (const int l : lanes(mask)) {
    const U a = get<U>(c.rows + i.in[0], l);
    const u32 at = get<u32>(c.rows + i.in[1], l) & 255, length = get<u32>(c.rows + i.in[2], l) & 255;
    const bool sign = std::is_signed_v<T> && length && (a >> std::min(at + length - 1, width - 1) & 1);
    U out = 0;
    for (u32 k = 0; k < width; ++k) {
      const bool bit = k < length && at + k < width ? a >> (at + k) & 1 : sign;
      out |= static_cast<U>(static_cast<U>(bit) << k);
    }
    put<U>(c.rows + i.out[0], l, out);
  }
}
template <class U>
void insert_field(Context& c, const Instruction& i, u32 mask) {
  constexpr u32 width = 8 * sizeof(U);
  for (const int l : lanes(mask)) {
    const U a = get<U>(c.rows + i.in[0], l);
    U b = get<U>(c.rows + i.in[1], l);
    const u32 at = get<u32>(c.rows + i.in[2], l) & 255, length = get<u32>(c.rows + i.in[3], l) & 255;
    for (u32 k = 0; k < length && at + k < width; ++k) b = (b & ~(U{1} << (at + k))) | ((a >> k & 1) << (at + k));
    put<U>(c.rows + i.out[0], l, b);
  }
}
template <class T, bool as_shift>
u32 highest_bit(T a) {
  using U = std::make_unsigned_t<T>;
  U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
  if (!bits) return ~u32{0};
  u32 place = 0;
  while (bits >>= 1) ++place;
  return as_shift ? 8 * sizeof(T) - 1 - place : place;
}
template <class U>
U reversed(U a) {
  U out = 0;
  for (std::size_t k = 0; k < 8 * sizeof(U); ++k) out |= (a >> k & 1) << (8 * sizeof(U) - 1 - k);
  return out;
}
u32 permute_bytes(u32 a, u32 b, u32 selectors) {
  const u64 both = u64{b} << 32 | a;
  u32 out = 0;
  for (int k = 0; k < 4; ++k) {
    const u32 selector = selectors >> (4 * k) & 15;
    u32 byte = static_cast<u32>(both >> (8 * (selector & 7))) & 255;
    if (selector & 8) byte = byte & 128 ? 255 : 0;
    out |= byte << (8 * k);
  }
  return out;
}

void three_input_logic(Context& c, const Instruction& i, u32 mask) {
  for (const int l : lanes(mask)) {
    const u32 a = get<u32>(c.rows + i.in[0], l), b = get<u32>(c.rows + i.in[1], l), d = get<u32>(c.rows + i.in[2], l);
    u32 out = 0;
    for (int k = 0; k < 8; ++k)
      if (i.immediate >> k & 1) out |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? d : ~d);
    put<u32>(c.rows + i.out[0], l, out);
  }
}

template <bool subtract, bool carry_in>
void with_carry(Context& c, const Instruction& i, u32 mask) {
  const int width = bytes_of(i.type);
  for (const int l : lanes(mask)) {
    const unsigned __int128 a = get_wide(c.rows + i.in[0], l, width), b = get_wide(c.rows + i.in[1], l, width);
    const u32 carry = carry_in ? c.warp->carry >> l & 1 : 0;
    const unsigned __int128 out = subtract ? a - b - carry : a + b + carry;
    if (i.flag) c.warp->carry = (c.warp->carry & ~(1u << l)) | (static_cast<u32>(out >> (8 * width) & 1) << l);
    put_wide(c.rows + i.out[0], l, width, static_cast<u64>(out));
  }
}

enum class Logic { bit_and, bit_or, bit_xor, bit_not };
template <Logic logic>
void predicate_logic(Context& c, const Instruction& i, u32 mask) {
  const u32 a = predicate(c, i.in[0]), b = logic == Logic::bit_not ? 0 : predicate(c, i.in[1]);
  put_predicate(c, i.out[0], mask,
                logic == Logic::bit_and   ? a & b
                : logic == Logic::bit_or  ? a | b
                : logic == Logic::bit_xor ? a ^ b
                                          : ~a);
}

Execute funnel_shift(const Opcode& opcode) {
  if (opcode.has("l"))
    return opcode.has("wrap")
               ? &ternary<u32, u32, u32, u32,
                          [](u32 a, u32 b, u32 s) { return static_cast<u32>(((u64{b} << 32 | a) << (s & 31)) >> 32); }>
               : &ternary<u32, u32, u32, u32, [](u32 a, u32 b, u32 s) {
                   return s >= 32 ? a : static_cast<u32>(((u64{b} << 32 | a) << s) >> 32);
                 }>;
  return opcode.has("wrap")
             ? &ternary<u32, u32, u32, u32,
                        [](u32 a, u32 b, u32 s) { return static_cast<u32>((u64{b} << 32 | a) >> (s & 31)); }>
             : &ternary<u32, u32, u32, u32,
                        [](u32 a, u32 b, u32 s) { return s >= 32 ? b : static_cast<u32>((u64{b} << 32 | a) >> s); }>;
}

template <bool as_shift>
Execute find_bit(Type type) {
  switch (type) {
    case U32:
      return &unary<u32, u32, highest_bit<u32, as_shift>>;
    case S32:
      return &unary<u32, s32, highest_bit<s32, as_shift>>;
    case U64:
      return &unary<u32, u64, highest_bit<u64, as_shift>>;
    case S64:
      return &unary<u32, s64, highest_bit<s64, as_shift>>;
    default:
      return nullptr;
  }
}
Execute field(Type type) {
  switch (type) {
    case U32:
      return &extract_field<u32>;
    case S32:
      return &extract_field<s32>;
    case U64:
      return &extract_field<u64>;
    case S64:
      return &extract_field<s64>;
    default:
      return nullptr;
  }
}

Execute of_predicates(const std::string& name) {
  if (name == "and") return &predicate_logic<Logic::bit_and>;
  if (name == "or") return &predicate_logic<Logic::bit_or>;
  if (name == "xor") return &predicate_logic<Logic::bit_xor>;
  return name == "not" ? &predicate_logic<Logic::bit_not> : nullptr;
}

}  // namespace

Execute bit_operation(Instruction& i, const Opcode& opcode) {
  const std::string& name = opcode.name();
  const bool wide = bytes_of(i.type) == 8;
  if (i.type == PRED) return of_predicates(name);
  if (opcode.has("cc") || name == "addc" || name == "subc") {
    i.flag = opcode.has("cc");
    if (name == "add") return &with_carry<false, false>;
    if (name == "addc") return &with_carry<false, true>;
    if (name == "sub") return &with_carry<true, false>;
    return name == "subc" ? &with_carry<true, true> : nullptr;
  }
  if (name == "lop3") return opcode.has("or") || opcode.has("and") ? nullptr : &three_input_logic;
  if (name == "popc")
    return wide ? &unary<u32, u64, [](u64 a) { return static_cast<u32>(__builtin_popcountll(a)); }>
                : &unary<u32, u32, [](u32 a) { return static_cast<u32>(__builtin_popcount(a)); }>;
  if (name == "clz")
    return wide ? &unary<u32, u64, [](u64 a) { return a ? static_cast<u32>(__builtin_clzll(a)) : 64u; }>
                : &unary<u32, u32, [](u32 a) { return a ? static_cast<u32>(__builtin_clz(a)) : 32u; }>;
  if (name == "bfind") return opcode.has("shiftamt") ? find_bit<true>(i.type) : find_bit<false>(i.type);
  if (name == "brev") return wide ? &unary<u64, u64, reversed<u64>> : &unary<u32, u32, reversed<u32>>;
  if (name == "bfe") return field(i.type);
  if (name == "bfi") return wide ? &insert_field<u64> : &insert_field<u32>;
  if (name == "prmt") return opcode.size() > 2 ? nullptr : &ternary<u32, u32, u32, u32, permute_bytes>;
  return name == "shf" ? funnel_shift(opcode) : nullptr;
}

}  // namespace weir::ptx
