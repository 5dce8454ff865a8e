// BandedMultigrid over ranks: the cycle of one rank, whose smoother and transfers see all cells at once and so do not
// know the ranks; every value is the one that one rank would have, to the last bit of single precision.
//
//   wide box    a rank's cells of a level and `layers` more around them where the box was cut. All steps of the way down are
//               computed from one exchange of the right-hand side, those of the way up from one of the coarser level's
//               result: a few layers are computed twice, and the kernels are those of one rank, several steps in one sweep
//   core box    the rank's coarse cells and one layer: what its restriction gives, and the coarse couplings
//   coarse cell of the rank that has its first fine cell
//   tail        the levels below `gather_size` cells: on rank 0 alone, to which the right-hand side is gathered
// So a cycle has two exchanges a level and one gather and scatter of the tail.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "solvers/distributed/box_spread.hpp"
#include "solvers/distributed/distributed_banded.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid_levels.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

template <class Space>
class DistributedMultigrid final : public Preconditioner<Space> {
 public:
  DistributedMultigrid(int degree, int coarse_size, int gather_size);
  ~DistributedMultigrid() override;

  // Whether A is a banded matrix over ranks that is large enough to have levels of its own on each.
  static bool can_spread(const Matrix<Space>& A, int gather_size);

  SetupInfo setup(const Matrix<Space>& A) override;  // Error(usage) where A is not a symmetric DistributedBanded
  SetupInfo update(const Matrix<Space>& A) override;
  void apply(View<const double> r, View<double> z) const override;
  std::string describe() const override;

 private:
  struct Level;
  int layers() const { return degree_ + std::max(degree_, 3); }
  bool build(const DistributedBanded<Space>& A, const std::vector<multigrid::GridLevel>& grids);
  void add_level(const multigrid::GridLevel& grid, const BoxCuts& cuts, bool is_finest, const HaloOptions& options);
  void connect(const multigrid::GridLevel& fine, const multigrid::GridLevel& coarse, std::size_t l);
  void build_tail(const std::vector<multigrid::GridLevel>& grids);
  void visit(std::size_t l) const;
  void visit_tail() const;

  int degree_, coarse_size_, gather_size_;
  const Communicator* ranks_ = nullptr;
  Extents cells_;             // of this rank
  int slots_[3] = {0, 0, 0};  // as in BandedMultigrid
  double scale_ = 1;
  std::vector<double> steps_;
  std::vector<std::unique_ptr<Level>> levels_;  // the last one is the tail's first
  std::unique_ptr<Banded<Space>> bands_;        // of the finest wide box
  BoxSpread<Space> spread_bands_, spread_r_;
  mutable Array<double, Space> wide_r_, wide_z_;
  Array<int, Space> own_;  // cells in the finest wide box

  std::unique_ptr<Preconditioner<Space>> gathered_;  // instead: the boxes are too thin for levels of their own

  banded_multigrid::Levels<Space> tail_;  // on rank 0
  BoxGather<Space> tail_cells_;
};

}  // namespace weir
