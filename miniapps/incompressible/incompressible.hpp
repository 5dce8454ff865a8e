// The incompressible miniapp, as the command line sees it.
#pragma once
#include <iosfwd>

#include "miniapps/structured/plan.hpp"

namespace weir {

std::vector<KeyTable> incompressible_keys();
int run_incompressible(Run& run, const Table& config);  // the process's exit code
void info_incompressible(const Table& config, int ranks,
                         std::ostream& out);  // sizes, memory, solvers; allocates nothing

StructuredPlan incompressible_plan(const IncompressibleCase& c, const Table& config);  // of either scheme

}  // namespace weir
