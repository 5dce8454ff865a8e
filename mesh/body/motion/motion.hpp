// How a body moves, as a prescribed function of time: a point X of the body's own frame is at
//
//   x(X, t) = c(t) + R(t) (s(t) * X),      s: a stretch along each axis of the body's own frame
//
// so translation, rotation about an axis and deformation combine, and velocities are exact everywhere on the body.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "mesh/body/vec3.hpp"

namespace weir {

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

// One law; it changes a placement in place. Laws of a body apply in order.
class MotionLaw {
 public:
  virtual ~MotionLaw() = default;
  virtual void apply(double t, Placement& placement) const = 0;
};

class Motion {
 public:
  Placement at(double t) const;
  bool is_none() const { return laws_.empty(); }
  void add(std::unique_ptr<MotionLaw> law) { laws_.push_back(std::move(law)); }
  void add_first(std::unique_ptr<MotionLaw> law) { laws_.insert(laws_.begin(), std::move(law)); }
  Placement initial;  // where the body is before any law

 private:
  std::vector<std::unique_ptr<MotionLaw>> laws_;
};

}  // namespace weir
