// From a lane's address to a byte of the host, checked; and what accesses of a warp cost.
#pragma once
#include "tests/ptx/machine/machine.hpp"

namespace weir::ptx {

u64 lane_address(const Context& context, const Instruction& instruction, int lane);
// Ends the kernel where the address lies outside of live allocations, of its window, or is not aligned. `device`: the
// byte lies in the device's memory, so it goes through the L1.
char* checked_pointer(const Context& context, const Instruction& instruction, int lane, int bytes, bool& device);
// The word's old value.
u64 apply_atomic(Type type, Atomic op, char* p, u64 a, u64 b);
void count_access(const Context& context, const Instruction& instruction, u32 mask);

}  // namespace weir::ptx
