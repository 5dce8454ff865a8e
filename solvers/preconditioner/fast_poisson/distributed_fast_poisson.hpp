// fast_poisson over ranks, by transposes: with whole lines along x on each rank
//   x transformed -> transpose -> y and z, and the way back -> transpose -> x transformed back,
// where after the transpose a rank has all of y and z for some of the modes of x. Where x itself is cut (blocks), the values come
// to whole lines first and go back last. Nothing is gathered; each transpose moves what does not stay on its rank once. The
// solution is that of one rank to round-off.
#pragma once
#include <memory>

#include "solvers/distributed/box_spread.hpp"
#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson_plan.hpp"

namespace weir {

template <class Space>
class DistributedFastPoisson final : public Preconditioner<Space> {
 public:
  explicit DistributedFastPoisson(FastPoissonOptions options)
      : Preconditioner<Space>({.keeps_symmetry = true, .is_exact = true, .works_over_ranks = true}),
        options_(std::move(options)) {}

  // Whether A is a DistributedStencil that has modes of x, and lines along x, for every rank.
  static bool can_spread(const Matrix<Space>& A);

  SetupInfo setup(const Matrix<Space>& A) override;   // of which can_spread(A)
  SetupInfo update(const Matrix<Space>& A) override;  // another shift or scale costs nothing
  void apply(View<const double> r, View<double> z) const override;
  std::string describe() const override;

 private:
  void transpose_plans(const FastPoissonPlan& whole, const RankBox& rows, const RankBox& lines);

  FastPoissonOptions options_;
  SeparableOperator operator_;                     // of the last setup
  std::unique_ptr<FastPoissonPlan> rows_, lines_;  // along x; of y and z for some of the modes of x
  std::unique_ptr<FastPoissonSweep<Space>> sweep_rows_, sweep_lines_;
  std::unique_ptr<BoxSpread<Space>> own_to_rows_, rows_to_own_;  // where x is cut
  BoxSpread<Space> rows_to_lines_, lines_to_rows_;
  mutable Array<double, Space> in_rows_, in_modes_, in_lines_, solved_;
  std::string text_;
};

}  // namespace weir
