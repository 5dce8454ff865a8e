#include "mesh/generate/generators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/table_numbers.hpp"
#include "mesh/generate/spacing.hpp"
#include "mesh/structured/read_grid.hpp"

namespace weir {
namespace {

double number(const Table& t, const char* key, double fallback, double low, double high, const char* range) {
  const auto value = t.get<double>(key, fallback);
  if (!(value >= low && value <= high)) t.fail(key, std::string("'") + key + "' must be " + range);
  return value;
}

int count(const Table& t, const char* key, int fallback, int least) {
  const int n = t.get<int>(key, fallback);
  if (n < least) t.fail(key, std::string("'") + key + "' must be at least " + std::to_string(least));
  return n;
}

// Cells of a mesh are counted with int, their corners too.
void require_countable(const Table& t, const char* key, double cells, CellShape shape = CellShape::quads) {
  const double most = std::numeric_limits<int>::max() / 4.0;
  if (cells * (shape == CellShape::quads ? 1 : 2) > most)
    t.fail(key, "more cells than a 32-bit index can name the corners of");
}

std::array<int, 2> cell_counts(const Table& t, int nx, int ny) {
  const auto n = t.get<std::vector<int>>("cells", std::vector<int>{nx, ny});
  if (n.size() != 2 || n[0] < 1 || n[1] < 1) t.fail("cells", "'cells' must be [nx, ny], both at least 1");
  require_countable(t, "cells", 1.0 * n[0] * n[1], CellShape::triangles);
  return {n[0], n[1]};
}

std::array<double, 2> pair(const Table& t, const char* key, double x, double y) {
  const auto v = t.get<std::vector<double>>(key, std::vector<double>{x, y});
  if (v.size() != 2 || !std::isfinite(v[0]) || !std::isfinite(v[1]))
    t.fail(key, std::string("'") + key + "' must be two numbers, [x, y]");
  return {v[0], v[1]};
}

CellShape shape(const Table& t) {
  const std::string word = t.choice("shape", {"quads", "triangles", "triangles_aligned"}, "quads");
  return word == "quads" ? CellShape::quads : word == "triangles" ? CellShape::triangles : CellShape::triangles_aligned;
}

// x = { points = [-0.5, 0, 2], cells = [16, 64], spacing = [0.1, 0.002, 0.1] }: sections with about the given spacing at
// each point (0 or left out: free).
std::vector<double> read_sections(const Table& box, const char* key) {
  const Table t = box.table(key);
  const auto points = t.get<std::vector<double>>("points");
  const auto cells = t.get<std::vector<int>>("cells");
  const auto spacing = t.get<std::vector<double>>("spacing", std::vector<double>(points.size(), 0.0));
  if (points.size() < 2) t.fail("points", "'points' needs at least a beginning and an end");
  if (cells.size() + 1 != points.size()) t.fail("cells", "'cells' must have one number between each two points");
  if (spacing.size() != points.size()) t.fail("spacing", "'spacing' must have one number a point");
  std::vector<double> line{points[0]};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!(points[i + 1] > points[i])) t.fail("points", "'points' must increase");
    if (cells[i] < 1) t.fail("cells", "each section needs at least one cell");
    require_countable(t, "cells", cells[i]);
    for (const double h : {spacing[i], spacing[i + 1]})
      if (!(h >= 0) || !std::isfinite(h)) t.fail("spacing", "spacings must be positive, or 0 (free)");
    const auto s = two_sided_spacing(cells[i], points[i + 1] - points[i], spacing[i], spacing[i + 1]);
    for (std::size_t k = 1; k + 1 < s.size(); ++k) line.push_back(points[i] + s[k]);
    line.push_back(points[i + 1]);
  }
  for (std::size_t i = 1; i < line.size(); ++i)
    if (!(line[i] > line[i - 1])) t.fail("spacing", "such spacings leave cells of no length");
  return line;
}

SheetSide side_of(const Table& t) {
  const std::string word = t.choice("side", {"x_min", "x_max", "y_min", "y_max"}, "y_min");
  return word == "x_min"   ? SheetSide::left
         : word == "x_max" ? SheetSide::right
         : word == "y_min" ? SheetSide::bottom
                           : SheetSide::top;
}

