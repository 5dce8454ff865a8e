// The race build's checks. Every four bytes of the arena have two nibbles (which bytes may be accessed, which were
// written) and a cell: the last writer and the last readers (two of them). An access that does not happen after those
// is a race, in whatever order the scheduler ran the threads. The emulator is sequentially consistent, so that a
// missing acquire or release is found only here.
#include "checker.hpp"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "arena.hpp"
#include "base/error.hpp"

namespace weir::simt {
namespace {

struct Record {
  std::uint32_t epoch, block, count, code;
  std::uint16_t rank;
  std::uint8_t bytes;  // of the cell, a bit each
  std::uint8_t is_atomic;
};
struct Cell {
  Record write, reads[2];
};

struct Image {  // of the program: constant tables and what CUDA would refuse to compile
  const char *begin = nullptr, *end = nullptr;
};

struct Checker {
  const char *begin = nullptr, *end = nullptr;
  std::uint8_t* live = nullptr;  // low nibble: may be accessed; high nibble: was written
  Cell* cells = nullptr;
  Image program, emulator;
  std::uint32_t epoch = 1;
  std::uint32_t index = 0;  // the present index of a loop
  bool in_loop = false;
  std::uint32_t random = 1;
};
Checker checker;  // constant-initialised: accesses come before main
thread_local bool in_device = false;

std::size_t cell_of(const char* p) { return static_cast<std::size_t>(p - checker.begin) / 4; }

std::uint32_t code_offset(const void* pc) {
  return static_cast<std::uint32_t>(static_cast<const char*>(pc) - checker.program.begin);
}

template <class T>
T* reserve(std::size_t count) {
  void* p =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw Error(Exit::out_of_memory, "no addresses for the shadow of the emulated device");
  return static_cast<T*>(p);
}

int note_image(dl_phdr_info* info, std::size_t, void* only_of) {
  Image image;
  image.begin = reinterpret_cast<const char*>(info->dlpi_addr);
  for (int k = 0; k < info->dlpi_phnum; ++k)
    if (info->dlpi_phdr[k].p_type == PT_LOAD)
      image.end = std::max(image.end, image.begin + info->dlpi_phdr[k].p_vaddr + info->dlpi_phdr[k].p_memsz);
  if (!checker.program.begin) checker.program = image;  // the program itself comes first
  const auto* p = static_cast<const char*>(only_of);
  if (p >= image.begin && p < image.end) checker.emulator = image;
  return 0;
}

bool within(const Image& image, const char* p) { return p >= image.begin && p < image.end; }

const char* verb(bool writes) { return writes ? "write" : "read"; }

// Outside of the arena a kernel has its own stack, its arguments, and constants.
void check_host_memory(const char* p, std::size_t bytes, bool writes, const void* pc) {
  const Machine& m = machine();
  if (on_stack_of(*m.self, p)) return;
  if (!writes && p >= m.arguments && p < m.arguments_end) return;
  if (!writes && (within(checker.program, p) || within(checker.emulator, p))) return;
  const char* what = on_any_stack(p) ? "another thread's local" : "host";
  fail(format("%s of %zu bytes of %s memory (%p) in device code at ", verb(writes), bytes, what,
              static_cast<const void*>(p)) +
       describe_code(code_offset(pc)));
}

[[noreturn]] void report_host_access(const void* p, const void* pc) {
  std::fprintf(stderr, "weir: host code dereferences a device pointer (%p) at %s\n", p,
               describe_code(code_offset(pc)).c_str());
  std::abort();
}

void check_bounds(const char* p, std::size_t bytes, std::uint8_t wanted, bool writes, bool reads, const void* pc) {
  std::uint8_t& live = checker.live[cell_of(p)];
  if ((live & wanted) != wanted)
    fail(format("out-of-bounds %s of %zu bytes at ", verb(writes), bytes) + describe_code(code_offset(pc)) + ": " +
         describe_address(p));
  if (reads && (live >> 4 & wanted) != wanted)
    fail(std::string("read of uninitialised memory at ") + describe_code(code_offset(pc)) + ": " + describe_address(p));
  if (writes) live = static_cast<std::uint8_t>(live | wanted << 4);
}

bool ordered(const Record& r, const Thread& t) {
  return r.epoch != current_epoch() || happens_before(r.block, r.rank, r.count, t);
}
bool by_same_thread(const Record& r, const Thread& t) { return r.block == t.block->id && r.rank == t.rank; }

std::string author(const Record& r) {
  if (machine().in_loop) return format("index %u", r.block);
  return format("block %u thread %u", r.block, r.rank);
}

void report_race(const Record& before, const char* was, const char* now, const void* p, const void* pc) {
  fail(format("race: %s here, at ", now) + describe_code(code_offset(pc)) + format(", and %s by ", was) +
       author(before) + " at " + describe_code(before.code) +
       ", without synchronisation between them: " + describe_address(p));
}

void check_order(const char* p, std::uint8_t bytes, unsigned access, const void* pc) {
  const Thread& t = *machine().self;
  const bool writes = access & Access::write, is_atomic = access & Access::atomic;
  Cell& c = checker.cells[cell_of(p)];
  const auto conflicts = [&](const Record& r) {
    return (r.bytes & bytes) && !(is_atomic && r.is_atomic) && !ordered(r, t);
  };
  if (conflicts(c.write)) report_race(c.write, "write", verb(writes), p, pc);
  const Record now{current_epoch(), t.block->id, t.clock.now, code_offset(pc), static_cast<std::uint16_t>(t.rank),
                   bytes,           is_atomic};
  if (writes) {
    for (const Record& r : c.reads)
      if (conflicts(r)) report_race(r, "read", "write", p, pc);
    c.write = now;
    return;
  }
  for (Record& r : c.reads)
    if (by_same_thread(r, t) || ordered(r, t)) {
      r = now;
      return;
    }
  if (machine().random() & 1) c.reads[machine().random() >> 20 & 1] = now;
}

}  // namespace

bool checks_accesses() { return true; }

void checker_reserve(const char* begin, const char* end) {
  checker.begin = begin;
  checker.end = end;
  const auto cells = static_cast<std::size_t>(end - begin) / 4;
  checker.live = reserve<std::uint8_t>(cells);
  checker.cells = reserve<Cell>(cells);
  dl_iterate_phdr(note_image, &checker);
}

void checker_enter_device(bool inside) {
  in_device = inside;
  if (inside) checker.in_loop = false;
}

bool in_device_code() { return in_device; }

void checker_set_live(char* p, std::size_t bytes, bool live) {
  std::uint8_t* first = checker.live + cell_of(p);
  std::fill_n(first, (bytes + 3) / 4, live ? 0x0f : 0);
  if (live && p < arena().device_begin)  // the next block has the same shared memory in the same launch
    std::fill_n(checker.cells + cell_of(p), (bytes + 3) / 4, Cell{});
  if (live && bytes % 4) first[bytes / 4] = static_cast<std::uint8_t>((1 << bytes % 4) - 1);
}

void checker_initialised(const void* p, std::size_t bytes) {
  const auto* from = static_cast<const char*>(p);
  for (const char *c = from, *end = from + bytes; c < end;) {
    const auto in_cell = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(c) % 4);
    const auto count = std::min<std::size_t>(4 - in_cell, static_cast<std::size_t>(end - c));
    checker.live[cell_of(c)] |= static_cast<std::uint8_t>(((1u << count) - 1) << in_cell << 4);
    c += count;
  }
}

