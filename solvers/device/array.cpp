// Host memory, the ledger, and the scratch of reductions.
#include "solvers/device/array.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "solvers/device/chunked_reduce.hpp"
#include "solvers/device/ledger.hpp"

namespace weir {

Ledger& ledger() {
  static Ledger the_ledger;
  return the_ledger;
}

namespace detail {

namespace {

constexpr std::int64_t huge_page = 1 << 21;
#if defined(__SANITIZE_ADDRESS__)  // it watches what malloc gives out
constexpr std::int64_t mapped_from = std::numeric_limits<std::int64_t>::max();
#else
constexpr std::int64_t mapped_from = huge_page;
#endif
constexpr std::int64_t rounded_up(std::int64_t bytes, std::int64_t to) { return (bytes + to - 1) / to * to; }

// Whole huge pages of their own, straight from the system: after a first release malloc gives arrays of up to 32 MB out of its
// heap again, and vector updates in those took up to twice as long, which small pages would explain.
void* map_pages(std::int64_t bytes) {
  const auto whole = static_cast<std::size_t>(rounded_up(bytes, huge_page));
  void* p = mmap(nullptr, whole + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  auto* first = static_cast<char*>(p);
  const auto before = static_cast<std::size_t>(-reinterpret_cast<std::uintptr_t>(p) % huge_page);
  if (before > 0) munmap(first, before);
  munmap(first + before + whole, huge_page - before);
  madvise(first + before, static_cast<std::size_t>(bytes / huge_page * huge_page), MADV_HUGEPAGE);  // a hint
  return first + before;
}

}  // namespace

void* host_allocate(std::int64_t bytes) {
  constexpr std::int64_t alignment = 64;
  void* p = bytes >= mapped_from
                ? map_pages(bytes)
                : std::aligned_alloc(alignment, static_cast<std::size_t>(rounded_up(bytes, alignment)));
  if (!p) throw Error(Exit::out_of_memory, "out of memory: " + std::to_string(bytes) + " bytes wanted in host space");
  auto* c = static_cast<char*>(p);
  constexpr std::int64_t page = 1 << 16;
#pragma omp parallel for schedule(static) if (bytes > 4 * page)
  for (std::int64_t o = 0; o < bytes; o += page)  // what lies behind costs addresses, no memory
    std::memset(c + o, 0, static_cast<std::size_t>(std::min(page, bytes - o)));
  Ledger& l = ledger();
  ++l.host_allocations;
  l.host_bytes += bytes;
  l.host_peak_bytes = std::max(l.host_peak_bytes, l.host_bytes);
  return p;
}

void host_release(void* p, std::int64_t bytes) {
  ledger().host_bytes -= bytes;
  if (bytes >= mapped_from)
    munmap(p, static_cast<std::size_t>(rounded_up(bytes, huge_page)));
  else
    std::free(p);
}

double* reduction_scratch(std::int64_t count) {
  static std::vector<double> scratch;
  if (static_cast<std::int64_t>(scratch.size()) < count) scratch.resize(static_cast<std::size_t>(count));
  return scratch.data();
}

double tree_sum(const double* v, std::int64_t n) {
  if (n <= 8) {
    double s = 0;
    for (std::int64_t i = 0; i < n; ++i) s += v[i];
    return s;
  }
  const std::int64_t half = n / 2;
  return tree_sum(v, half) + tree_sum(v + half, n - half);
}

}  // namespace detail
}  // namespace weir
