// The time loop of the coupled scheme, and what is known of its cases before anything is allocated.
#pragma once
#include <iosfwd>

#include "miniapps/incompressible/info.hpp"
#include "postproc/run/run.hpp"

namespace weir {

int run_coupled(Run& run, const Table& config, const IncompressibleCase& c);  // the process's exit code
void info_coupled(const Table& config, const IncompressibleCase& c, int ranks, std::ostream& out);

MemoryEstimate coupled_memory_estimate(const IncompressibleCase& c, const Table& config);
// Everything of the header but the solver's description and the profiles' quantities.
RunHeader coupled_header(const IncompressibleCase& c);

}  // namespace weir
