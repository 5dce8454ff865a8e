#include "tests/ptx/machine/weak_memory.hpp"

namespace weir::ptx {
namespace {

constexpr u64 sector_bytes = 32, inside = sector_bytes - 1;
constexpr std::size_t most_sectors = 4096;

void write_back(u64 address, Sector& sector) {
  char* memory = reinterpret_cast<char*>(address);
  for (const int byte : lanes(sector.dirty)) memory[byte] = sector.data[static_cast<std::size_t>(byte)];
  sector.dirty = 0;
}

void write_back_one(ThreadBlock& block, u64 address, bool drop) {
  const auto found = block.l1.find(address & ~inside);
  if (found == block.l1.end()) return;
  write_back(found->first, found->second);
  if (drop) block.l1.erase(found);
}

Sector& sector_of(ThreadBlock& block, u64 address) {
  const u64 begin = address & ~inside;
  const auto found = block.l1.find(begin);
  if (found != block.l1.end()) return found->second;
  if (block.l1.size() > most_sectors) l1_write_back(block, true);
  Sector& fresh = block.l1[begin];
  std::memcpy(fresh.data.data(), reinterpret_cast<const void*>(begin), sector_bytes);
  return fresh;
}

}  // namespace

void l1_write_back(ThreadBlock& block, bool invalidate) {
  for (auto& [address, sector] : block.l1) write_back(address, sector);
  if (invalidate) block.l1.clear();
}

// An acquire orders later loads: it publishes nothing that this block has stored.
void l1_invalidate(ThreadBlock& block) {
  std::erase_if(block.l1, [](const auto& entry) { return entry.second.dirty == 0; });
  for (auto& [address, sector] : block.l1)
    for (const int byte : lanes(~sector.dirty))
      sector.data[static_cast<std::size_t>(byte)] = reinterpret_cast<const char*>(address)[byte];
}

void l1_drop(ThreadBlock& block, const char* address) { write_back_one(block, reinterpret_cast<u64>(address), true); }

// A line leaves the cache now and then, so a thread that polls with plain loads is not always stale.
void l1_read(ThreadBlock& block, const char* from, void* to, int bytes) {
  const u64 address = reinterpret_cast<u64>(from);
  if (one_in(16)) write_back_one(block, address, true);
  std::memcpy(to, sector_of(block, address).data.data() + (address & inside), static_cast<std::size_t>(bytes));
}

void l1_write(ThreadBlock& block, char* to, const void* from, int bytes) {
  const u64 address = reinterpret_cast<u64>(to);
  Sector& sector = sector_of(block, address);
  std::memcpy(sector.data.data() + (address & inside), from, static_cast<std::size_t>(bytes));
  sector.dirty |= first_lanes(bytes) << (address & inside);
  if (static_cast<double>(random_number() % 1024) >= options.late * 1024) write_back_one(block, address, false);
}

}  // namespace weir::ptx
