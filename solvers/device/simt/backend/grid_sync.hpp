// A barrier over all threads of a cooperative launch. A header of its own: on CUDA it costs seconds to compile.
#pragma once
#include "backend/dialect.hpp"

namespace weir {

inline void grid_sync(simt::Where at = simt::Where::current()) { simt::grid_barrier(at); }

}  // namespace weir
