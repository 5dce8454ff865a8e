// Sectors that the device's L2 holds.
#include <algorithm>
#include <array>

#include "tests/ptx/machine/counts.hpp"

namespace weir::ptx {
namespace {

constexpr std::size_t ways = 16;
constexpr u64 sector_bytes = 32;

// A sector's number and, in the lowest bit, whether it has been written; the last used comes first.
using Set = std::array<u64, ways>;

std::vector<Set>& sets() {
  static std::vector<Set> all(std::max<std::size_t>(options.l2 / (sector_bytes * ways), 1), Set{});
  return all;
}

}  // namespace

bool l2_holds(u64 sector, Touch touch, LaunchCounts& counts) {
  u64 mixed = sector * 0x9e3779b97f4a7c15ull;
  mixed ^= mixed >> 32;
  std::vector<Set>& all = sets();
  Set& set = all[mixed % all.size()];
  const u64 key = sector << 1;
  const auto found = std::find_if(set.begin(), set.end(), [&](u64 entry) { return (entry & ~u64{1}) == key; });
  const bool held = found != set.end();
  const auto last = held ? found : set.end() - 1;
  u64 entry = held ? *found : key;
  if (!held && (*last & 1)) counts.written_memory += sector_bytes;
  if (!held && touch == Touch::read) counts.read_memory += sector_bytes;
  if (touch == Touch::write) entry |= 1;
  std::move_backward(set.begin(), last, last + 1);
  set.front() = entry;
  return held;
}

}  // namespace weir::ptx
