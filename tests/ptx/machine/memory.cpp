#include "tests/ptx/machine/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace weir::ptx {
namespace {

constexpr u64 arena_bytes = u64{1} << 42, gap = 256, page = 4096;
constexpr u64 filled = u64{1} << 28;  // larger allocations stay zero: untouched pages cost nothing

struct Arena {
  u64 begin, next;
  s64 shift;
  Arena() {
    const auto range = [](int protection) {
      void* p = mmap(nullptr, arena_bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (p == MAP_FAILED) unsupported("no address space for the device's memory");
      return static_cast<char*>(p);
    };
    char *seen = range(PROT_NONE), *real = range(PROT_READ | PROT_WRITE);
    madvise(real, arena_bytes, MADV_NOHUGEPAGE);
    begin = reinterpret_cast<u64>(seen);
    next = begin + page;
    shift = real - seen;
  }
};
Arena& arena() {
  static Arena the_arena;
  return the_arena;
}

std::map<u64, Allocation> allocations;
u32 generation = 1;
u64 count = 0;
s64 live = 0;

}  // namespace

u64 allocate(u64 bytes) {
  Arena& a = arena();
  const u64 at = a.next;
  a.next = round_up(a.next + bytes + gap, gap);
  if (a.next > a.begin + arena_bytes) unsupported("more allocations than there are addresses");
  allocations[at] = {at, bytes, false, ++count};
  ++generation;
  if (bytes <= filled) std::memset(real(at), 0xff, bytes);
  return at;
}

bool release(u64 address) {
  const auto found = allocations.find(address);
  if (found == allocations.end() || !found->second.live || found->second.pinned) return false;
  found->second.live = false;
  ++generation;
  const u64 first = round_up(address, page), end = found->second.end() / page * page;
  if (end > first) madvise(real(first), end - first, MADV_DONTNEED);
  return true;
}

void* allocate_pinned(u64 bytes) {
  bytes = std::max<u64>(bytes, 1);
  void* p = std::aligned_alloc(page, round_up(bytes, page));
  if (!p) return nullptr;
  std::memset(p, 0xff, bytes);
  const u64 at = reinterpret_cast<u64>(p);
  allocations[at] = {at, bytes, true, ++count};
  ++generation;
  return p;
}

bool release_pinned(void* p) {
  const auto found = allocations.find(reinterpret_cast<u64>(p));
  if (found == allocations.end() || !found->second.pinned) return false;
  allocations.erase(found);
  ++generation;
  std::free(p);
  return true;
}

u64 live_bytes() { return static_cast<u64>(live); }
void count_live(s64 bytes) { live += bytes; }

const Allocation* allocation_of(u64 address) {
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin()) return nullptr;
  const Allocation& found = std::prev(next)->second;
  constexpr u64 shortly = u64{1} << 20;
  return address < found.end() + shortly ? &found : nullptr;
}

u32 allocation_generation() { return generation; }
bool is_device(u64 address) { return address - arena().begin < arena_bytes; }
bool is_pinned(u64 address) {
  const Allocation* a = allocation_of(address);
  return a && a->pinned && address < a->end();
}
bool in_live_allocation(u64 address, u64 bytes) {
  if (!is_device(address)) return true;
  const Allocation* a = allocation_of(address);
  return a && a->live && address + bytes <= a->end();
}
s64 device_shift() { return arena().shift; }
char* real(u64 address) { return reinterpret_cast<char*>(address) + (is_device(address) ? arena().shift : 0); }

}  // namespace weir::ptx
