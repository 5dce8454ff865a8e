// setp, set, selp, testp, isspacep.
#include <cmath>
#include <type_traits>
#include <utility>

#include "tests/ptx/arithmetic/lane_ops.hpp"

namespace weir::ptx {
namespace {

enum class Relation { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
enum Combine : u8 { combine_xor, combine_and, combine_or };

template <class T, Relation r>
bool holds(T a, T b) {
  using enum Relation;
  if constexpr (r == eq) return a == b;
  if constexpr (r == lt) return a < b;
  if constexpr (r == le) return a <= b;
  if constexpr (r == gt) return a > b;
  if constexpr (r == ge) return a >= b;
  if constexpr (std::is_floating_point_v<T>) {  // ...u: also where one is a NaN
    if constexpr (r == ne) return a == a && b == b && a != b;
    if constexpr (r == equ) return !(a == a && b == b) || a == b;
    if constexpr (r == neu) return a != b;
    if constexpr (r == ltu) return !(a >= b);
    if constexpr (r == leu) return !(a > b);
    if constexpr (r == gtu) return !(a <= b);
    if constexpr (r == geu) return !(a < b);
    if constexpr (r == num) return a == a && b == b;
    if constexpr (r == nan) return a != a || b != b;
  } else {
    if constexpr (r == ne) return a != b;
  }
  return false;
}

// Bytes of 0 or 255 first, which vectorises; then bit k of byte k of each eight is gathered by one product.
template <class T, Relation r>
u32 holding_lanes(const char* a, const char* b) {
  alignas(64) u8 bytes[32];
#pragma GCC ivdep
  for (int l = 0; l < 32; ++l) bytes[l] = static_cast<u8>(holds<T, r>(get<T>(a, l), get<T>(b, l)) ? 255 : 0);
  u32 out = 0;
  for (int k = 0; k < 4; ++k) {
    u64 eight;
    std::memcpy(&eight, bytes + 8 * k, 8);
    out |= static_cast<u32>((eight & 0x8040201008040201ull) * 0x0101010101010101ull >> 56) << (8 * k);
  }
  return out;
}

template <class T, Relation r>
void set_predicate(Context& c, const Instruction& i, u32 mask) {
  u32 yes = holding_lanes<T, r>(c.rows + i.in[0], c.rows + i.in[1]), no = ~yes;
  if (i.in[2] != no_row) {
    u32 p = predicate(c, i.in[2]);
    if (i.flag) p = ~p;
    const auto combine = [&](u32 v) {
      return i.variant2 == combine_and ? v & p : i.variant2 == combine_or ? v | p : v ^ p;
    };
    yes = combine(yes);
    no = combine(no);
  }
  put_predicate(c, i.out[0], mask, yes);
  if (i.out[1] != no_row) put_predicate(c, i.out[1], mask, no);
}
template <class T, Relation r>
void set_value(Context& c, const Instruction& i, u32 mask) {
  const u32 yes = holding_lanes<T, r>(c.rows + i.in[0], c.rows + i.in[1]);
  for (const int l : lanes(mask)) {
    const bool holds_here = yes >> l & 1;
    put<u32>(c.rows + i.out[0], l, i.type == F32 ? bits_as<u32>(holds_here ? 1.f : 0.f) : holds_here ? ~u32{0} : 0);
  }
}

template <class T>
Execute relation_of(const std::string& name, bool value) {
  using enum Relation;
  const auto pick = [&]<Relation r>(std::integral_constant<Relation, r>) {
    return value ? &set_value<T, r> : &set_predicate<T, r>;
  };
  const auto is = [&](const char* a, const char* b = "") { return name == a || name == b; };
  if (is("eq")) return pick(std::integral_constant<Relation, eq>{});
  if (is("ne")) return pick(std::integral_constant<Relation, ne>{});
  if (is("lt", "lo")) return pick(std::integral_constant<Relation, lt>{});
  if (is("le", "ls")) return pick(std::integral_constant<Relation, le>{});
  if (is("gt", "hi")) return pick(std::integral_constant<Relation, gt>{});
  if (is("ge", "hs")) return pick(std::integral_constant<Relation, ge>{});
  if (is("equ")) return pick(std::integral_constant<Relation, equ>{});
  if (is("neu")) return pick(std::integral_constant<Relation, neu>{});
  if (is("ltu")) return pick(std::integral_constant<Relation, ltu>{});
  if (is("leu")) return pick(std::integral_constant<Relation, leu>{});
  if (is("gtu")) return pick(std::integral_constant<Relation, gtu>{});
  if (is("geu")) return pick(std::integral_constant<Relation, geu>{});
  if (is("num")) return pick(std::integral_constant<Relation, num>{});
  if (is("nan")) return pick(std::integral_constant<Relation, nan>{});
  return nullptr;
}
Execute relation(Type type, const std::string& name, bool value) {
  switch (type) {
    case U16:
    case B16:
      return relation_of<u16>(name, value);
    case S16:
      return relation_of<s16>(name, value);
    case U32:
    case B32:
      return relation_of<u32>(name, value);
    case S32:
      return relation_of<s32>(name, value);
    case U64:
    case B64:
      return relation_of<u64>(name, value);
    case S64:
      return relation_of<s64>(name, value);
    case F32:
      return relation_of<float>(name, value);
    case F64:
      return relation_of<double>(name, value);
    default:
      return nullptr;
  }
}

template <class T>
void select(Context& c, const Instruction& i, u32 mask) {
  const u32 p = predicate(c, i.in[2]);
  char* out = c.rows + i.out[0];
  const char *a = c.rows + i.in[0], *b = c.rows + i.in[1];
  each_lane(mask, [=](int l) { put<T>(out, l, p >> l & 1 ? get<T>(a, l) : get<T>(b, l)); });
}

enum NumberClass : u8 { finite, infinite, number, not_a_number, normal, subnormal };
template <class T>
bool belongs(T a, u8 which) {
  switch (which) {
    case finite:
      return std::isfinite(a);
    case infinite:
      return std::isinf(a);
    case number:
      return !std::isnan(a);
    case not_a_number:
      return std::isnan(a);
    case normal:
      return std::isnormal(a);
    default:
      return std::fpclassify(a) == FP_SUBNORMAL;
  }
}
template <class T>
void test_number(Context& c, const Instruction& i, u32 mask) {
  u32 yes = 0;
  for (const int l : lanes(mask)) yes |= static_cast<u32>(belongs(get<T>(c.rows + i.in[0], l), i.variant)) << l;
  put_predicate(c, i.out[0], mask, yes);
}

Space space_of(u64 address) {
  if (address - shared_window < window_bytes) return Space::shared;
  if (address - local_window < window_bytes) return Space::local;
  return address - param_window < window_bytes ? Space::param : Space::global;
}
void test_space(Context& c, const Instruction& i, u32 mask) {
  u32 yes = 0;
  for (const int l : lanes(mask)) yes |= static_cast<u32>(space_of(get<u64>(c.rows + i.in[0], l)) == i.space) << l;
  put_predicate(c, i.out[0], mask, yes);
}

}  // namespace

Execute comparison(Instruction& i, const Opcode& opcode) {
  const std::string& name = opcode.name();
  if (name == "selp") return bytes_of(i.type) == 8 ? &select<u64> : &select<u32>;
  if (name == "testp") {
    static const char* const classes[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    for (u8 k = finite; k <= subnormal; ++k)
      if (opcode.has(classes[k])) i.variant = k;
    return i.type == F64 ? &test_number<double> : &test_number<float>;
  }
  if (name == "isspacep") {
    i.space = opcode.has("shared")  ? Space::shared
              : opcode.has("local") ? Space::local
              : opcode.has("param") ? Space::param
                                    : Space::global;
    return &test_space;
  }
  i.variant2 = opcode.has("and") ? combine_and : opcode.has("or") ? combine_or : combine_xor;
  const bool value = name == "set";
  return relation(value ? i.from : i.type, opcode.word(1), value);
}

}  // namespace weir::ptx