BoxOptions::Split read_split(const Table& t, const BoxOptions& box) {
  BoxOptions::Split split;
  split.side = side_of(t);
  split.at = t.get<double>("at");
  const auto names = t.get<std::vector<std::string>>("names", {"symmetry", "wall"});
  if (names.size() != 2 || names[0].empty() || names[1].empty() || names[0] == names[1])
    t.fail("names", "'names' must be two different patch names");
  split.names = {names[0], names[1]};
  const bool is_vertical = split.side == SheetSide::left || split.side == SheetSide::right;
  const auto& line = box.line[is_vertical ? 1 : 0];
  const auto near = std::min_element(
      line.begin(), line.end(), [&](double a, double b) { return std::abs(a - split.at) < std::abs(b - split.at); });
  if (std::abs(*near - split.at) > 1e-9 * (line.back() - line.front()))
    t.fail("at", "the side is split where the mesh has no node; the nearest is at " + std::to_string(*near) +
                     "; name the place as one of the " + (is_vertical ? "y" : "x") + " points");
  if (near == line.begin() || near + 1 == line.end()) t.fail("at", "the side is split at its end");
  if (box.periodic[is_vertical ? 0 : 1]) t.fail("side", "a periodic side cannot be split");
  return split;
}

MeshDescription read_box(const Table& t) {
  BoxOptions o;
  const bool has_x = t.has("x"), has_y = t.has("y");
  if (!has_x || !has_y) {
    const auto cells = cell_counts(t, 32, 32);
    const auto origin = pair(t, "origin", 0, 0), length = pair(t, "length", 1, 1);
    if (!(length[0] > 0 && length[1] > 0)) t.fail("length", "lengths must be positive");
    auto stretching = read_stretchings(t);
    stretching.resize(2);
    for (std::size_t d = 0; d < 2; ++d) o.line[d] = make_grid_line(cells[d], origin[d], length[d], stretching[d]).faces;
  }
  if (has_x) o.line[0] = read_sections(t, "x");
  if (has_y) o.line[1] = read_sections(t, "y");
  o.shape = shape(t);
  require_countable(t, "cells", 1.0 * static_cast<double>(o.line[0].size()) * static_cast<double>(o.line[1].size()),
                    o.shape);
  for (const auto& direction : t.get<std::vector<std::string>>("periodic", {})) {
    if (direction != "x" && direction != "y")
      t.fail("periodic", "'periodic' names directions: [\"x\"], [\"x\", \"y\"]");
    o.periodic[direction == "x" ? 0 : 1] = true;
  }
  for (const Table& split : t.tables("split")) o.splits.push_back(read_split(split, o));
  o.perturbation = number(t, "perturbation", 0, 0, 0.45, "between 0 and 0.45");
  o.jitter = number(t, "jitter", 0, 0, 0.24, "between 0 and 0.24");
  const auto seed = t.get<std::int64_t>("seed", 1);
  o.seed = static_cast<std::uint64_t>(seed);
  return make_box(o);
}

MeshDescription read_cylinder(const Table& t) {
  CylinderOptions o;
  o.radius = positive(t, "radius", o.radius);
  o.far_field = positive(t, "far_field", o.far_field);
  if (!(o.far_field > o.radius)) t.fail("far_field", "'far_field' is the outer radius: larger than 'radius'");
  o.around = count(t, "around", o.around, 6);
  o.outward = count(t, "outward", o.outward, 1);
  o.first_height = not_negative(t, "first_height", o.first_height);
  const auto growth = not_negative(t, "growth", 0);
  const double gap = o.far_field - o.radius;
  if (growth > 0) {
    if (o.first_height > 0) t.fail("growth", "'growth' follows from 'first_height' and the counts: give one of them");
    o.first_height = growth == 1 ? gap / o.outward : gap * (growth - 1) / (std::pow(growth, o.outward) - 1);
  }
  if (o.first_height > gap) t.fail("first_height", "'first_height' is larger than the gap between the circles");
  require_countable(t, "around", 1.0 * o.around * o.outward);
  return make_cylinder(o);
}

MeshDescription read_bump(const Table& t) {
  BumpOptions o;
  const auto cells = cell_counts(t, o.nx, o.ny);
  o.nx = cells[0];
  o.ny = cells[1];
  const auto x = pair(t, "x", o.x_min, o.x_max);
  if (!(x[1] > x[0])) t.fail("x", "'x' must be [beginning, end] of the channel");
  o.x_min = x[0];
  o.x_max = x[1];
  o.height = t.get<double>("height", o.height);
  o.sharpness = not_negative(t, "sharpness", o.sharpness);
  o.y_max = positive(t, "channel_height", o.y_max);
  if (!(o.height < o.y_max) || !std::isfinite(o.height)) t.fail("height", "the bump closes the channel");
  o.shape = shape(t);
  return make_bump(o);
}

