// The spatial discretisation of the 2D compressible equations on an unstructured mesh: residual, Jacobian, time-step
// scale and wall stresses.
//
//   V dU/dt + R(U) = 0,   U = (rho, rho u, rho v, rho E) per cell; turbulent: rho nu~, or rho k and rho omega too,
//   R_i = sum over the faces of cell i of area * (F(U_L, U_R; n) - F_viscous . n),   n out of the cell             (1)
//
// First order: U_L and U_R are cell values and viscous gradients those of the thin layer (the difference of the two
// cells along the normal); its exact derivative is the Jacobian. Second order: the primitive W = (p, u, v, T) are
// reconstructed at the face with (limited) cell gradients, and viscous gradients are complete (physics/viscous.hpp).
//
// Turbulent flow (physics/spalart_allmaras.hpp, physics/sst.hpp): the model's variables are advected by the mass flux
// with upwinding, diffuse like the viscous terms, and have sources that depend on the cell's gradients, i.e. on its
// neighbours only: J has their exact derivatives too. The blend F_1 and the bound b of SST's viscosities depend on
// gradients; J takes them as constant in the fluxes, products with dR/dU do not.
//
// With ranks, U and R are those of the own cells of a mesh part (mesh_ranks.hpp), and functions that depend on
// neighbours start with an exchange (collective).
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
  double reynolds = 0;              // based on `length`; 0: inviscid
  double length = 1;                // reference length in mesh units, of reynolds and the limiters' K
  double sutherland = 110.4 / 288;  // S / T_infinity; negative: constant viscosity
};

struct TurbulenceModel {
  bool is_on = false;
  bool is_sst = false;  // false: Spalart-Allmaras
  double prandtl = 0.9;
  // outside: the unknowns outside the boundary; unit: units of the unknowns. Both are nu~ / viscosity, or (SST) k / U^2
  // and omega viscosity / U^2, with viscosity and U of the free stream.
  std::array<double, 2> outside{3, 0}, unit{1, 1};
  int order = 1;                 // order of the advection
  std::vector<double> distance;  // to the nearest wall, of own cells; SST: of near ghosts after them
  int equations() const { return !is_on ? 4 : is_sst ? 6 : 5; }
};

struct SpatialScheme {
  FluxScheme flux = FluxScheme::roe;
  double entropy_fix = 0.1;  // roe: floor of the eigenvalues, relative to |u.n| + c (Harten)
  int order = 2;
  GradientScheme gradient = GradientScheme::least_squares;
  Limiter limiter = Limiter::none;
  double venkatakrishnan = 5, michalak = 1;  // K of eps^2 = (K h)^3 of the limiters
  bool has_products = false;                 // allocate for derivative()
};

enum class BoundaryType {
  farfield,           // characteristic, with `outside`
  slip_wall,          // also symmetry
  adiabatic_wall,     // no slip
  isothermal_wall,    // no slip, `temperature`
  supersonic_inflow,  // all variables from `outside`
  supersonic_outflow,
  pressure_outlet,       // subsonic: pressure from `outside`, the rest from inside
  exact,                 // flux against given states per face: set_outside
  heat_flux_wall,        // no slip, heat flux into the fluid: `amount`
  total_pressure_inlet,  // total pressure `amount`, total `temperature`, direction `velocity`
  mass_flow_outlet       // rho u_n: `amount`
};

struct BoundaryCondition {
  BoundaryType type = BoundaryType::farfield;
  std::array<double, 4> outside{};   // rho, u, v, p
  std::array<double, 2> velocity{};  // velocity of a wall along itself
  double temperature = 1, amount = 0;
};

// Record that the kernels store per boundary face (BoundaryFaces::outside).
std::array<double, 4> boundary_record(double gamma_m2, const BoundaryCondition& condition);

// Stresses of a wall face: pressure, shear along the face tangent (a to b) and heat flux into the wall, per unit area
// in reference units (half the coefficients). wall_unit: sqrt(|shear| rho) / mu at the wall, i.e. y+ at distance 1.
template <class Space>
struct WallStress {
  View<double> pressure, shear, heat;  // one value per face of the patch
  View<double> wall_unit = {};         // optional
};

template <class Space>
struct SpatialArrays;
template <class Space>
class Halo;
struct MeshRanks;

// The operator R of (1). No allocation after construction.
template <class Space>
class Discretisation {
 public:
  // conditions: one per patch, in mesh order. The mesh is copied as needed. Throws Error(usage) if two cells share
  // two faces (a periodic direction of fewer than three cells). ranks: null for one rank; otherwise the mesh is that
  // of its part, and it must outlive this.
  Discretisation(const UnstructuredMesh& mesh, const GasModel& gas, const SpatialScheme& scheme,
                 const std::vector<BoundaryCondition>& conditions, const MeshRanks* ranks = nullptr,
                 const TurbulenceModel& turbulence = {});
  ~Discretisation();

  int equations() const;  // n

  void set_order(int order);  // 1 or 2: order of residual()

  void residual(View<const double> U, View<double> R);  // (1)

  // sum over a cell's faces of area * (|u.n| + c + viscous part): the local time step is cfl V / scale.
  void time_step_scale(View<const double> U, View<double> scale);

  // J = dR/dU of the first-order scheme with thin-layer viscous fluxes, exact for the flux in use. J has the pattern
  // of jacobian_pattern, in doubles or floats. Couplings of own cells to ghosts are kept here; couple() returns them
  // in the order of MeshRanks::coupling().
  void jacobian(View<const double> U, BlockSparse<Space>& J);

  // y = dR/dU x at the current order by dual numbers: exact away from corners of limiters and fluxes. linearise()
  // sets U; no other function may be called until the last product. Requires SpatialScheme::has_products.
  void linearise(View<const double> U);
  void derivative(View<const double> x, View<double> y);

  // Freezes the limiter at U, or releases it.
  void freeze_limiter(View<const double> U);
  void thaw_limiter();
  std::vector<double> limiter_values() const;  // phi of p, u, v, T of each own cell, as last evaluated

  // With ranks: faces of own cells, which come first.
  void wall_stress(View<const double> U, int patch, const WallStress<Space>& stress);
  void set_outside(int patch, View<const double> states);   // rho, u, v, p per face: BoundaryType::exact
  void set_records(int patch, View<const double> records);  // boundary_record per face
  View<const double> volume() const;
  void eddy_viscosity(View<const double> U, View<double> of_cells);  // relative to the free-stream viscosity (SST)
  void couple(View<double> blocks) const;
  const Communicator* ranks() const;  // null: one rank
  const Halo<Space>& halo() const;

 private:
  std::unique_ptr<SpatialArrays<Space>> arrays_;
};

// Reduces a rank's share of a sum or maximum over all ranks; no effect on one rank.
template <class Space>
double sum_over_ranks(const Discretisation<Space>& space, double share) {
  return space.ranks() ? space.ranks()->sum(share) : share;
}
template <class Space>
double max_over_ranks(const Discretisation<Space>& space, double mine) {
  return space.ranks() ? space.ranks()->max(mine) : mine;
}

// Pattern of J: one block row per cell, values zero. own: rows and columns of the first cells only.
BlockCsrData jacobian_pattern(const UnstructuredMesh& mesh, int own = -1, int equations = 4);

}  // namespace weir
