// weir replay SEQUENCE --solvers FILE -o DIR: captured systems as a run without a flow. The reference solver solves one
// after the other; the candidates are shadow solves (miniapps/study/shadow), with their statistics, files and page.
#pragma once
#include <string>
#include <vector>

#include "base/table.hpp"
#include "miniapps/cli/verbs.hpp"

namespace weir {

struct NamedSolver {
  std::string name;
  Table options;
};

// Each table of the file, also as [shadow.NAME], in its order or that of [shadow] solvers; or the file itself, where it has
// the keys of one solver. Left aside: [linear.SYSTEM], the reference solver of a study.
std::vector<NamedSolver> solvers_of(const std::string& file);

// The exit code of the run. The reference solver: [linear.SYSTEM] of the file, else the one that was recorded.
int study_captured(const Program& program, const ReplayArguments& arguments, const std::vector<std::string>& capsules);

}  // namespace weir
