// mov in its forms, cvta, activemask, fences.
#include <ctime>

#include "tests/ptx/arithmetic/lane_ops.hpp"
#include "tests/ptx/machine/weak_memory.hpp"

namespace weir::ptx {
namespace {

enum MoveForm : u8 { move_value, move_unpack, move_pack, move_frame_address, move_clock, move_predicate };

u32 part_mask(int bytes) { return bytes < 4 ? (u32{1} << (8 * bytes)) - 1 : ~u32{0}; }

void pack(Context& c, const Instruction& i, u32 mask) {
  const int width = bytes_of(i.type), part = width / i.variant;
  for (const int l : lanes(mask)) {
    u64 out = 0;
    for (int k = 0; k < i.variant; ++k) out |= u64{get<u32>(c.rows + i.in[k], l) & part_mask(part)} << (8 * part * k);
    put_wide(c.rows + i.out[0], l, width, out);
  }
}
void unpack(Context& c, const Instruction& i, u32 mask) {
  const int width = bytes_of(i.type), part = width / i.variant;
  for (const int l : lanes(mask)) {
    const u64 value = get_wide(c.rows + i.in[0], l, width);
    for (int k = 0; k < i.variant; ++k)
      if (i.out[k] != no_row)
        put<u32>(c.rows + i.out[k], l, static_cast<u32>(value >> (8 * part * k)) & part_mask(part));
  }
}
void frame_address(Context& c, const Instruction& i, u32 mask) {
  for (const int l : lanes(mask)) put<u64>(c.rows + i.out[0], l, static_cast<u64>(c.frame + i.immediate));
}
void clock_value(Context& c, const Instruction& i, u32 mask) {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  const u64 now = static_cast<u64>(t.tv_sec) * 1'000'000'000u + static_cast<u64>(t.tv_nsec);
  for (const int l : lanes(mask)) put_wide(c.rows + i.out[0], l, bytes_of(i.type), now);
}
void copy_predicate(Context& c, const Instruction& i, u32 mask) {
  put_predicate(c, i.out[0], mask, predicate(c, i.in[0]));
}

void convert_address(Context& c, const Instruction& i, u32 mask) {
  const u64 window = i.space == Space::shared  ? shared_window
                     : i.space == Space::local ? local_window
                     : i.space == Space::param ? param_window
                                               : 0;
  const u64 add = i.flag ? u64{0} - window : window;
  char* out = c.rows + i.out[0];
  const char* a = c.rows + i.in[0];
  each_lane(mask, [=](int l) { put<u64>(out, l, get<u64>(a, l) + add); });
}

void active_mask(Context& c, const Instruction& i, u32 mask) {
  for (const int l : lanes(mask)) put<u32>(c.rows + i.out[0], l, mask);
}
void fence(Context& c, const Instruction& i, u32) {
  if (options.weak && !i.block_scope) l1_write_back(c.block->unseen, true);
}

}  // namespace

Execute move_operation(Instruction& i, const Opcode& opcode) {
  const std::string& name = opcode.name();
  if (name == "fence" || name == "membar") return &fence;
  if (name == "activemask") return &active_mask;
  if (name == "cvta") return &convert_address;
  if (name != "mov") return nullptr;
  switch (i.variant2) {
    case move_unpack:
      return bytes_of(i.type) / i.variant <= 4 ? &unpack : nullptr;
    case move_pack:
      return bytes_of(i.type) / i.variant <= 4 ? &pack : nullptr;
    case move_frame_address:
      return &frame_address;
    case move_clock:
      return &clock_value;
    case move_predicate:
      return &copy_predicate;
    default:
      return bytes_of(i.type) == 8 ? &unary<u64, u64, [](u64 a) { return a; }>
                                   : &unary<u32, u32, [](u32 a) { return a; }>;
  }
}

}  // namespace weir::ptx
