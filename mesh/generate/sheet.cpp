#include "mesh/generate/sheet.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mesh/generate/generators.hpp"
#include "mesh/generate/predicates.hpp"

namespace weir {
namespace {

// A number in [-1, 1) of a counter: the mixer of Steele, Lea & Flood (2014), the same on every machine.
double random_number(std::uint64_t counter) {
  std::uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1.0p-52 - 1;
}

void add_cells(const Sheet& s, MeshDescription& out) {
  const bool quads = s.shape == CellShape::quads;
  const auto cells = static_cast<std::size_t>(s.nx) * static_cast<std::size_t>(s.ny);
  out.cell_start.reserve(cells * (quads ? 1 : 2) + 1);
  out.cell_node.reserve(cells * (quads ? 4 : 6));
  for (int j = 0; j < s.ny; ++j)
    for (int i = 0; i < s.nx; ++i) {
      const int a = s.index(i, j), b = s.index(i + 1, j), c = s.index(i + 1, j + 1), d = s.index(i, j + 1);
      if (quads) {
        out.add_cell(a, b, c, d);
      } else if (s.shape == CellShape::triangles && (i + j) % 2) {
        out.add_cell(a, b, d);
        out.add_cell(b, c, d);
      } else {
        out.add_cell(a, b, c);
        out.add_cell(a, c, d);
      }
    }
}

constexpr double two_pi = 6.283185307179586;

// The node of a line at a coordinate, to round-off of the line's length.
int node_at(const std::vector<double>& line, double x) {
  const double tolerance = 1e-9 * (line.back() - line.front());
  for (std::size_t i = 0; i < line.size(); ++i)
    if (std::abs(line[i] - x) <= tolerance) return static_cast<int>(i);
  throw std::invalid_argument("a side of the box is split where the mesh has no node");
}

}  // namespace

Sheet::Sheet(int nx_, int ny_, CellShape shape_, bool wraps_) : nx(nx_), ny(ny_), wraps(wraps_), shape(shape_) {
  node.resize(static_cast<std::size_t>(columns()) * static_cast<std::size_t>(ny + 1));
}

void Sheet::jitter(double fraction, std::uint64_t seed) {
  if (fraction == 0) return;
  const auto before = node;
  const auto old = [&](int i, int j) { return before[index(i, j)]; };
  for (int j = 1; j < ny; ++j)
    for (int i = wraps ? 0 : 1; i < nx; ++i) {
      const auto here = old(i, j);
      const double room = std::min({distance(here, old(i + 1, j)), distance(here, old(wraps ? i + nx - 1 : i - 1, j)),
                                    distance(here, old(i, j + 1)), distance(here, old(i, j - 1))});
      const auto counter = 2 * (static_cast<std::uint64_t>(index(i, j)) + (seed << 32));
      at(i, j) = {here[0] + fraction * room * random_number(counter) * std::sqrt(0.5),
                  here[1] + fraction * room * random_number(counter + 1) * std::sqrt(0.5)};
    }
}

MeshDescription describe(const Sheet& s, const std::vector<SheetPatch>& patches) {
  MeshDescription out;
  out.node = s.node;
  add_cells(s, out);
  for (const SheetPatch& patch : patches) {
    const auto known = std::find(out.marker.begin(), out.marker.end(), patch.name);
    const int marker =
        known != out.marker.end() ? static_cast<int>(known - out.marker.begin()) : out.add_marker(patch.name);
    const bool is_vertical = patch.side == SheetSide::left || patch.side == SheetSide::right;
    const int n = is_vertical ? s.ny : s.nx, end = patch.count < 0 ? n : patch.first + patch.count;
    const int fixed = patch.side == SheetSide::right ? s.nx : patch.side == SheetSide::top ? s.ny : 0;
    for (int k = patch.first; k < end; ++k)
      if (is_vertical)
        out.add_edge(s.index(fixed, k), s.index(fixed, k + 1), marker);
      else
        out.add_edge(s.index(k, fixed), s.index(k + 1, fixed), marker);
  }
  return out;
}

MeshDescription make_box(const BoxOptions& o) {
  const auto& [x, y] = o.line;
  Sheet sheet(static_cast<int>(x.size()) - 1, static_cast<int>(y.size()) - 1, o.shape);
  const double length = x.back() - x.front(), height = y.back() - y.front();
  for (int j = 0; j <= sheet.ny; ++j)
    for (int i = 0; i <= sheet.nx; ++i) {
      const double X = x[i], Y = y[j];
      const bool is_inside = i > 0 && i < sheet.nx && j > 0 && j < sheet.ny;
      const double wave = is_inside ? o.perturbation / two_pi * std::sin(two_pi * (X - x.front()) / length) *
                                          std::sin(two_pi * (Y - y.front()) / height)
                                    : 0;
      sheet.at(i, j) = {X + wave * length, Y + wave * height};
    }
  sheet.jitter(o.jitter, o.seed);
  std::vector<SheetPatch> patches;
  const std::pair<SheetSide, const char*> sides[] = {
      {SheetSide::left, "x_min"}, {SheetSide::right, "x_max"}, {SheetSide::bottom, "y_min"}, {SheetSide::top, "y_max"}};
  for (const auto& [side, name] : sides) {
    const auto split = std::find_if(o.splits.begin(), o.splits.end(), [&](const auto& s) { return s.side == side; });
    if (split == o.splits.end()) {
      patches.push_back({side, name});
      continue;
    }
    const bool is_vertical = side == SheetSide::left || side == SheetSide::right;
    const int at = node_at(is_vertical ? y : x, split->at);
    patches.push_back({side, split->names[0], 0, at});
    patches.push_back({side, split->names[1], at, -1});
  }
  MeshDescription out = describe(sheet, patches);
  if (o.periodic[0]) out.periodic.push_back({"x_min", "x_max", Point{length, 0}});
  if (o.periodic[1]) out.periodic.push_back({"y_min", "y_max", Point{0, height}});
  return out;
}

}  // namespace weir
