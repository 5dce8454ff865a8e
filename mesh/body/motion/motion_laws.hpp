// The laws that a case can name.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/body/vec3.hpp"

namespace weir {

// How a body moves, as a prescribed function of time: a point X of the body's own frame is at
//
//   x(X, t) = c(t) + R(t) (s(t) * X),      s: a stretch along each axis of the body's own frame
//
// so translation, rotation about an axis and deformation combine, and velocities are exact everywhere on the body.

// c, R and s with their rates.
struct Placement {
  Vec3 position{}, velocity{};
  Rotation rotation = no_rotation;
  Vec3 angular_velocity{};
  Vec3 stretch{1, 1, 1}, stretch_rate{};

  Vec3 place(const Vec3& X) const;        // x(X)
  Vec3 reference(const Vec3& x) const;    // X(x)
  Vec3 velocity_at(const Vec3& x) const;  // of the body's point that is at x
};

// One law; it changes a placement in place. Laws of a body apply in the order of the case.
using MotionLaw = std::function<void(double t, Placement& placement)>;

struct Motion {
  Placement initial;  // where the body is before any law
  std::vector<MotionLaw> laws;
  Placement at(double t) const;
};

// a sin(2 pi f t + phase), with an amplitude a direction
struct Wave {
  Vec3 amplitude;
  double frequency, phase;
};

// Turned by the angle rate t + amplitude sin(2 pi f t + phase) about an axis through `pivot`, or through the body's own
// origin wherever it is.
struct RotationOptions {
  Vec3 axis{0, 0, 1};                                        // unit
  double rate = 0, amplitude = 0, frequency = 0, phase = 0;  // radians
  std::optional<Vec3> pivot = {};
};

MotionLaw translation(const Vec3& velocity);
MotionLaw oscillation(const Wave& wave);  // moved by it from where the body is
MotionLaw rotation(const RotationOptions& options);
MotionLaw deformation(const Wave& wave);  // stretched by 1 + that along each of the body's own axes

// Follows a table of positions (and of an angle about an axis through the body's own origin) by cubic splines, whose second
// derivative is continuous: pressure forces follow the acceleration. Before its first and after its last row a table that
// does not repeat holds the body still; the last row of one that does repeats the first, a period later.
// The columns are `t`, and any of `x`, `y`, `z`, `angle` (degrees), of a text with a head line; blanks or commas between
// them, '#' begins a comment. Errors name file and line.
MotionLaw parse_motion_table(std::string_view text, const std::string& name, const Vec3& axis, bool is_periodic);

}  // namespace weir
