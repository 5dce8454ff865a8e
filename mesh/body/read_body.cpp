#include "mesh/body/read_body.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/files.hpp"
#include "base/find_file.hpp"
#include "mesh/body/motion/read_motion.hpp"
#include "mesh/body/polygon.hpp"
#include "mesh/body/shapes.hpp"
#include "mesh/body/stl/stl.hpp"
#include "mesh/read/text.hpp"

namespace weir {

namespace {

constexpr Option body_keys[] = {
    {"type", Option::text, "cylinder",
     "shape of the body; aerofoil: NACA 4-digit section; polygon: 2D outline from a file; stl: surface from an STL "
     "file; left_ventricle: beating cavity with the fluid inside",
     "cylinder | sphere | ellipsoid | aerofoil | box | polygon | stl | left_ventricle"},
    {"position", Option::numbers, "[0, 0, 0]", "position of the centre, inside the grid", "(-inf, inf)", "length"},
    {"angle", Option::number, "0", "rotation about z, counter-clockwise", "(-inf, inf)", "degrees"},
    {"motion", Option::tables, "", "motion of the body: one table, or a list applied in order; none: body at rest", "",
     "", "", motion_options}};

constexpr Option fluid_key = {"fluid", Option::text, "outside", "side of the surface on which the fluid is",
                              "outside | inside"};
constexpr Option spin_key = {"angular_velocity",
                             Option::number,
                             "0",
                             "angular velocity of a round body that rotates about its own z axis, counter-clockwise",
                             "(-inf, inf)",
                             "radians/time"};
constexpr Option spacing_key = {
    "surface_spacing", Option::number, "depends on the grid: half a cell", "size of the surface elements",
    "(0, inf)",        "length"};
constexpr Option round_keys[] = {
    {"diameter", Option::number, "1", "diameter of the body", "(0, inf)", "length"}, fluid_key, spin_key, spacing_key};
constexpr Option ellipsoid_keys[] = {
    {"diameters", Option::numbers, Option::required, "diameters of an elliptic cylinder (two) or an ellipsoid (three)",
     "(0, inf)", "length"},
    fluid_key,
    spacing_key};
constexpr Option aerofoil_keys[] = {
    {"naca", Option::text, "0012", "digits of the NACA 4-digit section"},
    {"chord", Option::number, "1", "chord of the aerofoil", "(0, inf)", "length"},
    {"origin", Option::number, "0.25", "distance of `position` from the leading edge", "(-inf, inf)", "chords"},
    spacing_key};
constexpr Option box_keys[] = {{"lengths", Option::numbers, Option::required,
                                "edge lengths of a 2D rectangle (two) or a box (three)", "(0, inf)", "length"},
                               fluid_key,
                               spacing_key};
constexpr Option polygon_keys[] = {
    {"file", Option::text, Option::required,
     "path of the outline, with one corner `x y` per line, relative to the case file or the current folder"},
    {"scale", Option::number, "1", "scale factor of the coordinates in the file", "(0, inf)"},
    fluid_key,
    spacing_key};
constexpr Option stl_keys[] = {
    {"file", Option::text, Option::required, "path of the STL file, relative to the case file or the current folder"},
    {"scale", Option::number, "1", "scale factor of the coordinates in the file", "(0, inf)"},
    fluid_key};
constexpr Option ventricle_keys[] = {
    {"radius", Option::number, "7", "transverse semi-axis at end diastole", "(0, inf)", "length"},
    {"length", Option::number, "17", "long semi-axis at end diastole", "(0, inf)", "length"},
    {"base_height", Option::number, "5", "height of the base above the equator, below 0.9 length", "[0, inf)",
     "length"},
    {"longitudinal", Option::number, "depends: 1/3", "share of the long axis in the change of volume", "[0, 1]"},
    {"profile", Option::number, "6", "exponent n of the velocity profile 1 - (r / R)^n in an opening", "(0, inf)"},
    {"mitral_centre", Option::number, "-0.42", "centre of the inlet along x", "(-1, 1)", "radii of the base"},
    {"mitral_radius", Option::number, "0.44", "radius of the inlet", "(0, 1)", "radii of the base"},
    {"aortic_centre", Option::number, "0.55", "centre of the outlet along x", "(-1, 1)", "radii of the base"},
    {"aortic_radius", Option::number, "0.32", "radius of the outlet", "(0, 1)", "radii of the base"},
    {"period", Option::number, "1", "period of the heart beat", "(0, inf)", "time"},
    {"ea_ratio", Option::number, "1.2", "ratio of the peaks of the E and A waves", "(0, inf)"},
    {"ejection_fraction", Option::number, "0.6", "ejected fraction of the largest volume", "(0, 0.95)"},
    {"e_wave", Option::numbers, "[0, 0.33]",
     "start and end of the early filling (E wave), counted from the end of systole", "[0, 1]", "periods"},
    {"a_wave", Option::numbers, "[0.42, 0.6]",
     "start and end of the atrial contraction (A wave), counted from the end of systole", "[0, 1]", "periods"},
    {"systole", Option::numbers, "[0.64, 1]",
     "start and end of the ejection, counted from the end of the preceding systole", "[0, 1]", "periods"},
    spacing_key};

std::vector<double> read_lengths(const Table& t, const char* key) {
  const auto l = t.get<std::vector<double>>(key);
  if (l.size() != 2 && l.size() != 3) t.fail(key, std::string("'") + key + "' must have two or three numbers");
  return l;
}

// Refuses surfaces with more than a few million elements, and checks the free memory.
void require_few_elements(const Table& t, double spacing, double size, int dimension) {
  const double across = size / spacing, finest = dimension == 2 ? 2000 : 1000;
  if (!(across <= finest))
    t.fail("surface_spacing", "the surface would have too many elements; the spacing must be at least 1/" +
                                  std::to_string(std::lround(finest)) + " of the size of the body");
  constexpr double bytes_an_element = 400;
  const double elements = dimension == 2 ? 4 * across : 12 * across * across;
  require_free_memory(bytes_an_element * elements, t.where("surface_spacing") + ": the body's surface");
}

double surface_spacing(const Table& t, double spacing, double size, int dimension) {
  const double s = t.get<double>("surface_spacing", spacing);
  require_few_elements(t, s, size, dimension);
  return s;
}

// [body] fluid.
Surface with_fluid(const Table& t, Surface s) {
  if (t.get<std::string>("fluid") == "outside") return s;
  reverse(s);
  s.is_cavity = true;
  return s;
}

Body make_round(const Table& t, const std::vector<double>& diameters, double spacing, Motion motion) {
  Vec3 radius{1, 1, 1};
  double size = 0;
  for (std::size_t d = 0; d < diameters.size(); ++d) {
    radius[d] = 0.5 * diameters[d];
    size = std::max(size, diameters[d]);
  }
  const double s = surface_spacing(t, spacing, size, static_cast<int>(diameters.size()));
  if (diameters.size() == 2) return {with_fluid(t, make_ellipse(radius, s)), std::move(motion), exact_ellipse(radius)};
  return {with_fluid(t, make_ellipsoid(radius, s)), std::move(motion), exact_ellipsoid(radius)};
}

Body make_aerofoil_body(const Table& t, double spacing, Motion motion) {
  const std::string naca = t.get<std::string>("naca");
  if (naca.size() != 4 || naca.find_first_not_of("0123456789") != std::string::npos || naca.substr(2) == "00" ||
      (naca[0] == '0') != (naca[1] == '0'))
    t.fail("naca", "'naca' must be four digits of an aerofoil with a thickness, \"0012\" or \"4412\"");
  const auto chord = t.get<double>("chord"), origin = t.get<double>("origin");
  return {make_aerofoil(naca, chord, origin, surface_spacing(t, spacing, chord, 2)), std::move(motion)};
}

Body make_box_body(const Table& t, double spacing, Motion motion) {
  const auto l = read_lengths(t, "lengths");
  const double s = surface_spacing(t, spacing, *std::ranges::max_element(l), static_cast<int>(l.size()));
  if (l.size() == 2) return {with_fluid(t, make_rectangle({l[0], l[1], 0}, s)), std::move(motion)};
  return {with_fluid(t, make_box({l[0], l[1], l[2]}, s)), std::move(motion)};
}

Body make_stl_body(const Table& t, Motion motion, std::vector<std::string>* messages) {
  const std::string path = find_file(t, "file", "STL file");
  const auto scale = t.get<double>("scale");
  Surface s = read_stl(path, messages);
  for (Vec3& x : s.node) x = scale * x;
  return {with_fluid(t, std::move(s)), std::move(motion)};
}

Body make_polygon_body(const Table& t, double spacing, Motion motion) {
  const std::string path = find_file(t, "file", "polygon");
  Surface s = parse_polygon(content_of(path, "polygon"), path, t.get<double>("scale"),
                            t.get<double>("surface_spacing", spacing));
  return {with_fluid(t, std::move(s)), std::move(motion)};
}

void read_wave_times(const Table& t, const char* key, std::array<double, 2>& times, double after) {
  const auto v = t.get<std::vector<double>>(key);
  if (v.size() != 2 || !(v[0] >= after && v[1] > v[0] && v[1] <= 1))
    t.fail(
        key,
        std::string("'") + key +
            "' must be two fractions of the period, start and end; e_wave, a_wave and systole must follow each other");
  times = {v[0], v[1]};
}

LeftVentricleOptions read_ventricle(const Table& t) {
  LeftVentricleOptions o;
  o.radius = t.get<double>("radius");
  o.length = t.get<double>("length");
  o.base_height = t.get<double>("base_height");
  if (!(o.base_height < 0.9 * o.length))
    t.fail("base_height", "'base_height' must lie between 0 (half a spheroid) and 0.9 times 'length'");
  o.longitudinal = t.get<double>("longitudinal", o.longitudinal);
  o.profile = t.get<double>("profile");
  o.mitral_centre = t.get<double>("mitral_centre");
  o.mitral_radius = t.get<double>("mitral_radius");
  o.aortic_centre = t.get<double>("aortic_centre");
  o.aortic_radius = t.get<double>("aortic_radius");
  const auto is_within = [](double x, double r) { return std::abs(x) + r < 0.98; };
  if (!is_within(o.mitral_centre, o.mitral_radius) || !is_within(o.aortic_centre, o.aortic_radius) ||
      !(std::abs(o.mitral_centre - o.aortic_centre) > o.mitral_radius + o.aortic_radius + 0.01))
    t.fail("mitral_centre",
           "mitral and aortic opening, in radii of the base: |centre| + radius must be below 0.98, and the distance of "
           "the centres must exceed the sum of the radii by more than 0.01");
  o.law.period = t.get<double>("period");
  o.law.ea_ratio = t.get<double>("ea_ratio");
  o.law.ejection_fraction = t.get<double>("ejection_fraction");
  read_wave_times(t, "e_wave", o.law.e_wave, 0);
  read_wave_times(t, "a_wave", o.law.a_wave, o.law.e_wave[1]);
  read_wave_times(t, "systole", o.law.systole, o.law.a_wave[1]);
  return o;
}

Body make_ventricle(const Table& t, double spacing, Motion motion) {
  const LeftVentricleOptions o = read_ventricle(t);
  const double rim = o.radius * std::sqrt(1 - std::pow(o.base_height / o.length, 2));
  // Its curvature is small, so twice the spacing suffices; but an opening needs a few triangles across its radius.
  const double coarsest = 0.35 * rim * std::min(o.mitral_radius, o.aortic_radius);
  const double size = std::max(o.length, 2 * o.radius);
  const double s = std::min(coarsest, surface_spacing(t, 2 * spacing, size, 3));
  require_few_elements(t, s, size, 3);
  return {make_left_ventricle(o, s), std::move(motion)};
}

}  // namespace

Options body_options() { return body_keys; }

Options body_options(std::string_view type) {
  if (type == "ellipsoid") return ellipsoid_keys;
  if (type == "aerofoil") return aerofoil_keys;
  if (type == "box") return box_keys;
  if (type == "polygon") return polygon_keys;
  if (type == "stl") return stl_keys;
  if (type == "left_ventricle") return ventricle_keys;
  return round_keys;
}

Body read_body(const Table& options, double spacing, std::vector<std::string>* messages) {
  const Table common = options.described_by(body_keys);
  const auto type = common.get<std::string>("type");
  const Table t = common.described_by(body_options(type));
  Motion motion;
  motion.initial.position = read_vector(t, "position");
  const auto angle = t.get<double>("angle");
  motion.initial.rotation = rotation_about({0, 0, 1}, angle * std::numbers::pi / 180);
  read_motion(t, motion);
  if (type == "cylinder" || type == "sphere") motion.spin[2] = t.get<double>("angular_velocity");
  if (type == "sphere")
    return make_round(t, std::vector<double>(3, t.get<double>("diameter")), spacing, std::move(motion));
  if (type == "ellipsoid") return make_round(t, read_lengths(t, "diameters"), spacing, std::move(motion));
  if (type == "aerofoil") return make_aerofoil_body(t, spacing, std::move(motion));
  if (type == "box") return make_box_body(t, spacing, std::move(motion));
  if (type == "polygon") return make_polygon_body(t, spacing, std::move(motion));
  if (type == "stl") return make_stl_body(t, std::move(motion), messages);
  if (type == "left_ventricle") return make_ventricle(t, spacing, std::move(motion));
  return make_round(t, std::vector<double>(2, t.get<double>("diameter")), spacing, std::move(motion));
}

}  // namespace weir
