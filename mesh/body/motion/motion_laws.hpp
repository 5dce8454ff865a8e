// The motion laws of a case.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/body/vec3.hpp"

namespace weir {

// A prescribed motion: a point X of the body's frame is at
//
//   x(X, t) = c(t) + R(t) (s(t) * X),      s: stretch along each axis of the body's frame
//
// so translation, rotation and deformation combine, and velocities are exact everywhere on the body.

struct Placement {
  Vec3 position{}, velocity{};
  Rotation rotation = no_rotation;
  Vec3 angular_velocity{};
  Vec3 stretch{1, 1, 1}, stretch_rate{};

  Vec3 place(const Vec3& X) const;        // x(X)
  Vec3 reference(const Vec3& x) const;    // X(x)
  Vec3 velocity_at(const Vec3& x) const;  // velocity of the material point at x
};

// A law modifies a placement in place. The laws of a body apply in the order of the case.
using MotionLaw = std::function<void(double t, Placement& placement)>;

struct Motion {
  Placement initial;  // before any law
  std::vector<MotionLaw> laws;
  Vec3 spin{};  // angular velocity of a body of revolution about its axis; its surface does not move
  Placement at(double t) const;
};

// a sin(2 pi f t + phase), one amplitude per direction
struct Wave {
  Vec3 amplitude;
  double frequency, phase;
};

// Rotation by rate t + amplitude sin(2 pi f t + phase) about an axis through `pivot`, or the body's origin.
struct RotationOptions {
  Vec3 axis{0, 0, 1};                                        // unit vector
  double rate = 0, amplitude = 0, frequency = 0, phase = 0;  // angles in radians
  std::optional<Vec3> pivot = {};
};

MotionLaw translation(const Vec3& velocity);
MotionLaw oscillation(const Wave& wave);  // displacement from the initial position
MotionLaw rotation(const RotationOptions& options);
MotionLaw deformation(const Wave& wave);  // stretch of 1 + wave along each axis of the body's frame

// Motion from a table of positions (and of an angle about an axis through the origin of the body's frame) by cubic
// splines with continuous second derivative, because pressure forces follow the acceleration. Outside of a non-periodic
// table the body is at rest; the last row of a periodic table repeats the first. Columns: `t` and any of `x`, `y`, `z`,
// `angle` (degrees), with a head line; separated by blanks or commas; '#' starts a comment. Errors name file and line.
MotionLaw parse_motion_table(std::string_view text, const std::string& name, const Vec3& axis, bool is_periodic);

}  // namespace weir
