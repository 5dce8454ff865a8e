#include "tests/ptx/machine/weak_memory.hpp"

#include <algorithm>
#include <utility>

#include "tests/ptx/machine/access.hpp"

namespace weir::ptx {
namespace {

constexpr u64 sector_bytes = 32, inside = sector_bytes - 1;
constexpr std::size_t most_sectors = 4096;

void write_back(u64 address, Sector& sector) {
  char* memory = reinterpret_cast<char*>(address);
  for (const int byte : lanes(sector.dirty)) memory[byte] = sector.data[static_cast<std::size_t>(byte)];
  sector.dirty = 0;
}

void write_back_one(Unseen& block, u64 address, bool drop) {
  const auto found = block.l1.find(address & ~inside);
  if (found == block.l1.end()) return;
  write_back(found->first, found->second);
  if (drop) block.l1.erase(found);
}

Sector& sector_of(Unseen& block, u64 address) {
  const u64 begin = address & ~inside;
  const auto found = block.l1.find(begin);
  if (found != block.l1.end()) return found->second;
  if (block.l1.size() > most_sectors) {
    l1_write_back(block, false);
    block.l1.clear();
  }
  Sector& fresh = block.l1[begin];
  std::memcpy(fresh.data.data(), reinterpret_cast<const void*>(begin), sector_bytes);
  return fresh;
}

// Bytes that the block has not written are dropped, or read again as if fetched at once for a later load.
void forget_or_renew(Unseen& block) {
  if (options.weak < 2 || one_in(2)) std::erase_if(block.l1, [](const auto& entry) { return entry.second.dirty == 0; });
  for (auto& [address, sector] : block.l1)
    for (const int byte : lanes(~sector.dirty))
      sector.data[static_cast<std::size_t>(byte)] = reinterpret_cast<const char*>(address)[byte];
}

// Those that memory sees now, in order; the others stay.
template <class F>
void settle(Unseen& block, const F& is_seen) {
  const auto now = [&](const LateAtomic& a) {
    const bool seen = is_seen(reinterpret_cast<u64>(a.to));
    if (!seen) return false;
    write_back_one(block, reinterpret_cast<u64>(a.to), true);
    apply_atomic(a.type, a.op, a.to, a.operand, 0);
    return true;
  };
  block.late.erase(std::remove_if(block.late.begin(), block.late.end(), now), block.late.end());
}

// Before the block itself looks at an address; now and then another of its atomics comes to be seen.
void settle_at(Unseen& block, u64 address) {
  if (block.late.empty()) return;
  settle(block, [=](u64 a) { return (a & ~inside) == (address & ~inside); });
  if (block.late.empty() || !one_in(16)) return;
  const u64 any = reinterpret_cast<u64>(block.late[random_number() % block.late.size()].to);
  settle(block, [=](u64 a) { return a == any; });
}

// Loads may be done before the program asks for them: now and then the sectors that follow are there already.
void fetch_early(Unseen& block, u64 address, u64 end) {
  constexpr u64 sectors = 32;
  for (u64 k = 1, at = (address & ~inside) + sector_bytes; k < sectors && at + sector_bytes <= end;
       ++k, at += sector_bytes)
    if (block.l1.size() < most_sectors) sector_of(block, at);
}

}  // namespace

void atomic_late(Unseen& block, const LateAtomic& atomic) {
  write_back_one(block, reinterpret_cast<u64>(atomic.to), true);  // its own stores there come first
  block.late.push_back(atomic);
  if (static_cast<double>(random_number() % 1024) >= options.late * 1024)
    settle_at(block, reinterpret_cast<u64>(atomic.to));
}

void l1_write_back(Unseen& block, bool invalidate) {
  settle(block, [](u64) { return true; });
  for (auto& [address, sector] : block.l1) write_back(address, sector);
  if (invalidate) forget_or_renew(block);
}

void make_seen(Unseen& block) { l1_write_back(block, true); }

void leave_unseen(ThreadBlock& block, std::vector<Unseen>& ended) {
  if (options.weak < 2) return make_seen(block.unseen);
  ended.push_back(std::move(block.unseen));
  block.unseen = {};
  constexpr std::size_t most = 8;
  if (ended.size() <= most && !one_in(4)) return;
  std::swap(ended[random_number() % ended.size()], ended.back());
  make_seen(ended.back());
  ended.pop_back();
}

// An acquire orders later loads: it publishes nothing that this block has stored.
void l1_invalidate(Unseen& block) { forget_or_renew(block); }

void l1_drop(Unseen& block, const char* address) {
  settle_at(block, reinterpret_cast<u64>(address));
  write_back_one(block, reinterpret_cast<u64>(address), true);
}

// A line leaves the cache now and then, so a thread that polls with plain loads is not always stale.
void l1_read(Unseen& block, const char* from, const char* end, void* to, int bytes) {
  const u64 address = reinterpret_cast<u64>(from);
  settle_at(block, address);
  if (one_in(16)) write_back_one(block, address, true);
  if (options.weak > 1 && one_in(64)) fetch_early(block, address, reinterpret_cast<u64>(end));
  std::memcpy(to, sector_of(block, address).data.data() + (address & inside), static_cast<std::size_t>(bytes));
}

void l1_write(Unseen& block, char* to, const void* from, int bytes) {
  const u64 address = reinterpret_cast<u64>(to);
  settle_at(block, address);
  Sector& sector = sector_of(block, address);
  std::memcpy(sector.data.data() + (address & inside), from, static_cast<std::size_t>(bytes));
  sector.dirty |= first_lanes(bytes) << (address & inside);
  if (static_cast<double>(random_number() % 1024) >= options.late * 1024) write_back_one(block, address, false);
}

}  // namespace weir::ptx
