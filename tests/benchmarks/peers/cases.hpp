// Cases of `weir bench peers`: systems, our solver on each, and the settings of hypre and PETSc among which the
// search chooses.
#pragma once
#include <string>
#include <vector>

#include "tests/benchmarks/peers/measured.hpp"

namespace weir::bench {

struct PeerCase {
  std::string name, title;
  std::vector<std::string> works;  // the rows of the table, in seconds of Measured
  std::vector<std::string> ours;   // "method+preconditioner", for kernels "block_ilu0"
  std::vector<std::string> peers;  // "hypre:SETTINGS", "petsc:SETTINGS" (peer.hpp)
  double scale = 1;                // of seconds to the unit
  std::string unit = "s";
  int side = 0;     // cells a side of structured systems; the name ends in _64 where that is not the full size
  int repeats = 3;  // of solves and of kernels' groups in one process
};
std::vector<PeerCase> peer_cases(bool quick);

// One solver on the case's system, in this process. `residual`: |b - A x| / |b| of its solution, or, of kernels, the
// difference of its solve from a plain block_ilu0, relative; `limit` is what it may be at most to count.
struct Checked {
  Measured measured;
  double residual = 0, limit = 0;
};
Checked measure_candidate(const PeerCase& c, const std::string& candidate, bool quick);

}  // namespace weir::bench
