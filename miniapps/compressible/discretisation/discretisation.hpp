// The spatial discretisation of the 2D compressible equations on an unstructured mesh: residual, Jacobian, time-step
// scale and wall stresses.
//
//   V dU/dt + R(U) = 0,   U = (rho, rho u, rho v, rho E[, rho nu~]) of each cell, side by side (n = 4; turbulent: 5),
//   R_i = sum over the faces of cell i of area * (F(U_L, U_R; n) - F_viscous . n),   n out of the cell             (1)
//
// First order: U_L and U_R are the cells' own, viscous gradients those of the thin layer (the difference of the two
// cells along the normal alone); its exact derivative is the Jacobian. Second order: the primitive W = (p, u, v, T) are
// carried to the face by the cells' (limited) gradients, and viscous gradients are whole (physics/viscous.hpp).
//
// Turbulent flow (Spalart & Allmaras, physics/spalart_allmaras.hpp): nu~ is carried by the mass flux from upwind, diffuses
// as the viscous terms do, and has sources by the cell's own gradients, which reach to its neighbours alone: J has their
// exact derivatives too.
//
// Over ranks, U and R are those of the own cells of a part of the mesh (mesh_ranks.hpp), and what depends on neighbours
// begins with an exchange: all ranks call.
//
// Reference state: rho = 1, |velocity| = 1, p = 1 / (gamma M^2); temperature T = gamma M^2 p / rho (1 at infinity),
// viscosity mu = mu(T) / Re with the reference length of [flow].
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "mesh/unstructured/unstructured.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// In the order of the words of [numerics].
enum class FluxScheme { roe, hllc, ausm_plus, van_leer, rusanov };
enum class GradientScheme { least_squares, green_gauss };
enum class Limiter { none, venkatakrishnan, barth_jespersen, michalak };

struct GasModel {
  double gamma = 1.4, prandtl = 0.72;
  double mach = 0.5;
  double reynolds = 0;              // by `length`; 0: inviscid
  double length = 1;                // the reference length, in the mesh's unit: of reynolds and of the limiters' K
  double sutherland = 110.4 / 288;  // S / T_infinity; negative: constant viscosity
};

struct TurbulenceModel {
  bool is_on = false;  // Spalart & Allmaras
  double prandtl = 0.9;
  double outside = 3;            // nu~ of the stream outside over its viscosity
  double unit = 1;               // of the unknown nu~, in the free stream's viscosities
  int order = 1;                 // of the advection of nu~
  std::vector<double> distance;  // of the own cells to the nearest wall
  int equations() const { return is_on ? 5 : 4; }
};

struct SpatialScheme {
  FluxScheme flux = FluxScheme::roe;
  double entropy_fix = 0.1;  // of roe: the eigenvalues' floor as a fraction of |u.n| + c (Harten)
  int order = 2;
  GradientScheme gradient = GradientScheme::least_squares;
  Limiter limiter = Limiter::none;
  double venkatakrishnan = 5, michalak = 1;  // K of eps^2 = (K h)^3 of these limiters
  bool has_products = false;                 // room for derivative()
};

enum class BoundaryType {
  farfield,           // characteristic, against `outside`
  slip_wall,          // also symmetry
  adiabatic_wall,     // no slip
  isothermal_wall,    // no slip, `temperature`
  supersonic_inflow,  // everything from `outside`
  supersonic_outflow,
  pressure_outlet,  // subsonic: the pressure from `outside`, the rest from inside
  exact             // the flux against given states of each face: set_outside
};

struct BoundaryCondition {
  BoundaryType type = BoundaryType::farfield;
  std::array<double, 4> outside{};  // rho, u, v, p
  double temperature = 1;
};

// What the stream does to a wall face: pressure, shear stress along the face's tangent (a to b) and heat flux into the
// wall; each per unit area, in the reference state's units (twice a coefficient). wall_unit: sqrt(|shear| rho) / mu at the
// wall, y+ of the distance 1.
template <class Space>
struct WallStress {
  View<double> pressure, shear, heat;  // one value a face of the patch
  View<double> wall_unit = {};         // may be empty
};

template <class Space>
struct SpatialArrays;
template <class Space>
class Halo;
struct MeshRanks;

// U_t + R: nothing here allocates after construction.
template <class Space>
class Discretisation {
 public:
  // conditions: one a patch, in the mesh's order. The mesh is copied as far as the space needs it. Error(usage) where
  // two cells share two faces (a periodic direction of fewer than three cells). ranks: null on one; else the mesh is that
  // of its part, and it must outlive this.
  Discretisation(const UnstructuredMesh& mesh, const GasModel& gas, const SpatialScheme& scheme,
                 const std::vector<BoundaryCondition>& conditions, const MeshRanks* ranks = nullptr,
                 const TurbulenceModel& turbulence = {});
  ~Discretisation();

  int equations() const;  // n

  void set_order(int order);  // 1 or 2: what residual() uses

  void residual(View<const double> U, View<double> R);  // (1)

  // sum over a cell's faces of area * (|u.n| + c + viscous part): the local time step is cfl V / scale.
  void time_step_scale(View<const double> U, View<double> scale);

  // J = dR/dU of the first-order scheme with thin-layer viscous fluxes, exact for the flux in use.
  // J, in doubles or floats, has the pattern of jacobian_pattern; what couples own cells to ghosts stays here until couple() hands it out, in the
  // order of MeshRanks::coupling().
  void jacobian(View<const double> U, BlockSparse<Space>& J);

  // y = dR/dU x of the order in use, by dual numbers: exact away from the corners of limiters and fluxes. linearise() takes
  // U; nothing else may be called until the last product. Needs SpatialScheme::has_products.
  void linearise(View<const double> U);
  void derivative(View<const double> x, View<double> y);

  // From here on the limiter stays what it is at U, or follows the state again.
  void freeze_limiter(View<const double> U);
  void thaw_limiter();
  std::vector<double> limiter_values() const;  // phi of p, u, v, T of each own cell, as last evaluated

  // Over ranks: of the faces of own cells, which come first.
  void wall_stress(View<const double> U, int patch, const WallStress<Space>& stress);
  void set_outside(int patch, View<const double> states);  // rho, u, v, p a face: BoundaryType::exact
  View<const double> volume() const;
  void couple(View<double> blocks) const;
  const Communicator* ranks() const;  // null: one
  const Halo<Space>& halo() const;

 private:
  std::unique_ptr<SpatialArrays<Space>> arrays_;
};

// A rank's share of a sum, or of a maximum, becomes that of all ranks; on one rank it stays as it is.
template <class Space>
double sum_over_ranks(const Discretisation<Space>& space, double share) {
  return space.ranks() ? space.ranks()->sum(share) : share;
}
template <class Space>
double max_over_ranks(const Discretisation<Space>& space, double mine) {
  return space.ranks() ? space.ranks()->max(mine) : mine;
}

// The pattern of J: a block row a cell, values zero. own: of the first cells alone, without columns of the others.
BlockCsrData jacobian_pattern(const UnstructuredMesh& mesh, int own = -1, int equations = 4);

}  // namespace weir
