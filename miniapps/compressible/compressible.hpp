// The compressible miniapp, as the command line sees it.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "mesh/ordering/lines.hpp"
#include "miniapps/compressible/case.hpp"
#include "miniapps/compressible/convergence/start_from.hpp"
#include "miniapps/driver/quantity.hpp"
#include "postproc/run/run.hpp"

namespace weir {

int run_compressible(Run& run, const Table& config);                        // the process's exit code
void info_compressible(const Table& config, int ranks, std::ostream& out);  // sizes, memory, solvers; starts nothing

// What is known of a case before the flow is set up: sizes and memory.
struct CompressibleMemory {
  std::int64_t mesh = 0;    // as the host keeps it for pictures and records
  std::int64_t flow = 0;    // the discretisation's copies, state and vectors of the step
  std::int64_t matrix = 0;  // of the first-order scheme
  std::int64_t solver = 0;  // preconditioner and Krylov vectors
  std::int64_t kept = 0;  // on the root rank: the step before, to go on from where a step is given up, and a picture's
  std::int64_t process = 0;  // program, libraries and their buffers
  std::int64_t total() const { return each_of(1); }
  std::int64_t each_of(int ranks) const { return mesh + (flow + matrix + solver) / ranks + kept + process; }  // at most
};

CompressibleMemory compressible_memory(const UnstructuredMesh& mesh, const CompressibleCase& c, const Table& config);

// The mesh of [mesh] in the order of [ordering]; `ordering` receives what was done, for the log, `lines` where
// the ordering's lines lie.
UnstructuredMesh read_ordered_mesh(const Table& config, std::string& ordering, std::vector<CellRange>* lines = nullptr,
                                   CellNumbers* numbers = nullptr);

// Everything of the header but the solver's description.
RunHeader compressible_header(const CompressibleCase& c, const UnstructuredMesh& mesh,
                              const std::vector<FlowBoundary>& boundary);

std::vector<std::string> compressible_columns(const CompressibleCase& c);  // of history.csv
Results compressible_results();

}  // namespace weir
