// The levels of a multigrid method in one space and one precision: their memory, the smoothing, the ways to the next
// coarser level and back, and the cycle over them.
#pragma once
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/preconditioner/multigrid/multigrid.hpp"
#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"
#include "solvers/preconditioner/multigrid/multigrid_host.hpp"
#include "solvers/preconditioner/multigrid/multigrid_small.hpp"
#include "solvers/preconditioner/multigrid/multigrid_view.hpp"

namespace weir::multigrid {

// A level's memory. Coefficients lie in one array: x low, up, diagonal in halves, y low, up, diagonal, z likewise.
template <class T, class Space>
struct Level {
  LevelView<T> view;
  ExchangeView<T> exchange;  // with the next coarser level
  RowExchange<T> row;        // Host only
  Array<T, Space> values, coefficients, weights;
  Array<double, Space> masses;
  Array<int, Space> indices;
  std::vector<T> coefficients_on_host;
  std::int64_t bytes() const {
    return (values.size() + coefficients.size() + weights.size()) * static_cast<std::int64_t>(sizeof(T)) +
           8 * masses.size() + 4 * indices.size();
  }
};

int half_pitch(int nx);  // LevelView::pitch

template <class T, class Space>
class Levels {
 public:
  Levels() = default;
  // solves: the last level directly; otherwise somebody else does (a rank's parts of levels).
  Levels(std::vector<GridLevel> grids, const MultigridOptions& options, bool solves);

  std::size_t count() const { return levels_.size(); }
  const std::vector<GridLevel>& grids() const { return grids_; }
  const LevelView<T>& view(std::size_t l) const { return levels_[l].view; }
  LevelView<T>& view(std::size_t l) { return levels_[l].view; }
  bool is_fused(std::size_t l) const { return fused_ && grids_[l].two_colours; }
  bool is_last(std::size_t l) const { return l + 1 == levels_.size(); }
  void update(const SeparableOperator& A);  // its shift and scale; allocates nothing
  std::int64_t bytes() const;

  // Solves level l approximately for its g.
  void visit(std::size_t l, bool f_cycle, bool from_zero);
  // Smooths level l and restricts its residual to the next, whose g it sets. With r (of a fused level): g = factor r / V
  // first. Where u starts from zero it need not be cleared. Returns the largest |g| that was loaded, or 1.
  double descend_from(std::size_t l, bool from_zero, const double* r = nullptr, double factor = 1);
  // Corrects level l by the next one's u and smooths. Output: of a fused level.
  void ascend_to(std::size_t l, const Output& out = {});

 private:
  HostPass<T> pass(std::size_t l, int first_colour, const std::vector<T>& omega) const;
  void step(const CycleStep<T>& s);
  void smooth(std::size_t l, int first_colour, const std::vector<T>& omega, bool from_zero);
  void chebyshev(int level, int degree);
  void collect_small();
  void make_scratch();
  void make_inverse();
  void update_inverse(const SeparableOperator& A);

  MultigridOptions options_;
  std::vector<T> omega_before_, omega_after_;  // of half sweeps
  bool fused_ = false;
  std::vector<GridLevel> grids_;
  std::vector<Level<T, Space>> levels_;
  Array<T, Space> planes_;
  Array<T, Host> scratch_;
  Array<double, Host> peaks_;
  Workspace<T> workspace_;
  // Of the last level, where it is solved.
  Array<T, Space> inverse_;
  Array<int, Space> places_;
  std::vector<T> inverse_on_host_;
  std::vector<double> inverse_in_double_;
  // Device: the levels that one launch visits (multigrid_small.hpp); 0: none. Steps of a V cycle, of an F cycle.
  std::size_t small_from_ = 0;
  Array<LevelAndExchange<T>, Space> small_levels_;
  std::vector<LevelAndExchange<T>> small_on_host_;
  Array<CycleStep<T>, Space> small_steps_[2];
  std::vector<CycleStep<T>>* collected_ = nullptr;  // not null: steps are put down there
};

// How many layers of unknowns `sweeps` sweeps of the smoother reach.
int reach(const MultigridOptions& options, int sweeps);

}  // namespace weir::multigrid
