#include <cmath>

#include "mesh/generate/generators.hpp"
#include "mesh/generate/spacing.hpp"

namespace weir {

MeshDescription make_cylinder(const CylinderOptions& o) {
  constexpr double two_pi = 6.283185307179586;
  Sheet sheet(o.around, o.outward, CellShape::quads, true);
  std::vector<double> height;
  if (o.first_height > 0)
    height =
        geometric_spacing(o.outward, o.first_height, growth_to_fill(o.outward, o.first_height, o.far_field - o.radius));
  for (int j = 0; j <= o.outward; ++j) {
    // Without a first height the radii grow by a constant factor, so that the cells are similar figures.
    const double r = j == 0           ? o.radius
                     : j == o.outward ? o.far_field
                     : height.empty() ? o.radius * std::pow(o.far_field / o.radius, static_cast<double>(j) / o.outward)
                                      : o.radius + height[static_cast<std::size_t>(j)];
    for (int i = 0; i < o.around; ++i) {  // clockwise, so that outwards is to the left of the walk
      const double theta = -two_pi * i / o.around;
      sheet.at(i, j) = {r * std::cos(theta), r * std::sin(theta)};
    }
  }
  return describe(sheet, {{SheetSide::bottom, "wall"}, {SheetSide::top, "farfield"}});
}

}  // namespace weir
