// A write-back cache a block, in front of the device's memory: plain loads may give what was there before, plain stores
// may stay unseen, until a fence, an acquire or a release of that block. Two blocks that exchange data without one find
// out. WEIR_PTX_WEAK=2: atomics without a result may stay unseen, too, loads are done early, the end of a block makes
// nothing seen, and blocks pause after fences.
#pragma once
#include "tests/ptx/machine/machine.hpp"

namespace weir::ptx {

// `end` of the allocation.
void l1_read(Unseen& block, const char* from, const char* end, void* to, int bytes);
void l1_write(Unseen& block, char* to, const void* from, int bytes);
void l1_write_back(Unseen& block, bool invalidate);
void make_seen(Unseen& block);
// At the end of a block: what it leaves may still be late, until the end of the launch.
void leave_unseen(ThreadBlock& block, std::vector<Unseen>& ended);
void l1_invalidate(Unseen& block);  // but for its own stores
void atomic_late(Unseen& block, const LateAtomic& atomic);
void l1_drop(Unseen& block, const char* address);  // writes the address's sector back and forgets it

}  // namespace weir::ptx
