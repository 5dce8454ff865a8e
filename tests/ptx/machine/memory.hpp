// The device's memory: allocations with gaps between them, addresses that are used once, pinned host memory next to
// them.
//
// A program sees device memory as pages without access, so a host that follows a device pointer stops there. The
// interpreter works on a second range of addresses, a constant shift away.
#pragma once
#include "tests/ptx/base.hpp"

namespace weir::ptx {

inline constexpr u64 device_bytes = u64{80} << 30;

struct Allocation {
  u64 begin, size;
  bool pinned;  // host memory that the device reaches
  u64 number;
  bool live = true;
  u64 end() const { return begin + size; }
};

u64 allocate(u64 bytes);           // filled with 0xff
bool release(u64 address);         // false: not the begin of a live allocation. The address stays taken
void* allocate_pinned(u64 bytes);  // nullptr: the host has no more
bool release_pinned(void* pointer);
u64 live_bytes();  // of cudaMalloc, which counts them itself
void count_live(s64 bytes);

// The allocation, live or freed, in or shortly after which an address lies; nullptr: none.
const Allocation* allocation_of(u64 address);
u32 allocation_generation();  // another number after every change
bool is_device(u64 address);
bool is_pinned(u64 address);
bool in_live_allocation(u64 address, u64 bytes);  // host memory that is not pinned counts as live
s64 device_shift();
char* real(u64 address);  // where the interpreter finds the byte

}  // namespace weir::ptx
