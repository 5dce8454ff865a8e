// Levels of a multigrid method in one space and one precision: memory, smoothing, transfers and the cycle.
#pragma once
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/preconditioner/multigrid/multigrid.hpp"
#include "solvers/preconditioner/multigrid/multigrid_coarsest.hpp"
#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"
#include "solvers/preconditioner/multigrid/multigrid_host.hpp"
#include "solvers/preconditioner/multigrid/multigrid_view.hpp"

namespace weir::multigrid {

// Memory of a level. Coefficients in one array: x low, up, diagonal in halves, then those of y and z.
template <class T, class Space>
struct Level {
  LevelView<T> view;
  ExchangeView<T> exchange;  // transfer to the next coarser level
  RowExchange<T> row;        // host only
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

// State of u before smoothing: zero (need not be cleared); after the first half sweep from zero; an approximation.
enum class Start { zero, begun, nonzero };

template <class T, class Space>
class Levels {
 public:
  Levels() = default;
  // solves: the last level is solved directly; otherwise by the caller (parts of levels over ranks).
  Levels(std::vector<GridLevel> grids, const MultigridOptions& options, bool solves);

  std::size_t count() const { return levels_.size(); }
  const std::vector<GridLevel>& grids() const { return grids_; }
  const LevelView<T>& view(std::size_t l) const { return levels_[l].view; }
  LevelView<T>& view(std::size_t l) { return levels_[l].view; }
  bool is_fused(std::size_t l) const { return fused_ && grids_[l].two_colours; }
  bool is_by_colours(std::size_t l) const { return options_.smoother == "red_black" && grids_[l].two_colours; }
  bool is_last(std::size_t l) const { return l + 1 == levels_.size(); }
  // Device, one rank: state at visit(l + 1) after descend_from(l), which includes the first half sweep of the next
  // level if possible.
  Start start_of_next(std::size_t l) const { return starts_next(l) ? Start::begun : Start::zero; }
  // True if load and store include the first and the last half sweep of the finest level.
  bool ends_with_store() const { return !fused_ && solves_ && !is_last(0) && is_by_colours(0); }
  T first_omega() const { return ends_with_store() ? omega_before_[0] : 0; }
  void update(const SeparableOperator& A);  // new shift and scale; allocates nothing
  std::int64_t bytes() const;

  // Solves level l approximately for its g.
  void visit(std::size_t l, Start start);
  // Smooths level l and restricts its residual to g of the next. With r (fused levels): g = factor r / V first. Returns
  // the largest |g| loaded, or 1.
  double descend_from(std::size_t l, Start start, const double* r = nullptr, double factor = 1);
  // Corrects level l by u of the next one and smooths. out: fused levels only. but_last: the last half sweep is left to
  // finish().
  void ascend_to(std::size_t l, const Output& out = {}, bool but_last = false);
  void finish(double factor, double* z) const;  // last half sweep of the finest level, and z = factor u

 private:
  HostPass<T> pass(std::size_t l, int first_colour, const std::vector<T>& omega) const;
  bool starts_next(std::size_t l) const {
    return !fused_ && solves_ && !is_last(l + 1) && is_by_colours(l) && is_by_colours(l + 1);
  }
  void smooth(std::size_t l, int first_colour, const std::vector<T>& omega, Start start, int left_out = 0);
  void chebyshev(const LevelView<T>& L, int degree);
  void make_scratch();

  MultigridOptions options_;
  std::vector<T> omega_before_, omega_after_;  // per half sweep
  bool fused_ = false, solves_ = false;
  std::vector<GridLevel> grids_;
  std::vector<Level<T, Space>> levels_;
  Array<T, Space> planes_;
  Array<T, Host> scratch_;
  Array<double, Host> peaks_;
  Workspace<T> workspace_;
  CoarsestSolve<T, Space> coarsest_;  // of the last level, if it is solved
};

}  // namespace weir::multigrid
