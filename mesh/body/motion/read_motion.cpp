#include "mesh/body/motion/read_motion.hpp"

#include <algorithm>
#include <numbers>

#include "base/find_file.hpp"
#include "mesh/read/text.hpp"

namespace weir {
namespace {

constexpr double degree = std::numbers::pi / 180;

constexpr Option motion_keys[] = {
    {"type", Option::text, "none",
     "type of the motion; oscillation: displacement amplitude sin(2 pi frequency t + phase); deformation: stretch by 1 "
     "+ amplitude sin(2 pi frequency t + phase) along the axes of the body; table: cubic splines through a file with "
     "the columns t and any of x, y, z, angle",
     "none | translation | oscillation | rotation | deformation | table"}};

constexpr Option frequency_key = {"frequency",   Option::number, "0", "frequency of the oscillation",
                                  "(-inf, inf)", "1/time"};
constexpr Option phase_key = {"phase", Option::number, "0", "phase of the oscillation", "(-inf, inf)", "degrees"};
constexpr Option axis_key = {"axis", Option::numbers, "[0, 0, 1]", "direction of the rotation axis", "(-inf, inf)"};
constexpr Option translation_keys[] = {
    {"velocity", Option::numbers, Option::required, "velocity of the body", "(-inf, inf)", "velocity"}};
constexpr Option oscillation_keys[] = {
    {"amplitude", Option::numbers, Option::required, "amplitude of the oscillation, one number per direction",
     "(-inf, inf)", "length"},
    frequency_key,
    phase_key};
constexpr Option deformation_keys[] = {{"amplitude", Option::numbers, Option::required,
                                        "amplitude of the stretch, one number per axis of the body", "(-1, 1)"},
                                       frequency_key,
                                       phase_key};
constexpr Option rotation_keys[] = {
    {"rate", Option::number, "0", "rate of a steady rotation", "(-inf, inf)", "degrees/time"},
    {"amplitude", Option::number, "0", "amplitude of an oscillating rotation", "(-inf, inf)", "degrees"},
    frequency_key,
    phase_key,
    axis_key,
    {"pivot", Option::numbers, "depends on the body: its position", "point on the rotation axis", "(-inf, inf)",
     "length"}};
constexpr Option table_keys[] = {
    {"file", Option::text, Option::required,
     "path of the motion table, relative to the case file or the current folder"},
    {"periodic", Option::boolean, "false", "switch for a table that repeats; its last line must equal the first"},
    axis_key};

Wave read_wave(const Table& t) {
  const Wave w{read_vector(t, "amplitude"), t.get<double>("frequency"), degree * t.get<double>("phase")};
  if (!(w.frequency > 0)) t.fail("frequency", "this motion requires a positive 'frequency'");
  return w;
}

Vec3 read_axis(const Table& t) {
  const Vec3 axis = read_vector(t, "axis");
  if (!(length(axis) > 0)) t.fail("axis", "'axis' must not be zero");
  return (1 / length(axis)) * axis;
}

MotionLaw read_rotation(const Table& t) {
  RotationOptions o;
  o.axis = read_axis(t);
  o.rate = degree * t.get<double>("rate");
  o.amplitude = degree * t.get<double>("amplitude");
  o.frequency = t.get<double>("frequency");
  o.phase = degree * t.get<double>("phase");
  if (o.rate == 0 && o.amplitude == 0) t.fail("rate", "a rotation requires a 'rate' or an 'amplitude'");
  if (o.amplitude != 0 && !(o.frequency > 0)) t.fail("frequency", "an 'amplitude' requires a positive 'frequency'");
  if (t.has("pivot")) o.pivot = read_vector(t, "pivot");
  return rotation(o);
}

MotionLaw read_table(const Table& t) {
  const std::string path = find_file(t, "file", "motion table");
  const auto is_periodic = t.get<bool>("periodic");
  return parse_motion_table(content_of(path, "motion table"), path, read_axis(t), is_periodic);
}

struct Law {
  std::string_view type;
  Options keys;
  MotionLaw (*read)(const Table&);
};

constexpr Law laws[] = {
    {"none", {}, [](const Table&) { return MotionLaw(); }},
    {"translation", translation_keys, [](const Table& t) { return translation(read_vector(t, "velocity")); }},
    {"oscillation", oscillation_keys, [](const Table& t) { return oscillation(read_wave(t)); }},
    {"rotation", rotation_keys, read_rotation},
    {"deformation", deformation_keys, [](const Table& t) { return deformation(read_wave(t)); }},
    {"table", table_keys, read_table}};

const Law& law_of(std::string_view type) { return *std::ranges::find(laws, type, &Law::type); }

}  // namespace

Options motion_options() { return motion_keys; }
Options motion_options(std::string_view type) { return law_of(type).keys; }

Vec3 read_vector(const Table& t, const char* key) {
  const auto v = t.get<std::vector<double>>(key);
  if (v.size() < 2 || v.size() > 3) t.fail(key, std::string("'") + key + "' must have two or three numbers");
  Vec3 x{};
  std::copy(v.begin(), v.end(), x.begin());
  return x;
}

void read_motion(const Table& body, Motion& motion) {
  if (!body.has("motion")) return;
  const std::vector<Table> tables = body.is_table("motion") ? std::vector{body.table("motion")} : body.tables("motion");
  for (const Table& law : tables) {
    const auto type = law.get<std::string>("type");
    if (MotionLaw made = law_of(type).read(law.described_by(motion_options(type))))
      motion.laws.push_back(std::move(made));
  }
}

}  // namespace weir
