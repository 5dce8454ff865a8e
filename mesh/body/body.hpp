// A body in the flow: its surface, how it moves, and what it asks of the fluid at its surface.
//
//   Body body = read_body(case.table("body"), surface_spacing);
//   BodyDistance distance(x, y, z);          // mesh/body/distance/distance.hpp: the grid's points beside the body
//   body.move(t);
//   distance.update(body);
#pragma once
#include <optional>

#include "mesh/body/distance/pseudonormals.hpp"
#include "mesh/body/ellipsoid.hpp"
#include "mesh/body/motion/left_ventricle.hpp"
#include "mesh/body/motion/motion_laws.hpp"
#include "mesh/body/surface.hpp"

namespace weir {

// The closest point of a body's surface, seen from some point.
struct Foot {
  double distance = 0;  // negative where the point is in the solid
  Vec3 point{};
  Vec3 normal{};          // unit, into the fluid
  int element = -1;       // of the surface; -1 on an exact shape
  double w1 = 0, w2 = 0;  // weights of the element's second and third corner; the first has 1 - w1 - w2
};

class Body {
 public:
  // `reference` is in the body's own frame, its elements are sorted in space; `exact` (in that frame too) where the shape is an ellipsoid.
  Body(Surface reference, Motion motion, std::optional<Ellipsoid> exact = {});
  // The ventricle's own law comes before those of `motion`.
  Body(LeftVentricle ventricle, Motion motion);

  void move(double t);  // allocates nothing
  double time() const { return time_; }
  bool is_fixed() const { return motion_.laws.empty(); }

  const Surface& surface() const { return surface_; }  // at time()
  const SurfaceEdges& edges() const { return edges_; }
  const Pseudonormals& pseudonormals() const { return pseudonormals_; }  // none where the shape is exact
  const std::optional<Ellipsoid>& exact() const { return exact_; }
  const Placement& placement() const { return placement_; }
  // True where far outside of the surface is solid, and the fluid inside.
  bool is_cavity() const { return surface_.is_cavity; }

  // Of the material at each node of the surface, and of the fluid there: no slip, plus what an opening lets through, so that
  // the flux of fluid_velocity() through a ventricle's whole surface is zero to round-off.
  std::span<const Vec3> node_velocity() const { return node_velocity_; }
  std::span<const Vec3> fluid_velocity() const { return fluid_velocity_.empty() ? node_velocity_ : fluid_velocity_; }
  bool has_openings() const { return !opening_.empty(); }

  // At a foot of BodyDistance: the wall's own velocity, and the velocity that the fluid has there.
  Vec3 wall_velocity(const Foot& foot) const;
  Vec3 fluid_velocity(const Foot& foot) const;
  bool is_outflow(const Foot& foot) const;  // an opening through which fluid leaves now

  // Of the polyhedron that the surface is; positive for cavities too.
  double volume() const;
  double volume_rate() const;  // d/dt of volume(): the flux of node_velocity()

 private:
  void open_valves();

  Motion motion_;
  Surface reference_, surface_;
  SurfaceEdges edges_;
  Pseudonormals pseudonormals_;
  std::optional<Ellipsoid> exact_reference_, exact_;
  Placement placement_;
  bool has_moved_ = false;
  std::vector<Vec3> node_velocity_, fluid_velocity_;  // the second only where there are openings
  std::vector<Opening> opening_;                      // fluid comes in through the first, leaves through the second
  bool empties_ = false;
  double time_ = 0;
};

}  // namespace weir
