// Multigrid for Banded matrices whose coefficients vary from cell to cell: cell-centred finite volumes with apertures
// (a body cuts the faces), symmetric, off-diagonals <= 0, on stretched grids; rows without couplings (cells inside the
// body) are solved by their diagonal and take no part. Trottenberg, Oosterlee & Schueller 2001, ch. 5 and 7.
//
//   grids      merged pairs of cells, in each direction only where its cells lie closest (multigrid_hierarchy.hpp), from the
//              faces that Banded::set_grid was given, or from what the couplings tell of them
//   coupling   of a coarse face: the sum of the fine ones in it, times the ratio of the distances it spans; so a face
//              half closed by a body stays half closed. The rest of the diagonal: the sum
//   transfer   u_f = P + w_x (X - P) + w_y (Y - P) + w_z (Z - P): the parent and its neighbours on the cell's sides, exact
//              for linear functions, with no term across a closed face; restriction is the transpose
//   smoother   Chebyshev polynomial in D^-1 A, whose eigenvalues lie in (0, 2] for such a matrix: symmetric, every cell at
//              once, and its steps run in one sweep through memory (pass_sweep.hpp)
// A V cycle in single precision, symmetric: cg may use it. The bands are scaled by the largest diagonal entry; vectors are
// not: values below 1e-30 of 1 are lost. A singular matrix (Neumann all round) is regularised on the coarsest grid, where it
// is solved directly. update() allocates nothing: a moving body costs one pass over the bands and one over each level.
//
// A remainder of the matrix is not seen.
#pragma once
#include <memory>
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid_levels.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

template <class Space>
class Banded;

template <class Space>
class BandedMultigrid final : public Preconditioner<Space> {
 public:
  explicit BandedMultigrid(int degree, int coarse_size = 64)
      : Preconditioner<Space>({.keeps_symmetry = true}), degree_(degree), coarse_size_(coarse_size) {}

  SetupInfo setup(const Matrix<Space>& A) override;  // Error(usage) where A is not a symmetric Banded
  SetupInfo update(const Matrix<Space>& A) override;
  void apply(View<const double> r, View<double> z) const override;
  double apply_dot(View<const double> r, View<double> z) const override;
  Work apply_work() const override;
  std::vector<PartOfApply<Space>> parts() const override;  // from each level on to the coarsest
  std::string describe() const override;

 private:
  int degree_, coarse_size_;
  Extents cells_;
  int slots_[3] = {0, 0, 0};  // of the matrix: towards smaller indices along each direction of the levels
  double scale_ = 1;
  banded_multigrid::Levels<Space> levels_;
};

}  // namespace weir
