#include "mesh/body/motion/read_motion.hpp"

#include <cmath>
#include <numbers>

#include "mesh/body/motion/motion_laws.hpp"
#include "mesh/read/files.hpp"

namespace weir {
namespace {

constexpr double degree = std::numbers::pi / 180;

double finite(const Table& t, const char* key, double fallback) {
  const auto x = t.get<double>(key, fallback);
  if (!std::isfinite(x)) t.fail(key, std::string("'") + key + "' must be finite");
  return x;
}

struct Wave {
  Vec3 amplitude;
  double frequency, phase;
};

Wave read_wave(const Table& t) {
  const Wave w{read_vector(t, "amplitude", {}), finite(t, "frequency", 0), degree * finite(t, "phase", 0)};
  if (!t.has("amplitude")) t.fail("amplitude", "this motion needs an 'amplitude', a number a direction");
  if (!(w.frequency > 0)) t.fail("frequency", "this motion needs a positive 'frequency'");
  return w;
}

Vec3 read_axis(const Table& t) {
  const Vec3 axis = read_vector(t, "axis", {0, 0, 1});
  if (!(length(axis) > 0)) t.fail("axis", "'axis' needs a direction");
  return (1 / length(axis)) * axis;
}

std::unique_ptr<MotionLaw> read_rotation(const Table& t) {
  RotationOptions o;
  o.axis = read_axis(t);
  o.rate = degree * finite(t, "rate", 0);
  o.amplitude = degree * finite(t, "amplitude", 0);
  o.frequency = finite(t, "frequency", 0);
  o.phase = degree * finite(t, "phase", 0);
  if (o.rate == 0 && o.amplitude == 0) t.fail("rate", "a rotation needs a 'rate' or an 'amplitude'");
  if (o.amplitude != 0 && !(o.frequency > 0)) t.fail("frequency", "an amplitude needs a positive 'frequency'");
  o.has_pivot = t.has("pivot");
  if (o.has_pivot) o.pivot = read_vector(t, "pivot", {});
  return std::make_unique<Turning>(o);
}

std::unique_ptr<MotionLaw> read_deformation(const Table& t) {
  const Wave w = read_wave(t);
  for (const double a : w.amplitude)
    if (!(std::abs(a) < 1)) t.fail("amplitude", "amplitudes of a deformation lie below 1: the body would collapse");
  return std::make_unique<Deformation>(w.amplitude, w.frequency, w.phase);
}

std::unique_ptr<MotionLaw> read_table(const Table& t) {
  const std::string path = find_file(t, "file", "motion table");
  const auto is_periodic = t.get<bool>("periodic", false);
  return parse_motion_table(content_of(path, "motion table"), path, read_axis(t), is_periodic);
}

std::unique_ptr<MotionLaw> read_law(const Table& t) {
  const std::string type =
      t.choice("type", {"none", "translation", "oscillation", "rotation", "deformation", "table"}, "none");
  if (type == "translation") {
    if (!t.has("velocity")) t.fail("velocity", "a translation needs a 'velocity'");
    return std::make_unique<Translation>(read_vector(t, "velocity", {}));
  }
  if (type == "oscillation") {
    const Wave w = read_wave(t);
    return std::make_unique<Oscillation>(w.amplitude, w.frequency, w.phase);
  }
  if (type == "rotation") return read_rotation(t);
  if (type == "deformation") return read_deformation(t);
  if (type == "table") return read_table(t);
  return nullptr;
}

}  // namespace

Vec3 read_vector(const Table& t, const char* key, const Vec3& fallback) {
  if (!t.has(key)) {
    t.get<std::vector<double>>(key, {fallback[0], fallback[1], fallback[2]});
    return fallback;
  }
  const auto v = t.get<std::vector<double>>(key);
  if (v.size() < 2 || v.size() > 3) t.fail(key, std::string("'") + key + "' must have two or three numbers");
  Vec3 x{};
  for (std::size_t d = 0; d < v.size(); ++d) {
    if (!std::isfinite(v[d])) t.fail(key, std::string("'") + key + "' must be finite");
    x[d] = v[d];
  }
  return x;
}

void read_motion(const Table& body, Motion& motion) {
  if (!body.has("motion")) return;
  std::vector<Table> laws;
  if (body.is_table("motion"))
    laws.push_back(body.table("motion"));
  else
    laws = body.tables("motion");
  for (const Table& law : laws)
    if (auto made = read_law(law)) motion.add(std::move(made));
}

}  // namespace weir
