// Storage of the unknowns of the coupled scheme: all at the centre of a cell, next to each other (Luo et al. 2015).
//
//     x[0]  p (over the density)     x[1], x[2], x[3]  u, v, w     then what a turbulence model adds: k, omega
//     n = 3 in 2D, 4 in 3D; 5 and 6 with two more
//
// Fields are padded by two layers of ghost cells in each direction that exists. The inner layer contains the boundary
// conditions; the outer one is read only across periodic sides and across cuts between ranks. Vectors of the linear
// solver contain the cells without ghosts, x fastest, like the blocks of BlockStencil.
#pragma once
#include "miniapps/structured/layout.hpp"
#include "solvers/matrix/block/block_stencil.hpp"

namespace weir {

struct CoupledCells : PaddedPart<2> {  // strides in cells
  int unknowns = 4;                    // per cell: dim + 1, and those of a turbulence model

  // Periodic directions both of whose ends lie within the rank.
  Periodic wraps_here() const { return {periodic[0], periodic[1], periodic[2]}; }
  // Local numbers of the first and the last cell of the whole grid along a direction.
  WEIR_HD int first_of_all(int d) const { return -low[d]; }
  WEIR_HD int last_of_all(int d) const { return whole[d] - 1 - low[d]; }
};

// The cells at one side of the box; a and b are their numbers along the two directions other than d.
struct SidePlane {
  int d = 0, t1 = 1, t2 = 2;
  int high = 0;                   // 0: the low side
  int first = 0, s1 = 0, s2 = 0;  // of the cell next to the side, in padded cells from the origin: first + a s1 + b s2
  int inward = 1;                 // from that cell to the next one inside
  Extents box;

  SidePlane(const CoupledCells& c, int side) : d(side / 2), t1(d == 0 ? 1 : 0), t2(d == 2 ? 1 : 2), high(side % 2) {
    first = high ? (c.n[d] - 1) * c.stride(d) : 0;
    s1 = c.stride(t1);
    s2 = c.stride(t2);
    inward = high ? -c.stride(d) : c.stride(d);
    box = {c.n[t1], c.n[t2], 1};
  }
  // The number of the same cell without ghosts.
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
