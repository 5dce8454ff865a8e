#include "mesh/generate/generators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/files.hpp"
#include "mesh/generate/spacing.hpp"
#include "mesh/structured/read_grid.hpp"

namespace weir {
namespace {

constexpr Option generator_keys[] = {
    {"type", Option::text, Option::required,
     "mesh generator; box: rectangle; cylinder: O-grid around a cylinder; naca0012: hybrid mesh around the NACA 0012; "
     "naca: hybrid mesh around any NACA 4-digit aerofoil; wedge: channel with a ramp; c_grid: C-grid around a NACA "
     "4-digit aerofoil",
     "box | cylinder | naca0012 | naca | wedge | c_grid"}};

constexpr Option shape_key = {"shape", Option::text, "quads",
                              "shape of the cells; triangles: quadrilaterals halved by alternating diagonals; "
                              "triangles_aligned: quadrilaterals halved by parallel diagonals",
                              "quads | triangles | triangles_aligned"};

constexpr Option section_keys[] = {
    {"points", Option::numbers, Option::required, "end points of the sections, increasing", "", "length"},
    {"cells", Option::integers, Option::required, "number of cells of each section", "[1, inf)"},
    {"spacing", Option::numbers, "depends on the sections: all 0", "approximate cell size at each point; 0: free",
     "[0, inf)", "length"}};
Options section_options() { return section_keys; }

constexpr Option split_keys[] = {
    {"side", Option::text, "y_min", "side that is split into two markers", "x_min | x_max | y_min | y_max"},
    {"at", Option::number, Option::required, "coordinate of the node at which the side is split", "", "length"},
    {"names", Option::texts, "[symmetry, wall]", "names of the two markers, below and above `at`"}};

constexpr Option box_keys[] = {
    {"cells", Option::integers, "[32, 32]", "numbers of cells, [nx, ny]", "[1, inf)"},
    {"origin", Option::numbers, "[0, 0]", "corner of the box with the smallest coordinates", "(-inf, inf)", "length"},
    {"length", Option::numbers, "[1, 1]", "lengths of the sides of the box", "(0, inf)", "length"},
    {"stretching", Option::tables, "", "distribution of the cell sizes in each direction, as in [grid]", "", "", "",
     stretching_options},
    {"x", Option::table, "",
     "sections of the box in x with their own cell sizes (alternative to cells, origin, length)", "", "", "",
     section_options},
    {"y", Option::table, "", "sections of the box in y with their own cell sizes", "", "", "", section_options},
    shape_key,
    {"periodic", Option::texts, "[]", "periodic directions", "x | y"},
    {"split", Option::tables, "", "sides that are split into two markers", "", "", "",
     [] { return Options(split_keys); }},
    {"perturbation", Option::number, "0", "smooth displacement of inner nodes, in units of length / 2 pi", "[0, 0.45]"},
    {"jitter", Option::number, "0", "random displacement of the inner nodes, in units of the cell size", "[0, 0.24]"},
    {"seed", Option::integer, "1", "seed of the random displacement `jitter`"}};

constexpr Option cylinder_keys[] = {
    {"radius", Option::number, "0.5", "radius of the cylinder", "(0, inf)", "length"},
    {"far_field", Option::number, "20", "outer radius of the mesh", "(0, inf)", "length"},
    {"around", Option::integer, "128", "number of cells around the cylinder", "[6, inf)"},
    {"outward", Option::integer, "64", "number of cells in radial direction", "[1, inf)"},
    {"first_height", Option::number, "0", "height of the cells at the wall; 0: constant aspect ratio of all cells",
     "[0, inf)", "length"},
    {"growth", Option::number, "0", "ratio of neighbouring cell heights (alternative to first_height)", "[0, inf)"}};

constexpr Option wedge_keys[] = {
    {"cells", Option::integers, "[96, 64]", "numbers of cells, [nx, ny]", "[1, inf)"},
    {"angle", Option::number, "10", "angle of the ramp, which starts at x = 0", "[-60, 60]", "degrees"},
    {"upstream", Option::number, "0.5", "length of the floor upstream of the ramp", "(0, inf)", "length"},
    {"length", Option::number, "1", "length of the ramp along x", "(0, inf)", "length"},
    {"height", Option::number, "1", "height of the channel", "(0, inf)", "length"},
    shape_key};

std::array<int, 2> cell_counts(const Table& t) {
  const auto n = t.get<std::vector<int>>("cells");
  if (n.size() != 2) t.fail("cells", "'cells' must be [nx, ny]");
  require_countable(t, "cells", 1.0 * n[0] * n[1], CellShape::triangles);
  return {n[0], n[1]};
}

std::array<double, 2> pair(const Table& t, const char* key) {
  const auto v = t.get<std::vector<double>>(key);
  if (v.size() != 2) t.fail(key, std::string("'") + key + "' must be two numbers, [x, y]");
  return {v[0], v[1]};
}

CellShape shape(const Table& t) {
  const auto word = t.get<std::string>("shape");
  return word == "quads" ? CellShape::quads : word == "triangles" ? CellShape::triangles : CellShape::triangles_aligned;
}

// x = { points = [-0.5, 0, 2], cells = [16, 64], spacing = [0.1, 0.002, 0.1] }: sections with approximate spacings at
// the points (0 or omitted: free).
std::vector<double> read_sections(const Table& box, const char* key) {
  const Table t = box.table(key);
  const auto points = t.get<std::vector<double>>("points");
  const auto cells = t.get<std::vector<int>>("cells");
  const auto spacing = t.get<std::vector<double>>("spacing", std::vector<double>(points.size(), 0.0));
  if (points.size() < 2) t.fail("points", "'points' must have at least two values");
  if (cells.size() + 1 != points.size()) t.fail("cells", "'cells' must have one number per section");
  if (spacing.size() != points.size()) t.fail("spacing", "'spacing' must have one number per point");
  std::vector<double> line{points[0]};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!(points[i + 1] > points[i])) t.fail("points", "'points' must increase");
    require_countable(t, "cells", cells[i]);
    const auto s = two_sided_spacing(cells[i], points[i + 1] - points[i], spacing[i], spacing[i + 1]);
    for (std::size_t k = 1; k + 1 < s.size(); ++k) line.push_back(points[i] + s[k]);
    line.push_back(points[i + 1]);
  }
  for (std::size_t i = 1; i < line.size(); ++i)
    if (!(line[i] > line[i - 1])) t.fail("spacing", "these spacings leave cells of zero length");
  return line;
}

