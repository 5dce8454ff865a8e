// The banded systems of Liu, Seo & Mittal 2013 alone, compared with PETSc and hypre on the same numbers in the same
// run: each function prints a table, writes it as CSV and returns 0. One thread; seconds are the processor's, so that
// other programs on the machine count little. docs/results/liu_2013.md says what came out.
#pragma once
#include <string>

namespace weir::bench {

struct LiuOptions {
  std::string folder = "weir-bench";
  bool quick = false;  // small grids, which show that it works
};

int liu_iterations(
    const LiuOptions& options);  // what an iteration moves and takes: cg, bicgstab and their pipelined forms
int liu_systems(
    const LiuOptions& options);  // pressure with a body to 1e-6, advection-diffusion to 1e-12: set-up + solve

}  // namespace weir::bench
