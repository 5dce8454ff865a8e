// ld, st, atom, red.
#include "tests/ptx/machine/access.hpp"
#include "tests/ptx/machine/memory.hpp"
#include "tests/ptx/machine/weak_memory.hpp"

namespace weir::ptx {
namespace {

u64 extended(u64 v, Type type) {
  switch (type) {
    case S8:
      return static_cast<u64>(static_cast<s64>(static_cast<s8>(v)));
    case S16:
      return static_cast<u64>(static_cast<s64>(static_cast<s16>(v)));
    case S32:
      return static_cast<u64>(static_cast<s64>(static_cast<s32>(v)));
    default:
      return v;
  }
}

// A full warp at neighbouring addresses of one allocation: the place of lane 0, else nullptr.
char* contiguous(const Context& c, const Instruction& i, u32 mask) {
  if (mask != ~u32{0} || i.elements != 1 || i.address_width != 8 || i.in[0] == no_row || options.weak) return nullptr;
  const u64* a = reinterpret_cast<const u64*>(c.rows + i.in[0]);
  const u64 step = i.bytes;
  u64 differs = 0;
#pragma GCC ivdep
  for (int l = 0; l < 32; ++l) differs |= a[l] ^ (a[0] + static_cast<u64>(l) * step);
  const u64 first = a[0] + static_cast<u64>(i.immediate), end = first + 32 * step;
  if (differs || (first & (step - 1))) return nullptr;
  if (i.space == Space::shared)
    return first <= c.launch->shared_bytes && end <= c.launch->shared_bytes ? c.block->shared.data() + first : nullptr;
  if (i.met.generation != allocation_generation() || first < i.met.begin || end > i.met.end) return nullptr;
  return reinterpret_cast<char*>(first) + i.met.shift;
}

bool acquires(const Instruction& i) {
  return !i.block_scope && (i.semantics == Semantics::acquire || i.semantics == Semantics::acquire_release);
}
bool releases(const Instruction& i) {
  return !i.block_scope && (i.semantics == Semantics::release || i.semantics == Semantics::acquire_release);
}
// Not an exchange, which may hand over a lock.
bool may_be_late(Atomic op) { return op <= Atomic::bit_xor; }
bool is_plain(const Instruction& i) { return i.semantics == Semantics::weak || i.semantics == Semantics::read_only; }

void load(Context& c, const Instruction& i, u32 mask) {
  const int bytes = i.bytes * i.elements;
  if (i.bytes == i.out_width)
    if (const char* all = contiguous(c, i, mask)) {
      std::memcpy(c.rows + i.out[0], all, static_cast<std::size_t>(32 * bytes));
      return;
    }
  for (const int l : lanes(mask)) {
    bool device = false;
    const char* p = checked_pointer(c, i, l, bytes, device);
    char raw[32];
    if (device && options.weak && is_plain(i)) {
      l1_read(c.block->unseen, p, reinterpret_cast<const char*>(i.met.end) + i.met.shift, raw, bytes);
    } else {
      if (device && options.weak) l1_drop(c.block->unseen, p);
      std::memcpy(raw, p, static_cast<std::size_t>(bytes));
    }
    for (int k = 0; k < i.elements; ++k) {
      u64 v = 0;
      std::memcpy(&v, raw + k * i.bytes, i.bytes);
      if (i.out[k] != no_row) put_wide(c.rows + i.out[k], l, i.out_width, extended(v, i.type));
    }
  }
  if (options.weak && acquires(i)) l1_invalidate(c.block->unseen);
}

void store(Context& c, const Instruction& i, u32 mask) {
  const int bytes = i.bytes * i.elements;
  if (i.bytes == i.in_width)
    if (char* all = contiguous(c, i, mask)) {
      std::memcpy(all, c.rows + i.in[1], static_cast<std::size_t>(32 * bytes));
      return;
    }
  if (options.weak && releases(i)) l1_write_back(c.block->unseen, false);
  for (const int l : lanes(mask)) {
    bool device = false;
    char* p = checked_pointer(c, i, l, bytes, device);
    char raw[32];
    for (int k = 0; k < i.elements; ++k) {
      const u64 v = get_wide(c.rows + i.in[1 + k], l, i.in_width);
      std::memcpy(raw + k * i.bytes, &v, i.bytes);
    }
    if (device && options.weak && i.semantics == Semantics::weak) {
      l1_write(c.block->unseen, p, raw, bytes);
      continue;
    }
    if (device && options.weak) l1_drop(c.block->unseen, p);
    std::memcpy(p, raw, static_cast<std::size_t>(bytes));
  }
}

// Lane by lane; the first is any where the schedule is not convergent: no order is promised.
void atomic(Context& c, const Instruction& i, u32 mask) {
  if (options.weak && releases(i)) l1_write_back(c.block->unseen, false);
  if (options.weak && acquires(i)) l1_invalidate(c.block->unseen);
  const u32 first = options.schedule == Schedule::convergent ? 0 : static_cast<u32>(random_number() % 32);
  for (u32 k = 0; k < 32; ++k) {
    const int l = static_cast<int>((first + k) % 32);
    if (!(mask >> l & 1)) continue;
    bool device = false;
    char* p = checked_pointer(c, i, l, i.bytes, device);
    const auto operand = [&](int in) { return in == no_row ? 0 : get_wide(c.rows + in, l, i.in_width); };
    const auto op = static_cast<Atomic>(i.variant);
    if (device && options.weak > 1 && i.out[0] == no_row && i.semantics == Semantics::relaxed && may_be_late(op)) {
      atomic_late(c.block->unseen, {i.type, op, p, operand(i.in[1])});
      continue;
    }
    if (device && options.weak) l1_drop(c.block->unseen, p);
    const u64 old = apply_atomic(i.type, op, p, operand(i.in[1]), operand(i.in[2]));
    if (i.out[0] != no_row) put_wide(c.rows + i.out[0], l, i.out_width, old);
  }
}

}  // namespace

bool bind_memory(Instruction& i) {
  i.execute = i.atomic ? &atomic : i.stores ? &store : &load;
  return i.bytes > 0 && i.bytes <= 8 && i.elements * i.bytes <= 32;
}

}  // namespace weir::ptx
