// What is known of a case before anything is allocated.
#pragma once
#include "miniapps/immersed/case.hpp"
#include "miniapps/incompressible/info.hpp"

namespace weir {

RunHeader immersed_header(const ImmersedCase& c);
MemoryEstimate immersed_memory(const ImmersedCase& c, const Table& config);

}  // namespace weir
