// `weir replay`: systems that a run has captured, solved again.
#pragma once
#include <string>
#include <vector>

namespace weir {

struct ReplayArguments {
  std::vector<std::string> capsules;
  std::string solvers;        // a TOML file: a table a solver, as [shadow.NAME]; empty: the reference solver as it ran
  std::string export_format;  // "", "mtx" or "petsc": writes the systems instead of solving them
  std::string output;         // folder of what is exported; empty: beside the capsules
  std::string space = "host";
  int repeat = 3;  // solves, each from the start: times are their medians
};

// Prints a table with a row a capsule and solver. The process's exit code:
//   5  the reference solver did not repeat its iterations, in the space of the run and with a method that
//      repeats; 3  else, where a solver that was asked for by name did not converge; 0
int replay_capsules(const ReplayArguments& arguments);

}  // namespace weir
