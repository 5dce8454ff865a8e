// Floating point, correctly rounded but for what PTX calls approximate: there the host's functions are more exact than
// a GPU's.
#include <cfenv>
#include <cmath>
#include <type_traits>

#include "tests/ptx/arithmetic/lane_ops.hpp"

namespace weir::ptx {

RoundingMode::RoundingMode(u8 mode) : before_(std::fegetround()) {
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  std::fesetround(modes[mode]);
}
RoundingMode::~RoundingMode() { std::fesetround(before_); }

namespace {

enum class Op { add, sub, mul, fma, div, sqrt, reciprocal };

// Directed roundings: one lane at a time, through volatile, so that no operation leaves the mode it belongs to.
template <class T, Op op>
void directed(Context& c, const Instruction& i, u32 mask) {
  for (const int l : lanes(mask)) {
    volatile T a = get<T>(c.rows + i.in[0], l), b = i.in[1] == no_row ? T{1} : get<T>(c.rows + i.in[1], l),
               d = i.in[2] == no_row ? T{0} : get<T>(c.rows + i.in[2], l), out = 0;
    {
      const RoundingMode mode(i.variant);
      if constexpr (op == Op::add) out = a + b;
      if constexpr (op == Op::sub) out = a - b;
      if constexpr (op == Op::mul) out = a * b;
      if constexpr (op == Op::fma) out = std::fma(static_cast<T>(a), static_cast<T>(b), static_cast<T>(d));
      if constexpr (op == Op::div) out = a / b;
      if constexpr (op == Op::sqrt) out = std::sqrt(static_cast<T>(a));
      if constexpr (op == Op::reciprocal) out = T{1} / a;
    }
    put<T>(c.rows + i.out[0], l, out);
  }
}
template <class T>
Execute directed_operation(const std::string& name) {
  if (name == "add") return &directed<T, Op::add>;
  if (name == "sub") return &directed<T, Op::sub>;
  if (name == "mul") return &directed<T, Op::mul>;
  if (name == "fma" || name == "mad") return &directed<T, Op::fma>;
  if (name == "div") return &directed<T, Op::div>;
  if (name == "sqrt") return &directed<T, Op::sqrt>;
  return name == "rcp" ? &directed<T, Op::reciprocal> : nullptr;
}

// Of a number and a NaN the number; -0 < +0.
template <class T>
T smaller(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T larger(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <class T>
T multiply_add(T a, T b, T c) {
  if constexpr (sizeof(T) == 8)
    return __builtin_fma(a, b, c);
  else
    return __builtin_fmaf(a, b, c);
}
template <class T>
T square_root(T a) {
  if constexpr (sizeof(T) == 8)
    return __builtin_sqrt(a);
  else
    return __builtin_sqrtf(a);
}
double reciprocal_of_20_bits(double a) {  // rcp.approx.f64: the low word is zero
  const double r = 1 / a;
  return r == r ? bits_as<double>(bits_as<u64>(r) & ~u64{0xffffffff}) : r;
}

template <class T>
Execute rounded_to_nearest(const std::string& name, bool approximate) {
  if (name == "add") return &binary<T, T, T, [](T a, T b) { return a + b; }>;
  if (name == "sub") return &binary<T, T, T, [](T a, T b) { return a - b; }>;
  if (name == "mul") return &binary<T, T, T, [](T a, T b) { return a * b; }>;
  if (name == "fma" || name == "mad") return &ternary<T, T, T, T, [](T a, T b, T c) { return multiply_add(a, b, c); }>;
  if (name == "div") return &binary<T, T, T, [](T a, T b) { return a / b; }>;
  if (name == "sqrt") return &unary<T, T, [](T a) { return square_root(a); }>;
  if (name == "rcp" && approximate && sizeof(T) == 8)
    return &unary<T, T, [](T a) { return static_cast<T>(reciprocal_of_20_bits(a)); }>;
  if (name == "rcp") return &unary<T, T, [](T a) { return T{1} / a; }>;
  if (name == "rsqrt") return &unary<T, T, [](T a) { return static_cast<T>(1 / std::sqrt(static_cast<double>(a))); }>;
  if (name == "min") return &binary<T, T, T, [](T a, T b) { return smaller(a, b); }>;
  if (name == "max") return &binary<T, T, T, [](T a, T b) { return larger(a, b); }>;
  if (name == "abs") return &unary<T, T, [](T a) { return std::fabs(a); }>;
  if (name == "neg") return &unary<T, T, [](T a) { return -a; }>;
  if (name == "copysign") return &binary<T, T, T, [](T a, T b) { return std::copysign(b, a); }>;
  if (name == "ex2") return &unary<T, T, [](T a) { return static_cast<T>(std::exp2(static_cast<double>(a))); }>;
  if (name == "lg2") return &unary<T, T, [](T a) { return static_cast<T>(std::log2(static_cast<double>(a))); }>;
  if (name == "sin") return &unary<T, T, [](T a) { return static_cast<T>(std::sin(static_cast<double>(a))); }>;
  if (name == "cos") return &unary<T, T, [](T a) { return static_cast<T>(std::cos(static_cast<double>(a))); }>;
  if (name == "tanh") return &unary<T, T, [](T a) { return static_cast<T>(std::tanh(static_cast<double>(a))); }>;
  return nullptr;
}

template <class T>
Execute of_type(const Instruction& i, const Opcode& opcode) {
  if (i.variant != to_nearest) return directed_operation<T>(opcode.name());
  return rounded_to_nearest<T>(opcode.name(), opcode.has("approx"));
}

}  // namespace

Execute float_operation(const Instruction& i, const Opcode& opcode) {
  if (opcode.has("sat")) return nullptr;
  return i.type == F64 ? of_type<double>(i, opcode) : of_type<float>(i, opcode);
}

}  // namespace weir::ptx
