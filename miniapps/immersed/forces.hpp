// The force of the fluid on the body, over the density, in two ways that share nothing but the flow.
//
// surface_force: the integral of -p n + tau . n over the pieces of surface in the cut cells. On a no-slip wall of a
// body that turns with Omega, tau . n = nu du_r/dn, u_r = u - u_wall - Omega x (x - x_wall), without its normal part. p
// and u come from three points on the normal, a cell apart, by quadratic interpolation; p is extrapolated, u
// differenced. Pieces lie on the chords of the cut cells, and on the surface itself with order 4, a scalar or a
// body that turns in place (exact shapes): numerical_schemes.md.
//
// ControlVolume: momentum balance of a box of cells around the body, F = -dM/dt - (what leaves through its sides) +
// (body force and buoyancy of the fluid in it), with the fluxes of momentum.hpp themselves, so that it sees the force
// that the discrete equations exert:
//   M_c = sum of V (fraction u + (1 - fraction) u_wall) over the nodes of component c inside
//         - V_body u_wall(its centroid)
//   sides: u u + p - nu grad u
// u_wall is the motion of the body's material, linear in x, so that what it has inside the solid is known exactly: an
// error of `fraction` multiplies u - u_wall, which is small next to the surface, instead of u. (dM/dt would contain it,
// over dt.)
#pragma once
#include <array>

#include "mesh/body/body.hpp"
#include "miniapps/immersed/geometry/cut_arrays.hpp"
#include "miniapps/structured/metrics.hpp"

namespace weir {

class Communicator;

struct Force {
  double pressure[3] = {}, viscous[3] = {}, torque[3] = {};
  double total(int d) const { return pressure[d] + viscous[d]; }
};

// Of a piece of the surface, over the density: pressure, and the stress of friction.
struct SurfaceLoad {
  std::array<double, 3> point{}, normal{}, friction{};  // normal: unit, into the fluid
  double pressure = 0;
  std::vector<double> scalar;  // value and flux into the fluid of each
};

// One body's pieces of the surface, and how it turns. The torque is about `centre`.
struct BodyPieces {
  int first = 0, count = 0;
  Vec3 angular_velocity{}, centre{};
};

// work: 6 values a piece. Over ranks: this rank's share, from the flow on its region (wide_flow.hpp).
template <class Space>
Force surface_force(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, double viscosity,
                    const BodyPieces& of, GrowingArray<double, Space>& work);

// Of a scalar, sums over the surface: area, flux into the fluid (of heat over density times heat capacity), value times
// area. Where the wall's value is given the flux comes from three points on the normal, as friction does; else the
// value, by the slope at the wall and the same points. work: 3 values a piece. Over ranks: this rank's share.
struct SurfaceScalar {
  double area = 0, flux = 0, value = 0;
};
struct ScalarOnBody {
  std::size_t scalar = 0;
  double diffusivity = 1;
  WallScalar wall;
};
template <class Space>
SurfaceScalar surface_scalar(const Flow<Space>& flow, const ScalarOnBody& on, const Metrics& m,
                             const CutArrays<Space>& cut, const BodyPieces& of, GrowingArray<double, Space>& work);

// Cells [low, high) in each direction.
struct CellBox {
  int low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
};

// u_wall = velocity + slope x of each component, and of the solid in a control volume (a cavity: minus the fluid in it)
// the integral.
struct WallMotion {
  double velocity[3] = {}, slope[3][3] = {}, solid[3] = {};
  double outside = 1;  // 0: a cavity, the fluid is inside
};
WallMotion wall_motion(const Body& body, const Grid& grid, const CellBox& box);
using WallMotions = std::vector<WallMotion>;  // of each body; of several, those that stay have none

template <class Space>
class ControlVolume {
 public:
  ControlVolume(const CellBox& box, double viscosity, const Communicator& ranks)
      : box_(box), viscosity_(viscosity), ranks_(&ranks) {}
  // M and the fluxes of the flow as it is: before the first step, and after loading. Returns balance().
  std::array<double, 9> remember(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut,
                                 const WallMotions& walls);
  // The mean force over the step that has led to this flow; remembers it. driven: what driving() was in that step.
  void advance(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, const WallMotions& walls,
               double dt, const double (&driven)[3], double (&force)[3]);
  // The sum of fraction (V force + more) of component c, of all ranks: a body force, and what else drives the unknowns
  // (V f).
  double driving(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, int c, double force,
                 View<const double> more) const;

  // The sum of M_c, of this rank's nodes. Public: nvcc takes no device lambda in a private member.
  double momentum(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, const WallMotions& walls,
                  int component, int body) const;

 private:
  double outflow(const Flow<Space>& flow, const Metrics& m, int component, bool pressure) const;
  // Momentum, outflow without and with pressure of each component, of all ranks.
  std::array<double, 9> balance(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut,
                                const WallMotions& walls) const;

  CellBox box_;  // of the whole grid
  double viscosity_;
  const Communicator* ranks_;
  double momentum_[3] = {}, outflow_[3] = {};
};

}  // namespace weir
