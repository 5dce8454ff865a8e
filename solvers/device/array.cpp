// Host memory, the ledger, and the scratch of reductions.
#include "solvers/device/array.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "solvers/device/asynchronous/fetch_scalars.hpp"
#include "solvers/device/chunked_reduce.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/device/mapped_blocks.hpp"

namespace weir {

Ledger& ledger() {
  static thread_local Ledger of_this_thread;
  return of_this_thread;
}

namespace detail {

void fetch_scalars(void* host, const void* device, std::int64_t bytes) {
  Ledger& l = ledger();
  const Ledger before = l;
  backend::copy_to_host(host, device, bytes);
  l.copies_to_host = before.copies_to_host;
  l.bytes_to_host = before.bytes_to_host;
  l.scalars_to_host += bytes / static_cast<std::int64_t>(sizeof(double));
}

namespace {

#if defined( \
    __SANITIZE_ADDRESS__)  // it watches what malloc gives out, and would not see the use of a block that is kept
constexpr std::int64_t mapped_from = std::numeric_limits<std::int64_t>::max();
#else
constexpr std::int64_t mapped_from = MappedBlocks::granule;
#endif

// A sixteenth of the machine's memory is kept at most; every process has its own.
std::size_t most_kept() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 16;
}

// Never destroyed: arrays may outlive whatever is static.
MappedBlocks& mapped_blocks() {
  static auto& blocks = *new MappedBlocks(most_kept());
  return blocks;
}

// Zeroes a block by the threads that will use it. A fresh block is zero already, and one write per page is enough.
void clear(char* c, std::int64_t bytes, bool is_fresh) {
  constexpr std::int64_t part = 1 << 16, page = 1 << 12;
#pragma omp parallel for schedule(static) if (bytes > 4 * part)
  for (std::int64_t o = 0; o < bytes; o += part) {
    const std::int64_t end = std::min(o + part, bytes);
    if (is_fresh)
      for (std::int64_t p = o; p < end; p += page) c[p] = 0;
    else
      std::memset(c + o, 0, static_cast<std::size_t>(end - o));
  }
}

}  // namespace

void* host_allocate(std::int64_t bytes) {
  constexpr std::int64_t alignment = 64;
  MappedBlocks::Block block;
  if (bytes >= mapped_from)
    block = mapped_blocks().take(static_cast<std::size_t>(bytes));
  else
    block.data = static_cast<char*>(
        std::aligned_alloc(alignment, static_cast<std::size_t>((bytes + alignment - 1) / alignment * alignment)));
  if (!block.data)
    throw Error(Exit::out_of_memory, "out of memory: " + std::to_string(bytes) + " bytes requested in host space");
  clear(block.data, bytes, block.is_fresh);
  Ledger& l = ledger();
  ++l.host_allocations;
  l.host_bytes += bytes;
  l.host_peak_bytes = std::max(l.host_peak_bytes, l.host_bytes);
  return block.data;
}

void host_release(void* p, std::int64_t bytes) {
  ledger().host_bytes -= bytes;
  if (bytes >= mapped_from)
    mapped_blocks().put_back(static_cast<char*>(p), static_cast<std::size_t>(bytes));
  else
    std::free(p);
}

void refuse_count(std::int64_t n) {
  throw Error(Exit::out_of_memory, "a loop over " + std::to_string(n) +
                                       " values, more than 2147483647 in one process: use fewer cells or more ranks");
}

double* reduction_scratch(std::int64_t count) {
  static thread_local std::vector<double> scratch;  // solvers of several threads reduce at a time
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
