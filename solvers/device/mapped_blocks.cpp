#include "solvers/device/mapped_blocks.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <iterator>

namespace weir::detail {
namespace {

constexpr std::size_t granule = MappedBlocks::granule;

std::size_t whole_granules(std::size_t bytes) { return (bytes + granule - 1) / granule * granule; }

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Touches a huge page for the first time. A virtual machine that hands free huge pages back to its host waits for the host here: 4.6 ms
// a page, 512 small ones, which it keeps longer, 0.8 ms. Then the rest of the process has small pages: a first solve on 128^3 takes
// 0.35 s and not 0.87, later ones 3 % longer.
bool is_from_host(char* page) {
  constexpr double suspicious = 1e-3, often = 16;
  const double start = thread_seconds();
  *static_cast<volatile char*>(page) = 0;
  const double fault = thread_seconds() - start;
  if (fault < suspicious) return false;
  std::memset(page, 0, granule);
  return fault > often * (thread_seconds() - start - fault);
}

// What of the last granule is not asked for costs addresses, no memory.
char* map_pages(std::size_t bytes) {
  const std::size_t whole = whole_granules(bytes);
  void* p = mmap(nullptr, whole + granule, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  auto* first = static_cast<char*>(p);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(p) % granule;
  if (before > 0) munmap(first, before);
  munmap(first + before + whole, granule - before);
  char* const data = first + before;
  static std::atomic<bool> is_slow = false;
  if (is_slow.load(std::memory_order_relaxed)) return data;
  madvise(data, granule, MADV_HUGEPAGE);  // hints
  if (is_from_host(data))
    is_slow.store(true, std::memory_order_relaxed);
  else
    madvise(data, bytes / granule * granule, MADV_HUGEPAGE);
  return data;
}

}  // namespace

// The smallest block that is large enough, cut to size: a kept block of one large array serves several smaller ones, and neighbours
// that were given back serve a larger one.
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

// Above the limit it begins anew with this block: what was kept until now has not been asked for again.
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
