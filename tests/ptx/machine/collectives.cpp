// Shuffles, votes, matches, reductions of a warp. The scheduler has seen to it that all lanes of the mask that live are
// here.
#include <algorithm>

#include "tests/ptx/machine/machine.hpp"

namespace weir::ptx {
namespace {

// The lane that `lane` reads from, and whether it lies in the segment.
int source_lane(Collective what, int lane, u32 b, u32 bounds, bool& inside) {
  const u32 clamp = bounds & 31, segment = bounds >> 8 & 31, l = static_cast<u32>(lane);
  const int last = static_cast<int>((l & segment) | (clamp & ~segment));
  int source = 0;
  switch (what) {
    case Collective::up:
      source = lane - static_cast<int>(b);
      break;
    case Collective::down:
      source = lane + static_cast<int>(b);
      break;
    case Collective::butterfly:
      source = static_cast<int>(l ^ b);
      break;
    default:
      source = static_cast<int>((l & segment) | (b & ~segment));
  }
  inside = what == Collective::up ? source >= last : source <= last;
  return inside ? source : lane;
}

void shuffle(Context& c, const Instruction& i, u32 mask) {
  constexpr u32 poison = 0xdeadbeef;
  u32 values[32], out[32], inside_bits = 0;
  std::memcpy(values, c.rows + i.in[0], sizeof values);
  for (const int l : lanes(mask)) {
    bool inside = false;
    const u32 b = get<u32>(c.rows + i.in[1], l) & 31;
    const int source = source_lane(static_cast<Collective>(i.variant), l, b, get<u32>(c.rows + i.in[2], l), inside);
    inside_bits |= static_cast<u32>(inside) << l;
    out[l] = values[source];
    if (!(mask >> source & 1)) {
      note(c, i, l, "shuffle from lane " + std::to_string(source) + " that does not take part");
      out[l] = poison;
    }
  }
  for (const int l : lanes(mask)) put<u32>(c.rows + i.out[0], l, out[l]);
  if (i.out[1] != no_row) put_predicate(c, i.out[1], mask, inside_bits);
}

void vote(Context& c, const Instruction& i, u32 mask) {
  const u32 p = (i.flag ? ~predicate(c, i.in[0]) : predicate(c, i.in[0])) & mask;
  const auto all_or_none = [](bool yes) { return yes ? ~u32{0} : 0; };
  switch (static_cast<Collective>(i.variant)) {
    case Collective::ballot:
      for (const int l : lanes(mask)) put<u32>(c.rows + i.out[0], l, p);
      break;
    case Collective::all:
      put_predicate(c, i.out[0], mask, all_or_none(p == mask));
      break;
    case Collective::any:
      put_predicate(c, i.out[0], mask, all_or_none(p != 0));
      break;
    default:
      put_predicate(c, i.out[0], mask, all_or_none(p == mask || p == 0));
  }
}

void match(Context& c, const Instruction& i, u32 mask) {
  const int width = bytes_of(i.type);
  u32 equal[32] = {};
  bool all = true;
  for (const int l : lanes(mask)) {
    for (const int k : lanes(mask))
      if (get_wide(c.rows + i.in[0], k, width) == get_wide(c.rows + i.in[0], l, width)) equal[l] |= 1u << k;
    all = all && equal[l] == mask;
  }
  const bool any = static_cast<Collective>(i.variant) == Collective::match_any;
  for (const int l : lanes(mask)) put<u32>(c.rows + i.out[0], l, any ? equal[l] : all ? mask : 0);
  if (!any && i.out[1] != no_row) put_predicate(c, i.out[1], mask, all ? ~u32{0} : 0);
}

u32 reduced(const Instruction& i, u32 a, u32 b) {
  const bool less = i.type == S32 ? static_cast<s32>(b) < static_cast<s32>(a) : b < a;
  switch (static_cast<Atomic>(i.variant2)) {
    case Atomic::add:
      return a + b;
    case Atomic::min:
      return less ? b : a;
    case Atomic::max:
      return less ? a : b;
    case Atomic::bit_and:
      return a & b;
    case Atomic::bit_or:
      return a | b;
    default:
      return a ^ b;
  }
}
void reduce_lanes(Context& c, const Instruction& i, u32 mask) {
  u32 out = get<u32>(c.rows + i.in[0], first_lane(mask));
  for (const int l : lanes(mask & (mask - 1))) out = reduced(i, out, get<u32>(c.rows + i.in[0], l));
  for (const int l : lanes(mask)) put<u32>(c.rows + i.out[0], l, out);
}

void synchronise(Context&, const Instruction&, u32) {}

}  // namespace

void bind_collective(Instruction& i) {
  using enum Collective;
  switch (static_cast<Collective>(i.variant)) {
    case up:
    case down:
    case butterfly:
    case index:
      i.execute = &shuffle;
      break;
    case ballot:
    case all:
    case any:
    case uniform:
      i.execute = &vote;
      break;
    case match_any:
    case match_all:
      i.execute = &match;
      break;
    case sync:
      i.execute = &synchronise;
      break;
    case reduce:
      i.execute = &reduce_lanes;
      break;
  }
}

}  // namespace weir::ptx
