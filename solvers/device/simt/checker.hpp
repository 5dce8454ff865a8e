// The checks of the race build. The other builds link no_checker.cpp, where all of this is empty.
#pragma once
#include <cstddef>

#include "solvers/device/simt/machine.hpp"

namespace weir::simt {

void checker_reserve(const char* begin, const char* end);  // shadow of these addresses
void checker_set_live(char* p, std::size_t bytes, bool live);
void checker_initialised(const void* p, std::size_t bytes);

void checker_enter_device(bool inside);         // accesses of the calling thread are device code's from now on
void checker_begin_index(std::uint32_t index);  // of a loop: device code, and a thread of its own
bool in_device_code();                          // the calling thread
void checker_new_launch();
void checker_new_epoch();  // all that was before is ordered before all that comes
void checker_new_block(Block& b);
void checker_block_barrier(Block& b);
void checker_warp_collective(Block& b, unsigned warp, unsigned lanes);
void checker_fence(Thread& t);

// Happens-before between threads of a launch, kept up by the collectives, fences, acquires and releases
// (synchronisation.cpp).

std::uint32_t current_epoch();
void next_epoch();

// Whether what thread `rank` of `block` did at its count `count` happens before what t does now.
bool happens_before(std::uint32_t block, std::uint32_t rank, std::uint32_t count, const Thread& t);

// An atomic access by t: takes over what was released there; publishes what t knows.
void synchronise_before(Thread& t, const void* p, unsigned access);
void synchronise_after(Thread& t, const void* p, unsigned access);

}  // namespace weir::simt
