// The kernel suite: stencil and block CSR products, vector updates and a cg iteration, each compared with the measured
// triad.
#pragma once
#include "tests/benchmarks/report.hpp"

namespace weir::bench {

// Prints the table, and writes the report; returns 0. Used by bench_kernels and `weir bench kernels`.
int bench_kernels(const Report& report);

}  // namespace weir::bench
