// The functions behind the verbs. Errors leave them as exceptions unless a run directory has to hear of them first.
#pragma once
#include <string>
#include <vector>

#include "miniapps/cli/command_line.hpp"

namespace weir {

// What run and restart share.
struct RunArguments {
  std::string source;     // the case file, or the checkpoint (or a run directory: its newest whole checkpoint)
  std::string directory;  // -o; empty: weir-runs/CASE, or where the checkpoint's run is
  std::vector<std::string> overrides;
  bool overwrite = false, quiet = false;
  std::int64_t steps = -1;
  double wall_limit = -1;
  std::string command_line;  // as typed, for run.json
};

int run_case(const Program& program, const RunArguments& arguments);
int restart_case(const Program& program, const RunArguments& arguments);
int show_info(const Program& program, const std::string& case_path, const std::vector<std::string>& overrides);
// weir mesh.
struct MeshArguments {
  std::string case_path;
  std::string output = "mesh.vtu";  // .su2: the mesh alone, as SU2 writes it
  std::vector<std::string> overrides;
  int parts = 4;
};
int write_mesh(const MeshArguments& arguments);  // mesh_verb.cpp
int write_report(const std::string& run_directory);

// report.html of a run that has just ended, quietly; says so where that is not possible. Never fails the run.
void write_report_of(const Run& run);

}  // namespace weir
