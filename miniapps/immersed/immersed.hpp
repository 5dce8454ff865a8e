// The immersed miniapp, as the command line sees it.
#pragma once
#include <iosfwd>

#include "miniapps/driver/quantity.hpp"
#include "miniapps/immersed/case.hpp"
#include "miniapps/structured/plan.hpp"

namespace weir {

int run_immersed(Run& run, const Table& config);                        // returns the exit code
void info_immersed(const Table& config, int ranks, std::ostream& out);  // sizes, memory, solvers; allocates nothing

RankOptions read_immersed_rank_options(const Table& config);  // includes the number of layers that a rank needs
StructuredPlan immersed_plan(const ImmersedCase& c, const Table& config);

Results immersed_results();

}  // namespace weir
