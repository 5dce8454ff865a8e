// What is known of a case before anything is allocated.
#pragma once
#include "miniapps/immersed/case.hpp"
#include "miniapps/structured/plan.hpp"

namespace weir {

RankOptions read_immersed_rank_options(const Table& config);  // with the layers that a rank needs at least
StructuredPlan immersed_plan(const ImmersedCase& c, const Table& config);

}  // namespace weir
