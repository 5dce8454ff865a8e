// The functions of the verbs; each returns the exit code of the process. Errors are exceptions; those of a run are
// first recorded in its directory.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "miniapps/cli/command_line.hpp"

namespace CLI {
class App;
}

namespace weir {

// Runs the miniapp of [case]. Errors are recorded in the run directory.
int run_miniapp(const Program& program, RunOptions options, const Table& config);

// weir run, restart.
struct RunArguments {
  std::string source;     // case file, checkpoint, or run directory (newest checkpoint)
  std::string directory;  // -o; empty: weir-runs/CASE, or the run directory of the checkpoint
  std::vector<std::string> overrides, unset;
  bool overwrite = false, quiet = false;
  std::int64_t steps = -1;
  double wall_limit = -1;
  std::string command_line;  // as typed, for run.json
};
int run_case(const Program& program, const RunArguments& arguments);
int restart_case(const Program& program, const RunArguments& arguments);

// A dry run without output; Error if the case is invalid. is_restart: `source` is a checkpoint.
void check_run(const Program& program, const RunArguments& arguments, bool is_restart);
int show_info(const Program& program, const RunArguments& arguments);  // source, overrides, unset

// weir mesh.
struct MeshArguments {
  std::string case_path;
  std::string output = "mesh.vtu";  // .su2: mesh without fields
  std::vector<std::string> overrides, unset;
  int parts = 4;
};
int write_mesh(const MeshArguments& arguments);  // mesh_verb.cpp

// weir report: report.html of a run directory or of the folder of a study; with_png: also the plots as PNG.
int write_report(const std::string& directory, bool with_png = false);
// The same after a run that ended with `code`; a failure is printed. Returns `code`, 128 + n after signal n, or file_io
// instead of 0 if the report could not be written.
int try_report(const std::string& directory, int code);

// weir ab STUDY.toml -o DIR: paired A/B runs (miniapps/study/ab/ab_study.hpp); completes what DIR lacks and writes
// ab.csv, ab_summary.csv, ab_quantities.csv, ab.txt, study.toml and report.html there. budget: "12x", "60s"; empty: the
// study's.
int run_ab(const Program& program, const std::string& study, const std::string& directory, const std::string& budget);
// weir map STUDY.toml -o DIR: such runs over a grid of two parameters (miniapps/study/map/map_study.hpp).
int run_map(const Program& program, const std::string& study, const std::string& directory, const std::string& budget);
bool is_study(const Table& file);  // of ab or map
// weir info STUDY.toml: prints what the study would run, after a dry run of each configuration.
int show_study(const Program& program, const std::string& path);

// weir replay: solves captured systems again.
struct ReplayArguments {
  std::vector<std::string> capsules;
  std::string solvers;  // TOML file with one table per solver, as [shadow.NAME]; empty: the recorded reference solver
  std::string export_format;  // "mtx", "petsc", "hypre": export instead of solving; empty: solve
  std::string output;         // folder of the export (empty: that of the capsules), or run directory of the study
  std::string space;          // "host" or "device"; empty: that of the run
  int repeat = 3;             // solves per system; times are medians
  // For a study, with `solvers` and `output`:
  std::string system;  // name of the captured systems; empty: the only one
  int threads = 0;     // 0: default
  bool warm = false, overwrite = false;
  std::string command_line;  // as typed, for run.json
};
// Prints a table with one row per capsule and solver. Exit code 5: the reference solver did not repeat its iterations
// although its method is reproducible; 3: a named solver did not converge.
int replay_capsules(const Program& program, const ReplayArguments& arguments);

// weir import: Matrix Market and PETSc binary files as captured systems in a new folder. Exit code 2: unexpected
// content; 6: a file cannot be read or written.
struct ImportArguments {
  std::vector<std::string> matrices, rhs, guess;  // in the order of the sequence
  std::string system = "imported", output;
  int block = 0;  // unknowns per block row; 0: detected in the first matrix
};
int import_systems(const ImportArguments& arguments);

// weir solve: solves a system by any configuration of the solver layer or by other libraries.
struct SolveArguments {
  std::string matrix;                // file, capsule or generated system (solvers/matrix/io/generate.hpp)
  std::string rhs;                   // "ones", "row-sums" or a file; empty: that of the capsule, or ones
  std::string solution;              // output file for x of the last solver; empty: none
  std::vector<std::string> solvers;  // "fgmres+block_ilu0", "petsc:-ksp_type gmres", a TOML file; empty: several
  int block = 0;                     // unknowns per block row; 0: detected
  double tolerance = 1e-10;          // relative to |b|, unless the solver's file has one
  int max_iterations = 1000;
  std::string space = "host";
  bool extended = false;  // x and its residual in double-double precision (solvers/adapters/extended.hpp); host only
};
// Prints the system and a table with one row per solver. Exit code 0: all named solvers converged (or any, if none was
// named); otherwise 3.
int solve_system(const SolveArguments& arguments);

// weir doctor: diagnoses a matrix and suggests solvers. Exit code 5: no solver can succeed, because entries are not
// finite or the null space is larger than the constants.
int examine_matrix(const std::string& matrix);

// weir corpus build, run, merge: adds the verb (corpus.cpp); code: the exit code of the process.
void add_corpus(CLI::App& app, int& code);

// weir new plugin DIR: a working solver plugin with its CMake file and a case.
int write_new(const std::string& what, const std::string& directory);

int list_what(const Program& program, const std::string& what);
int explain_key(const Program& program, const std::string& key);
// help: text for the whole command line.
int write_reference(const Program& program, const std::string& folder, const std::string& help);
// options: per verb.
std::string completion_script(const Program& program, const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace weir
