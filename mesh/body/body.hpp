// A body in the flow: surface, motion, and velocity conditions at the surface.
//
//   Body body = read_body(case.table("body"), surface_spacing);
//   BodyDistance distance(x, y, z);          // mesh/body/distance/distance.hpp
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

struct Foot {
  double distance = 0;  // negative in the solid
  Vec3 point{};
  Vec3 normal{};          // unit, into the fluid
  int element = -1;       // surface element; -1: exact shape
  int body = 0;           // index of the body
  double w1 = 0, w2 = 0;  // weights of the element's second and third corner
};

class Body {
 public:
  // `reference`: surface in the frame of the body, elements sorted in space; `exact` (same frame): for ellipsoids.
  Body(Surface reference, Motion motion, std::optional<Ellipsoid> exact = {});
  // The motion law of the ventricle is applied before those of `motion`.
  Body(LeftVentricle ventricle, Motion motion);

  void move(double t);  // no allocation
  double time() const { return time_; }
  bool is_fixed() const { return motion_.laws.empty(); }

  const Surface& surface() const { return surface_; }  // at time()
  const SurfaceEdges& edges() const { return edges_; }
  const Pseudonormals& pseudonormals() const { return pseudonormals_; }  // empty if the shape is exact
  const std::optional<Ellipsoid>& exact() const { return exact_; }
  const Placement& placement() const { return placement_; }
  bool is_cavity() const { return surface_.is_cavity; }

  // node_velocity: velocity of the wall at each surface node. fluid_velocity: the same plus the flow through openings;
  // its flux through the whole surface of a ventricle is zero to rounding.
  std::span<const Vec3> node_velocity() const { return node_velocity_; }
  std::span<const Vec3> fluid_velocity() const { return fluid_velocity_.empty() ? node_velocity_ : fluid_velocity_; }
  bool has_openings() const { return !opening_.empty(); }

  // Velocity of the wall and of the fluid at a foot of BodyDistance.
  Vec3 wall_velocity(const Foot& foot) const;
  Vec3 fluid_velocity(const Foot& foot) const;
  bool is_outflow(const Foot& foot) const;  // an opening with outflow at this time

  // Volume of the polyhedron; positive for cavities too.
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
  std::vector<Vec3> node_velocity_, fluid_velocity_;  // fluid_velocity_: only with openings
  std::vector<Opening> opening_;                      // inflow through the first, outflow through the second
  bool empties_ = false;
  double time_ = 0;
};

}  // namespace weir
