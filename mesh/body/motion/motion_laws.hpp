// The laws that a case can name. Laws of a body apply in the order of the case.
#pragma once
#include <memory>
#include <utility>
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

class Translation : public MotionLaw {
 public:
  explicit Translation(const Vec3& velocity) : velocity_(velocity) {}
  void apply(double t, Placement& p) const override;

 private:
  Vec3 velocity_;
};

// Moved by a sin(2 pi f t + phase) from where it is.
class Oscillation : public MotionLaw {
 public:
  Oscillation(const Vec3& amplitude, double frequency, double phase)
      : amplitude_(amplitude), frequency_(frequency), phase_(phase) {}
  void apply(double t, Placement& p) const override;

 private:
  Vec3 amplitude_;
  double frequency_, phase_;
};

// Turned by the angle rate t + amplitude sin(2 pi f t + phase) about an axis through `pivot`, or through the body's own
// origin wherever it is.
struct RotationOptions {
  Vec3 axis{0, 0, 1};                                        // unit
  double rate = 0, amplitude = 0, frequency = 0, phase = 0;  // radians
  bool has_pivot = false;
  Vec3 pivot{};
};

class Turning : public MotionLaw {
 public:
  explicit Turning(const RotationOptions& options) : o_(options) {}
  void apply(double t, Placement& p) const override;

 private:
  RotationOptions o_;
};

// Stretched by 1 + a sin(2 pi f t + phase) along each of its own axes.
class Deformation : public MotionLaw {
 public:
  Deformation(const Vec3& amplitude, double frequency, double phase)
      : amplitude_(amplitude), frequency_(frequency), phase_(phase) {}
  void apply(double t, Placement& p) const override;

 private:
  Vec3 amplitude_;
  double frequency_, phase_;
};

// Follows a table of positions (and of an angle about an axis through its own origin) by cubic splines, whose second
// derivative is continuous: pressure forces follow the acceleration. Before its first and after its last row a table that
// does not repeat holds the body still.
class TabulatedMotion : public MotionLaw {
 public:
  // row[i]: x, y, z, angle at time[i]. periodic: the last row repeats the first, a period later.
  TabulatedMotion(std::vector<double> time, std::vector<std::array<double, 4>> row, const Vec3& axis, bool is_periodic);
  void apply(double t, Placement& p) const override;

 private:
  std::vector<double> time_;
  std::vector<std::array<double, 4>> value_, curvature_;
  Vec3 axis_;
  bool is_periodic_;
};

// The columns `t`, and any of `x`, `y`, `z`, `angle` (degrees), of a text with a head line; blanks or commas between them, '#'
// begins a comment. Errors name file and line.
std::unique_ptr<TabulatedMotion> parse_motion_table(std::string_view text, const std::string& name, const Vec3& axis,
                                                    bool is_periodic);

}  // namespace weir
