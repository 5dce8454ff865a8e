// cvt between any two types, and short ways for the frequent pairs.
#include <algorithm>
#include <cmath>

#include "tests/ptx/arithmetic/lane_ops.hpp"

namespace weir::ptx {
namespace {

enum Modifier : u8 { to_integral = 1, saturate = 2, flush = 4 };  // variant2

float flushed(float v) { return std::fabs(v) < 1.17549435e-38f ? std::copysign(0.f, v) : v; }
double from_half(u16 bits) { return static_cast<double>(bits_as<_Float16>(bits)); }
u16 to_half(double v) { return bits_as<u16>(static_cast<_Float16>(v)); }
double from_bfloat(u16 bits) { return bits_as<float>(u32{bits} << 16); }
u16 to_bfloat(float v) {
  if (v != v) return 0x7fff;
  u32 bits = bits_as<u32>(v);
  bits += 0x7fff + (bits >> 16 & 1);
  return static_cast<u16>(bits >> 16);
}

// The low `bytes` of a register, extended as the type asks.
u64 extended(u64 raw, Type type) {
  switch (type) {
    case U8:
    case B8:
      return static_cast<u8>(raw);
    case U16:
    case B16:
      return static_cast<u16>(raw);
    case U32:
    case B32:
      return static_cast<u32>(raw);
    case S8:
      return static_cast<u64>(static_cast<s64>(static_cast<s8>(raw)));
    case S16:
      return static_cast<u64>(static_cast<s64>(static_cast<s16>(raw)));
    case S32:
      return static_cast<u64>(static_cast<s64>(static_cast<s32>(raw)));
    default:
      return raw;
  }
}
s64 largest_signed(int bits) { return static_cast<s64>((u64{1} << (bits - 1)) - 1); }
u64 largest_unsigned(int bits) { return bits == 64 ? ~u64{0} : (u64{1} << bits) - 1; }

u64 saturated(u64 value, bool negative, Type to) {
  const int bits = 8 * bytes_of(to);
  if (!is_signed(to)) return negative ? 0 : std::min(value, largest_unsigned(bits));
  const s64 high = largest_signed(bits), low = -high - 1;
  if (negative) return static_cast<u64>(std::max(static_cast<s64>(value), low));
  return std::min(value, static_cast<u64>(high));
}

u64 integer_to_float(u64 value, bool is_signed_integer, Type to, u8 rounding) {
  const RoundingMode mode(rounding);
  if (to == F64) {
    volatile double v = is_signed_integer ? static_cast<double>(static_cast<s64>(value)) : static_cast<double>(value);
    return bits_as<u64>(static_cast<double>(v));
  }
  if (to == F32) {
    volatile float v = is_signed_integer ? static_cast<float>(static_cast<s64>(value)) : static_cast<float>(value);
    return bits_as<u32>(static_cast<float>(v));
  }
  if (to != F16) unsupported("cvt of an integer to bf16");
  return to_half(is_signed_integer ? static_cast<double>(static_cast<s64>(value)) : static_cast<double>(value));
}

double value_of(u64 raw, Type from, bool flush_it) {
  if (from == F64) return bits_as<double>(raw);
  if (from == F16) return from_half(static_cast<u16>(raw));
  if (from == BF16) return from_bfloat(static_cast<u16>(raw));
  const float v = bits_as<float>(static_cast<u32>(raw));
  return flush_it ? flushed(v) : v;
}

double integral(double v, u8 rounding) {
  switch (rounding) {
    case to_zero:
      return std::trunc(v);
    case down:
      return std::floor(v);
    case up:
      return std::ceil(v);
    default:
      return std::nearbyint(v);
  }
}

// Out of range: the nearest integer. NaN: 0, or the sign bit alone where one side has 64 bits.
u64 float_to_integer(double v, Type from, Type to) {
  const int bits = 8 * bytes_of(to);
  if (v != v) return from == F64 || bits == 64 ? u64{1} << (bits - 1) : 0;
  if (is_signed(to)) {
    const double limit = std::ldexp(1.0, bits - 1);
    if (v >= limit) return static_cast<u64>(largest_signed(bits));
    return static_cast<u64>(v <= -limit ? -largest_signed(bits) - 1 : static_cast<s64>(v));
  }
  return v >= std::ldexp(1.0, bits) ? largest_unsigned(bits) : v <= 0 ? 0 : static_cast<u64>(v);
}

u64 float_to_float(double v, Type to, u8 rounding, u8 modifiers) {
  if (modifiers & saturate) v = v != v ? 0 : std::clamp(v, 0.0, 1.0);
  if (to == F64) return bits_as<u64>(v);
  if (to == F16) return to_half(v);
  if (to == BF16) return to_bfloat(static_cast<float>(v));
  volatile double wide = v;
  volatile float narrow = 0;
  {
    const RoundingMode mode(modifiers & to_integral ? u8{to_nearest} : rounding);
    narrow = static_cast<float>(wide);
  }
  const float out = narrow;
  return bits_as<u32>(modifiers & flush ? flushed(out) : out);
}

u64 converted(u64 raw, const Instruction& i) {
  if (!is_float(i.from)) {
    const u64 value = extended(raw, i.from);
    if (is_float(i.type)) return integer_to_float(value, is_signed(i.from), i.type, i.variant);
    return i.variant2 & saturate ? saturated(value, is_signed(i.from) && static_cast<s64>(value) < 0, i.type) : value;
  }
  double v = value_of(raw, i.from, i.variant2 & flush);
  if (!is_float(i.type) || i.variant2 & to_integral) v = integral(v, i.variant);
  return is_float(i.type) ? float_to_float(v, i.type, i.variant, i.variant2) : float_to_integer(v, i.from, i.type);
}

void convert(Context& c, const Instruction& i, u32 mask) {
  for (const int l : lanes(mask)) {
    u64 out = converted(get_wide(c.rows + i.in[0], l, i.in_width), i);
    if (bytes_of(i.type) < i.out_width)
      out = is_float(i.type) ? out & largest_unsigned(8 * bytes_of(i.type)) : extended(out, i.type);
    put_wide(c.rows + i.out[0], l, i.out_width, out);
  }
}

Execute frequent(const Instruction& i) {
  const auto is = [&](Type to, Type from) { return i.type == to && i.from == from; };
  const bool nearest = i.variant == to_nearest;
  if (i.in_width == 4) {
    if (is(U64, U32) || is(S64, U32)) return &unary<u64, u32, [](u32 a) { return static_cast<u64>(a); }>;
    if (is(S64, S32)) return &unary<s64, s32, [](s32 a) { return static_cast<s64>(a); }>;
    if (is(F64, S32) && nearest) return &unary<double, s32, [](s32 a) { return static_cast<double>(a); }>;
    if (is(F64, U32) && nearest) return &unary<double, u32, [](u32 a) { return static_cast<double>(a); }>;
    if (is(F64, F32)) return &unary<double, float, [](float a) { return static_cast<double>(a); }>;
  }
  if (i.out_width == 4 && (is(U32, U64) || is(S32, S64) || is(U32, S64) || is(S32, U64)))
    return &unary<u32, u64, [](u64 a) { return static_cast<u32>(a); }>;
  if (is(F32, F64) && nearest) return &unary<float, double, [](double a) { return static_cast<float>(a); }>;
  return nullptr;
}

}  // namespace

Execute conversion(Instruction& i, const Opcode& opcode) {
  const bool rounds = opcode.has("rni") || opcode.has("rzi") || opcode.has("rmi") || opcode.has("rpi");
  i.variant2 = static_cast<u8>((rounds ? to_integral : 0) | (opcode.has("sat") ? saturate : 0) |
                               (opcode.has("ftz") ? flush : 0));
  if (i.from == NO_TYPE || i.in[1] != no_row) return nullptr;
  const Execute short_way = i.variant2 ? nullptr : frequent(i);
  return short_way ? short_way : &convert;
}

}  // namespace weir::ptx
