// A write-back cache a block, in front of the device's memory: plain loads may give what was there before, plain stores
// may stay unseen, until a fence, an acquire or a release of that block. Two blocks that exchange data without one find
// out.
#pragma once
#include "tests/ptx/machine/machine.hpp"

namespace weir::ptx {

void l1_read(ThreadBlock& block, const char* from, void* to, int bytes);
void l1_write(ThreadBlock& block, char* to, const void* from, int bytes);
void l1_write_back(ThreadBlock& block, bool invalidate);
void l1_invalidate(ThreadBlock& block);                 // but for its own stores
void l1_drop(ThreadBlock& block, const char* address);  // writes the address's sector back and forgets it

}  // namespace weir::ptx
