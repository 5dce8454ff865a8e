// How a body cuts the grid at one time. On the host: a pass over the points next to the body and one over the grid.
//
//   velocity nodes  fluid | solid | ghost: solid, but a neighbour (diagonals included) is fluid, or fluid passes its
//                   face | fresh: fluid, and was not before the body moved | recent: fresh in the last step
//   faces           alpha: the part of the face that is in the fluid, from the signed distance at the corners, linear
//                   along edges (Ng, Min & Gibou, J. Comput. Phys. 228 (2009) 8807; Seo & Mittal, J. Comput. Phys.
//                   230 (2011) 7347)
//   cells           wet: some inner face lets fluid pass; held: and one of its faces has a fluid node, whose momentum
//                   equation contains its pressure. A cell that is wet and not held keeps its mass, but its pressure
//                   would accumulate the errors of its ghost faces from step to step: it is extrapolated instead. The
//                   surface in a cell has the area vector that closes it, S = -sum of alpha A n over its faces (out of
//                   the fluid), and carries the flux u_body . S
//
// Ghost node G at distance d < 0, foot B on the surface: the parabola through the wall and the points P, Q one and two
// cells from it on the normal, s = d / h,
//   u_G + s (s - 2) u_P - s (s - 1) / 2 u_Q = (s - 1) (s - 2) / 2 u_B
// with u_P and u_Q interpolated from the nodes around them, implicitly. (Mittal et al., J. Comput. Phys. 227 (2008)
// 4825, use a straight line to the image point, whose slope differs at the wall.) Cubic ghosts also use the point R
// three cells away,
//   u_G - s (s - 2)(s - 3) / 2 u_P + s (s - 1)(s - 3) / 2 u_Q - s (s - 1)(s - 2) / 6 u_R
//       = -(s - 1)(s - 2)(s - 3) / 6 u_B
// with values that are interpolated quadratically instead of linearly from the nodes around them.
// Bodies with openings keep the straight line, I = G + 2 (B - G), because parabolas overshoot; where fluid leaves, the
// velocity is continued:
//   u_G + u_I = 2 u_B  (their eq. 14),      u_G - u_P = 0
// Next to a moving body, fluid nodes F closer than half a cell h/2 blend the momentum equation with an interpolation,
// so that a node enters or leaves the body without a jump (Luo, Dai, Ferreira de Sousa & Yin, Comput. Fluids 56 (2012)
// 61); blend = (1 - 2 d / h)^2, and 1 in the step in which the node is fresh. F at distance d: the parabola through the
// wall and the points P, Q one and two cells h further out,
//   u_F - 2d / (d + h) u_P + d / (d + 2h) u_Q = 2 h^2 / ((d + h)(d + 2h)) u_B
//
// A scalar lives on the centres of cells and takes the same rows where the wall gives it. Where the wall gives its
// slope g, the parabola has that slope at the wall,
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

// Index of kinds and rows: velocity components first, then from this number on the scalars, at cell centres. (The rows
// and the ghosts of two scalars differ if the wall has the value of one and the slope of the other.)
inline constexpr int scalar_nodes = 3;

// At the wall: a scalar, or its slope along the normal into the fluid.
struct WallScalar {
  bool is_fixed = false;
  double value = 0;
};

enum CellKind : unsigned char { dry_cell, wet_cell, held_cell };

// The interpolation rows of one velocity component: self u_row + sum weight u = target.
struct InterpolationRow {
  int row = 0, node = 0;   // unknown, and its place in the padded field
  int begin = 0, end = 0;  // of its entries
  double self = 1, target = 0;
  double blend = 1;  // 1: the row is the interpolation; 0 .. 1: that much of it, the rest the momentum equation
};
struct InterpolationEntry {
  int column;  // unknown, or -1: a value on a side of the box, known already
  int place;   // in the padded field
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
  Vec3 velocity;       // of the fluid there
  int body = 0;
};

// A face that is open in part. Its flux is the mean over that part of the parabola that has the face's mean and those
// of two neighbours on the open side, in each direction of the face's plane:
//   u_open = u + sum_q near_q (u_q - u) + far_q (u_qq - u)  + corner (u_01 - u_0 - u_1 + u)
struct CutFace {
  int place;             // in the padded field
  int from;              // its place in the padded field of the region
  int step[2] = {0, 0};  // from there to the neighbours
  double near[2] = {0, 0}, far[2] = {0, 0}, corner = 0;
};

