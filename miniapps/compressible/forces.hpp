// Forces on the walls, as coefficients on 1/2 rho U^2 of the free stream and the reference length, and what the walls
// look like along the surface.
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
};

// A wall, face by face in the patch's order. cp = 2 (p - p_infinity); cf is positive where the wall is dragged along
// with the free stream's direction; heat: the coefficient of the flux into the wall; y_plus: of the centre of the cell
// beside it, of turbulent flows alone.
struct WallSurface {
  std::string name;
  bool is_viscous = false;
  std::vector<double> x, y, normal_x, normal_y, area, cp, cf, heat, y_plus;  // normal: into the wall
};

template <class Space>
class WallForces {
 public:
  // ranks: null on one; else the mesh is that of its part, all ranks call everything, and each measures the forces of all.
  WallForces(const UnstructuredMesh& mesh, const CompressibleCase& c, const std::vector<FlowBoundary>& boundary,
             const MeshRanks* ranks = nullptr);

  bool has_walls() const { return !walls_.empty(); }
  Forces measure(Discretisation<Space>& space, View<const double> U);
  // In parallel: on the root rank, empty on the others.
  std::vector<WallSurface> surfaces(Discretisation<Space>& space, View<const double> U);

 private:
  struct Wall {
    int patch;
    Array<double, Space> normal_x, normal_y, area, pressure, shear, heat, wall_unit;
    std::vector<double> height;  // of the centres of the cells beside it
    WallSurface surface;
    RankMap map;      // over ranks: where the faces stand in the whole wall,
    int whole_faces;  // and how many that has
  };
  std::vector<double> gathered(const Wall& wall, const std::vector<double>& mine) const;
  void evaluate(Discretisation<Space>& space, View<const double> U, Wall& w) {
    space.wall_stress(U, w.patch, WallStress<Space>{w.pressure, w.shear, w.heat, w.wall_unit});
  }

  const Communicator* ranks_;
  bool is_turbulent_;
  double direction_[2], free_pressure_, reference_length_;
  std::vector<Wall> walls_;
};

// Where the skin friction of the upper side (its fluid above it) changes sign for the first time behind its largest
// value, as x; NaN where it does not.
double separation_point(const WallSurface& surface);

}  // namespace weir
