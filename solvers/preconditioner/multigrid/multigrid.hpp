// Geometric multigrid for a SeparableOperator on any stretched tensor grid (Trottenberg, Oosterlee & Schueller 2001,
// ch. 2, 5).
//
// A V cycle for A u = g: smooth; restrict the residual g - A u; solve on the coarser grid in the same way; correct u by
// the interpolated result; smooth. `symmetric`: the post-smoothing runs in reverse order, so that a cycle with pre =
// post is a symmetric operator. In the same order a cycle converges faster, and cg, then the flexible one, needs a
// fifth fewer iterations.
//
// Semi-coarsening by place: each direction is coarsened on its own, only where its unknowns lie closest
// (multigrid_hierarchy.hpp), so that point smoothers stay good on stretched grids. Coarse operators are rediscretised;
// interpolation is linear, restriction its transpose. The coarsest grid is solved by fast diagonalisation.
//
// Half sweeps of red_black are over-relaxed (Yavneh 1996), each by its own factor. The last before the correction is a
// plain Gauss-Seidel half sweep: the residual of its colour is then zero, and only the other colour is computed and
// restricted.
//
// Banded matrices with variable coefficients: banded/banded_multigrid.cu, with the options `pre` (the degree of its
// smoother is one more), coarse_size and gather_size. A periodic direction of odd size has no two colours: such a level
// is smoothed by "chebyshev".
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

struct MultigridOptions {
  int pre = 2, post = 2;
  std::optional<bool> symmetric;  // not given: false, unless the method needs symmetry
  std::string smoother = "red_black";
  std::string storage = "float";
  std::optional<int> coarse_size;  // not given: 4096, or 64 for a banded matrix
  int gather_size = 32768;
};

// Cycles for the two kinds of matrices, on one rank or over ranks. If the parts of a grid are too thin to be
// distributed, setup returns 0 levels and has set up nothing.
namespace multigrid {
// Over-relaxation factors of half sweep s, 0 .. 2 pre - 1 before and 0 .. 2 post - 1 after the correction: those with
// the fewest cg iterations in a search over ten operators, 2D and 3D, uniform and stretched, with and without shift.
// With `symmetric` the factors after mirror those before.
inline double omega_before(const MultigridOptions& o, int s) {
  return s + 1 == 2 * o.pre ? 1 : o.symmetric.value_or(false) ? 1.4 : 1.7;
}
inline double omega_after(const MultigridOptions& o, int s) {
  if (o.symmetric.value_or(false)) return s == 0 ? 1 : 1.4;
  return s + 1 == 2 * o.post ? 0.83 : 1.33;
}

// Separable operator; sweeps of the polynomial have no order.
inline bool keeps_symmetry(const MultigridOptions& o) {
  return o.pre == o.post && (o.smoother != "red_black" || o.symmetric.value_or(false));
}
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_separable_cycle(const MultigridOptions& options);
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_banded_cycle(const MultigridOptions& options);
}  // namespace multigrid

template <class Space>
class Multigrid final : public Preconditioner<Space> {
 public:
  explicit Multigrid(const MultigridOptions& options);
  void apply(View<const double> r, View<double> z) const override { cycle_->apply(r, z); }
  double apply_dot(View<const double> r, View<double> z) const override { return cycle_->apply_dot(r, z); }
  Pair apply_dots(View<const double> r, View<const double> w, View<double> z) const override {
    return cycle_->apply_dots(r, w, z);
  }
  bool is_symmetric() const override { return cycle_->is_symmetric(); }
  void prefer_symmetry() override;
  bool spreads_over(const Matrix<Space>& A) const override;
  Work apply_work() const override { return cycle_->apply_work(); }
  std::vector<PartOfApply<Space>> parts() const override { return cycle_->parts(); }
  std::string describe() const override { return cycle_->describe(); }

 private:
  SetupInfo do_setup(const Matrix<Space>& A) override;
  SetupInfo do_update(
      const Matrix<Space>& A) override;  // new shift and scale cost O(nx + ny + nz); a new grid, a setup

  MultigridOptions options_;
  std::optional<bool> is_banded_;                 // kind of the matrix of the last set-up
  std::unique_ptr<Preconditioner<Space>> cycle_;  // for parts that are too thin: a cycle on the root rank
};

}  // namespace weir
