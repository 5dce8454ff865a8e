// Seconds of a scope: launches run at once here.
#pragma once
#include "base/timer.hpp"

namespace weir::backend {

using Timer = ScopedTimer;
inline void complete_timers() noexcept {}

}  // namespace weir::backend
