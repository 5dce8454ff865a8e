// Memory of the emulated device: an arena of addresses that is reserved at once and backed by pages as they are
// touched, with red zones between allocations, and everything poisoned (0xff: not a number, -1) until it is written.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>

#include "arena.hpp"
#include "base/error.hpp"
#include "checker.hpp"
#include "machine.hpp"
#include "solvers/device/simt/backend/runtime.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace weir::simt {
namespace {

constexpr std::size_t gib = std::size_t{1} << 30;
constexpr std::size_t shared_bytes = 2 * gib;  // of addresses
constexpr std::size_t red_zone = 64, granule = 256, growth = 64 << 20, small_page = 4096, huge_page = 2 << 20;

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

struct Heap {
  char* top = nullptr;                // nothing above was ever allocated
  char* opened = nullptr;             // pages above may not be accessed yet
  std::map<char*, std::size_t> live;  // requested bytes
  std::map<char*, std::size_t> free;  // whole granules; neighbours are merged
};
Heap& heap() {
  static Heap h;
  return h;
}

std::size_t physical_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

Arena reserve() {
  // The checker keeps 16 bytes of shadow a byte: its build has smaller arenas.
  const std::size_t device_bytes = checks_accesses() ? std::min(physical_bytes(), 4 * gib) : physical_bytes();
  const std::size_t bytes = shared_bytes + round_up(device_bytes, growth) + huge_page;
  void* p = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw Error(Exit::out_of_memory, "no addresses for the memory of the emulated device");
  Arena a;
  a.begin = reinterpret_cast<char*>(round_up(reinterpret_cast<std::uintptr_t>(p), huge_page));
  a.device_begin = a.begin + shared_bytes;
  a.end = a.begin + bytes - huge_page;
  checker_reserve(a.begin, a.end);
  heap().top = heap().opened = a.device_begin;
  return a;
}

void open_up_to(char* p) {
  Heap& h = heap();
  if (p <= h.opened) return;
  const std::size_t bytes = round_up(static_cast<std::size_t>(p - h.opened), growth);
  if (mprotect(h.opened, bytes, PROT_READ | PROT_WRITE) != 0)
    throw Error(Exit::out_of_memory, "out of memory in device space");
  madvise(h.opened, bytes, MADV_HUGEPAGE);  // a hint, as for large arrays of the host
  h.opened += bytes;
}

char* take(std::size_t whole) {
  Heap& h = heap();
  for (auto it = h.free.begin(); it != h.free.end(); ++it) {
    if (it->second < whole) continue;
    char* p = it->first;
    const std::size_t rest = it->second - whole;
    h.free.erase(it);
    if (rest > 0) h.free[p + whole] = rest;
    return p;
  }
  if (whole > static_cast<std::size_t>(arena().end - h.top)) return nullptr;
  char* p = h.top;
  open_up_to(p + whole);
  h.top += whole;
  return p;
}

void put_back(char* p, std::size_t whole) {
  Heap& h = heap();
  if (whole >= growth / 64) {  // its pages go back to the system
    char* low = reinterpret_cast<char*>(round_up(reinterpret_cast<std::uintptr_t>(p), small_page));
    madvise(low, (whole - static_cast<std::size_t>(low - p)) / small_page * small_page, MADV_DONTNEED);
  }
  auto it = h.free.emplace(p, whole).first;
  if (const auto next = std::next(it); next != h.free.end() && it->first + it->second == next->first) {
    it->second += next->second;
    h.free.erase(next);
  }
  if (it != h.free.begin())
    if (const auto before = std::prev(it); before->first + before->second == it->first) {
      before->second += it->second;
      h.free.erase(it);
    }
}

}  // namespace

const Arena& arena() {
  static const Arena a = reserve();
  return a;
}

char* shared_slot(std::size_t block) {
  char* p = arena().begin + block * Arena::shared_slot;
  if (p + Arena::shared_slot > arena().device_begin)
    throw Error(Exit::out_of_memory, "too many resident blocks for the emulator");
  mprotect(p, Arena::shared_slot, PROT_READ | PROT_WRITE);
  return p;
}

void set_live(char* p, std::size_t bytes, bool live) {
#if defined(__SANITIZE_ADDRESS__)
  if (live)
    __asan_unpoison_memory_region(p, bytes);
  else
    __asan_poison_memory_region(p, round_up(bytes, 8));
#endif
  checker_set_live(p, bytes, live);
}

void poison(char* p, std::size_t bytes) { std::memset(p, 0xff, bytes); }

char* allocate(std::size_t bytes) {
  char* p = take(round_up(bytes + red_zone, granule));
  if (!p) return nullptr;
  heap().live[p] = bytes;
  set_live(p, bytes, true);
  poison(p, bytes);
  return p;
}

void release(char* p) {
  const auto it = heap().live.find(p);
  if (it == heap().live.end()) return;
  set_live(p, it->second, false);
  put_back(p, round_up(it->second + red_zone, granule));
  heap().live.erase(it);
}

bool is_allocated(const void* address, std::size_t bytes) {
  auto* p = static_cast<char*>(const_cast<void*>(address));
  auto it = heap().live.upper_bound(p);
  if (it == heap().live.begin()) return false;
  --it;
  return p + bytes <= it->first + it->second;
}

std::string describe_address(const void* address) {
  auto* p = static_cast<char*>(const_cast<void*>(address));
  if (const Thread* t = machine().self)
    for (const SharedArray& a : t->block->arrays)
      if (p >= a.data - red_zone && p < a.data + a.bytes + red_zone)
        return format("offset %td of shared '%s' of %zu bytes", p - a.data, a.name, a.bytes);
  auto it = heap().live.upper_bound(p);
  if (it == heap().live.begin()) return "";
  --it;
  return format("offset %td of a device array of %zu bytes", p - it->first, it->second);
}

// ---- protection ----

bool memory_is_protected = false;

void open_memory(bool open) {
  const Heap& h = heap();
  if (h.opened > arena().device_begin)
    mprotect(arena().device_begin, static_cast<std::size_t>(h.opened - arena().device_begin),
             open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

namespace {

void on_fault(int signal, siginfo_t* info, void*) {
  if (in_arena(info->si_addr) && !machine().self) {
    constexpr char text[] = "weir: host code dereferences a device pointer\n";
    [[maybe_unused]] const auto n = write(STDERR_FILENO, text, sizeof text - 1);
  }
  std::signal(signal, SIG_DFL);  // the access is repeated and ends the process
}

}  // namespace

void protect_device_memory(bool on) {
  if (on == memory_is_protected) return;
  arena();
  if (on) {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
  }
  memory_is_protected = on;
  open_memory(!on);
}

}  // namespace weir::simt
