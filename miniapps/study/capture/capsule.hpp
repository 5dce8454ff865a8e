// A capsule: a linear system of a run with everything that is needed to solve it again elsewhere, and what the
// reference solver made of it. Sealed HDF5 (postproc/run/sealed_file.hpp), written aside and renamed. What a sequence of
// systems shares (the pattern of the matrix, where the unknowns sit) lies once beside the capsules, in pattern_HASH.h5,
// and is named by its hash.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/matrix_record.hpp"

namespace weir {

inline constexpr int capsule_schema = 1;

struct CapsuleOrigin {
  std::string miniapp, name, version, config;  // name: of the case; config: in force, defaults filled in
  std::string space = "host", system, trigger, ordering;
  std::int64_t part = 0, step = 0, solve = 0, threads = 1;  // solve: of this system in this step, from 0
  double time = 0, dt = 0, cfl = 0;                         // NaN: the flow code has none
  std::uint64_t config_hash = 0, state_hash = 0;
  std::int64_t ranks = 1;  // that solved it together; the capsule is that of one rank ...
  std::string partition;   // ... and this is how it was divided
};

// The reference solver: its options and what held where they say nothing, what it had prepared, and what came out.
struct CapsuleReference {
  std::string name, description, options, default_method, default_preconditioner;
  double default_tolerance = 1e-8;
  std::int64_t age = 0;           // solves since its preconditioner was prepared
  std::vector<double> lifetime;   // state of its refresh policy before the solve; empty: always fresh
  bool depends_on_ranks = false;  // it preconditioned each rank's rows: with one rank its iterations are others
  bool is_matrix_free = false;    // it multiplied by an operator that has no entries; `A` is what it was prepared from
  std::optional<SolveResult> result;  // none: the run ended before it could solve this
};

struct Capsule {
  std::string path;
  CapsuleOrigin origin;
  CapsuleReference reference;
  MatrixRecord A;
  std::optional<NamedNumbers> prepared;  // the values that the preconditioner was made from, where they are others
  std::vector<double> b, x0;
  std::vector<std::string> variables;  // of a block row
  std::vector<double> places;          // x, y, z of each block row's unknowns; empty: not known
  std::vector<std::pair<std::string, std::vector<double>>> state;

  int size() const { return static_cast<int>(b.size()); }
};

bool capsules_available();

// "pressure_00000100_0.h5", "momentum_1_00000100_0.h5" for parts beyond the first.
std::string capsule_name(const CapsuleOrigin& origin);
std::string pattern_name(const Capsule& capsule);

// Into a folder; the pattern only where it does not lie there yet. Returns the bytes written.
std::int64_t write_capsule(const std::string& folder, const Capsule& capsule);

// Error(Exit::file_io) that says what is wrong: no capsule, truncated, which part was altered, no pattern beside it.
Capsule read_capsule(const std::string& path);

// The files of captured systems: a folder (a run directory, or a sequence) stands for all that lie in it, in the order of
// their names; patterns that a shell's * has caught are left out.
std::vector<std::string> captured_systems(const std::vector<std::string>& names);

// By its first bytes; false for what cannot be read. What other codes have dumped (client_capture.hpp) counts.
bool is_capsule(const std::string& path);
bool is_pattern(const std::string& path);

}  // namespace weir
