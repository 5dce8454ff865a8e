// The orderings suite: how long each ordering, colouring and partition of a million cells takes on one thread, and what
// it gives: bandwidth, level sets of the triangular factors, colours, faces between parts.
#pragma once
#include "tests/benchmarks/report.hpp"

namespace weir::bench {

// Prints the table, and writes it as JSON where a path is given; returns 0. `weir bench orderings`.
int bench_orderings(const Report& report);

}  // namespace weir::bench
