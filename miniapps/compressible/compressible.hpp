// Interface of the compressible miniapp for the command line.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "mesh/ordering/lines.hpp"
#include "miniapps/compressible/case.hpp"
#include "miniapps/compressible/convergence/start_from.hpp"
#include "miniapps/compressible/discretisation/mesh_facts.hpp"
#include "miniapps/driver/quantity.hpp"
#include "postproc/run/run.hpp"

namespace weir {

int run_compressible(Run& run, const Table& config);                        // returns the exit code
void info_compressible(const Table& config, int ranks, std::ostream& out);  // sizes, memory, solvers

struct CompressibleMemory {
  std::int64_t mesh = 0;     // on rank 0, for field output and records
  std::int64_t flow = 0;     // copies of the discretisation, state and work vectors
  std::int64_t matrix = 0;   // Jacobian of the first-order scheme
  std::int64_t solver = 0;   // preconditioner and Krylov vectors
  std::int64_t kept = 0;     // the previous step, for a checkpoint if a step is abandoned
  std::int64_t process = 0;  // program, libraries and their buffers
  std::int64_t total() const { return each_of(1); }
  // Of rank 0; the others have no mesh.
  std::int64_t each_of(int ranks) const { return mesh + (flow + matrix + solver + kept) / ranks + process; }
};

CompressibleMemory compressible_memory(const MeshFacts& mesh, const CompressibleCase& c, const Table& config);

// The mesh of [mesh] in the order of [ordering]; `ordering` receives a description, `lines` the lines of the ordering.
UnstructuredMesh read_ordered_mesh(const Table& config, std::string& ordering, std::vector<CellRange>* lines = nullptr,
                                   CellNumbers* numbers = nullptr);

// The run header without the description of the solver.
RunHeader compressible_header(const CompressibleCase& c, const MeshFacts& mesh,
                              const std::vector<FlowBoundary>& boundary);

// Columns of history.csv.
std::vector<std::string> compressible_columns(const CompressibleCase& c, const std::vector<FlowBoundary>& boundary);
Results compressible_results();

}  // namespace weir
