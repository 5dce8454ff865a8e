// Host memory, the ledger, and the scratch of reductions.
#include "solvers/device/array.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
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

void* host_allocate(std::int64_t bytes) {
  // Large arrays sit on huge pages where the system has them (a walk of 4 KiB pages halves the speed of a vector
  // update).
  constexpr std::int64_t huge_page = 1 << 21;
  const std::int64_t alignment = bytes >= huge_page ? huge_page : 64,
                     padded = (bytes + alignment - 1) / alignment * alignment;
  void* p = std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(padded));
  if (!p) throw Error(Exit::out_of_memory, "out of memory: " + std::to_string(bytes) + " bytes wanted in host space");
  if (alignment == huge_page)
    madvise(p, static_cast<std::size_t>(bytes / huge_page * huge_page), MADV_HUGEPAGE);  // a hint: failure is harmless
  auto* c = static_cast<char*>(p);
  constexpr std::int64_t page = 1 << 16;
#pragma omp parallel for schedule(static) if (padded > 4 * page)
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
