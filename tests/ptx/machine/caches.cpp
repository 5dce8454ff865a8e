// Sectors that caches hold.
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

u64 mixed(u64 number) {
  number *= 0x9e3779b97f4a7c15ull;
  return number ^ number >> 32;
}

constexpr u64 sectors_of_line = 4;

}  // namespace

std::vector<u64> empty_l1(u64 bytes) {
  constexpr u64 set = ways * sectors_of_line * sector_bytes;
  return std::vector<u64>(std::max(bytes / set, u64{1}) * ways, ~u64{0});
}

// A line's number, and below it a bit a sector.
bool l1_holds(std::vector<u64>& l1, u64 sector) {
  const u64 line = sector / sectors_of_line, bit = u64{1} << sector % sectors_of_line;
  const auto set = l1.begin() + static_cast<std::ptrdiff_t>(mixed(line) % (l1.size() / ways) * ways),
             end = set + static_cast<std::ptrdiff_t>(ways);
  const auto found = std::find_if(set, end, [&](u64 entry) { return entry >> sectors_of_line == line; });
  const auto last = found != end ? found : end - 1;
  const u64 entry = found != end ? *found : line << sectors_of_line;
  std::move_backward(set, last, last + 1);
  *set = entry | bit;
  return (entry & bit) != 0;
}

bool l2_holds(u64 sector, Touch touch, LaunchCounts& counts) {
  std::vector<Set>& all = sets();
  Set& set = all[mixed(sector) % all.size()];
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
