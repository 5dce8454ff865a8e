// Advection of fourth order at nodes with two fluid neighbours on each side, instead of the second order of
// momentum.hpp ([numerics] order = 4, fixed bodies). On coarse grids the error of the drag comes from a boundary layer
// two cells thick: half of it from the advection, half from the ghosts (cut_geometry.hpp).
//
//   C(u) = V sum_t sum_e slope_e (v_e u_e),  e = -3/2, -1/2, 1/2, 3/2 along t
//
// u_e: from the four nodes next to e that are at most two away (one-sided at +-3/2), v_e: from the four along the
// component's own direction. Both are cubic, on any stretched grid. Nodes within two of a side of the box keep second
// order.
#pragma once
#include <array>

#include "miniapps/immersed/geometry/cut_geometry.hpp"
#include "miniapps/structured/ranks.hpp"
#include "solvers/device/array.hpp"

namespace weir {

// Of a node on its line; slope of four values around it.
struct FourthOrderNode {
  double flux[4][4] = {};  // at e: the first two take nodes -2 .. 1, the last two -1 .. 2
  double slope[4] = {};    // of the values at e
  double carrier[4] = {};  // at the node, of the cell centres -2 .. 1; of nodes on faces alone
};

template <class Space>
class FourthOrder {
 public:
  // region: of a rank, at least three layers more than its own (cut_part.hpp); one rank alone: its layout.
  FourthOrder(const Grid& grid, const Layout& own, const Layout& region);

  // Which nodes; after the geometry has changed.
  void update(const CutGeometry& cut);

  // advection: V C of second order on entry, of fourth where it can be on return; rhs: less `weight` times the change.
  // wide: the flow on the region.
  void correct(const Flow<Space>& wide, const Metrics& m, int component, double weight, View<double> advection,
               View<double> rhs) const;

  // Public: nvcc takes no device lambda in a private member.
  template <int dim>
  void correct_in(const Flow<Space>& wide, const Metrics& m, int component, double weight, View<double> advection,
                  View<double> rhs) const;

 private:
  Layout own_, region_;
  std::array<std::array<Array<FourthOrderNode, Space>, 3>, 2>
      line_;                                        // [0]: nodes at centres, [1]: at faces; of own nodes
  std::array<Array<unsigned char, Space>, 3> use_;  // of the unknowns
};

}  // namespace weir
