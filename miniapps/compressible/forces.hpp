// Forces on the walls as coefficients (1/2 rho U^2, reference length), and distributions along the walls.
#pragma once
#include <string>
#include <vector>

#include "miniapps/compressible/case.hpp"
#include "miniapps/compressible/discretisation/mesh_ranks.hpp"

namespace weir {

struct Forces {
  double drag_pressure = 0, drag_viscous = 0, lift_pressure = 0, lift_viscous = 0;
  double drag() const { return drag_pressure + drag_viscous; }
  double lift() const { return lift_pressure + lift_viscous; }
  double moment = 0;  // about [flow] moment_centre, counterclockwise; reference: length squared
  double heat = 0;    // heat flux into the walls; reference: 1/2 rho U^3, length
};

// A wall, face by face in patch order. cp = 2 (p - p_infinity); cf is positive if the wall is dragged in the
// direction of the free stream; heat: coefficient of the flux into the wall; y_plus: at the centre of the adjacent
// cell, turbulent flows only.
struct WallSurface {
  std::string name, result_name;
  bool is_viscous = false;
  std::vector<double> x, y, normal_x, normal_y, area, cp, cf, heat, y_plus;  // normal: into the wall
};

template <class Space>
class WallForces {
 public:
  // ranks: null for one rank; otherwise the mesh is that of its part, members are collective, forces global.
  WallForces(const UnstructuredMesh& mesh, const CompressibleCase& c, const std::vector<FlowBoundary>& boundary,
             const MeshRanks* ranks = nullptr);

  bool has_walls() const { return !walls_.empty(); }
  Forces measure(Discretisation<Space>& space, View<const double> U);  // sum over all walls
  // Forces on each wall from the last measure(), in the order of the patches.
  const std::vector<Forces>& of_walls() const { return of_walls_; }
  // Distributions along all walls; with ranks: on rank 0, empty on other ranks.
  std::vector<WallSurface> surfaces(Discretisation<Space>& space, View<const double> U);

 private:
  struct Wall {
    int patch;
    Array<double, Space> normal_x, normal_y, area, pressure, shear, heat, wall_unit;
    Array<double, Space> normal_arm, tangent_arm;  // moments of the unit normal and tangent
    std::vector<double> height;                    // distance of the adjacent cell centres
    WallSurface surface;
    RankMap map;      // with ranks: positions of the faces in the whole wall
    int whole_faces;  // with ranks: number of faces of the whole wall
  };
  std::vector<double> gathered(const Wall& wall, const std::vector<double>& mine) const;
  void evaluate(Discretisation<Space>& space, View<const double> U, Wall& w) {
    space.wall_stress(U, w.patch, WallStress<Space>{w.pressure, w.shear, w.heat, w.wall_unit});
  }

  const Communicator* ranks_;
  bool is_turbulent_;
  double direction_[2], free_pressure_, reference_length_;
  std::vector<Wall> walls_;
  std::vector<Forces> of_walls_;
};

// x at which the skin friction of the upper side first changes sign downstream of its maximum; NaN: nowhere.
double separation_point(const WallSurface& surface);

}  // namespace weir
