// The kernel suite: stencil and block CSR products, vector updates and a cg iteration, each beside the measured triad.
#pragma once
#include <string>

namespace weir::bench {

// Prints the table, and writes it as JSON where a path is given; returns 0. Used by bench_kernels and `weir bench
// kernels`.
int bench_kernels(const std::string& json_path);

}  // namespace weir::bench
