// Iterations of FGMRES(30) to a relative residual of 1e-2 for every number of build and apply sweeps, on a matrix from
// an intermediate pseudo-time step: Tables 1 to 3 of Kashi & Nadarajah 2020.
#pragma once
#include <cstdio>
#include <functional>

#include "tests/benchmarks/kashi/study_case.hpp"

namespace weir::kashi {

struct Cell {
  int build = 0, apply = 0;        // sweeps; 0: exact
  double mean = 0, deviation = 0;  // iterations of the repeats, and their standard deviation relative to the mean
  int converged = 0, repeats = 0;
};

struct SweepOptions {
  std::vector<int> sweeps{1, 2, 3, 5, 10, 20, 0};
  int threads = 16, repeats = 10, most_iterations = 2500;
  bool prescribed = false;
  double tolerance = 1e-2;
  double capture_cfl = 4000;  // the matrix is that of the first second-order step with such a CFL number
};

struct Captured {
  int step = 0;
  double cfl = 0, residual = 0;
  int block_ilu0_iterations = 0;  // what the exact corner of the table must say too
};

// `done` hears of every cell as soon as it is known.
Captured sweep_table(const StudyCase& study, const std::vector<double>& start, const SweepOptions& options,
                     const std::function<void(const Cell&)>& done);

}  // namespace weir::kashi
