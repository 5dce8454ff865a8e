#include "mesh/body/motion/motion.hpp"

namespace weir {

Vec3 Placement::place(const Vec3& X) const {
  return position + turned(rotation, {stretch[0] * X[0], stretch[1] * X[1], stretch[2] * X[2]});
}

Vec3 Placement::reference(const Vec3& x) const {
  const Vec3 y = turned_back(rotation, x - position);
  return {y[0] / stretch[0], y[1] / stretch[1], y[2] / stretch[2]};
}

// x' = c' + omega x (x - c) + R (s' * X)
Vec3 Placement::velocity_at(const Vec3& x) const {
  const Vec3 X = reference(x);
  return velocity + cross(angular_velocity, x - position) +
         turned(rotation, {stretch_rate[0] * X[0], stretch_rate[1] * X[1], stretch_rate[2] * X[2]});
}

Placement Motion::at(double t) const {
  Placement placement = initial;
  for (const auto& law : laws_) law->apply(t, placement);
  return placement;
}

}  // namespace weir
