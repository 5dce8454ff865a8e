// Geometric multigrid for a SeparableOperator on any stretched tensor grid (Trottenberg, Oosterlee & Schueller 2001,
// ch. 2, 5).
//
// A cycle for A u = g: smooth; restrict the residual g - A u; solve on the coarser grid, by itself the same way;
// correct u by the interpolated result; smooth in the reverse order, so that a V cycle with pre = post is a symmetric
// operator and cg may use it. F: the coarser grid is visited twice, by an F and then by a V cycle (not symmetric).
//
// Coarsening is semi-coarsening place by place: each direction is coarsened on its own, only where its unknowns lie
// closest (multigrid_hierarchy.hpp), so point smoothers stay good on stretched grids. Coarse operators are rediscretised;
// interpolation is linear, restriction its transpose.
//
// Banded matrices, whose coefficients vary, have a multigrid of their own: banded_multigrid.hpp. Of the options it knows `pre`
// (the degree of its smoother is one more), coarse_size and gather_size.
// A periodic direction with an odd number of unknowns has no two colours: such a level is smoothed by "chebyshev".
#pragma once
#include <memory>
#include <string>

#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

struct MultigridOptions {
  std::string cycle = "V";
  int pre = 2, post = 2;
  bool symmetric = true;
  std::string smoother = "red_black";
  std::string storage = "float";
  int coarse_size = 64, gather_size = 32768;
  double omega = 1.15;      // over-relaxation of red_black
  double merge_factor = 3;  // see multigrid::Coarsening
  double reduction = 0.65;
};

namespace multigrid {
template <class Space>
class CycleBase;
}

template <class Space>
class Multigrid : public Preconditioner<Space> {
 public:
  explicit Multigrid(const MultigridOptions& options);
  ~Multigrid() override;
  SetupInfo setup(const Matrix<Space>& A) override;
  SetupInfo update(const Matrix<Space>& A) override;  // new shift and scale cost O(nx + ny + nz); a new grid, a setup
  void apply(View<const double> r, View<double> z) const override;
  double apply_dot(View<const double> r, View<double> z) const override;
  bool is_symmetric() const override;
  bool spreads_over(const Matrix<Space>& A) const override;
  Work apply_work() const override;
  std::vector<PartOfApply<Space>> parts() const override;  // of banded matrices: the levels
  std::string describe() const override;

 private:
  SetupInfo info(double seconds) const;

  MultigridOptions options_;
  std::unique_ptr<SeparableOperator> operator_;  // of the last setup
  std::unique_ptr<multigrid::CycleBase<Space>> cycle_;
  // Instead, of a banded matrix: BandedMultigrid, or over ranks DistributedMultigrid; and where a grid's parts are too thin to
  // be distributed: this, on the root rank.
  std::unique_ptr<Preconditioner<Space>> instead_;
};

}  // namespace weir
