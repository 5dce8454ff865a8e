// Bands on a structured grid, one unknown a cell (Liu, Seo & Mittal 2013): seven diagonals in 3D, five in 2D, each
// contiguous along the rows, plus a sparse remainder for the few rows that couple to more than their face neighbours
// (ghost cells of an immersed body, whose interpolation is then implicit).
//
//   (A x)_c = sum_s band_s[c] x[c + offset_s]  +  sum_q value[q] x[column[q]]   where c is a row of the remainder
//
// The bands are those of BlockStencil with n = 1 (slots, order, periodic ends), so whatever works on that works on the
// bands of this: block_ilu0 by hyperplanes, for one. Preconditioners do not see the remainder: the diagonal entry of a
// ghost row belongs into the bands.
//
// One pass for a product and the dot products that follow it. Bytes a cell: 8 (bands + 2), bands = 7 (5 in 2D), or 4 (3) where
// the matrix is symmetric and only the upper bands are read; 2 flops a band. A value that points out of the grid has no
// meaning, but must be finite (0 from the start).
#pragma once
#include <array>
#include <span>
#include <vector>

#include "solvers/matrix/block/block_stencil.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"

namespace weir {

// Sparse rows beside the bands: the q-th is cell row[q] (ascending, each once), its entries are start[q] .. start[q + 1] - 1.
struct RemainderView {
  int rows = 0;
  int *row = nullptr, *start = nullptr, *column = nullptr;
  double* value = nullptr;
  int* first = nullptr;  // per grid row (j, k): its first row of the remainder; one more at the end
};
struct RemainderData {
  std::vector<int> row, start, column;
  std::vector<double> value;
};

struct BandedView {
  BlockStencilView bands;
  RemainderView remainder;
  bool upper_only = false;        // symmetric: a lower band is an upper one, shifted
  const double* zeros = nullptr;  // a grid row of zeros, on Host: what lies beyond the grid
};

namespace banded_products {
Pair product(Host, const BandedView& A, Product p, const double* b, const double* x, double* y);
Pair product(Device, const BandedView& A, Product p, const double* b, const double* x, double* y);
}  // namespace banded_products

// The grid behind a matrix of finite volumes, for multigrid: n + 1 faces of each direction, and what lies beyond the ends.
struct BandedGrid {
  std::array<std::vector<double>, 3> faces;
  std::array<std::array<EndCondition, 2>, 3> ends{};  // [direction][low, high]; default: neumann
};

// Cells of width 1, what a matrix has where no grid was set.
BandedGrid cubes(Extents cells, Periodic periodic);
// Error(usage) where its sizes or periodic ends are not those of the cells.
std::array<SeparableDirection, 3> directions_of(const BandedGrid& grid, Extents cells, Periodic periodic);

template <class Space>
class Banded final : public FusedProducts<Banded<Space>, BlockStencil<Space>> {
 public:
  // All values 0, no remainder. Throws Error(usage) for impossible sizes.
  explicit Banded(Extents cells, Periodic periodic = {});

  static constexpr bool fuses(Product) { return true; }
  Pair product(Product p, const double* b, const double* x, double* y) const {
    return banded_products::product(Space{}, banded(), p, b, x, y);
  }
  bool is_symmetric() const override { return BlockStencil<Space>::is_symmetric() && remainder_rows_ == 0; }
  bool has_constant_null_space() const override { return constant_null_space_; }
  void set_constant_null_space(bool singular) { constant_null_space_ = singular; }  // a promise, like set_symmetric
  Work apply_work() const override;

  // The remainder, new at any time (a moving body): make room, write row, start, column and value by loops over
  // remainder(), and finish. Allocates only where it must grow. 0 rows: no remainder.
  void resize_remainder(int rows, int entries);
  RemainderView remainder() const;
  void finish_remainder();
  // The same from the host; throws Error(usage) where rows do not ascend or a column is not a cell.
  void set_remainder(const RemainderData& data);
  RemainderData remainder_on_host() const;

  // Error(usage) where its sizes or periodic ends are not those of the matrix. Not set, multigrid judges
  // by the couplings, anew at each update.
  void set_grid(const BandedGrid& grid);
  void set_directions(const std::array<SeparableDirection, 3>& directions);  // the same, as directions() has told them
  bool has_grid() const { return has_grid_; }
  const std::array<SeparableDirection, 3>& directions() const { return direction_; }  // cubes where no grid was set

  BandedView banded() const;

 private:
  std::array<SeparableDirection, 3> direction_;
  bool constant_null_space_ = false, has_grid_ = false;
  int remainder_rows_ = 0, remainder_entries_ = 0;
  Array<int, Space> row_, start_, column_, first_;
  Array<double, Space> value_, zeros_;
};

}  // namespace weir
