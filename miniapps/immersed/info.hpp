// What is known of a case before anything is allocated.
#pragma once
#include "miniapps/immersed/case.hpp"
#include "miniapps/incompressible/info.hpp"

namespace weir {

RunHeader immersed_header(const ImmersedCase& c);
RankOptions read_immersed_rank_options(const Table& config);  // with the layers that a rank needs at least
MemoryEstimate immersed_memory(const ImmersedCase& c, const Table& config);

}  // namespace weir
