// The many suite: time per vector of a product, an application of block_ilu0 and an iteration for 1, 3 and 8 right-hand
// sides in one pass (solvers/matrix/many.hpp), compared with the memory traffic at the speed of the triad.
#pragma once
#include "tests/benchmarks/report.hpp"

namespace weir::bench {

// quick: a small matrix. Returns 0. `weir bench many`.
int bench_many(const Report& report, bool quick);

}  // namespace weir::bench