SheetSide side_of(const Table& t) {
  const auto word = t.get<std::string>("side");
  return word == "x_min"   ? SheetSide::left
         : word == "x_max" ? SheetSide::right
         : word == "y_min" ? SheetSide::bottom
                           : SheetSide::top;
}

// A side with two patches, below and above the node `at`.
struct Split {
  SheetSide side;
  int at;
  std::vector<std::string> names;
};

using Lines = std::array<std::vector<double>, 2>;  // coordinates of the nodes in x and y

Split read_split(const Table& t, const Lines& lines, const std::array<bool, 2>& periodic,
                 const std::vector<Split>& others) {
  const SheetSide side = side_of(t);
  for (const Split& other : others)
    if (other.side == side)
      t.fail("side", "a second split of '" + t.get<std::string>("side") + "': a side has at most two markers");
  const auto at = t.get<double>("at");
  const auto names = t.get<std::vector<std::string>>("names");
  if (names.size() != 2 || names[0].empty() || names[1].empty() || names[0] == names[1])
    t.fail("names", "'names' must be two different patch names");
  const auto& line = lines[is_vertical(side) ? 1 : 0];
  const auto near = std::ranges::min_element(line, {}, [&](double x) { return std::abs(x - at); });
  if (std::abs(*near - at) > 1e-9 * (line.back() - line.front()))
    t.fail("at", "the mesh has no node at this position; the nearest is at " + std::to_string(*near) +
                     "; add the position to the " + (is_vertical(side) ? "y" : "x") + " points");
  if (near == line.begin() || near + 1 == line.end()) t.fail("at", "a side cannot be split at its end");
  if (periodic[is_vertical(side) ? 0 : 1]) t.fail("side", "a periodic side cannot be split");
  return {side, static_cast<int>(near - line.begin()), names};
}

