// The force of the fluid on the body, over the density, in two ways that share nothing but the flow.
//
// surface_force: the integral of -p n + tau . n over the pieces of surface in the cut cells. On a no-slip wall of a
// body that rotates with Omega, tau . n is the tangential part of nu du_r/dn with u_r = u - u_wall - Omega cross (x -
// x_wall). p and u are interpolated quadratically at three points on the normal, one cell apart; p is extrapolated to
// the wall, u is differenced. Pieces lie on the chords of the cut cells. For exact shapes with order 4, with a scalar,
// or of a body that rotates in place, they lie on the surface (numerical_schemes.md).
//
// ControlVolume: momentum balance of a box of cells around the body, F = -dM/dt - (outflow through its sides) + (body
// force and buoyancy of the fluid in it). It uses the fluxes of momentum.hpp and therefore gives the force in the
// discrete equations:
//   M_c = sum of V (fraction u + (1 - fraction) u_wall) over the nodes of component c inside
//         - V_body u_wall(its centroid)
//   sides: u u + p - nu grad u
// u_wall is the velocity of the body, linear in x. The momentum of the solid is therefore known exactly, and an error
// of `fraction` is multiplied by u - u_wall, which is small near the surface, and not by u. (dM/dt would amplify this
// error by 1 / dt.)
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

// Pressure and friction stress on a piece of the surface, divided by the density.
struct SurfaceLoad {
  std::array<double, 3> point{}, normal{}, friction{};  // normal: unit, into the fluid
  double pressure = 0;
  std::vector<double> scalar;  // for each scalar: its value and its flux into the fluid
};

// Surface pieces of one body, and its rotation. The torque is about `centre`.
struct BodyPieces {
  int first = 0, count = 0;
  Vec3 angular_velocity{}, centre{};
};

// work: 6 values per piece. With several ranks the result is this rank's share; `flow` is then the flow on its region
// (wide_flow.hpp).
template <class Space>
Force surface_force(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, double viscosity,
                    const BodyPieces& of, GrowingArray<double, Space>& work);

// Surface sums for a scalar: area, flux into the fluid (heat flux: divided by density and heat capacity), value times
// area. If the wall value is given, the flux is computed from three points on the normal, like the friction. If the
// flux is given, the value is computed from the slope at the wall and the same points. work: 3 values per piece. With
// several ranks the result is this rank's share.
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

// u_wall = velocity + slope x, by component. solid: the integral of u_wall over the body (for a cavity: minus the
// integral over its fluid).
struct WallMotion {
  double velocity[3] = {}, slope[3][3] = {}, solid[3] = {};
  double outside = 1;  // 0: a cavity, the fluid is inside
};
WallMotion wall_motion(const Body& body, const Grid& grid, const CellBox& box);
using WallMotions = std::vector<WallMotion>;  // one per body; with several bodies, those of fixed ones are zero

template <class Space>
class ControlVolume {
 public:
  ControlVolume(const CellBox& box, double viscosity, const Communicator& ranks)
      : box_(box), viscosity_(viscosity), ranks_(&ranks) {}
  // Stores M and the fluxes of the present flow. Call it before the first step and after loading a checkpoint. Returns
  // balance().
  std::array<double, 9> remember(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut,
                                 const WallMotions& walls);
  // force: the mean force over the last step. Stores the present M and fluxes for the next call. driven: the value of
  // driving() in that step.
  void advance(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, const WallMotions& walls,
               double dt, const double (&driven)[3], double (&force)[3]);
  // Sum over all ranks of fraction (V force + more) for component c. force: body force; more: the other source terms
  // times V.
  double driving(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, int c, double force,
                 View<const double> more) const;

  // Sum of the terms of M_c over this rank's nodes. Public: nvcc takes no device lambda in a private member.
  double momentum(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut, const WallMotions& walls,
                  int component, int body) const;

 private:
  double outflow(const Flow<Space>& flow, const Metrics& m, int component, bool pressure) const;
  // For each component, summed over all ranks: momentum, outflow without pressure, outflow with pressure.
  std::array<double, 9> balance(const Flow<Space>& flow, const Metrics& m, const CutArrays<Space>& cut,
                                const WallMotions& walls) const;

  CellBox box_;  // in cells of the whole grid
  double viscosity_;
  const Communicator* ranks_;
  double momentum_[3] = {}, outflow_[3] = {};
};

}  // namespace weir
