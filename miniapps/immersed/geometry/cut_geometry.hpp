// How a body cuts the grid at one time. Computed on the host in a pass over the points next to the body and one over
// the grid.
//
//   velocity nodes  fluid | solid | ghost: solid, but a neighbour (diagonals included) is fluid, or fluid passes its
//                   face | fresh: fluid, but solid before the body moved | recent: fresh in the last step
//   faces           alpha: the part of the face that is in the fluid, from the signed distance at the corners, linear
//                   along edges (Ng, Min & Gibou, J. Comput. Phys. 228 (2009) 8807; Seo & Mittal, J. Comput. Phys.
//                   230 (2011) 7347)
//   cells           wet: fluid passes at least one inner face; held: a wet cell with a fluid node on one of its faces.
//                   The momentum equation of that node contains the pressure of the cell. A wet cell that is not held
//                   conserves mass, but its pressure would accumulate the errors of its ghost faces from step to step:
//                   it is extrapolated instead. The surface in a cell has the area vector that closes the cell, S =
//                   -sum of alpha A n over its faces (out of the fluid), and carries the flux u_body . S
//
// Ghost node G at distance d < 0 from its foot B on the surface: the parabola through the wall and the points P and Q,
// one and two cells from it on the normal, s = d / h,
//   u_G + s (s - 2) u_P - s (s - 1) / 2 u_Q = (s - 1) (s - 2) / 2 u_B
// u_P and u_Q are interpolated from the nodes around them, implicitly. (Mittal et al., J. Comput. Phys. 227 (2008)
// 4825, use a straight line to the image point, whose slope differs at the wall.) Cubic ghosts also use the point R
// three cells away,
//   u_G - s (s - 2)(s - 3) / 2 u_P + s (s - 1)(s - 3) / 2 u_Q - s (s - 1)(s - 2) / 6 u_R
//       = -(s - 1)(s - 2)(s - 3) / 6 u_B
// with values that are interpolated quadratically instead of linearly from the nodes around them.
// Bodies with openings use the straight line, I = G + 2 (B - G), because parabolas overshoot. Where fluid leaves, the
// velocity is continued:
//   u_G + u_I = 2 u_B  (their eq. 14),      u_G - u_P = 0
// In fluid nodes F closer than half a cell h/2 to a moving body, the momentum equation is blended with an
// interpolation, so that a node enters or leaves the body without a jump (Luo, Dai, Ferreira de Sousa & Yin, Comput.
// Fluids 56 (2012) 61): blend = (1 - 2 d / h)^2, and 1 in the step in which the node is fresh. F at distance d
// satisfies the parabola through the wall and the points P and Q, one and two cells h further out,
//   u_F - 2d / (d + h) u_P + d / (d + 2h) u_Q = 2 h^2 / ((d + h)(d + 2h)) u_B
//
// A scalar is stored at cell centres. If its value at the wall is given, its rows are the same. If its slope g at the
// wall is given, the parabola has that slope at the wall,
//   T - (1 + r) T_P + r T_Q = g ((s - s_P) + r (s_Q - s_P)),  r = (s_P^2 - s^2) / (s_Q^2 - s_P^2)
// with distances s from the wall.
#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "mesh/body/distance/distance_of_all.hpp"
#include "mesh/body/distance/point_line.hpp"
#include "mesh/body/distance/tied_feet.hpp"
#include "mesh/structured/grid.hpp"
#include "miniapps/structured/layout.hpp"
#include "solvers/parallel/block_partition.hpp"

