// Nested iteration (Brandt 1977, Math. Comput. 31: the outer loop of full multigrid): a steady flow starts from the
// flow on a coarser mesh of the same generator, which starts from a still coarser one. The transient from the initial
// state is then computed on the coarsest mesh. Each mesh ends at `coarse_tolerance`; the next one starts with the order
// of the scheme and with the geometric mean of cfl_start and the CFL number reached.
//   [pseudo_time]  coarse_meshes = 2, coarse_tolerance = 1e-2
#pragma once
#include <functional>
#include <vector>

#include "base/table.hpp"
#include "miniapps/compressible/flow.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// Throws Error(usage) if the case has no family of meshes or is unsteady.
void require_coarser_meshes(const Table& config, bool is_unsteady);

// The case on meshes of 1/2, 1/4, ... of the refinement: at most `meshes`, none coarser than the generator allows.
std::vector<Table> coarser_cases(const Table& config, int meshes);

// The work done on a mesh.
struct CoarseMesh {
  std::int64_t cells = 0, steps = 0, iterations = 0;
  double drop = 1;      // reduction of the residual in the last phase
  bool failed = false;  // true: the run ended because its steps were rejected
};

struct CoarseStop {
  std::function<bool()> before_step, within_solve;
};

// Sets the state and the CFL number with which the finest mesh starts. Returns the meshes, coarsest first. All ranks
// call.
template <class Space>
std::vector<CoarseMesh> start_on_coarser_meshes(const Table& config, const Communicator& ranks, const CoarseStop& stop,
                                                CompressibleFlow<Space>& flow);

}  // namespace weir