// Most accesses: whole cells, in a loop, nothing wrong. False where the long way must look.
namespace {

bool note_in_loop(const char* p, std::size_t bytes, bool writes, const void* pc) {
  if ((reinterpret_cast<std::uintptr_t>(p) | bytes) & 3) return false;
  const std::uint32_t epoch = checker.epoch, index = checker.index;
  const auto others = [=](const Record& r) { return r.epoch == epoch && r.block != index; };
  const Record now{epoch, index, 1, code_offset(pc), 0, 0x0f, 0};
  std::uint8_t* live = checker.live + cell_of(p);
  Cell* c = checker.cells + cell_of(p);
  for (std::size_t k = 0; k < bytes / 4; ++k, ++live, ++c) {
    if (others(c->write)) return false;
    if (writes) {
      if ((*live & 0x0f) != 0x0f || others(c->reads[0]) || others(c->reads[1])) return false;
      *live = 0xff;
      c->write = now;
    } else {
      if (*live != 0xff) return false;
      if (!others(c->reads[0])) {
        c->reads[0] = now;
      } else if (!others(c->reads[1]) || (checker.random = checker.random * 1664525 + 1013904223) >> 31) {
        c->reads[1] = now;
      }
    }
  }
  return true;
}

}  // namespace

std::uint32_t current_epoch() { return checker.epoch; }
void next_epoch() { ++checker.epoch; }

void checker_begin_index(std::uint32_t index) {
  checker.index = index;
  checker.in_loop = in_device = true;
}

// Called by every hook.
void check_access(const void* address, std::size_t bytes, unsigned access, const void* pc) {
  const auto* p = static_cast<const char*>(address);
  const bool inside = p >= checker.begin && p < checker.end;
  if (!in_device) {
    if (inside) report_host_access(p, pc);
    return;
  }
  const bool writes = access & Access::write, is_atomic = access & Access::atomic;
  if (inside && checker.in_loop && access <= Access::write && note_in_loop(p, bytes, writes, pc)) return;
  if (!inside) return check_host_memory(p, bytes, writes, pc);
  Thread& t = *machine().self;
  if (is_atomic) synchronise_before(t, address, access);
  for (const char *c = p, *end = p + bytes; c < end;) {
    const auto in_cell = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(c) % 4);
    const auto count = std::min<std::size_t>(4 - in_cell, static_cast<std::size_t>(end - c));
    const auto mask = static_cast<std::uint8_t>(((1u << count) - 1) << in_cell);
    check_bounds(c, bytes, mask, writes, !writes || access & Access::modify, pc);
    check_order(c, mask, access, pc);
    c += count;
  }
  if (is_atomic && writes) synchronise_after(t, address, access);
}

}  // namespace weir::simt