Lines read_lines(const Table& t) {
  Lines line;
  const bool has_x = t.has("x"), has_y = t.has("y");
  if (!has_x || !has_y) {
    const auto cells = cell_counts(t);
    const auto origin = pair(t, "origin"), length = pair(t, "length");
    auto stretching = read_stretchings(t);
    stretching.resize(2);
    for (std::size_t d = 0; d < 2; ++d) line[d] = read_line(t, cells[d], origin[d], length[d], stretching[d]).faces;
  }
  if (has_x) line[0] = read_sections(t, "x");
  if (has_y) line[1] = read_sections(t, "y");
  return line;
}

// Both coordinates of a node move by perturbation / (2 pi) * sin(2 pi xi) sin(2 pi eta) of the box's lengths, zero on
// the sides. The mesh is valid below 0.5.
void place_nodes(Sheet& sheet, const Lines& line, double perturbation) {
  constexpr double two_pi = 2 * std::numbers::pi;
  const auto& [x, y] = line;
  const double length = x.back() - x.front(), height = y.back() - y.front();
  for (int j = 0; j <= sheet.ny; ++j)
    for (int i = 0; i <= sheet.nx; ++i) {
      const bool is_inside = i > 0 && i < sheet.nx && j > 0 && j < sheet.ny;
      const double wave = is_inside ? perturbation / two_pi * std::sin(two_pi * (x[i] - x.front()) / length) *
                                          std::sin(two_pi * (y[j] - y.front()) / height)
                                    : 0;
      sheet.at(i, j) = {x[i] + wave * length, y[j] + wave * height};
    }
}

// A rectangle. Patches x_min, x_max, y_min, y_max, or those of the splits.
MeshDescription make_box(const Table& t) {
  const Lines line = read_lines(t);
  const auto& [x, y] = line;
  const CellShape cell_shape = shape(t);
  require_countable(t, "cells", 1.0 * static_cast<double>(x.size()) * static_cast<double>(y.size()), cell_shape);
  Sheet sheet(static_cast<int>(x.size()) - 1, static_cast<int>(y.size()) - 1, cell_shape);
  std::array<bool, 2> periodic{};
  for (const auto& direction : t.get<std::vector<std::string>>("periodic")) periodic[direction == "x" ? 0 : 1] = true;
  std::vector<Split> splits;
  for (const Table& split : t.tables("split")) splits.push_back(read_split(split, line, periodic, splits));
  place_nodes(sheet, line, t.get<double>("perturbation"));
  const auto jitter = t.get<double>("jitter");
  sheet.jitter(jitter, static_cast<std::uint64_t>(t.get<std::int64_t>("seed")));
  std::vector<SheetPatch> patches;
  for (const auto& [side, name] : {std::pair{SheetSide::left, "x_min"},
                                   {SheetSide::right, "x_max"},
                                   {SheetSide::bottom, "y_min"},
                                   {SheetSide::top, "y_max"}}) {
    const auto split = std::ranges::find(splits, side, &Split::side);
    if (split == splits.end()) {
      patches.push_back({side, name});
      continue;
    }
    patches.push_back({side, split->names[0], 0, split->at});
    patches.push_back({side, split->names[1], split->at, -1});
  }
  MeshDescription out = describe(sheet, patches);
  if (periodic[0]) out.periodic.push_back({"x_min", "x_max", Point{x.back() - x.front(), 0}});
  if (periodic[1]) out.periodic.push_back({"y_min", "y_max", Point{0, y.back() - y.front()}});
  return out;
}