namespace weir {

class Communicator;

// Kinds >= fluid_node are solved with the momentum equation: the order of the enum matters.
enum NodeKind : unsigned char { solid_node, ghost_node, fresh_node, fluid_node, recent_node };

// Index of kinds and rows: velocity components first, then from this number on the scalars, at cell centres. (Rows and
// ghosts of two scalars differ if the wall fixes the value of one and the slope of the other.)
inline constexpr int scalar_nodes = 3;

// Wall condition of a scalar: value: its value (is_fixed), or its slope along the normal into the fluid.
struct WallScalar {
  bool is_fixed = false;
  double value = 0;
};

enum CellKind : unsigned char { dry_cell, wet_cell, held_cell };

// The interpolation rows of one velocity component: self u_row + sum weight u = target.
struct InterpolationRow {
  int row = 0, node = 0;   // unknown, and its index in the padded field
  int begin = 0, end = 0;  // range of its entries
  double self = 1, target = 0;
  double blend = 1;  // weight of the interpolation, 0 .. 1; the rest is the momentum equation
};
struct InterpolationEntry {
  int column;  // unknown, or -1: a known value on a side of the box
  int place;   // index in the padded field
  double weight;
};
struct InterpolationRows {
  std::vector<InterpolationRow> row;  // ascending
  std::vector<InterpolationEntry> entry;
};

// Forces use values on the normal of a piece of surface, at most this many of the widest cells away.
inline constexpr int force_reach = 3;

// The surface in a cut cell.
struct Piece {
  int cell;
  Vec3 point, normal;  // normal: unit, into the fluid
  Vec3 area;           // area vector, into the fluid
  Vec3 velocity;       // velocity of the fluid at the point
  int body = 0;
};

// A face that is open in part. Consider the parabola, in each direction of the plane of the face, that has the mean
// values of the face and of two neighbours on the open side. The flux is the mean of this parabola over the open part:
//   u_open = u + sum_q near_q (u_q - u) + far_q (u_qq - u)  + corner (u_01 - u_0 - u_1 + u)
struct CutFace {
  int place;             // index in the padded field
  int from;              // index in the padded field of the region
  int step[2] = {0, 0};  // from `from` to the neighbours
  double near[2] = {0, 0}, far[2] = {0, 0}, corner = 0;
};

// Arrays for the kernels.
struct CutFields {
  std::array<std::vector<double>, 3> alpha;       // padded: open part of the low face
  std::array<std::vector<CutFace>, 3> cut_faces;  // partly open faces among the unknowns
  std::array<std::vector<double>, 3> fraction;    // padded: fluid fraction of the control volume of the node
  std::vector<std::vector<unsigned char>> kind = std::vector<std::vector<unsigned char>>(scalar_nodes);  // padded
  std::vector<InterpolationRows> rows = std::vector<InterpolationRows>(scalar_nodes);
  std::array<std::vector<unsigned char>, 3> body_of;  // padded, if several bodies move: the body of a solid part
  int nodes() const { return static_cast<int>(kind.size()); }  // number of kinds: scalar_nodes and the scalars
  std::vector<unsigned char> wet;                              // cells: dry_cell, wet_cell or held_cell
  std::vector<double> body_flux;                               // cells: flux out of the fluid through the surface
  std::vector<Piece> surface;                                  // pieces, sorted by body
};

// The cells that a rank classifies: its own cells, and those around them whose values are used (cut_part.hpp).
struct CutRegion {
  Layout layout;
  RankBox own;                          // own cells in the whole grid
  const Communicator* ranks = nullptr;  // null: one rank
  bool exact_sums = false;
  bool crosses = false;           // true: the body reaches beyond a side in y or z
  std::array<bool, 6> mirrors{};  // sides that the body crosses and that are planes of symmetry (slip)
};

// Open part of a face, in units of its two widths and relative to its middle: the open area, and the means over it of
// the two coordinates, of their squares, and of their product.
struct OpenPart {
  double area = 0, middle[2] = {}, square[2] = {1.0 / 12, 1.0 / 12}, product = 0;
};

class CutGeometry : public CutFields {
 public:
  CutGeometry(const Grid& grid, const Layout& layout);  // one rank
  CutGeometry(const Grid& grid, const CutRegion& region);

  // Updates the geometry for the present position of the bodies. Fresh nodes follow from the kinds of the last update
  // (none in the first update). Throws Error(Exit::usage) if a row or a force needs values beyond the region.
  void update(const Bodies& bodies);
  // Call it before the first update. walls: for each body, the condition of each scalar.
  void carry_scalars(const Grid& whole, const std::vector<std::vector<WallScalar>>& walls);
  void use_cubic_ghosts() { cubic_ghosts_ = pieces_on_surface_ = true; }
  void forget() { updated_ = false; }  // the next update then has no fresh nodes

