#include "solvers/device/mapped_blocks.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <iterator>

namespace weir::detail {
namespace {

constexpr std::size_t granule = MappedBlocks::granule;

std::size_t whole_granules(std::size_t bytes) { return (bytes + granule - 1) / granule * granule; }

// The unused end of the last granule takes addresses but no memory.
char* map_pages(std::size_t bytes) {
  const std::size_t whole = whole_granules(bytes);
  void* p = mmap(nullptr, whole + granule, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  auto* first = static_cast<char*>(p);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(p) % granule;
  if (before > 0) munmap(first, before);
  munmap(first + before + whole, granule - before);
  char* const data = first + before;
  madvise(data, bytes / granule * granule, MADV_HUGEPAGE);  // a hint
  return data;
}

}  // namespace

// The smallest cached block that is large enough, cut to size: a block of one large array serves several smaller ones,
// and adjacent freed blocks serve a larger one.
char* MappedBlocks::take_kept(std::size_t bytes) {
  auto best = free_.end();
  for (auto it = free_.begin(); it != free_.end(); ++it)
    if (it->second >= bytes && (best == free_.end() || it->second < best->second)) best = it;
  if (best == free_.end()) return nullptr;
  const auto [data, size] = *best;
  free_.erase(best);
  if (size > bytes) free_.emplace(data + bytes, size - bytes);
  kept_ -= bytes;
  return data;
}

MappedBlocks::Block MappedBlocks::take(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (char* kept = take_kept(whole_granules(bytes))) return {kept, false};
  char* fresh = map_pages(bytes);
  if (!fresh && kept_ > 0) {
    trim_locked();
    fresh = map_pages(bytes);
  }
  return {fresh, true};
}

// If the cache would exceed its limit, all cached blocks are freed first: they have not been reused.
void MappedBlocks::put_back(char* data, std::size_t used) noexcept {
  const std::size_t bytes = whole_granules(used);
  const std::scoped_lock lock(mutex_);
  if (kept_ + bytes > most_kept_) trim_locked();
  if (bytes > most_kept_) {
    munmap(data, bytes);
    return;
  }
  kept_ += bytes;
  auto it = free_.emplace(data, bytes).first;
  if (const auto next = std::next(it); next != free_.end() && data + bytes == next->first) {
    it->second += next->second;
    free_.erase(next);
  }
  if (it == free_.begin()) return;
  if (const auto last = std::prev(it); last->first + last->second == data) {
    last->second += it->second;
    free_.erase(it);
  }
}

void MappedBlocks::trim() noexcept {
  const std::scoped_lock lock(mutex_);
  trim_locked();
}

void MappedBlocks::trim_locked() noexcept {
  for (const auto& [data, size] : free_) munmap(data, size);
  free_.clear();
  kept_ = 0;
}

std::size_t MappedBlocks::kept() const {
  const std::scoped_lock lock(mutex_);
  return kept_;
}

}  // namespace weir::detail
