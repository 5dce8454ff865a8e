#include "mesh/body/motion/motion_laws.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/nearest.hpp"
#include "mesh/read/text.hpp"
#include "physics/body_motion.hpp"

namespace weir {
namespace {

// y = P + A (x - P), A being a rotation by `angle` about the axis: y' = A x' + omega x (y - P).
void turn(Placement& p, const Vec3& axis, const ValueAndRate& angle, const Vec3& pivot, const Vec3& pivot_velocity) {
  const Rotation a = rotation_about(axis, angle.value);
  const Vec3 omega = angle.rate * axis;
  p.rotation = a * p.rotation;
  p.position = pivot + turned(a, p.position - pivot);
  p.velocity = pivot_velocity + turned(a, p.velocity - pivot_velocity) + cross(omega, p.position - pivot);
  p.angular_velocity = omega + turned(a, p.angular_velocity);
}

using Row = std::array<double, 4>;

// Second derivatives m of natural or periodic cubic splines:
//   h0 m- + 2 (h0 + h1) m + h1 m+ = 6 ((y+ - y) / h1 - (y - y-) / h0), zero at both ends or periodic.
// Solved by Gauss-Seidel (diagonal dominance by 2), since tables are short.
std::vector<Row> curvatures(const std::vector<double>& t, const std::vector<Row>& y, bool is_periodic) {
  const std::size_t n = t.size();
  std::vector<Row> m(n, Row{});
  constexpr int sweeps = 60;  // each at least halves the error
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t i = is_periodic ? 0 : 1; i + 1 < n; ++i) {
      const std::size_t before = i > 0 ? i - 1 : n - 2;  // row n - 1 is row 0 one period later
      const double h0 = i > 0 ? t[i] - t[i - 1] : t[n - 1] - t[n - 2], h1 = t[i + 1] - t[i];
      for (std::size_t c = 0; c < 4; ++c) {
        const double slope0 = ((i > 0 ? y[i][c] : y[n - 1][c]) - y[before][c]) / h0,
                     slope1 = (y[i + 1][c] - y[i][c]) / h1;
        m[i][c] = (6 * (slope1 - slope0) - h0 * m[before][c] - h1 * m[i + 1][c]) / (2 * (h0 + h1));
      }
      if (is_periodic && i == 0) m[n - 1] = m[0];
    }
  return m;
}

struct SplineMotion {
  std::vector<double> time;
  std::vector<Row> value, curvature;
  Vec3 axis;
  bool is_periodic;

  void operator()(double t, Placement& p) const {
    const double first = time.front(), last = time.back();
    if (is_periodic) t -= std::floor((t - first) / (last - first)) * (last - first);
    const bool is_outside = t < first || t > last;
    t = std::clamp(t, first, last);
    const auto above = std::upper_bound(time.begin() + 1, time.end() - 1, t);
    const auto i = static_cast<std::size_t>(above - time.begin()) - 1;
    std::array<ValueAndRate, 4> v;
    for (std::size_t c = 0; c < 4; ++c) {
      v[c] = spline_piece(time[i + 1] - time[i], t - time[i], value[i][c], value[i + 1][c], curvature[i][c],
                          curvature[i + 1][c]);
      if (is_outside) v[c].rate = 0;
    }
    const Rotation turned_by = rotation_about(axis, v[3].value);
    p.rotation = turned_by * p.rotation;
    p.angular_velocity = v[3].rate * axis + turned(turned_by, p.angular_velocity);
    p.position += Vec3{v[0].value, v[1].value, v[2].value};
    p.velocity += Vec3{v[0].rate, v[1].rate, v[2].rate};
  }
};

}  // namespace

MotionLaw translation(const Vec3& velocity) {
  return [=](double t, Placement& p) {
    p.position += t * velocity;
    p.velocity += velocity;
  };
}

MotionLaw oscillation(const Wave& wave) {
  return [=](double t, Placement& p) {
    const ValueAndRate s = harmonic(1, wave.frequency, wave.phase, t);
    p.position += s.value * wave.amplitude;
    p.velocity += s.rate * wave.amplitude;
  };
}

MotionLaw rotation(const RotationOptions& o) {
  return [=](double t, Placement& p) {
    const ValueAndRate swing = harmonic(o.amplitude, o.frequency, o.phase, t);
    const ValueAndRate angle{o.rate * t + swing.value, o.rate + swing.rate};
    turn(p, o.axis, angle, o.pivot.value_or(p.position), o.pivot ? Vec3{} : p.velocity);
  };
}

MotionLaw deformation(const Wave& wave) {
  return [=](double t, Placement& p) {
    const ValueAndRate s = harmonic(1, wave.frequency, wave.phase, t);
    for (std::size_t d = 0; d < 3; ++d) {
      const double factor = 1 + wave.amplitude[d] * s.value, rate = wave.amplitude[d] * s.rate;
      p.stretch_rate[d] = p.stretch_rate[d] * factor + p.stretch[d] * rate;
      p.stretch[d] *= factor;
    }
  };
}

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
  for (const MotionLaw& law : laws) law(t, placement);
  placement.angular_velocity += spin;
  return placement;
}

MotionLaw parse_motion_table(std::string_view text, const std::string& name, const Vec3& axis, bool is_periodic) {
  const std::vector<std::string> known{"t", "x", "y", "z", "angle"};
  MeshText in(text, name, '#');
  in.next("the first line of a motion table: the column t and any of x, y, z, angle");
  std::vector<std::size_t> column;  // index in `known` plus one
  while (in.has_field()) {
    const std::string word(in.field("a column"));
    const auto at = std::ranges::find(known, word);
    if (at == known.end()) in.fail("unknown column " + MeshText::quoted(word) + did_you_mean(word, known));
    const auto c = static_cast<std::size_t>(at - known.begin());
    if (std::ranges::find(column, c) != column.end()) in.fail("column '" + word + "' is repeated");
    column.push_back(c);
  }
  if (std::ranges::find(column, 0u) == column.end()) in.fail("a motion table requires the column 't'");
  std::vector<double> time;
  std::vector<Row> row;
  while (in.next()) {
    Row r{};
    double t = 0;
    for (const std::size_t c : column) {
      const double value = in.coordinate(known[c].c_str());
      (c == 0 ? t : r[c - 1]) = c == 4 ? value * std::numbers::pi / 180 : value;
    }
    in.end_of_line("a row of the motion table");
    if (!time.empty() && !(t > time.back())) in.fail("times must increase from row to row");
    time.push_back(t);
    row.push_back(r);
  }
  if (time.size() < 3) in.fail("a motion table requires at least three rows");
  for (std::size_t c = 0; is_periodic && c < 4; ++c) {
    const double step = std::abs(row.back()[c] - row.front()[c]);
    constexpr double slack = 1e-9;  // of the largest value: precision of printed numbers
    double largest = 0;
    for (const Row& r : row) largest = std::max(largest, std::abs(r[c]));
    if (step > slack * largest) in.fail("the last row of a periodic table must equal the first");
  }
  std::vector<Row> curvature = curvatures(time, row, is_periodic);
  return SplineMotion{std::move(time), std::move(row), std::move(curvature), axis, is_periodic};
}

}  // namespace weir
