// The levels of the banded cycle on one rank: their arrays, and the cycle through them.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/device/recorded_work.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/work.hpp"
#include "solvers/parallel/block_partition.hpp"
#include "solvers/parallel/communicator.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid_kernels.hpp"
#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"

namespace weir::banded_multigrid {

// The step lengths of the Chebyshev polynomial that is smallest on the part of the spectrum that coarser grids cannot see.
std::vector<double> chebyshev_steps(int degree);

// What the bands are scaled by: 1 over the largest diagonal entry. Error where that is not finite or not positive.
double scale_of(double largest);

// Whose the right-hand side of a level is: a finest one reads the caller's (Ends), and has no array for it.
enum class Right { own, callers };
constexpr int values_per_cell(Right right) { return right == Right::own ? 7 : 6; }
// The arrays of a level, one behind the other from `values` on: values_per_cell times its cells.
LevelView level_view(Extents cells, const bool (&wraps)[3], Right right, float* values);

// The numbers of the three directions of a transfer, and the addresses that a TransferView has of them.
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
  // grids: finest first; their directions are those of the arrays. right: of the first.
  void build(std::span<const multigrid::GridLevel> grids, int degree, Right right);
  // From the couplings of the first level: those of the others, and the inverse of the coarsest.
  void update();
  bool empty() const { return levels_.empty(); }
  std::size_t count() const { return levels_.size(); }
  const LevelView& first() const { return levels_.front().view; }

  // z = M^-1 r, of the first level, whose right-hand side is the caller's. Returns r.z where asked.
  double run(const Ends& ends, bool dot);
  void visit(std::size_t l) const;  // the v of level l from its g
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

// The grid as the couplings tell it, where nobody else has: with volumes in the rows, the coupling across a face is its area
// over the distance, h_y h_z / d_x. The largest of a plane belongs to its widest open cells, whose widths H are the largest
// distances; so the smallest of these over all planes is m_x = H_y H_z / H_x, and H_z^2 = m_x m_y.
// `cubes`: the lines of the whole grid, which are the answer where nothing can be told. Over ranks A is the matrix of
// this rank's box of it, and all ranks call.
template <class Space>
std::array<SeparableDirection, 3> judged_directions(const Banded<Space>& A,
                                                    const std::array<SeparableDirection, 3>& cubes, const RankBox& box,
                                                    const Communicator& ranks);

}  // namespace weir::banded_multigrid
