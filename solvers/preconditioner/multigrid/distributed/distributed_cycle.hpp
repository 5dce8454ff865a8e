// A cycle of the geometric multigrid method over ranks: the cycle of one rank, whose smoothers and transfers do not know the
// order of the unknowns; every value is the one that one rank would have, to round-off.
//
//   part of a level   a rank's own unknowns and so many layers around them where the grid was cut that all sweeps of the way down
//                     and up can be computed from one exchange of the right-hand side and one of the coarser correction: a few
//                     layers are computed twice (7 for V(2,2) by two colours), and the passes are those of one rank
//   coarse unknown    of the rank that has its first fine one
//   tail              the levels of at most `gather_size` unknowns: on rank 0 alone
// So a V cycle has two exchanges a level (the finest: one) and one gather and scatter of the tail. On Host a red-black cycle asks
// for the largest value of r too.
#pragma once
#include <memory>

#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/preconditioner/multigrid/multigrid_cycle.hpp"

namespace weir::multigrid {

// All ranks call. Null where the boxes are too thin for a level of their own: where a rank has no coarse unknown, or the layers
// around a box meet in a periodic direction.
template <class Space>
std::unique_ptr<CycleBase<Space>> make_distributed_cycle(const DistributedStencil<Space>& A,
                                                         const MultigridOptions& options);

}  // namespace weir::multigrid
