// The 7-point matrix of a SeparableOperator over ranks: the local matrix is the same stencil on the rank's box with
// the diagonal of the whole matrix, and the coupling is one layer of ghosts per cut side.
#pragma once
#include <memory>
#include <vector>

#include "solvers/distributed/box_border.hpp"
#include "solvers/distributed/ghost_planes.hpp"
#include "solvers/distributed/whole_system.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"

namespace weir {

// The operator restricted to a box; couplings to unknowns outside stay in the diagonal. In periodic directions the
// box may start before 0 and end after n.
SeparableOperator restricted(const SeparableOperator& whole, const RankBox& box);

template <class Space>
class DistributedStencil : private LocalPart<SeparableStencil<Space>>,
                           public DistributedMatrix<Space>,
                           public ChebyshevPasses<Space>,
                           public Gatherable<Space> {
  using Local = LocalPart<SeparableStencil<Space>>;

 public:
  DistributedStencil(const Communicator& ranks, SeparableOperator whole, const BoxCuts& cuts,
                     const HaloOptions& options = {});

  void set_coefficients(double shift, double scale) override;
  const RankBox& box() const { return box_; }
  const BoxCuts& cuts() const { return cuts_; }
  const RankMap& rows_of_ranks() const override { return map_; }
  std::unique_ptr<Matrix<Space>> make_whole() const override;
  void update_whole(Matrix<Space>* whole) const override;

  const SeparableOperator& whole_operator() const override { return whole_; }
  Pair chebyshev_start(double omega, View<const double> b, View<const double> x, View<double> y) const override;
  double chebyshev_steps(const ChebyshevSteps& steps, View<const double> b, View<double> x,
                         View<double> y) const override;

 private:
  bool exact_product(Product p, const double* b, View<const double> x, View<double> y) const override;
  void fetch_planes(View<const double> x) const;  // for products with joined_

  SeparableOperator whole_;
  BoxCuts cuts_;
  RankBox box_;
  RankMap map_;
  Array<double, Space> inverse_mass_[3];  // of this box
  Array<double, Space> border_volume_;    // 1 / volume of the border rows
  // Exact sums, host, x not cut: has the couplings to other ranks too, so that rows are those of one rank bit by bit.
  std::unique_ptr<SeparableStencil<Space>> joined_;
  mutable GhostPlanes planes_;
};

}  // namespace weir
