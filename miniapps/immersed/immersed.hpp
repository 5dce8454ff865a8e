// The immersed miniapp, as the command line sees it.
#pragma once
#include <iosfwd>

#include "base/table.hpp"
#include "postproc/run/run.hpp"

namespace weir {

std::vector<KeyTable> immersed_keys();
int run_immersed(Run& run, const Table& config);                        // the process's exit code
void info_immersed(const Table& config, int ranks, std::ostream& out);  // sizes, memory, solvers; allocates nothing

}  // namespace weir