  const Layout& layout() const { return layout_; }
  double total_body_flux = 0;  // sum over all ranks
  double cavity_volume = 0;    // volume of a cavity from the surface in the cut cells, of all ranks; 0 without a cavity
  int fresh_nodes = 0;

 private:
  void classify(int component);
  void find_owners(int component);
  void make_rows(const Bodies& bodies, int component);
  void make_row(int component, int at, const SharedFoot& to, double wall, std::vector<int>& more);
  void make_ghost(const Body& body, int component, int at, const Foot& foot, std::vector<int>& more);
  void find_ties(const Body& body, int component, int at, const Foot& foot);
  double wall_value(const Body& body, const Foot& foot, int component) const;
  void apertures();
  void list_cut_faces();
  void cut_cells(const Bodies& bodies);
  void find_held_cells();
  void close_body_flux(const Bodies& bodies);
  void look_where_forces_do(const int (&cell)[3]);
  void find_distances(const Bodies& bodies);
  void refuse_overlap(const Bodies& bodies) const;
  void refuse_narrow_region() const;
  bool is_own(int i, int j, int k) const;  // cell of the region
  // True if x lies between the cell centres of the region, without `margin` cells at ends that were cut.
  bool is_inside(const Vec3& x, int margin) const;
  OpenPart open_part(int d, int i, int j, int k) const;
  double mirror(int component, Vec3& x) const;
  void interpolate(int component, const Vec3& x, double factor, int self, InterpolationRows& r, std::vector<int>& more);
  double cell_along(const Vec3& normal, int component, int at) const;
  std::size_t corner(int i, int j, int k) const;  // index in phi_
  int place(int i, int j, int k) const { return layout_.padded_index(i, j, k); }
  // Index of a padded place among the points of the component.
  int point_index(int component, int at) const;

  // Signed distances at the points of the region. Along x, where the side is carried from point to point, they are
  // those of the whole grid.
  struct Points {
    std::unique_ptr<DistanceOfAll> distance;
    std::array<PointLine, 3> whole;  // points of the whole grid, for a region
  };
  Points make_points(const Grid& grid, int component) const;  // 3: the centres, 4: the corners
  // Points on the surface count as solid; so do those within rounding of it, for a body whose faces lie on grid lines.
  bool is_solid(const DistanceOfAll& points, std::int64_t index) const {
    const std::int32_t code = points.code()[index];
    return code >= 0 ? points.near()[code].foot.distance <= tie_ : code == BodyDistance::solid;
  }
  DistanceOfAll& points_of(int component) const { return *nodes_[std::min(component, scalar_nodes)].distance; }
  const WallScalar& wall_of(const Foot& foot, int component) const {
    return walls_[foot.body][component - scalar_nodes];
  }
  bool gives_slope(const Foot& foot, int component) const {
    return component >= scalar_nodes && !wall_of(foot, component).is_fixed;
  }

  Grid grid_;  // grid of the region
  Layout layout_;
  RankBox own_;
  const Communicator* ranks_ = nullptr;
  bool exact_sums_ = false, crosses_ = false;
  std::array<bool, 6> mirrors_{};
  std::array<double, 6> side_{};                      // coordinates of the sides
  double tie_ = 0;                                    // a point this close to the surface lies on it, in the solid
  int x0_ = 0;                                        // the region's first point in a row of points
  std::array<std::vector<double>, 3> face_, centre_;  // centre_[d][i + 1] of cell i, ghosts included
  std::array<PointLine, 3> face_line_, centre_line_;  // the same with look-up
  Points corners_;
  std::array<Points, 4> nodes_;
  std::vector<double> phi_;            // signed distance at the corners
  std::vector<unsigned char> before_;  // the kinds of a component at the last update
  std::vector<std::vector<WallScalar>> walls_;
  std::vector<SharedFoot> tied_;  // feet of the present ghost
  bool updated_ = false, cubic_ghosts_ = false, pieces_on_surface_ = false;
  bool too_narrow_ = false, row_is_own_ = true;
};

}  // namespace weir
