// Builds without the access checker.
#include "checker.hpp"

namespace weir::simt {

bool checks_accesses() { return false; }
void check_access(const void*, std::size_t, unsigned, const void*) {}
void checker_reserve(const char*, const char*) {}
void checker_set_live(char*, std::size_t, bool) {}
void checker_initialised(const void*, std::size_t) {}
void checker_enter_device(bool) {}
void checker_begin_index(std::uint32_t) {}
void checker_new_launch() {}
void checker_new_epoch() {}
void checker_new_block(Block&) {}
void checker_block_barrier(Block&) {}
void checker_warp_collective(Block&, unsigned, unsigned) {}
void checker_fence(Thread&) {}

}  // namespace weir::simt
