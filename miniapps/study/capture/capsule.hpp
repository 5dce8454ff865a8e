// A capsule: a linear system of a run with all data needed to solve it again elsewhere, and the result of the reference
// solver. Sealed HDF5 (postproc/run/sealed_file.hpp), written to a temporary name and renamed. The data that a sequence
// of systems shares (matrix pattern, coordinates of the unknowns) lie once in the same folder, in pattern_HASH.h5.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/matrix_record.hpp"

namespace weir {

inline constexpr int capsule_schema = 1;

struct CapsuleOrigin {
  std::string miniapp, name, version, config;  // name of the case; configuration with its defaults
  std::string space = "host", system, trigger, ordering;
  std::int64_t part = 0, step = 0, solve = 0, threads = 1;  // solve: index among the solves of this system in the step
  double time = 0, dt = 0, cfl = 0;                         // NaN: unknown
  double nonlinear_residual = std::numeric_limits<double>::quiet_NaN();  // of the flow, before the solve
  std::uint64_t config_hash = 0, state_hash = 0;
  std::int64_t ranks = 1;  // number of ranks of the run; the capsule holds the whole system
  std::string partition;   // how the system was distributed, in words
};

// The reference solver: its options and defaults, the age of its preconditioner and its result.
struct CapsuleReference {
  std::string name, description, options, default_method, default_preconditioner;
  double default_tolerance = 1e-8;
  std::int64_t age = 0;               // solves since the last set-up of its preconditioner
  std::vector<double> lifetime;       // state of the refresh policy before the solve; empty: refresh = "always"
  bool depends_on_ranks = false;      // its preconditioner acts on the rows of each rank separately
  bool is_matrix_free = false;        // it used a matrix-free operator; `A` is the matrix of its preconditioner
  std::optional<SolveResult> result;  // none: the run ended before this solve
};

struct Capsule {
  std::string path;
  CapsuleOrigin origin;
  CapsuleReference reference;
  MatrixRecord A;
  std::optional<NamedNumbers> prepared;  // values of the matrix of the preconditioner, if they differ from those of A
  std::vector<double> b, x0;
  std::vector<double> x;               // the reference solver's solution; empty: not stored
  std::vector<std::string> variables;  // names of the unknowns of a block row
  std::vector<double> places;          // x, y, z of each block row's unknowns; empty: unknown
  std::vector<std::pair<std::string, std::vector<double>>> state;

  int size() const { return static_cast<int>(b.size()); }
};

bool capsules_available();

// "pressure_00000100_0.h5", "momentum_1_00000100_0.h5" for parts beyond the first.
std::string capsule_name(const CapsuleOrigin& origin);
std::string pattern_name(const Capsule& capsule);

// Writes into a folder, with the pattern unless it is already there. Returns the bytes written.
std::int64_t write_capsule(const std::string& folder, const Capsule& capsule);

// Error(Exit::file_io): not a capsule, truncated, altered (with the name of the part), pattern missing.
Capsule read_capsule(const std::string& path);

// The files of captured systems. A folder (a run directory or a sequence) stands for all captured systems in it, sorted
// by name; pattern files are skipped.
std::vector<std::string> captured_systems(const std::vector<std::string>& names);

// By the first bytes; false for unreadable files. Systems written by other codes (client_capture.hpp) count.
bool is_capsule(const std::string& path);
bool is_pattern(const std::string& path);

}  // namespace weir
