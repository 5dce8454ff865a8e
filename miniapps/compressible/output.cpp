#include "miniapps/compressible/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/files.hpp"
#include "base/nearest.hpp"
#include "miniapps/compressible/sampling/history_points.hpp"
#include "miniapps/compressible/sampling/line_sampler.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

constexpr Option surface_keys[] = {
    {"name", Option::text, Option::required, "name of the surface, used for the quantities value_NAME and error_NAME"},
    {"marker", Option::text, Option::required, "marker of the wall on which the values are taken"},
    {"quantity", Option::text, "cp", "quantity on the surface; cp: pressure coefficient; cf: skin friction coefficient",
     "cp | cf"},
    {"side", Option::text, "both", "side of the wall on which the values are taken", "both | upper | lower"},
    {"range", Option::numbers, "depends: everywhere",
     "range [from, to] of x in which the difference from published data is computed", "", "length"},
    {"at", Option::number, "depends: nowhere", "x at which the quantity value_NAME is taken", "", "length"},
    {"reference", Option::table, "depends: required without at",
     "published data; the difference is reported as error_NAME", "", "", "", comparison_options}};

SurfaceComparison read_comparison(const Table& options, const std::vector<FlowBoundary>& boundary) {
  const Table t = options.described_by(surface_keys);
  SurfaceComparison s;
  s.name = t.get<std::string>("name");
  if (const std::string why = why_no_file_name(s.name); !why.empty()) t.fail("name", "'name': " + why);
  s.marker = t.get<std::string>("marker");
  std::vector<std::string> walls;
  for (const FlowBoundary& b : boundary)
    if (b.is_wall) walls.push_back(b.name);
  const auto found =
      std::ranges::find_if(boundary, [&](const FlowBoundary& b) { return b.is_wall && b.name == s.marker; });
  if (found == boundary.end()) t.fail("marker", "there is no wall '" + s.marker + "'" + did_you_mean(s.marker, walls));
  s.quantity = t.get<std::string>("quantity");
  if (s.quantity == "cf" && !found->is_viscous) t.fail("quantity", "an inviscid wall has no skin friction");
  s.side = t.get<std::string>("side");
  const auto range = t.get<std::vector<double>>("range", {s.from, s.to});
  if (range.size() != 2 || !(range[0] < range[1])) t.fail("range", "'range' must be [from, to] with from < to");
  s.from = range[0];
  s.to = range[1];
  if (t.has("at")) s.at = t.get<double>("at");
  if (s.at && !t.has("reference")) return s;
  s.has_published = true;
  s.published = read_comparison(t.table("reference"));
  read_or_fail(t.table("reference"), s.published);  // reports unreadable files before the run
  return s;
}

double of_cell(const CompressibleCase& c, const FlowFields& fields, int cell, const std::string& field) {
  if (field == "eddy_viscosity") return eddy_viscosity_of(fields, cell, c);
  return field_value(c, fields.at(cell), field);
}

// The surface value at x: linear between the face centres; NaN outside.
double interpolate_along(const std::vector<double>& x, const std::vector<double>& value, double at) {
  const auto next = std::ranges::lower_bound(x, at);
  if (next == x.end()) return at > x.back() + 0.02 ? std::numeric_limits<double>::quiet_NaN() : value.back();
  if (next == x.begin()) return value.front();
  const auto i = static_cast<std::size_t>(next - x.begin());
  const double t = (at - x[i - 1]) / (x[i] - x[i - 1]);
  return value[i - 1] + t * (value[i] - value[i - 1]);
}

// The surface values along x on the compared side.
struct Along {
  std::vector<double> x, value;
};
Along along(const SurfaceComparison& c, const WallSurface& s) {
  std::vector<std::size_t> faces = along_surface(s);
  std::erase_if(faces, [&](std::size_t f) {
    return (c.side == "upper" && s.normal_y[f] > 0) || (c.side == "lower" && s.normal_y[f] < 0);
  });
  std::ranges::sort(faces, [&](std::size_t a, std::size_t b) { return s.x[a] < s.x[b]; });
  Along line;
  for (const std::size_t f : faces) {
    line.x.push_back(s.x[f]);
    line.value.push_back(c.quantity == "cp" ? s.cp[f] : s.cf[f]);
  }
  return line;
}

