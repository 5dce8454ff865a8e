// The run of the coupled scheme, and what is known of its cases before anything is allocated.
#pragma once
#include "miniapps/structured/plan.hpp"

namespace weir {

int run_coupled(Run& run, const Table& config, const StructuredPlan& plan);  // the process's exit code
StructuredPlan coupled_plan(const IncompressibleCase& c, const Table& config);

}  // namespace weir
