// Channels with upright columns between a shaped floor and a flat ceiling.
#include <algorithm>
#include <cmath>

#include "mesh/generate/generators.hpp"

namespace weir {
namespace {

template <class Floor>
Sheet channel(const std::vector<double>& x, int ny, double ceiling, CellShape shape, Floor&& floor) {
  Sheet sheet(static_cast<int>(x.size()) - 1, ny, shape);
  for (int i = 0; i <= sheet.nx; ++i) {
    const double X = x[static_cast<std::size_t>(i)], low = floor(X);
    for (int j = 0; j <= ny; ++j)
      sheet.at(i, j) = {X, j == ny ? ceiling : low + (ceiling - low) * static_cast<double>(j) / ny};
  }
  return sheet;
}

}  // namespace

MeshDescription make_bump(const BumpOptions& o) {
  std::vector<double> x(static_cast<std::size_t>(o.nx) + 1);
  for (int i = 0; i <= o.nx; ++i) x[static_cast<std::size_t>(i)] = o.x_min + (o.x_max - o.x_min) * i / o.nx;
  const Sheet sheet =
      channel(x, o.ny, o.y_max, o.shape, [&](double X) { return o.height * std::exp(-o.sharpness * X * X); });
  return describe(sheet, {{SheetSide::left, "x_min"},
                          {SheetSide::right, "x_max"},
                          {SheetSide::bottom, "y_min"},
                          {SheetSide::top, "y_max"}});
}

MeshDescription make_wedge(const WedgeOptions& o) {
  constexpr double degree = 3.141592653589793 / 180;
  const double slope = std::tan(o.angle * degree);
  const int before =
      std::clamp(static_cast<int>(std::lround(o.nx * o.upstream / (o.upstream + o.length))), 1, o.nx - 1);
  std::vector<double> x(static_cast<std::size_t>(o.nx) + 1);
  for (int i = 0; i <= o.nx; ++i)
    x[static_cast<std::size_t>(i)] =
        i <= before ? o.upstream * (i - before) / before : o.length * (i - before) / (o.nx - before);
  const Sheet sheet = channel(x, o.ny, o.height, o.shape, [&](double X) { return X > 0 ? slope * X : 0.0; });
  return describe(sheet, {{SheetSide::left, "x_min"},
                          {SheetSide::right, "x_max"},
                          {SheetSide::bottom, "symmetry", 0, before},
                          {SheetSide::bottom, "wall", before, -1},
                          {SheetSide::top, "y_max"}});
}

}  // namespace weir