double write_comparison(const std::string& folder, const SurfaceComparison& c, const Along& line) {
  const Profile published = read_published(c.published);
  std::string text = "x,published,computed,difference\n";
  double error = 0;
  for (std::size_t i = 0; i < published.position.size(); ++i) {
    const double at = published.position[i], computed = interpolate_along(line.x, line.value, at);
    const double difference = computed - published.value[i];
    text += fmt::format("{:.9g},{:.9g},{:.9g},{:.9g}\n", at, published.value[i], computed, difference);
    if (at >= c.from && at <= c.to) error = std::isnan(difference) ? difference : std::max(error, std::abs(difference));
  }
  write_text_aside(folder + "/" + c.name + "_reference.csv", text);
  return error;
}

// The faces as lines for ParaView, in the order of the CSV file. Stresses and heat flux are in reference units.
void write_lines(const std::string& path, const WallSurface& s, const std::vector<std::size_t>& order,
                 double free_pressure) {
  std::vector<Point> node;
  std::vector<int> start{0}, corner;
  for (const std::size_t f : order)
    for (const double half : {-0.5 * s.area[f], 0.5 * s.area[f]}) {
      corner.push_back(static_cast<int>(node.size()));
      node.push_back({s.x[f] - half * s.normal_y[f], s.y[f] + half * s.normal_x[f]});
      if (half > 0) start.push_back(static_cast<int>(node.size()));
    }
  MeshPicture picture{.node = node, .cell_start = start, .cell_node = corner, .cell_fields = {}, .node_fields = {}};
  const auto add = [&](const char* name, const std::vector<double>& values, double factor, double added = 0) {
    if (values.empty()) return;
    picture.cell_fields.push_back(output_field(
        name, 1, [&order, &values, factor, added](std::size_t k, int) { return factor * values[order[k]] + added; }));
  };
  add("pressure", s.cp, 0.5, free_pressure);
  add("cp", s.cp, 1);
  add("shear", s.cf, 0.5);
  add("cf", s.cf, 1);
  add("heat_flux", s.heat, 0.5);
  add("y_plus", s.y_plus, 1);
  write_unstructured(path, picture);
}

}  // namespace

std::vector<std::size_t> along_surface(const WallSurface& s) {
  std::vector<std::size_t> order(s.x.size());
  for (std::size_t f = 0; f < order.size(); ++f) order[f] = f;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const bool up_a = s.normal_y[a] < 0, up_b = s.normal_y[b] < 0;
    if (up_a != up_b) return up_a;
    return up_a ? s.x[a] < s.x[b] : s.x[a] > s.x[b];
  });
  return order;
}

Options CompressibleOutput::field_options() {
  static constexpr Option keys[] = {
      {"fields", Option::texts, "[mach, pressure, density, velocity, entropy]", "fields that are written",
       "mach | pressure | density | velocity | entropy | cp | temperature | eddy_viscosity | cell"},
      {"average_from", Option::number, "0", "start time of the force statistics of an unsteady run", "", "time"}};
  return keys;
}

Options CompressibleOutput::surface_options() { return surface_keys; }

CompressibleOutput::CompressibleOutput(const Table& config, const CompressibleCase& c,
                                       const std::vector<FlowBoundary>& boundary, const MeshFacts& mesh)
    : case_(c) {
  const Table output = config.table("output");
  schedule_ = FieldSchedule(output);
  fields_ = output.described_by(field_options()).get<std::vector<std::string>>("fields");
  if (!c.turbulence.is_on && std::ranges::find(fields_, "eddy_viscosity") != fields_.end())
    output.fail("fields", "the field eddy_viscosity requires [flow] turbulence");
  for (const Table& t : config.tables("surface")) comparisons_.push_back(read_comparison(t, boundary));
  if (config.tables("probe").empty()) return;
  const Box box{{mesh.low[0], mesh.low[1], 0}, {mesh.high[0], mesh.high[1], 0}};
  std::vector<std::string> names{"u", "v", "p", "mach", "density", "entropy", "cp", "temperature"};
  if (c.turbulence.is_on) names.emplace_back("eddy_viscosity");
  probes_ = read_probes(config, box, names);
}

