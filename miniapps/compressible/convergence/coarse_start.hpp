// Nested iteration (Brandt 1977, Math. Comput. 31: the outer loop of full multigrid): a steady flow begins as that of a
// coarser mesh of its generator's family, which has begun as that of a still coarser one. The transient from the initial
// state to the flow is then paid for on the coarsest mesh. Each mesh is left at `coarse_tolerance`; the next one begins with
// the scheme's own order, and with the geometric mean of cfl_start and the CFL number reached.
//   [pseudo_time]  coarse_meshes = 2, coarse_tolerance = 1e-2
#pragma once
#include <functional>
#include <vector>

#include "base/table.hpp"
#include "miniapps/compressible/flow.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// Error(usage) with file and line, where the case has no family of meshes or is unsteady.
void require_coarser_meshes(const Table& config, bool is_unsteady);

// The case on meshes of a half, a quarter, ... of the refinement: at most `meshes`, none coarser than the generator allows.
std::vector<Table> coarser_cases(const Table& config, int meshes);

// The work done on a mesh.
struct CoarseMesh {
  std::int64_t cells = 0, steps = 0, iterations = 0;
  double drop = 1;      // of the residual in the last phase
  bool failed = false;  // steps were rejected until none was left to try
};

struct CoarseStop {
  std::function<bool()> before_step, within_solve;
};

// Sets the state and the CFL number that the finest mesh begins with. The meshes, coarsest first. All ranks call.
template <class Space>
std::vector<CoarseMesh> start_on_coarser_meshes(const Table& config, const Communicator& ranks, const CoarseStop& stop,
                                                CompressibleFlow<Space>& flow);

}  // namespace weir
