// The compressible miniapp, as the command line sees it.
#pragma once
#include <iosfwd>

#include "base/table.hpp"
#include "postproc/run/run.hpp"

namespace weir {

std::vector<KeyTable> compressible_keys();
int run_compressible(Run& run, const Table& config);                        // the process's exit code
void info_compressible(const Table& config, int ranks, std::ostream& out);  // sizes, memory, solvers; starts nothing

}  // namespace weir
