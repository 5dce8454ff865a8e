// Whether a steady run that has come to its last step is held by its limiter: its residual oscillates while cells are limited
// and not limited in alternation. The trial: from the last state on the limiter stays as it is there; the residual then falls.
#pragma once
#include <optional>

#include "miniapps/compressible/flow.hpp"
#include "solvers/diagnosis/finding.hpp"

namespace weir {

// All ranks call. The state, the limiter and the controller are afterwards what they were.
template <class Space>
std::optional<Finding> limiter_cycle(CompressibleFlow<Space>& flow);

}  // namespace weir
