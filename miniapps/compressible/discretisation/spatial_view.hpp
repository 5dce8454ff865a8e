// What the kernels of the spatial discretisation see: geometry by faces, links by cells, work arrays. Plain pointers
// into one space; everything is laid out once by SpatialArrays (spatial_arrays.hpp).
//
//   interior faces   numbers side by side: nx[f], ny[f], ...
//   cells            records of four doubles: U = (rho, rho u, rho v, rho E), W = (p, u, v, T), and dW/dx, dW/dy
//   links of a cell  its interior faces: link[e] = f where it is the owner, ~f where it is the neighbour
//
// Over ranks (mesh/unstructured/mesh_part.hpp) cells are own ones, near and far ghosts; one rank has own cells alone. Fluxes pass the
// `inner` faces, between own cells, and those on the border, from an own cell to a near one. Faces beyond, of near cells,
// serve gradients. Blocks of J that couple own cells to near ones lie apart, in `border`.
#pragma once
#include <cmath>

#include "miniapps/compressible/discretisation/discretisation.hpp"
#include "physics/gas.hpp"

namespace weir {

// Interior faces; l and r: from the left and the right cell's centre to the face's middle.
struct InteriorFaces {
  // Those with a flux; the inner ones among them; of these the first `sorted` follow their owners, periodic ones do not.
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
  double* outside = nullptr;        // W of the stream outside, or T of the wall; a record a face
};

struct Cells {
  int count = 0;           // own
  int reach = 0, all = 0;  // with near ghosts: these have gradients; with far ones: these have W
  const double* volume = nullptr;
  const int *start = nullptr, *link = nullptr, *other = nullptr;  // other: the cell beyond the link
  const double* weight = nullptr;            // of W_other - W_i in dW/dx and dW/dy: two numbers a link
  int at_boundary = 0, own_at_boundary = 0;  // cells with boundary faces, own ones first, and these
  const int *boundary_cell = nullptr, *boundary_start = nullptr, *boundary_face = nullptr;
  const double* boundary_height = nullptr;  // of each cell at the boundary that is thin and bent, else 0
};

// In a curved layer of thin cells the neighbours along the layer lie many heights off the tangent, where a linear fit says
// nothing of the layer. Of a step (dx, dy) to a neighbour's centre, of which (fx, fy) leads to the face between, what leads off
// the way through the face is therefore kept up to twice the cell's height, h; more than that, r, counts as h^2 / r. height 0:
// all of it is kept.
WEIR_HD inline void unbend(double fx, double fy, double height, double& dx, double& dy) {
  const double along = (dx * fx + dy * fy) / (fx * fx + fy * fy), x = dx - along * fx, y = dy - along * fy;
  const double off2 = x * x + y * y, h2 = 4 * height * height;
  if (h2 == 0 || !(off2 > h2)) return;
  dx = along * fx + h2 / off2 * x;
  dy = along * fy + h2 / off2 * y;
}

// A difference in a least-squares gradient counts as one over this: distance^2. In thin cells whose steps are not at right angles
// that would leave the few per cent by which the steps across a layer contradict each other to the slope along it, which reaches
// far; there it is the distance.
WEIR_HD inline double least_squares_divisor(double dx, double dy, double height) {
  const double d2 = dx * dx + dy * dy;
  return height > 0 ? std::sqrt(d2) : d2;
}

// The Spalart-Allmaras model (physics/spalart_allmaras.hpp): a fifth unknown rho nu~ behind the four of U, nu~ in
// units of its own.
struct Turbulence {
  int order = 1;                                        // of the advection of nu~
  double unit = 0;                                      // of nu~
  double conduction = 0;                                // 1 / (Pr_t (gamma - 1) M^2): heat flux over mu_t grad T
  double outside = 3;                                   // nu~ of the stream outside
  const double* distance = nullptr;                     // of own cells to the nearest wall
  const int* boundary = nullptr;                        // of own cells: the number among those at the boundary, or -1
  double *nu = nullptr, *x = nullptr, *y = nullptr;     // nu~ and its gradient, a number a cell
  double *flux = nullptr, *boundary_flux = nullptr;     // a number a face, times its area
  double *dnu = nullptr, *dx = nullptr, *dy = nullptr;  // derivatives of nu, x, y along one direction: products
  double* source_slope = nullptr;  // products: V d source / d what it depends on, source_inputs numbers an own cell
};
constexpr int source_inputs = 11;

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
  double *w = nullptr, *wx = nullptr, *wy = nullptr, *phi = nullptr;      // records a cell
  double *flux = nullptr, *boundary_flux = nullptr;                       // records a face, times its area
  double *dw = nullptr, *dwx = nullptr, *dwy = nullptr, *dphi = nullptr;  // derivatives along one direction: products
  double* boundary_block = nullptr;                                       // d flux / dU of the cell, a block a face
  // Blocks (owner, neighbour) and (neighbour, owner) of J, as places of records: four times the block's index.
  const int *owner_row = nullptr, *neighbour_row = nullptr;
  // Of J; faces on the border: of `border`. Where J holds floats, which lie as RoundedCsr has them, `values` is null.
  double* values = nullptr;
  float* floats = nullptr;
  bool by_columns = false;                 // the floats of a block
  double* border = nullptr;                // (own, near) of each face on the border, then (near, own)
  const std::int64_t* diagonal = nullptr;  // of J
  int equations = 4;                       // 5: turbulent
  Turbulence turbulence;
};

