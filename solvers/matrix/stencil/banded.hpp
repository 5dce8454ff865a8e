// Bands on a structured grid with one unknown per cell (Liu, Seo & Mittal 2013): seven diagonals in 3D, five in 2D,
// plus a sparse remainder for the few rows with more neighbours (ghost cells of an immersed body, whose interpolation
// is implicit):
//
//   (A x)_c = sum_s band_s[c] x[c + offset_s]  +  sum_q value[q] x[column[q]]   for the rows c of the remainder
//
// The bands are those of BlockStencil with n = 1 (slots, order, periodic ends), so its preconditioners (block_ilu0)
// work on them. Preconditioners ignore the remainder: the diagonal entry of a ghost row belongs into the bands.
//
// A product and its dot products take one pass. Bytes per cell: 8 (bands + 2), bands = 7 (2D: 5), or 4 (3) if the
// matrix is symmetric and only the upper bands are read; 2 flops per band. Values that point out of the grid are
// unused but must be finite (initially 0).
#pragma once
#include <array>
#include <span>
#include <vector>

#include "solvers/matrix/block/block_stencil.hpp"
#include "solvers/matrix/stencil/planes_beyond.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"

namespace weir {

// Sparse rows in addition to the bands: the q-th is cell row[q] (ascending), entries start[q] .. start[q + 1] - 1.
struct RemainderView {
  int rows = 0;
  int *row = nullptr, *start = nullptr, *column = nullptr;
  double* value = nullptr;
  int* first = nullptr;            // per grid row (j, k): its first remainder row; one more at the end
  const double* beyond = nullptr;  // host: x of the columns from the number of cells on; null: there are none
};
struct RemainderData {
  std::vector<int> row, start, column;
  std::vector<double> value;
};

struct BandedView {
  BlockStencilView bands;
  RemainderView remainder;
  bool upper_only = false;        // symmetric: a lower band is a shifted upper one
  const double* zeros = nullptr;  // Host: a grid row of zeros, read in place of rows beyond the grid
  PlanesBeyond beyond = {};       // Host: the bands that point out of the box couple to them
};

namespace banded_products {
Pair product(Host, const BandedView& A, Product p, const double* b, const double* x, double* y);
Pair product(Device, const BandedView& A, Product p, const double* b, const double* x, double* y);
}  // namespace banded_products

// Grid of a finite-volume matrix, for multigrid: n + 1 faces per direction, and the conditions at its ends.
struct BandedGrid {
  std::array<std::vector<double>, 3> faces;
  std::array<std::array<EndCondition, 2>, 3> ends{};  // [direction][low, high]; default: neumann
};

// Cells of width 1, the default grid.
BandedGrid cubes(Extents cells, Periodic periodic);
// Throws Error(usage) if sizes or periodic ends differ from those of the cells.
std::array<SeparableDirection, 3> directions_of(const BandedGrid& grid, Extents cells, Periodic periodic);

template <class Space>
class Banded final : public FusedProducts<Banded<Space>, BlockStencil<Space>> {
 public:
  // All values 0, no remainder. Throws Error(usage) for invalid sizes.
  explicit Banded(Extents cells, Periodic periodic = {});

  static constexpr bool fuses(Product) { return true; }
  Pair product(Product p, const double* b, const double* x, double* y) const {
    return banded_products::product(Space{}, banded(), p, b, x, y);
  }
  bool is_symmetric() const override { return BlockStencil<Space>::is_symmetric() && remainder_rows_ == 0; }
  bool has_constant_null_space() const override { return constant_null_space_; }
  void set_constant_null_space(bool singular) { constant_null_space_ = singular; }  // a promise, like set_symmetric
  Work apply_work() const override;

  // The remainder may change at any time (moving bodies): reserve, write row, start, column and value through
  // remainder(), and finish. Allocates only to grow. 0 rows: none.
  void resize_remainder(int rows, int entries);
  RemainderView remainder() const;
  void finish_remainder();
  // Sets the remainder from host data. Throws Error(usage) if rows do not ascend or a column is not a cell.
  void set_remainder(const RemainderData& data);
  RemainderData remainder_on_host() const;

  // Sizes and periodic ends must be those of the matrix. Without a grid, multigrid uses the couplings.
  void set_grid(const BandedGrid& grid);
  void set_directions(const std::array<SeparableDirection, 3>& directions);  // from directions()
  bool has_grid() const { return has_grid_; }
  const std::array<SeparableDirection, 3>& directions() const { return direction_; }  // cubes by default

  BandedView banded() const;

 private:
  std::array<SeparableDirection, 3> direction_;
  bool constant_null_space_ = false, has_grid_ = false;
  int remainder_rows_ = 0, remainder_entries_ = 0;
  Array<int, Space> row_, start_, column_, first_;
  Array<double, Space> value_, zeros_;
};

}  // namespace weir
