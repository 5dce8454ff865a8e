// `weir solve`: a system from Matrix Market files, solved by any configuration of the solver layer or by other libraries.
#pragma once
#include <string>
#include <vector>

#include "solvers/matrix/io/matrix_market.hpp"

namespace weir {

struct SolveArguments {
  std::string matrix;    // a file, a capsule, or a generated system (solvers/matrix/io/generate.hpp)
  std::string rhs;       // "ones", "row-sums" or a file; empty: a capsule's own, else ones
  std::string solution;  // where x of the last solver goes, if anywhere
  std::vector<std::string>
      solvers;    // "fgmres+block_ilu0", "petsc:-ksp_type gmres", or a TOML file of [linear.SYSTEM]; empty: several
  int block = 0;  // unknowns a block row; 0: detected
  double tolerance = 1e-10;  // relative to |b|, where the solver's file does not say
  int max_iterations = 1000;
  std::string space = "host";
  bool extended = false;  // x and its residual in twice double's precision (solvers/adapters/extended.hpp); host only
};

// block: 0: detected (1 where generated).
BlockCsrData read_system(const std::string& name, int block, MarketFaults* faults = nullptr);

// Prints the system and a table with a row a solver. The process's exit code: 0 where every solver that was named
// converged (or any, where none was named), else 3.
int solve_system(const SolveArguments& arguments);

}  // namespace weir
