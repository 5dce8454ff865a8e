#include "tests/ptx/machine/access.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "tests/ptx/machine/memory.hpp"

namespace weir::ptx {
namespace {

std::string hexadecimal(u64 address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

[[noreturn]] void illegal(const Context& c, const Instruction& i, int lane, u64 address, int bytes,
                          const Allocation* a) {
  std::string what = "illegal address " + hexadecimal(address) + " (" + std::to_string(bytes) + " bytes): ";
  if (!a)
    what += "no allocation";
  else
    what += "byte " + std::to_string(address - a->begin) + " of " + (a->live ? "" : "freed ") + "allocation #" +
            std::to_string(a->number) + " of " + std::to_string(a->size) + " bytes";
  fault(c, i, lane, cudaErrorIllegalAddress, what + (i.stores ? " written" : " read"));
}

char* global_pointer(const Context& c, const Instruction& i, int lane, u64 address, int bytes, bool& device) {
  const u64 end = address + static_cast<u64>(bytes);
  if (i.met.generation != allocation_generation() || address < i.met.begin || end > i.met.end) {
    const Allocation* a = allocation_of(address);
    if (!a || !a->live || end > a->end()) illegal(c, i, lane, address, bytes, a);
    i.met = {a->begin, a->end(), a->pinned ? 0 : device_shift(), allocation_generation(), !a->pinned};
  }
  device = i.met.device;
  return reinterpret_cast<char*>(address) + i.met.shift;
}

Space generic_space(u64& address) {
  for (const auto& [space, window] :
       {std::pair{Space::shared, shared_window}, {Space::local, local_window}, {Space::param, param_window}})
    if (address - window < window_bytes) {
      address -= window;
      return space;
    }
  return Space::global;
}

// 32 banks of 4 bytes; accesses of 8 bytes go by half warps, of 16 by quarters.
void count_banks(const Instruction& i, const u64* addresses, int n, LaunchCounts& counts) {
  const int bytes = i.bytes * i.elements;
  const int together = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8, words = std::max(bytes / 4, 1);
  ++counts.shared_accesses;
  for (int begin = 0; begin < n; begin += together) {
    u64 touched[64];
    int number = 0, in_bank[32] = {};
    for (int k = begin; k < std::min(n, begin + together); ++k)
      for (int w = 0; w < words; ++w) touched[number++] = addresses[k] / 4 + static_cast<u64>(w);
    std::sort(touched, touched + number);
    const u64* end = std::unique(touched, touched + number);
    for (const u64* word = touched; word != end; ++word) ++in_bank[*word % 32];
    counts.conflicts += static_cast<u64>(std::max(*std::max_element(in_bank, in_bank + 32), 1) - 1);
    ++counts.passes;
  }
}

// Sectors of 32 bytes, and how few they could be.
void count_sectors(const Instruction& i, u64* addresses, int n, LaunchCounts& counts) {
  const auto distinct = [](u64* begin, u64* end) {
    std::sort(begin, end);
    return static_cast<u64>(std::unique(begin, end) - begin);
  };
  const u64 bytes = static_cast<u64>(i.bytes) * i.elements;
  const u64 ideal = (distinct(addresses, addresses + n) * bytes + 31) / 32;
  u64 numbers[32];
  std::transform(addresses, addresses + n, numbers, [](u64 a) { return a / 32; });
  const u64 sectors = distinct(numbers, numbers + n);
  i.counts.ideal += ideal;
  i.counts.sectors += sectors;
  ++i.counts.accesses;
  ++counts.accesses;
  counts.fewest += ideal;
  counts.sectors += sectors;
}

}  // namespace

u64 lane_address(const Context& c, const Instruction& i, int lane) {
  const u64 base = i.in[0] == no_row ? 0 : get_wide(c.rows + i.in[0], lane, i.address_width);
  return base + static_cast<u64>(i.immediate);
}

char* checked_pointer(const Context& c, const Instruction& i, int lane, int bytes, bool& device) {
  u64 address = lane_address(c, i, lane);
  device = false;
  if (address & static_cast<u64>(bytes - 1))
    fault(c, i, lane, cudaErrorMisalignedAddress,
          "misaligned address " + hexadecimal(address) + " (" + std::to_string(bytes) + " bytes)");
  const Space space = i.space == Space::generic ? generic_space(address) : i.space;
  if (space == Space::global) return global_pointer(c, i, lane, address, bytes, device);
  const auto check = [&](u64 size, const char* name) {
    const u64 end = address + static_cast<u64>(bytes);
    if (address > size || end > size)
      fault(c, i, lane, cudaErrorIllegalAddress,
            std::string(name) + " memory: bytes " + std::to_string(static_cast<s64>(address)) + " to " +
                std::to_string(static_cast<s64>(end)) + " of " + std::to_string(size));
  };
  if (space == Space::shared) {
    check(c.launch->shared_bytes, "shared");
    return c.block->shared.data() + address;
  }
  if (space == Space::param) {
    check(static_cast<u64>(c.launch->kernel->param_bytes), "parameter");
    if (i.stores) fault(c, i, lane, cudaErrorIllegalAddress, "store to parameters");
    return const_cast<char*>(c.launch->request.parameters.data()) + address;
  }
  if (space == Space::frame) address += static_cast<u64>(c.frame);
  check(static_cast<u64>(c.launch->local_bytes), "local");
  return c.warp->local.get() + static_cast<s64>(lane) * c.launch->local_bytes + static_cast<s64>(address);
}

void count_access(const Context& c, const Instruction& i, u32 mask) {
  if (i.space == Space::param || i.space == Space::frame || i.space == Space::local) return;
  u64 addresses[32];
  int n = 0;
  bool shared = i.space == Space::shared;
  for (const int l : lanes(mask)) {
    addresses[n] = lane_address(c, i, l);
    if (i.space == Space::generic) {
      const Space space = generic_space(addresses[n]);
      if (space == Space::local) return;
      shared = space == Space::shared;
    }
    ++n;
  }
  if (shared)
    count_banks(i, addresses, n, *c.launch->counts);
  else
    count_sectors(i, addresses, n, *c.launch->counts);
}

}  // namespace weir::ptx
