// Fibers: a stack and a saved context a thread (Boost.Context), and the switches between them and the host.
#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>

#include "base/error.hpp"
#include "checker.hpp"
#include "machine.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace weir::simt {
namespace {

namespace context = boost::context::detail;

constexpr std::size_t page = 4096;
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t stack_bytes = 256 * 1024;  // its frames carry red zones
#else
constexpr std::size_t stack_bytes = 128 * 1024;
#endif
constexpr std::size_t stride = stack_bytes + 2 * page;  // a guard page below; stacks do not start on the same cache set

struct Stacks {
  char* begin = nullptr;
  std::size_t count = 0;
  context::fcontext_t host = nullptr;
  void (*entry)() = nullptr;
  void* host_fake_stack = nullptr;  // AddressSanitizer's
  const void* host_bottom = nullptr;
  std::size_t host_bytes = 0;
};
Stacks& stacks() {
  static Stacks s;
  return s;
}

char* bottom(std::size_t i) { return stacks().begin + i * stride + page; }

void start_switch([[maybe_unused]] void** save, [[maybe_unused]] const void* low, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(save, low, bytes);
#endif
}
void finish_switch([[maybe_unused]] void* saved, [[maybe_unused]] const void** low,
                   [[maybe_unused]] std::size_t* bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(saved, low, bytes);
#endif
}

void first_entry(context::transfer_t from) {
  Stacks& s = stacks();
  s.host = from.fctx;
  finish_switch(nullptr, &s.host_bottom, &s.host_bytes);
  s.entry();  // never returns
}

}  // namespace

void reserve_stacks(std::size_t count) {
  Stacks& s = stacks();
  if (count <= s.count) return;
  machine().blocks.clear();
  if (s.begin) munmap(s.begin, s.count * stride);
  void* p = mmap(nullptr, count * stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw Error(Exit::out_of_memory, "no memory for the stacks of emulated threads");
  s.begin = static_cast<char*>(p);
  s.count = count;
  constexpr std::size_t most_guards = 8192;  // each costs the kernel a mapping
  if (count <= most_guards)
    for (std::size_t i = 0; i < count; ++i) mprotect(s.begin + i * stride, page, PROT_NONE);
}

void make_fiber(Thread& t, void (*entry)()) {
  stacks().entry = entry;
  char* low = bottom(t.stack);
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(low, stack_bytes);
#endif
  t.fake_stack = nullptr;
  const std::size_t colour = t.stack * 7 % 61 * 64;  // spread over the cache's sets
  t.context = context::make_fcontext(low + stack_bytes - colour, stack_bytes - colour, first_entry);
}

void switch_to(Thread& t) {
  Stacks& s = stacks();
  machine().self = &t;
  checker_enter_device(true);
  start_switch(&s.host_fake_stack, bottom(t.stack), stack_bytes);
  t.context = context::jump_fcontext(t.context, nullptr).fctx;
  finish_switch(s.host_fake_stack, nullptr, nullptr);
  checker_enter_device(false);
  machine().self = nullptr;
}

void switch_to_host() {
  Stacks& s = stacks();
  Thread& t = *machine().self;
  start_switch(&t.fake_stack, s.host_bottom, s.host_bytes);
  s.host = context::jump_fcontext(s.host, nullptr).fctx;
  finish_switch(t.fake_stack, &s.host_bottom, &s.host_bytes);
}

bool on_stack_of(const Thread& t, const void* p) {
  const auto* c = static_cast<const char*>(p);
  return c >= bottom(t.stack) && c < bottom(t.stack) + stack_bytes;
}
bool on_any_stack(const void* p) {
  const auto* c = static_cast<const char*>(p);
  return c >= stacks().begin && c < stacks().begin + stacks().count * stride;
}

void forget_stacks() {
#if defined(__SANITIZE_ADDRESS__)
  for (std::size_t i = 0; i < stacks().count; ++i) __asan_unpoison_memory_region(bottom(i), stack_bytes);
#endif
}

}  // namespace weir::simt
