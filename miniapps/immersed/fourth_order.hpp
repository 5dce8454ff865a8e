// Advection of fourth order at nodes with two fluid neighbours on each side, instead of the second order of
// momentum.hpp ([numerics] order = 4, fixed bodies). On coarse grids the error of the drag comes from a boundary layer
// two cells thick: half of it from the advection, half from the ghosts (cut_geometry.hpp).
//
//   C(u) = V sum_t sum_e slope_e (v_e u_e),  e = -3/2, -1/2, 1/2, 3/2 along t
//
// u_e is interpolated from the four nodes nearest to e within two nodes of the centre (one-sided at +-3/2). v_e is
// interpolated from four nodes along the direction of the component. Both interpolations are cubic on any stretched
// grid. Nodes within two nodes of a side of the box keep second order.
#pragma once
#include <array>

#include "miniapps/immersed/geometry/cut_geometry.hpp"
#include "miniapps/structured/ranks.hpp"
#include "solvers/device/array.hpp"

namespace weir {

// Interpolation weights of a node on its grid line.
struct FourthOrderNode {
  double flux[4][4] = {};  // for the value at e: the first two from nodes -2 .. 1, the last two from -1 .. 2
  double slope[4] = {};    // for the slope at the node, from the values at e
  double carrier[4] = {};  // for the value at the node, from the cell centres -2 .. 1; only for nodes on faces
};

template <class Space>
class FourthOrder {
 public:
  // region: layout of the rank with at least three more cell layers (cut_part.hpp); on one rank the layout itself.
  FourthOrder(const Grid& grid, const Layout& own, const Layout& region);

  // Selects the nodes with fourth order. Call it after the geometry has changed.
  void update(const CutGeometry& cut);

  // advection: V C, second order on entry, fourth order on return where possible. rhs is reduced by `weight` times the
  // change. wide: the flow on the region.
  void correct(const Flow<Space>& wide, const Metrics& m, int component, double weight, View<double> advection,
               View<double> rhs) const;

  // Public: nvcc takes no device lambda in a private member.
  template <int dim>
  void correct_in(const Flow<Space>& wide, const Metrics& m, int component, double weight, View<double> advection,
                  View<double> rhs) const;

 private:
  Layout own_, region_;
  // Own nodes of each direction: line_[0] at centres, line_[1] at faces.
  std::array<std::array<Array<FourthOrderNode, Space>, 3>, 2> line_;
  std::array<Array<unsigned char, Space>, 3> use_;  // 1: fourth order; by unknown
};

}  // namespace weir
