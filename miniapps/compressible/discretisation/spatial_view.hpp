// Data of the kernels of the spatial discretisation: face geometry, links of cells, work arrays, as pointers into one
// space (spatial_arrays.hpp).
//
//   interior faces   one array per number: nx[f], ny[f], ...
//   cells            records of four doubles: U = (rho, rho u, rho v, rho E), W = (p, u, v, T), and dW/dx, dW/dy
//   links of a cell  its interior faces: link[e] = f if it is the owner, ~f if it is the neighbour
//
// With ranks (mesh/unstructured/mesh_part.hpp), cells are own cells, near and far ghosts. Fluxes are computed on the
// `inner` faces, between own cells, and on the border, from an own cell to a near one; faces beyond serve gradients.
// Blocks of J between own and near cells are stored separately, in `border`.
#pragma once
#include <cmath>

#include "miniapps/compressible/discretisation/discretisation.hpp"
#include "physics/gas.hpp"

namespace weir {

// Interior faces; l and r: from the left and the right cell centre to the face centre.
struct InteriorFaces {
  // Faces with a flux; inner faces; the first `sorted` of these are sorted by owner, periodic ones are not.
  int count = 0, inner = 0, sorted = 0;
  const int *owner = nullptr, *neighbour = nullptr;
  const double *nx = nullptr, *ny = nullptr, *area = nullptr;
  const double *lx = nullptr, *ly = nullptr, *rx = nullptr, *ry = nullptr;
  const double* inverse = nullptr;  // 1 / (n . d), d from centre to centre
};

struct BoundaryFaces {
  int count = 0;
  const int *cell = nullptr, *type = nullptr;  // type: a BoundaryType
  const double *nx = nullptr, *ny = nullptr, *area = nullptr, *lx = nullptr, *ly = nullptr;
  const double* inverse = nullptr;  // 1 / (n . l)
  double* outside = nullptr;        // W outside, or T of the wall; one record per face
};

struct Cells {
  int count = 0;           // number of own cells
  int reach = 0, all = 0;  // number of own cells and near ghosts (these have gradients); of all cells (these have W)
  const double* volume = nullptr;
  const int *start = nullptr, *link = nullptr, *other = nullptr;  // other: the cell beyond the link
  const double* weight = nullptr;            // weights of W_other - W_i in dW/dx and dW/dy: two numbers per link
  int at_boundary = 0, own_at_boundary = 0;  // cells with boundary faces, own ones first; number of own ones
  const int *boundary_cell = nullptr, *boundary_start = nullptr, *boundary_face = nullptr;
  const double* boundary_height = nullptr;  // per boundary cell: its height if thin and bent, else 0
};

// In a curved layer of thin cells the neighbours along the layer are many heights off the tangent, where a linear fit
// is meaningless for the layer. Consider the step (dx, dy) to the centre of a neighbour, with the part (fx, fy) up to
// the common face. Its deviation from the line through the face is kept up to twice the height h of the cell; a larger
// deviation r is reduced to (2 h)^2 / r. height 0: unchanged.
WEIR_HD inline void unbend(double fx, double fy, double height, double& dx, double& dy) {
  const double along = (dx * fx + dy * fy) / (fx * fx + fy * fy), x = dx - along * fx, y = dy - along * fy;
  const double off2 = x * x + y * y, h2 = 4 * height * height;
  if (h2 == 0 || !(off2 > h2)) return;
  dx = along * fx + h2 / off2 * x;
  dy = along * fy + h2 / off2 * y;
}

// Divisor of a difference in a least-squares gradient: distance^2. In thin cells whose steps are not at right angles
// it is the distance, because otherwise the inconsistency of a few per cent between steps across a layer would
// determine the slope along it.
WEIR_HD inline double least_squares_divisor(double dx, double dy, double height) {
  const double d2 = dx * dx + dy * dy;
  return height > 0 ? std::sqrt(d2) : d2;
}

// Turbulence models: `count` unknowns after the four of the flow, each with its own unit; numbers per cell that
// viscosities need besides the unknowns; inputs of the sources (turbulent/slopes.hpp).
struct SpalartAllmaras {  // physics/spalart_allmaras.hpp: rho nu~
  static constexpr int count = 1, auxiliary = 0, inputs = 11;
};
struct MenterSst {  // physics/sst.hpp: rho k, rho omega; auxiliary: b and F_1
  static constexpr int count = 2, auxiliary = 2, inputs = 12;
};

struct Turbulence {
  int order = 1;                     // order of the advection
  double unit[2] = {};               // units of the unknowns
  double conduction = 0;             // 1 / (Pr_t (gamma - 1) M^2): heat flux over mu_t grad T
  double outside[2] = {};            // unknowns divided by rho outside the boundary
  const double* distance = nullptr;  // to the nearest wall; SST: also of near ghosts
  const int* boundary = nullptr;     // per own cell: index among boundary cells, or -1
  // nu~ or (k, omega) of each cell, and their gradients
  double *value = nullptr, *x = nullptr, *y = nullptr;
  double *flux = nullptr, *boundary_flux = nullptr;        // per face, times its area
  double* auxiliary = nullptr;                             // per cell with a gradient
  double *dvalue = nullptr, *dx = nullptr, *dy = nullptr;  // derivatives along one direction, for products
  double* dauxiliary = nullptr;
  double* source_slope = nullptr;  // products: V d source / d inputs, then d auxiliary / d inputs, per cell
};

struct SpatialView {
  Gas gas;
  double entropy_fix = 0;
  int order = 1;  // 1: constant states, thin-layer viscous flux
  Limiter limiter = Limiter::none;
  bool is_limiter_frozen = false;
  GradientScheme gradient = GradientScheme::least_squares;
  FluxScheme flux_scheme = FluxScheme::roe;
  double limiter_k = 0;  // K of eps^2 = (K h)^3
  InteriorFaces faces;
  BoundaryFaces boundary;
  Cells cells;
  double *w = nullptr, *wx = nullptr, *wy = nullptr, *phi = nullptr;  // one record per cell
  double *flux = nullptr, *boundary_flux = nullptr;                   // one record per face, times its area
  // derivatives along one direction, for products
  double *dw = nullptr, *dwx = nullptr, *dwy = nullptr, *dphi = nullptr;
  double* boundary_block = nullptr;  // d flux / dU of the cell, one block per face
  // Blocks (owner, neighbour) and (neighbour, owner) of J as record positions: four times the block index.
  const int *owner_row = nullptr, *neighbour_row = nullptr;
  // Position in J; border faces: in `border`. If J has float values (layout of RoundedCsr), `values` is null.
  double* values = nullptr;
  float* floats = nullptr;
  bool by_columns = false;                 // block layout of the floats
  double* border = nullptr;                // (own, near) of each border face, then (near, own)
  const std::int64_t* diagonal = nullptr;  // positions of the diagonal blocks of J
  int equations = 4;                       // 5 or 6: turbulent
  Turbulence turbulence;
};

// Face loops, which take most of the time: packs of faces on the host, one thread per face on the device.
void primitive_states(Host, const SpatialView& v, View<const double> U);
void primitive_states(Device, const SpatialView& v, View<const double> U);
void interior_residual(Host, const SpatialView& v, View<double> R);  // fluxes and their sums over the cells
void interior_residual(Device, const SpatialView& v, View<double> R);
void interior_jacobian(Host, const SpatialView& v);  // all blocks; v.faces.count must be the number of inner faces
void interior_jacobian(Device, const SpatialView& v);

// Products with dR/dU (slope_kernels.hpp): derivative of each step along x, after the values of that step.
template <class Space>
void state_slopes(const SpatialView& v, View<const double> x, View<const double> ghost_x);
template <class Space>
void gradient_slopes(const SpatialView& v);  // includes the derivatives of the limiter
void interior_slopes(Host, const SpatialView& v, View<double> y);
void interior_slopes(Device, const SpatialView& v, View<double> y);
template <class Space>
void boundary_slopes(const SpatialView& v, View<double> y);  // adds to y

// Turbulent flow, in place of the above; M: the model. v.faces.count of turbulent_jacobian: inner faces.
template <class F>
void with_model(const SpatialView& v, const F& f) {
  v.equations == 5 ? f(SpalartAllmaras{}) : f(MenterSst{});
}
template <class Space, class M>
void turbulent_states(const SpatialView& v, View<const double> U);  // W and the model's variables of own cells
template <class Space, class M>
void turbulent_gradients(const SpatialView& v);  // gradients of the model's variables, and the auxiliary numbers
template <class Space, class M>
void turbulent_residual(const SpatialView& v, View<double> R);
template <class Space, class M>
void turbulent_scales(const SpatialView& v, View<double> scale);  // time-step scales of the model
template <class Space, class M>
void turbulent_linearise(const SpatialView& v);  // derivatives of the sources, once for all products
template <class Space, class M>
void turbulent_slopes(const SpatialView& v, View<const double> x, View<const double> ghost_x, View<double> y);
template <class M>
void turbulent_interior_slopes(Host, const SpatialView& v);  // derivatives of the fluxes
template <class M>
void turbulent_interior_slopes(Device, const SpatialView& v);
template <class Space, class M>
void turbulent_border_jacobian(const SpatialView& v);
template <class Space, class M>
void turbulent_jacobian(const SpatialView& v);

// With ranks.
template <class Space>
void ghost_states(const SpatialView& v, View<const double> U);  // W of the ghosts, from their U
template <class Space>
void border_jacobian(const SpatialView& v);  // before interior_jacobian, whose diagonal blocks need it

// Cells or boundary faces only.
template <class Space>
void gradients(const SpatialView& v);
template <class Space>
void limiters(const SpatialView& v);
template <class Space>
void boundary_residual(const SpatialView& v, View<double> R);  // adds to R
template <class Space>
void boundary_jacobian(const SpatialView& v);  // adds to the diagonal blocks
template <class Space>
void time_step_scales(const SpatialView& v, View<double> scale);
template <class Space>
void wall_stresses(const SpatialView& v, int first, int count, const WallStress<Space>& out);

}  // namespace weir
