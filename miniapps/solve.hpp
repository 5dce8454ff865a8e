// `weir solve`: a system from Matrix Market files, solved by any configuration of the solver layer.
#pragma once
#include <string>
#include <vector>

namespace weir {

struct SolveArguments {
  std::string matrix, rhs, solution;  // rhs: empty: all ones; solution: where x of the last solver goes, if anywhere
  std::vector<std::string>
      solvers;               // "fgmres+block_ilu0", or a TOML file with the keys of [linear.SYSTEM]; empty: several
  int block = 0;             // unknowns a block row; 0: detected
  double tolerance = 1e-10;  // relative to |b|, where the solver's file does not say
  int max_iterations = 1000;
  std::string space = "host";
};

// Prints the system and a table with a row a solver. The process's exit code: 0 where every solver that was named
// converged (or any, where none was named), else 3.
int solve_system(const SolveArguments& arguments);

}  // namespace weir
