// Diagnoses a steady run that has reached its last step: whether its residual oscillates because the limiter switches
// in some cells. Trial: with the limiter frozen at the last state the residual falls.
#pragma once
#include <optional>

#include "miniapps/compressible/flow.hpp"
#include "solvers/diagnosis/finding.hpp"

namespace weir {

// Collective. Restores the state, the limiter and the controller.
template <class Space>
std::optional<Finding> limiter_cycle(CompressibleFlow<Space>& flow);

}  // namespace weir