// Face loops, where the time goes: packs of faces on the host, a thread a face on the device.
void primitive_states(Host, const SpatialView& v, View<const double> U);
void primitive_states(Device, const SpatialView& v, View<const double> U);
void interior_residual(Host, const SpatialView& v, View<double> R);  // fluxes, and their sums over the cells
void interior_residual(Device, const SpatialView& v, View<double> R);
void interior_jacobian(Host, const SpatialView& v);  // all blocks; of v.faces.count faces, which must be inner ones
void interior_jacobian(Device, const SpatialView& v);

// Products with dR/dU (slope_kernels.hpp): each step's derivative along a direction x, after the values of the same step.
template <class Space>
void state_slopes(const SpatialView& v, View<const double> x, View<const double> ghost_x);
template <class Space>
void gradient_slopes(const SpatialView& v);  // with those of the limiter
void interior_slopes(Host, const SpatialView& v, View<double> y);
void interior_slopes(Device, const SpatialView& v, View<double> y);
template <class Space>
void boundary_slopes(const SpatialView& v, View<double> y);  // adds to y

// Of turbulent flow, equations = 5, instead of those above. v.faces.count of interior_jacobian: inner faces.
template <class Space>
void turbulent_states(const SpatialView& v, View<const double> U);  // W and nu~ of own cells
template <class Space>
void turbulent_gradients(const SpatialView& v);  // of nu~
template <class Space>
void turbulent_residual(const SpatialView& v, View<double> R);
template <class Space>
void turbulent_scales(const SpatialView& v, View<double> scale);  // of the time step
template <class Space>
void turbulent_linearise(const SpatialView& v);  // of the sources, once for all products
template <class Space>
void turbulent_slopes(const SpatialView& v, View<const double> x, View<const double> ghost_x, View<double> y);
void turbulent_interior_slopes(Host, const SpatialView& v);  // of the fluxes
void turbulent_interior_slopes(Device, const SpatialView& v);
template <class Space>
void turbulent_border_jacobian(const SpatialView& v);
template <class Space>
void turbulent_jacobian(const SpatialView& v);

// Over ranks.
template <class Space>
void ghost_states(const SpatialView& v, View<const double> U);  // W of the ghosts, from their U
template <class Space>
void border_jacobian(const SpatialView& v);  // before interior_jacobian, whose diagonal blocks need it

// Cells alone, or boundary faces.
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
