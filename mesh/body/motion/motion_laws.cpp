#include "mesh/body/motion/motion_laws.hpp"

#include "physics/body_motion.hpp"

namespace weir {
namespace {

// y = P + A (x - P), where A turns by `angle` about the axis:  y' = A x' + omega x (y - P).
void turn(Placement& p, const Vec3& axis, const ValueAndRate& angle, const Vec3& pivot, const Vec3& pivot_velocity) {
  const Rotation a = rotation_about(axis, angle.value);
  const Vec3 omega = angle.rate * axis;
  p.rotation = a * p.rotation;
  p.position = pivot + turned(a, p.position - pivot);
  p.velocity = pivot_velocity + turned(a, p.velocity - pivot_velocity) + cross(omega, p.position - pivot);
  p.angular_velocity = omega + turned(a, p.angular_velocity);
}

}  // namespace

void Translation::apply(double t, Placement& p) const {
  p.position += t * velocity_;
  p.velocity += velocity_;
}

void Oscillation::apply(double t, Placement& p) const {
  const ValueAndRate s = harmonic(1, frequency_, phase_, t);
  p.position += s.value * amplitude_;
  p.velocity += s.rate * amplitude_;
}

void Turning::apply(double t, Placement& p) const {
  const ValueAndRate swing = harmonic(o_.amplitude, o_.frequency, o_.phase, t);
  const ValueAndRate angle{o_.rate * t + swing.value, o_.rate + swing.rate};
  if (o_.has_pivot)
    turn(p, o_.axis, angle, o_.pivot, {});
  else
    turn(p, o_.axis, angle, p.position, p.velocity);
}

void Deformation::apply(double t, Placement& p) const {
  const ValueAndRate s = harmonic(1, frequency_, phase_, t);
  for (std::size_t d = 0; d < 3; ++d) {
    const double factor = 1 + amplitude_[d] * s.value, rate = amplitude_[d] * s.rate;
    p.stretch_rate[d] = p.stretch_rate[d] * factor + p.stretch[d] * rate;
    p.stretch[d] *= factor;
  }
}

}  // namespace weir