// Arrays for the kernels.
struct CutFields {
  std::array<std::vector<double>, 3> alpha;       // padded, of the low face
  std::array<std::vector<CutFace>, 3> cut_faces;  // of the unknowns
  std::array<std::vector<double>, 3> fraction;    // padded: of the node's control volume, how much is fluid
  std::vector<std::vector<unsigned char>> kind = std::vector<std::vector<unsigned char>>(scalar_nodes);  // padded
  std::vector<InterpolationRows> rows = std::vector<InterpolationRows>(scalar_nodes);
  std::array<std::vector<unsigned char>, 3> body_of;  // padded, where several bodies move: the body of a solid part
  int nodes() const { return static_cast<int>(kind.size()); }  // scalar_nodes and the scalars
  std::vector<unsigned char> wet;                              // cells: dry_cell, wet_cell or held_cell
  std::vector<double> body_flux;                               // cells: out of the fluid through the surface
  std::vector<Piece> surface;                                  // of one body after the other
};

// The cells that a rank classifies: its own, and around them all of which values are used (cut_part.hpp).
struct CutRegion {
  Layout layout;
  RankBox own;                          // in the whole grid
  const Communicator* ranks = nullptr;  // null: one
  bool crosses = false;                 // the body reaches beyond a side in y or z
  std::array<bool, 6> mirrors{};        // sides of the box that are planes of symmetry (slip), where it does
};

// Of a face, in parts of its two widths and seen from its middle: the open area, and the means over it of the two
// coordinates, their squares, and their product.
struct OpenPart {
  double area = 0, middle[2] = {}, square[2] = {1.0 / 12, 1.0 / 12}, product = 0;
};

class CutGeometry : public CutFields {
 public:
  CutGeometry(const Grid& grid, const Layout& layout);  // one rank
  CutGeometry(const Grid& grid, const CutRegion& region);

  // For the body as it is now; the kinds of the last update tell which nodes are fresh (none the first time).
  // Error(Exit::usage) where a row or a force asks for values beyond the region.
  void update(const Bodies& bodies);
  // Before the first update. walls: of each body, of each scalar.
  void carry_scalars(const Grid& whole, const std::vector<std::vector<WallScalar>>& walls);
  void use_cubic_ghosts() { cubic_ghosts_ = pieces_on_surface_ = true; }
  void forget() { updated_ = false; }  // the last update: none of the next one's nodes is fresh

  const Layout& layout() const { return layout_; }
  double total_body_flux = 0;  // of all ranks
  double cavity_volume = 0;    // of the fluid that a cavity's cut cells enclose, of all ranks; 0 where there is none
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
  bool is_inside(const Vec3& x,
                 int margin) const;  // of the centres of the cells of the region except `margin` at ends that were cut
  OpenPart open_part(int d, int i, int j, int k) const;
  double mirror(int component, Vec3& x) const;
  void interpolate(int component, const Vec3& x, double factor, int self, InterpolationRows& r, std::vector<int>& more);
  double cell_along(const Vec3& normal, int component, int at) const;
  std::size_t corner(int i, int j, int k) const;  // its place in phi_
  int place(int i, int j, int k) const { return layout_.padded_index(i, j, k); }
  int point_index(int component, int at) const;  // of a padded place among the component's points

  // Signed distances at the points of the region; along x, where the side is carried from point to point, of the whole
  // grid.
  struct Points {
    std::unique_ptr<DistanceOfAll> distance;
    std::array<PointLine, 3> whole;  // of a region
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

  Grid grid_;  // of the region
  Layout layout_;
  RankBox own_;
  const Communicator* ranks_ = nullptr;
  bool crosses_ = false;
  std::array<bool, 6> mirrors_{};
  std::array<double, 6> side_{};                      // where the sides are
  double tie_ = 0;                                    // a point this close to the surface lies on it, in the solid
  int x0_ = 0;                                        // the region's first point in a row of points
  std::array<std::vector<double>, 3> face_, centre_;  // centre_[d][i + 1] of cell i, ghosts included
  std::array<PointLine, 3> face_line_, centre_line_;  // the same
  Points corners_;
  std::array<Points, 4> nodes_;
  std::vector<double> phi_;            // at the corners
  std::vector<unsigned char> before_;  // the kinds of a component at the last update
  std::vector<std::vector<WallScalar>> walls_;
  std::vector<SharedFoot> tied_;  // of the ghost that is made
  bool updated_ = false, cubic_ghosts_ = false, pieces_on_surface_ = false;
  bool too_narrow_ = false, row_is_own_ = true;
};

}  // namespace weir
