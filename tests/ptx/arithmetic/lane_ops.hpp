// One function of a lane's values, applied to rows. A full warp takes a loop without branches, which vectorises.
#pragma once
#include <string>
#include <vector>

#include "tests/ptx/machine/machine.hpp"

namespace weir::ptx {

template <class F>
inline void each_lane(u32 mask, const F& f) {
  if (mask == ~u32{0}) {
#pragma GCC ivdep
    for (int lane = 0; lane < 32; ++lane) f(lane);
  } else {
    for (const int lane : lanes(mask)) f(lane);
  }
}
template <class Out, class A, auto F>
void unary(Context& c, const Instruction& i, u32 mask) {
  char* out = c.rows + i.out[0];
  const char* a = c.rows + i.in[0];
  each_lane(mask, [=](int l) { put<Out>(out, l, F(get<A>(a, l))); });
}
template <class Out, class A, class B, auto F>
void binary(Context& c, const Instruction& i, u32 mask) {
  char* out = c.rows + i.out[0];
  const char *a = c.rows + i.in[0], *b = c.rows + i.in[1];
  each_lane(mask, [=](int l) { put<Out>(out, l, F(get<A>(a, l), get<B>(b, l))); });
}
template <class Out, class A, class B, class C, auto F>
void ternary(Context& c, const Instruction& i, u32 mask) {
  char* out = c.rows + i.out[0];
  const char *a = c.rows + i.in[0], *b = c.rows + i.in[1], *d = c.rows + i.in[2];
  each_lane(mask, [=](int l) { put<Out>(out, l, F(get<A>(a, l), get<B>(b, l), get<C>(d, l))); });
}

// The parts of an opcode after its name.
class Opcode {
 public:
  explicit Opcode(const std::vector<std::string>& words) : words_(words) {}
  const std::string& name() const { return words_[0]; }
  const std::string& word(std::size_t k) const { return words_.at(k); }
  std::size_t size() const { return words_.size(); }
  bool has(const char* word) const {
    for (std::size_t k = 1; k < words_.size(); ++k)
      if (words_[k] == word) return true;
    return false;
  }

 private:
  const std::vector<std::string>& words_;
};

// The function of an instruction, nullptr: not known.
Execute move_operation(Instruction& i, const Opcode& opcode);
Execute comparison(Instruction& i, const Opcode& opcode);
Execute conversion(Instruction& i, const Opcode& opcode);
Execute integer_operation(const Instruction& i, const Opcode& opcode);
Execute bit_operation(Instruction& i, const Opcode& opcode);
Execute float_operation(const Instruction& i, const Opcode& opcode);

enum Rounding : u8 { to_nearest, to_zero, down, up };
class RoundingMode {  // of the host, for a while
 public:
  explicit RoundingMode(u8 mode);
  ~RoundingMode();
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

}  // namespace weir::ptx
