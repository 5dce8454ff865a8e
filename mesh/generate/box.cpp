#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mesh/generate/generators.hpp"

namespace weir {
namespace {

constexpr double two_pi = 6.283185307179586;

// The node of a line at a coordinate, to round-off of the line's length.
int node_at(const std::vector<double>& line, double x) {
  const double tolerance = 1e-9 * (line.back() - line.front());
  for (std::size_t i = 0; i < line.size(); ++i)
    if (std::abs(line[i] - x) <= tolerance) return static_cast<int>(i);
  throw std::invalid_argument("a side of the box is split where the mesh has no node");
}

}  // namespace

MeshDescription make_box(const BoxOptions& o) {
  const auto& [x, y] = o.line;
  Sheet sheet(static_cast<int>(x.size()) - 1, static_cast<int>(y.size()) - 1, o.shape);
  const double length = x.back() - x.front(), height = y.back() - y.front();
  for (int j = 0; j <= sheet.ny; ++j)
    for (int i = 0; i <= sheet.nx; ++i) {
      const double X = x[static_cast<std::size_t>(i)], Y = y[static_cast<std::size_t>(j)];
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
  if (o.periodic[0]) out.periodic.push_back({"x_min", "x_max", std::array<double, 2>{length, 0}});
  if (o.periodic[1]) out.periodic.push_back({"y_min", "y_max", std::array<double, 2>{0, height}});
  return out;
}

}  // namespace weir