// An O-grid of quadrilaterals around a circle about the origin. Patches wall, farfield.
MeshDescription make_cylinder(const Table& t) {
  const auto radius = t.get<double>("radius"), far_field = t.get<double>("far_field");
  if (!(far_field > radius)) t.fail("far_field", "'far_field' (the outer radius) must be larger than 'radius'");
  const auto around = t.get<int>("around"), outward = t.get<int>("outward");
  auto first_height = t.get<double>("first_height");
  const auto growth = t.get<double>("growth");
  const double gap = far_field - radius;
  if (growth > 0) {
    if (first_height > 0) t.fail("growth", "'growth' and 'first_height' are alternatives: give one of them");
    first_height = growth == 1 ? gap / outward : gap * (growth - 1) / (std::pow(growth, outward) - 1);
  }
  if (first_height > gap) t.fail("first_height", "'first_height' is larger than the gap between the circles");
  require_countable(t, "around", 1.0 * around * outward);
  Sheet sheet(around, outward, CellShape::quads, true);
  std::vector<double> height;
  if (first_height > 0) height = geometric_spacing(outward, first_height, growth_to_fill(outward, first_height, gap));
  for (int j = 0; j <= outward; ++j) {
    // Without a first height the radii form a geometric series, so that all cells are similar.
    const double r = j == 0           ? radius
                     : j == outward   ? far_field
                     : height.empty() ? radius * std::pow(far_field / radius, static_cast<double>(j) / outward)
                                      : radius + height[j];
    for (int i = 0; i < around; ++i) {  // clockwise, so that outwards is on the left
      const double theta = -2 * std::numbers::pi * i / around;
      sheet.at(i, j) = {r * std::cos(theta), r * std::sin(theta)};
    }
  }
  return describe(sheet, {{SheetSide::bottom, "wall"}, {SheetSide::top, "farfield"}});
}

// A channel whose floor rises by `angle` from a node at x = 0. Patches x_min, x_max, symmetry (the floor upstream of
// the corner), wall (the ramp), y_max.
MeshDescription make_wedge(const Table& t) {
  const auto [nx, ny] = cell_counts(t);
  if (nx < 2) t.fail("cells", "a wedge requires at least two cells along the channel");
  const double slope = std::tan(t.get<double>("angle") * (std::numbers::pi / 180));
  const auto upstream = t.get<double>("upstream"), length = t.get<double>("length"), height = t.get<double>("height");
  if (length * slope > 0.9 * height) t.fail("height", "the ramp closes the channel");
  const int before = std::clamp(static_cast<int>(std::lround(nx * upstream / (upstream + length))), 1, nx - 1);
  Sheet sheet(nx, ny, shape(t));
  for (int i = 0; i <= nx; ++i) {
    const double x = i <= before ? upstream * (i - before) / before : length * (i - before) / (nx - before);
    const double low = x > 0 ? slope * x : 0.0;
    for (int j = 0; j <= ny; ++j)
      sheet.at(i, j) = {x, j == ny ? height : low + (height - low) * static_cast<double>(j) / ny};
  }
  return describe(sheet, {{SheetSide::left, "x_min"},
                          {SheetSide::right, "x_max"},
                          {SheetSide::bottom, "symmetry", 0, before},
                          {SheetSide::bottom, "wall", before, -1},
                          {SheetSide::top, "y_max"}});
}

}  // namespace

void require_countable(const Table& t, const char* key, double cells, CellShape shape) {
  const double most = std::numeric_limits<int>::max() / 4.0;
  if (cells * (shape == CellShape::quads ? 1 : 2) > most)
    t.fail(key, "too many cells: their corners exceed a 32-bit index");
  constexpr double bytes_a_cell = 500;  // while the mesh is built and renumbered
  require_free_memory(bytes_a_cell * cells,
                      t.where(key) + ": a mesh of " + std::to_string(std::llround(cells)) + " cells");
}

Options generator_options() { return generator_keys; }

Options generator_options(std::string_view type) {
  if (type == "box") return box_keys;
  if (type == "cylinder") return cylinder_keys;
  if (type == "wedge") return wedge_keys;
  if (type == "c_grid") return c_grid_options();
  return naca_options();
}

MeshDescription read_generator(const Table& options) {
  const auto type = options.described_by(generator_keys).get<std::string>("type");
  const Table t = options.described_by(generator_options(type));
  if (type == "box") return make_box(t);
  if (type == "cylinder") return make_cylinder(t);
  if (type == "wedge") return make_wedge(t);
  if (type == "c_grid") return make_c_grid(t);
  return make_naca(t, type == "naca");
}

}  // namespace weir
