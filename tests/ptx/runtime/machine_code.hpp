// Output of ptxas for a module on sm_90, kept in files of options.cache.
#pragma once
#include "tests/ptx/parse/program.hpp"

namespace weir::ptx {

void read_registers(Module& module);  // of all its kernels

// Gives the instructions of a kernel and of what it calls the number of machine instructions that they become, where
// options.disassembler names nvdisasm; else they stay at one each. A call that ptxas adds (the slow path of a division)
// is counted without what it calls, and no loop as unrolled by ptxas.
void read_machine_instructions(Function& kernel);

}  // namespace weir::ptx
