// A cycle of the geometric multigrid method, of one rank. distributed_cycle.hpp: over ranks.
#pragma once
#include <memory>
#include <string>

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

}  // namespace weir::multigrid