void CompressibleOutput::open(const std::string& folder, const std::string& name, std::optional<double> restart_time) {
  folder_ = folder;
  pictures_ = std::make_unique<PictureSeries>(folder + "/vtk", name, restart_time, schedule_.format());
}

void CompressibleOutput::write_fields(const FlowFields& fields, std::int64_t step, double time,
                                      const std::vector<std::pair<std::string, std::vector<double>>>& more) {
  MeshPicture picture;
  picture.time = time;
  picture.node = fields.mesh.node;
  picture.cell_start = fields.mesh.cell_start;
  picture.cell_node = fields.mesh.cell_node;
  for (const std::string& name : fields_) {
    const bool is_velocity = name == "velocity";
    picture.cell_fields.push_back(
        output_field(name, is_velocity ? 3 : 1, [this, &fields, name, is_velocity](std::size_t item, int component) {
          if (name == "cell") return static_cast<double>(item);
          const int cell = static_cast<int>(item);
          if (is_velocity) return component < 2 ? fields.at(cell)[static_cast<std::size_t>(component) + 1] : 0.0;
          return of_cell(case_, fields, cell, name);
        }));
  }
  for (const auto& [name, values] : more) picture.cell_fields.push_back(output_field(name, 1, values));
  pictures_->write(step, picture);
}

std::map<std::string, double> CompressibleOutput::write_surfaces(const std::vector<WallSurface>& surfaces) const {
  std::map<std::string, double> errors;
  const std::string folder = folder_ + "/surface";
  for (const WallSurface& s : surfaces) {
    std::string text = s.is_viscous ? "x,y,upper,cp,cf,heat" : "x,y,upper,cp";
    text += s.y_plus.empty() ? "\n" : ",y_plus\n";
    const std::vector<std::size_t> order = along_surface(s);
    for (const std::size_t f : order) {
      text += fmt::format("{:.9g},{:.9g},{},{:.9g}", s.x[f], s.y[f], s.normal_y[f] < 0 ? 1 : 0, s.cp[f]);
      if (s.is_viscous) text += fmt::format(",{:.9g},{:.9g}", s.cf[f], s.heat[f]);
      text += s.y_plus.empty() ? "\n" : fmt::format(",{:.9g}\n", s.y_plus[f]);
    }
    write_text_aside(folder + "/" + s.name + ".csv", text);
    write_lines(folder + "/" + s.name + ".vtu", s, order, case_.free_pressure());
    for (const SurfaceComparison& c : comparisons_) {
      if (c.marker != s.name) continue;
      const Along line = along(c, s);
      if (c.at) errors["value_" + c.name] = interpolate_along(line.x, line.value, *c.at);
      if (c.has_published) errors["error_" + c.name] = write_comparison(folder, c, line);
    }
  }
  return errors;
}

std::map<std::string, double> CompressibleOutput::write_profiles(const FlowFields& fields) const {
  std::map<std::string, double> errors;
  if (probes_.empty()) return errors;
  const CellNeighbours neighbours(fields.mesh);
  const auto value_along = [&](const Probe& probe) -> ProbeValue {
    const Point from{probe.from[0], probe.from[1]}, to{probe.to[0], probe.to[1]};
    const double dx = to[0] - from[0], dy = to[1] - from[1], square = dx * dx + dy * dy;
    return [&, from, dx, dy, square, line = LineSampler(fields.mesh, neighbours, from, to)](const std::string& field,
                                                                                            const ProbePoint& x) {
      const double t = square > 0 ? ((x[0] - from[0]) * dx + (x[1] - from[1]) * dy) / square : 0;
      return line(t, [&](int cell) { return of_cell(case_, fields, cell, field); });
    };
  };
  for (const auto& [name, value] : write_probes(folder_ + "/probes", probes_, value_along)) errors[name] = value;
  return errors;
}

std::vector<std::string> CompressibleOutput::quantities() const {
  std::vector<std::string> names = probe_quantities(probes_);
  for (const SurfaceComparison& c : comparisons_) {
    if (c.at) names.push_back("value_" + c.name);
    if (c.has_published) names.push_back("error_" + c.name);
  }
  return names;
}

}  // namespace weir
