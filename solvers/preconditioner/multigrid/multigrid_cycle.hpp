// A cycle of the geometric multigrid method, of one rank. multigrid_cycle.hpp: over ranks.
#pragma once
#include <memory>
#include <string>

#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/preconditioner/multigrid/multigrid.hpp"
#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"

namespace weir::multigrid {

// Where the largest |g| is outside this range, the cycle is repeated for a scaled r: single precision ends at 1e-38 and
// 1e38. (Only the fused passes look; on Device nothing waits for a number.)
inline constexpr double smallest_safe = 1e-15, largest_safe = 1e15;
// What to divide r by before the cycle is repeated; 0: it need not be.
double rescaling(double peak);

// Hides the precision.
template <class Space>
class CycleBase {
 public:
  virtual ~CycleBase() = default;
  virtual void update(double shift, double scale, bool singular) = 0;  // allocates nothing
  virtual void apply(View<const double> r, View<double> z) = 0;
  virtual double apply_dot(View<const double> r, View<double> z) = 0;  // the same; returns r.z
  virtual int levels() const = 0;
  virtual std::int64_t bytes() const = 0;
  virtual Work work() const = 0;  // of one application
  virtual std::string describe() const { return std::to_string(levels()) + " levels"; }
};

template <class Space>
std::unique_ptr<CycleBase<Space>> make_cycle(const SeparableOperator& A, const MultigridOptions& options);

// One application, of which every level is visited as the cycle does.
Work work_of_cycle(const std::vector<GridLevel>& grids, const MultigridOptions& options);

std::vector<GridLevel> make_grids(const SeparableOperator& A, const MultigridOptions& options);

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

// All ranks call. Null where the boxes are too thin for a level of their own: where a rank has no coarse unknown, or the layers
// around a box meet in a periodic direction.
template <class Space>
std::unique_ptr<CycleBase<Space>> make_distributed_cycle(const DistributedStencil<Space>& A,
                                                         const MultigridOptions& options);

}  // namespace weir::multigrid
