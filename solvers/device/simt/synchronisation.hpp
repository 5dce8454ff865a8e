// Happens-before between threads of a launch, kept up by the collectives, fences, acquires and releases (race build only).
#pragma once
#include "machine.hpp"

namespace weir::simt {

std::uint32_t current_epoch();
void next_epoch();

// Whether what thread `rank` of `block` did at its count `count` happens before what t does now.
bool happens_before(std::uint32_t block, std::uint32_t rank, std::uint32_t count, const Thread& t);

// An atomic access by t: takes over what was released there; publishes what t knows.
void synchronise_before(Thread& t, const void* p, unsigned access);
void synchronise_after(Thread& t, const void* p, unsigned access);

}  // namespace weir::simt
