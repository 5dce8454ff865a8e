// A barrier over all threads of a cooperative launch. A header of its own: on CUDA it costs seconds to compile.
#pragma once
#include <cooperative_groups.h>

#include "backend/dialect.hpp"

namespace weir {

__device__ inline void grid_sync() { cooperative_groups::this_grid().sync(); }

}  // namespace weir
