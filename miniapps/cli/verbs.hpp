// The functions behind the verbs; each returns the process's exit code. Errors leave them as exceptions unless a run
// directory has to hear of them first.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "miniapps/cli/command_line.hpp"

namespace weir {

// Runs the miniapp that [case] names to its end, or to an error that the run directory records before the process ends
// with its code.
int run_miniapp(const Program& program, RunOptions options, const Table& config);

// weir run, restart.
struct RunArguments {
  std::string source;     // the case file, or the checkpoint (or a run directory: its newest whole checkpoint)
  std::string directory;  // -o; empty: weir-runs/CASE, or where the checkpoint's run is
  std::vector<std::string> overrides, unset;
  bool overwrite = false, quiet = false;
  std::int64_t steps = -1;
  double wall_limit = -1;
  std::string command_line;  // as typed, for run.json
};
int run_case(const Program& program, const RunArguments& arguments);
int restart_case(const Program& program, const RunArguments& arguments);

// What `weir info` says of it is right or an Error; nothing is printed. is_restart: `source` is a checkpoint.
void check_run(const Program& program, const RunArguments& arguments, bool is_restart);
int show_info(const Program& program, const RunArguments& arguments);  // source, overrides, unset

// weir mesh.
struct MeshArguments {
  std::string case_path;
  std::string output = "mesh.vtu";  // .su2: the mesh alone, as SU2 writes it
  std::vector<std::string> overrides, unset;
  int parts = 4;
};
int write_mesh(const MeshArguments& arguments);  // mesh_verb.cpp

// weir report: report.html of a run directory, or of the folder of paired A/B runs; its plots as PNG too.
int write_report(const std::string& directory, bool with_png = false);
// The same where something has just ended with `code`; says so where that is not possible. The exit code: `code`, but 128 + n
// where signal n came meanwhile, and file_io instead of 0 where the report could not be written.
int try_report(const std::string& directory, int code);

// weir ab STUDY.toml -o DIR: paired A/B runs (miniapps/study/ab/ab_study.hpp). Runs what DIR does not hold yet; writes ab.csv,
// ab_summary.csv, ab_quantities.csv, study.toml and report.html there. budget: "12x", "60s"; empty: the study's.
struct AbStudy;
void check_study(const Program& program, const AbStudy& study);  // Error(usage) that names the configuration
// The folder of a study, made where it is missing, and held by this process alone. Error(usage) where it is in use or
// none of a study's: those have study.lock, or what an older Weir has left.
class StudyFolder {
 public:
  explicit StudyFolder(const std::string& directory);
  ~StudyFolder();
  StudyFolder(const StudyFolder&) = delete;
  StudyFolder& operator=(const StudyFolder&) = delete;

 private:
  int lock_ = -1;
};
// weir map STUDY.toml -o DIR: such runs over a grid of two parameters (miniapps/study/map/map_study.hpp).
int run_map(const Program& program, const std::string& study, const std::string& directory, const std::string& budget);
int run_ab(const Program& program, const std::string& study, const std::string& directory, const std::string& budget);

// weir replay: systems that a run has captured, solved again.
struct ReplayArguments {
  std::vector<std::string> capsules;
  std::string solvers;        // a TOML file: a table a solver, as [shadow.NAME]; empty: the reference solver as it ran
  std::string export_format;  // "", "mtx", "petsc", "hypre": writes the systems instead of solving them
  std::string output;         // folder of what is exported (empty: beside the capsules), or of the study
  std::string space;          // "host" or "device"; empty: the run's, as each capsule tells it
  int repeat = 3;             // solves, each from the start: times are their medians
  // Of a study: with solvers and output (replay_study.hpp).
  std::string system;  // the captured systems of this name alone; empty: there is but one
  int threads = 0;     // 0: as a run
  bool warm = false, overwrite = false;
  std::string command_line;  // as typed, for run.json
};
// Prints a table with a row a capsule and solver. Exit code 5: the reference solver did not repeat its iterations, in the
// space of the run and with a method that repeats; 3: else, where a solver that was asked for by name did not converge.
int replay_capsules(const Program& program, const ReplayArguments& arguments);

// weir import: Matrix Market and PETSc binary files as captured systems, a new folder. Exit code 2 where a file is not what
// was expected, 6 where one cannot be read or written.
struct ImportArguments {
  std::vector<std::string> matrices, rhs, guess;  // in the order of the sequence
  std::string system = "imported", output;
  int block = 0;  // unknowns a block row; 0: detected in the first matrix
};
int import_systems(const ImportArguments& arguments);

// weir solve: a system solved by any configuration of the solver layer or by other libraries.
struct SolveArguments {
  std::string matrix;    // a file, a capsule, or a generated system (solvers/matrix/io/generate.hpp)
  std::string rhs;       // "ones", "row-sums" or a file; empty: a capsule's own, else ones
  std::string solution;  // where x of the last solver goes, if anywhere
  std::vector<std::string>
      solvers;               // "fgmres+block_ilu0", "petsc:-ksp_type gmres", a TOML file of [linear.SYSTEM]; empty:
                             // several
  int block = 0;             // unknowns a block row; 0: detected
  double tolerance = 1e-10;  // relative to |b|, where the solver's file does not say
  int max_iterations = 1000;
  std::string space = "host";
  bool extended = false;  // x and its residual in twice double's precision (solvers/adapters/extended.hpp); host only
};
// Prints the system and a table with a row a solver. Exit code 0 where every solver that was named converged (or any, where
// none was named), else 3.
int solve_system(const SolveArguments& arguments);

// weir doctor: what is the matter with a matrix, and what to try. Exit code 5 (a check that failed) where it has a fault that
// no solver gets past: numbers that are not finite, or a null space that is more than constants.
int examine_matrix(const std::string& matrix);

// weir new plugin DIR: a solver plugin that works, with its CMake file and a case that takes it.
int write_new(const std::string& what, const std::string& directory);

int list_what(const Program& program, const std::string& what);
int explain_key(const Program& program, const std::string& key);
// help: of the whole command line.
int write_reference(const Program& program, const std::string& folder, const std::string& help);
// options: of each verb.
std::string completion_script(const Program& program, const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace weir
