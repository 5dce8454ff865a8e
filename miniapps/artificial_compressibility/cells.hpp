// Where the unknowns of the coupled scheme sit: all of them at the centre of a cell, side by side (Luo et al. 2015).
//
//     x[0]  p (over the density)     x[1], x[2], x[3]  u, v, w     then what a turbulence model adds: k, omega
//     n = 3 in 2D, 4 in 3D; 5 and 6 with two more
//
// Fields are padded by two layers of ghost cells in each direction that exists: the inner layer carries the boundary
// conditions, the outer one is read across periodic sides only, and across those where another rank goes on. Vectors of the
// linear solver hold the cells alone, x fastest, as the blocks of BlockStencil do.
#pragma once
#include "miniapps/structured/layout.hpp"
#include "solvers/matrix/block/block_stencil.hpp"

namespace weir {

struct CoupledCells {
  int n[3] = {1, 1, 1};      // of this rank
  int dim = 3;               // 2 where whole[2] == 1
  int unknowns = 4;          // a cell: dim + 1, and those of a turbulence model
  bool periodic[3] = {};     // the whole grid
  bool cut[6] = {};          // x_min, x_max, ...: another rank goes on there, and the ghosts are its cells
  int low[3] = {};           // number of the first cell in the whole grid
  int whole[3] = {1, 1, 1};  // cells of the whole grid

  static constexpr int ghosts = 2;
  WEIR_HD int pad(int d) const { return d < dim ? ghosts : 0; }
  WEIR_HD int padded(int d) const { return n[d] + 2 * pad(d); }
  WEIR_HD int stride(int d) const { return d == 0 ? 1 : d == 1 ? padded(0) : padded(0) * padded(1); }  // in cells
  WEIR_HD int padded_count() const { return padded(0) * padded(1) * padded(2); }
  WEIR_HD int origin() const { return pad(0) + pad(1) * stride(1) + pad(2) * stride(2); }  // of cell (0, 0, 0)
  WEIR_HD int at(int i, int j, int k) const { return i + j * stride(1) + k * stride(2); }  // from the origin on
  WEIR_HD Extents extents() const { return {n[0], n[1], n[2]}; }
  std::int64_t whole_count() const { return std::int64_t{1} * whole[0] * whole[1] * whole[2]; }
  // Periods that lie within the rank.
  Periodic wraps() const { return {periodic[0] && !cut[0], periodic[1] && !cut[2], periodic[2] && !cut[4]}; }
  // This rank's number of the first and of the last cell of the whole grid along a direction.
  WEIR_HD int first_of_all(int d) const { return -low[d]; }
  WEIR_HD int last_of_all(int d) const { return whole[d] - 1 - low[d]; }
};

// The cells of one side of the box: a and b run along the two directions other than d.
struct SidePlane {
  int d = 0, t1 = 1, t2 = 2;
  int high = 0;                   // 0: the low side
  int first = 0, s1 = 0, s2 = 0;  // of the cell beside the side, in padded cells from the origin: first + a s1 + b s2
  int inward = 1;                 // from that cell to the next one inside
  Extents box;

  SidePlane(const CoupledCells& c, int side) : d(side / 2), t1(d == 0 ? 1 : 0), t2(d == 2 ? 1 : 2), high(side % 2) {
    first = high ? (c.n[d] - 1) * c.stride(d) : 0;
    s1 = c.stride(t1);
    s2 = c.stride(t2);
    inward = high ? -c.stride(d) : c.stride(d);
    box = {c.n[t1], c.n[t2], 1};
  }
  // The same cell's number without ghosts.
  WEIR_HD int cell(const CoupledCells& c, int a, int b) const {
    int at[3];
    at[d] = high ? c.n[d] - 1 : 0;
    at[t1] = a;
    at[t2] = b;
    return (at[2] * c.n[1] + at[1]) * c.n[0] + at[0];
  }
};

// One array of unknowns, padded.
template <class Space>
class CoupledField {
 public:
  explicit CoupledField(const CoupledCells& cells)
      : values_(std::int64_t{1} * cells.padded_count() * cells.unknowns), origin_(cells.origin() * cells.unknowns) {}
  double* origin() { return values_.data() + origin_; }  // of cell (0, 0, 0)
  const double* origin() const { return values_.data() + origin_; }
  Array<double, Space>& values() { return values_; }
  const Array<double, Space>& values() const { return values_; }

 private:
  Array<double, Space> values_;
  int origin_ = 0;
};

}  // namespace weir