MeshDescription read_wedge(const Table& t) {
  WedgeOptions o;
  const auto cells = cell_counts(t, o.nx, o.ny);
  o.nx = cells[0];
  o.ny = cells[1];
  if (o.nx < 2) t.fail("cells", "a wedge needs at least two cells along the channel");
  o.angle = number(t, "angle", o.angle, -60, 60, "between -60 and 60 degrees");
  o.upstream = positive(t, "upstream", o.upstream);
  o.length = positive(t, "length", o.length);
  o.height = positive(t, "height", o.height);
  if (o.length * std::tan(o.angle * 3.141592653589793 / 180) > 0.9 * o.height)
    t.fail("height", "the ramp closes the channel");
  o.shape = shape(t);
  return make_wedge(o);
}

void read_profile(const Table& t, NacaOptions& o) {
  const auto digits = t.get<std::string>("profile");
  if (digits.size() != 4 || digits.find_first_not_of("0123456789") != std::string::npos || digits.substr(2) == "00")
    t.fail("profile", "'profile' must be the four digits of a NACA airfoil, such as \"0012\" or \"2412\"");
  o.camber = 0.01 * (digits[0] - '0');
  if (digits[1] != '0') o.camber_position = 0.1 * (digits[1] - '0');
  if ((o.camber > 0) != (digits[1] != '0')) t.fail("profile", "camber and its position are both zero or both not");
  o.thickness = 0.1 * (digits[2] - '0') + 0.01 * (digits[3] - '0');
}

MeshDescription read_naca(const Table& t, bool has_profile) {
  NacaOptions o;
  if (has_profile) read_profile(t, o);
  const std::string edge = t.choice("trailing_edge", {"closed", "open", "extended"}, "closed");
  o.trailing_edge = edge == "closed" ? TrailingEdge::closed
                    : edge == "open" ? TrailingEdge::open
                                     : TrailingEdge::extended;
  o.far_field = number(t, "far_field", o.far_field, 2, 1e4, "between 2 and 10,000 chords");
  o.wall_faces = count(t, "wall_faces", o.wall_faces, 20);
  o.leading_spacing = positive(t, "leading_spacing", o.leading_spacing);
  o.trailing_spacing = positive(t, "trailing_spacing", o.trailing_spacing);
  o.layers = count(t, "layers", o.layers, 0);
  o.first_height = positive(t, "first_height", o.first_height);
  o.layer_growth = number(t, "layer_growth", o.layer_growth, 1, 3, "between 1 and 3");
  o.near_growth = number(t, "near_growth", o.near_growth, 0.01, 0.5, "between 0.01 and 0.5");
  o.far_growth = number(t, "far_growth", o.far_growth, 0.01, 0.5, "between 0.01 and 0.5");
  if (t.has("fan")) o.fan_angle = number(t, "fan", 20, 2, 60, "between 2 and 60 degrees") * 3.141592653589793 / 180;
  o.wake_length = not_negative(t, "wake_length", o.wake_length);
  o.wake_size = positive(t, "wake_size", o.wake_size);
  if (o.wake_length > o.far_field - 1) t.fail("wake_length", "the wake ends beyond the far field");
  o.shape = t.choice("shape", {"hybrid", "triangles"}, "hybrid") == "hybrid" ? CellShape::quads : CellShape::triangles;
  const double heights = geometric_spacing(o.layers, o.first_height, o.layer_growth).back();
  if (heights > 0.5) t.fail("layers", "the layers would be thicker than half a chord");
  if (t.has("cells") && t.has("refinement")) t.fail("cells", "'cells' and 'refinement' say the same: give one of them");
  if (t.has("cells"))
    o.refinement = refinement_for(o, count(t, "cells", 0, 500));
  else
    o.refinement = positive(t, "refinement", o.refinement);
  if (o.refinement < 0.2 || o.refinement > 60)
    t.fail(t.has("cells") ? "cells" : "refinement", "a refinement lies between 0.2 and 60");
  try {
    return make_naca(o);
  } catch (const std::runtime_error& e) {
    t.fail("layers",
           std::string(e.what()) + ": the layers fold over; make them fewer or thinner, or the wall spacing finer");
  }
}

}  // namespace

MeshDescription read_generator(const Table& t) {
  const std::string type = t.choice("type", {"box", "cylinder", "naca0012", "naca", "bump", "wedge"}, "");
  if (type == "box") return read_box(t);
  if (type == "cylinder") return read_cylinder(t);
  if (type == "bump") return read_bump(t);
  if (type == "wedge") return read_wedge(t);
  return read_naca(t, type == "naca");
}

}  // namespace weir
