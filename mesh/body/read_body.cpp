#include "mesh/body/read_body.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/table.hpp"
#include "mesh/body/motion/motion_laws.hpp"
#include "mesh/body/shapes.hpp"
#include "mesh/body/stl/stl.hpp"
#include "mesh/read/text.hpp"

namespace weir {

// The key `motion` of [body]: read_body.hpp tells its words.
void read_motion(const Table& body, Motion& motion);

// Up to three numbers of a key, the missing ones 0.
Vec3 read_vector(const Table& t, const char* key, const Vec3& fallback);

namespace {

double positive(const Table& t, const char* key, double fallback) {
  const auto x = t.get<double>(key, fallback);
  if (!(x > 0 && std::isfinite(x))) t.fail(key, std::string("'") + key + "' must be positive");
  return x;
}

// Two or three lengths of a shape.
std::vector<double> read_lengths(const Table& t, const char* key) {
  const auto l = t.get<std::vector<double>>(key);
  if (l.size() != 2 && l.size() != 3) t.fail(key, std::string("'") + key + "' must have two or three numbers");
  for (const double x : l)
    if (!(x > 0 && std::isfinite(x))) t.fail(key, std::string("'") + key + "' must be positive");
  return l;
}

// At most a few million elements, whatever the case says.
double surface_spacing(const Table& t, double spacing, double size) {
  const double s = positive(t, "surface_spacing", spacing);
  constexpr double finest = 2000;
  if (!(s * finest >= size))
    t.fail("surface_spacing", "the surface would have far too many elements: at least 1/2000 of the body's size");
  return s;
}

Body make_round(const Table& t, const std::vector<double>& diameters, double spacing, Motion motion) {
  Vec3 radius{1, 1, 1};
  double size = 0;
  for (std::size_t d = 0; d < diameters.size(); ++d) {
    radius[d] = 0.5 * diameters[d];
    size = std::max(size, diameters[d]);
  }
  const double s = surface_spacing(t, spacing, size);
  if (diameters.size() == 2) return {make_ellipse(radius, s), std::move(motion), exact_ellipse(radius)};
  return {make_ellipsoid(radius, s), std::move(motion), exact_ellipsoid(radius)};
}

Body make_aerofoil_body(const Table& t, double spacing, Motion motion) {
  const std::string naca = t.get<std::string>("naca", "0012");
  if (naca.size() != 4 || naca.find_first_not_of("0123456789") != std::string::npos || naca.substr(2) == "00" ||
      (naca[0] == '0') != (naca[1] == '0'))
    t.fail("naca", "'naca' must be four digits of an aerofoil with a thickness, \"0012\" or \"4412\"");
  const double chord = positive(t, "chord", 1), origin = t.get<double>("origin", 0.25);
  if (!std::isfinite(origin)) t.fail("origin", "'origin' must be finite");
  return {make_aerofoil(naca, chord, origin, surface_spacing(t, spacing, chord)), std::move(motion)};
}

Body make_box_body(const Table& t, double spacing, Motion motion) {
  const auto l = read_lengths(t, "lengths");
  const double s = surface_spacing(t, spacing, *std::max_element(l.begin(), l.end()));
  if (l.size() == 2) return {make_rectangle({l[0], l[1], 0}, s), std::move(motion)};
  return {make_box({l[0], l[1], l[2]}, s), std::move(motion)};
}

Body make_stl_body(const Table& t, Motion motion, std::vector<std::string>* messages) {
  const std::string path = find_file(t, "file", "STL file");
  const double scale = positive(t, "scale", 1);
  const bool is_cavity = t.choice("fluid", {"outside", "inside"}, "outside") == "inside";
  Surface s = read_stl(path, messages);
  for (Vec3& x : s.node) x = scale * x;
  if (is_cavity) {
    reverse(s);
    s.is_cavity = true;
  }
  return {std::move(s), std::move(motion)};
}

void read_wave_times(const Table& t, const char* key, std::array<double, 2>& times, double after) {
  const auto v = t.get<std::vector<double>>(key, {times[0], times[1]});
  if (v.size() != 2 || !(v[0] >= after && v[1] > v[0] && v[1] <= 1))
    t.fail(key,
           std::string("'") + key +
               "' must be two fractions of the period, begin and end; e_wave, a_wave and systole follow each other");
  times = {v[0], v[1]};
}

LeftVentricleOptions read_ventricle(const Table& t) {
  LeftVentricleOptions o;
  o.radius = positive(t, "radius", o.radius);
  o.length = positive(t, "length", o.length);
  o.base_height = t.get<double>("base_height", o.base_height);
  if (!(o.base_height >= 0 && o.base_height < 0.9 * o.length))
    t.fail("base_height", "'base_height' lies between 0 (half a spheroid) and 0.9 times 'length'");
  o.longitudinal = t.get<double>("longitudinal", o.longitudinal);
  if (!(o.longitudinal >= 0 && o.longitudinal <= 1)) t.fail("longitudinal", "'longitudinal' lies between 0 and 1");
  o.profile = positive(t, "profile", o.profile);
  o.mitral_centre = t.get<double>("mitral_centre", o.mitral_centre);
  o.mitral_radius = positive(t, "mitral_radius", o.mitral_radius);
  o.aortic_centre = t.get<double>("aortic_centre", o.aortic_centre);
  o.aortic_radius = positive(t, "aortic_radius", o.aortic_radius);
  const auto is_within = [](double x, double r) { return std::abs(x) + r < 0.98; };
  if (!is_within(o.mitral_centre, o.mitral_radius) || !is_within(o.aortic_centre, o.aortic_radius) ||
      !(std::abs(o.mitral_centre - o.aortic_centre) > o.mitral_radius + o.aortic_radius + 0.01))
    t.fail("mitral_centre", "the openings must lie in the base (of radius 1 in these units) and apart from each other");
  o.law.period = positive(t, "period", o.law.period);
  o.law.ea_ratio = positive(t, "ea_ratio", o.law.ea_ratio);
  o.law.ejection_fraction = t.get<double>("ejection_fraction", o.law.ejection_fraction);
  if (!(o.law.ejection_fraction > 0 && o.law.ejection_fraction < 0.95))
    t.fail("ejection_fraction", "'ejection_fraction' lies between 0 and 0.95");
  read_wave_times(t, "e_wave", o.law.e_wave, 0);
  read_wave_times(t, "a_wave", o.law.a_wave, o.law.e_wave[1]);
  read_wave_times(t, "systole", o.law.systole, o.law.a_wave[1]);
  return o;
}

Body make_ventricle(const Table& t, double spacing, Motion motion) {
  const LeftVentricleOptions o = read_ventricle(t);
  const double rim = o.radius * std::sqrt(1 - std::pow(o.base_height / o.length, 2));
  // Its curvature is gentle: twice the spacing will do; but an opening needs a few triangles across its radius.
  const double coarsest = 0.35 * rim * std::min(o.mitral_radius, o.aortic_radius);
  return {make_left_ventricle(o, std::min(coarsest, surface_spacing(t, 2 * spacing, o.length))), std::move(motion)};
}

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

Body read_body(const Table& t, double spacing, std::vector<std::string>* messages) {
  const std::string type =
      t.choice("type", {"cylinder", "sphere", "ellipsoid", "aerofoil", "box", "stl", "left_ventricle"}, "cylinder");
  Motion motion;
  motion.initial.position = read_vector(t, "position", {});
  const auto angle = t.get<double>("angle", 0);
  if (!std::isfinite(angle)) t.fail("angle", "'angle' must be finite");
  motion.initial.rotation = rotation_about({0, 0, 1}, angle * std::numbers::pi / 180);
  read_motion(t, motion);
  if (type == "sphere")
    return make_round(t, std::vector<double>(3, positive(t, "diameter", 1)), spacing, std::move(motion));
  if (type == "ellipsoid") return make_round(t, read_lengths(t, "diameters"), spacing, std::move(motion));
  if (type == "aerofoil") return make_aerofoil_body(t, spacing, std::move(motion));
  if (type == "box") return make_box_body(t, spacing, std::move(motion));
  if (type == "stl") return make_stl_body(t, std::move(motion), messages);
  if (type == "left_ventricle") return make_ventricle(t, spacing, std::move(motion));
  return make_round(t, std::vector<double>(2, positive(t, "diameter", 1)), spacing, std::move(motion));
}

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
