// Positions of the unknowns. Harlow & Welch (1965): pressure at cell centres, each velocity component on the faces
// normal to it.
//
//        +-----v(i,j+1)-----+          u(i,j,k): the low x face of cell (i,j,k), v: its low y face, w: its low z face.
//        |                  |          Cells i = 0..n-1, faces 0..n. Fields carry one layer of ghosts: indices -1..n in
//     u(i,j)   p(i,j)   u(i+1,j)       each direction, room for the n + 1 faces as well as for the cells and their two
//        |                  |          ghosts. In 2D the z direction has one cell, no ghosts and no w.
//        +------v(i,j)------+
//
// Solver vectors hold the unknowns alone, x fastest: every cell for the pressure; for a velocity component the faces
// 1..n-1 of its own direction (0..n-1 if periodic). The end faces are boundary data.
#pragma once
#include <vector>

#include "solvers/device/array.hpp"
#include "solvers/device/space.hpp"
#include "solvers/parallel/block_partition.hpp"

namespace weir {

// A view of a padded field.
template <class T>
class Field {
 public:
  Field() = default;
  WEIR_HD Field(T* origin, int stride_y, int stride_z) : origin_(origin), stride_y_(stride_y), stride_z_(stride_z) {}
  WEIR_HD T& operator()(int i, int j, int k) const { return origin_[i + j * stride_y_ + k * stride_z_]; }
  WEIR_HD T* at(int i, int j, int k) const { return origin_ + (i + j * stride_y_ + k * stride_z_); }

 private:
  T* origin_ = nullptr;  // address of cell (0, 0, 0)
  int stride_y_ = 0, stride_z_ = 0;
};

// The cells of a rank in the whole grid; plain data, so that kernels may capture it.
struct GridPart {
  int n[3] = {1, 1, 1};      // cells
  int dim = 3;               // 2 where whole[2] == 1
  bool periodic[3] = {};     // the opposite end lies on this rank too
  bool cut[6] = {};          // x_min, x_max, ...: the neighbour is another rank, whose cells are the ghosts
  int low[3] = {};           // number of the first cell in the whole grid
  int whole[3] = {1, 1, 1};  // cells of the whole grid
  WEIR_HD Extents extents() const { return {n[0], n[1], n[2]}; }
  // Calls body(i, j, k) for every cell, x fastest, on the host.
  template <class F>
  void for_cells(const F& body) const {
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) body(i, j, k);
  }
  std::int64_t whole_count() const { return std::int64_t{1} * whole[0] * whole[1] * whole[2]; }
  // True if the whole grid is periodic along d; exact on ranks at its ends only.
  bool wraps(int d) const {
    return periodic[d] || (cut[2 * d] && low[d] == 0) || (cut[2 * d + 1] && low[d] + n[d] == whole[d]);
  }
};

// GridPart with layers of ghosts around it, in each direction that exists.
template <int Ghosts>
struct PaddedPart : GridPart {
  static constexpr int ghosts = Ghosts;
  WEIR_HD int pad(int d) const { return d < dim ? ghosts : 0; }
  WEIR_HD int padded(int d) const { return n[d] + 2 * pad(d); }
  WEIR_HD int stride(int d) const { return d == 0 ? 1 : d == 1 ? padded(0) : padded(0) * padded(1); }
  WEIR_HD int padded_count() const { return padded(0) * padded(1) * padded(2); }
  // origin: index of cell (0, 0, 0) in a padded field; at: index of cell (i, j, k) relative to it.
  WEIR_HD int origin() const { return pad(0) + pad(1) * stride(1) + pad(2) * stride(2); }
  WEIR_HD int at(int i, int j, int k) const { return i + j * stride(1) + k * stride(2); }
  int padded_index(int i, int j, int k) const { return origin() + at(i, j, k); }
  // Calls body(i, j, k) for every point of the padded box.
  template <class F>
  void for_padded(const F& body) const {
    for (int k = -pad(2); k < n[2] + pad(2); ++k)
      for (int j = -pad(1); j < n[1] + pad(1); ++j)
        for (int i = -pad(0); i < n[0] + pad(0); ++i) body(i, j, k);
  }
};

// The box of one rank.
template <class Cells>
Cells part_of(const Cells& whole, const RankBox& box) {
  Cells part = whole;
  for (int d = 0; d < 3; ++d) {
    part.n[d] = box.size(d);
    part.low[d] = box.low[d];
    if (part.n[d] == whole.n[d]) continue;
    part.periodic[d] = false;
    part.cut[2 * d] = whole.periodic[d] || box.low[d] > 0;
    part.cut[2 * d + 1] = whole.periodic[d] || box.high[d] < whole.n[d];
  }
  return part;
}

// Sizes and strides of the staggered grid.
struct Layout : PaddedPart<1> {
  bool staggered = true;  // false: all values at cell centres (copy of the flow of the coupled scheme)

  WEIR_HD Extents cells() const { return extents(); }
  // True for a side of the box with a boundary condition.
  WEIR_HD bool is_side(int side) const { return !periodic[side / 2] && !cut[side]; }
  // The first unknown of a component in its own direction, and the box of its unknowns.
  WEIR_HD int first(int component) const { return periodic[component] || cut[2 * component] ? 0 : 1; }
  WEIR_HD Extents unknowns(int component) const {
    return {n[0] - (component == 0 ? first(0) : 0), n[1] - (component == 1 ? first(1) : 0),
            n[2] - (component == 2 ? first(2) : 0)};
  }
};

// The layer of psi beyond each low side where the box of the rank is cut.
struct PsiBelow {
  const double* plane[3] = {};
};

// The flow: u, v, w and the pressure over the density at the half level, p^{n-1/2}.
template <class Space>
struct Flow {
  explicit Flow(const Layout& l) : layout(l), p(l.padded_count()) {
    for (int c = 0; c < l.dim; ++c) velocity[c] = Array<double, Space>(l.padded_count());
  }
  Layout layout;
  Array<double, Space> velocity[3];
  Array<double, Space> p;
  std::vector<Array<double, Space>> scalars;  // in the order of IncompressibleCase::scalars
  const double* divergence = nullptr;         // divergence of every cell; only if the layout is not staggered

  Field<double> field(Array<double, Space>& a) const {
    return {a.data() + layout.origin(), layout.stride(1), layout.stride(2)};
  }
  Field<const double> field(const Array<double, Space>& a) const {
    return {a.data() + layout.origin(), layout.stride(1), layout.stride(2)};
  }
  Field<double> component(int c) { return field(velocity[c]); }
  Field<const double> component(int c) const { return field(velocity[c]); }
  Field<double> pressure() { return field(p); }
  Field<const double> pressure() const { return field(p); }
};

}  // namespace weir
