// The incompressible miniapp, as the command line sees it.
#pragma once
#include <iosfwd>

#include "miniapps/driver/quantity.hpp"
#include "miniapps/structured/plan.hpp"

namespace weir {

int run_incompressible(Run& run, const Table& config);  // returns the exit code
// Prints sizes, memory and solvers; allocates nothing.
void info_incompressible(const Table& config, int ranks, std::ostream& out);

StructuredPlan incompressible_plan(const IncompressibleCase& c, const Table& config);  // plan for either scheme
// Artificial compressibility.
StructuredPlan coupled_plan(const IncompressibleCase& c, const Table& config);
int run_coupled(Run& run, const Table& config, const StructuredPlan& plan);

Results incompressible_results();
QuantityTable coupled_quantities(), coupled_columns();

}  // namespace weir
