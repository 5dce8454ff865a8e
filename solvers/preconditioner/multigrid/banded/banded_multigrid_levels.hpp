// Levels of the banded cycle on one rank: arrays and cycle.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/device/asynchronous/recorded_work.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/work.hpp"
#include "solvers/parallel/block_partition.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid_kernels.hpp"
#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"

namespace weir::banded_multigrid {

// Step lengths of the Chebyshev polynomial that is smallest on the part of the spectrum that coarser grids cannot
// represent.
std::vector<double> chebyshev_steps(int degree);

// Scale of the bands: 1 / largest diagonal entry. Error if that is not finite or not positive.
double scale_of(double largest);

// Right-hand side of a level: its own array, or the vector of the caller (Ends) on the finest level.
enum class Right { own, callers };
constexpr int values_per_cell(Right right) { return right == Right::own ? 7 : 6; }
// Arrays of a level, one after the other in values_per_cell times its cells from `values` on.
LevelView level_view(Extents cells, const bool (&wraps)[3], Right right, float* values);

// Storage for the three directions of a TransferView.
template <class Space>
class TransferArrays {
 public:
  struct Direction {  // as LineMap
    std::vector<int> first, parent;
    std::vector<float> weight, ratio, end_weight, end_ratio;
  };
  static Direction direction(const multigrid::Line& fine, const multigrid::Line& coarse,
                             const multigrid::LineTransfer& transfer);
  TransferView set(const Direction (&directions)[3], bool pairs);
  std::int64_t bytes() const { return 4 * (indices_.size() + weights_.size()); }

 private:
  Array<int, Space> indices_;
  Array<float, Space> weights_;
};

template <class Space>
class Levels {
 public:
  // grids: finest first, with the directions of the arrays. right: of the first level.
  void build(std::span<const multigrid::GridLevel> grids, int degree, Right right);
  // Computes the couplings of the coarser levels and the inverse of the coarsest from those of the first.
  void update();
  bool empty() const { return levels_.empty(); }
  std::size_t count() const { return levels_.size(); }
  const LevelView& first() const { return levels_.front().view; }

  // z = M^-1 r on the first level, whose right-hand side is that of the caller. Returns r.z if `dot`.
  double run(const Ends& ends, bool dot);
  void visit(std::size_t l) const;  // v of level l from its g
  Work work_from(std::size_t l) const;
  std::int64_t bytes() const;

 private:
  struct Level {
    LevelView view;
    TransferView transfer;  // to the next coarser level
    Array<float, Space> values;
    TransferArrays<Space> lines;
  };
  void invert_coarsest();

  std::vector<double> steps_;
  std::vector<Level> levels_;
  std::unique_ptr<RecordedWork<Space>> recorded_;  // since build()
  Array<double, Space> inverse_;
  std::vector<float> download_;
  std::vector<double> work_;
};

// Grid estimated from the couplings, if no grid was given: with volumes in the rows, the coupling across a face is its
// area over the distance, h_y h_z / d_x. The largest of a plane belongs to its widest open cells, whose widths H are
// the largest distances; the smallest of these over all planes is m_x = H_y H_z / H_x, and H_z^2 = m_x m_y. `cubes`:
// lines of the whole grid, returned if nothing can be estimated. Over ranks A is the matrix of this rank's box, and all
// ranks call.
template <class Space>
std::array<SeparableDirection, 3> judged_directions(const Banded<Space>& A,
                                                    const std::array<SeparableDirection, 3>& cubes, const RankBox& box,
                                                    const Communicator& ranks);

}  // namespace weir::banded_multigrid
